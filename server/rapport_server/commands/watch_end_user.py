"""WatchEndUser: what changes about a person, as it changes."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from rapport_server.commands.authenticate import Authenticate
from rapport_server.commands.bells import Bells
from rapport_server.commands.tenant_directory import TenantDirectory
from rapport_server.domain.memories import (
    IndexingStatus,
    MemoryKind,
    MemoryProgress,
    ProcessingStatus,
    Scope,
)
from rapport_server.domain.people import Person
from rapport_server.domain.ports import SubjectHasher
from rapport_server.domain.relation import decayed
from rapport_server.domain.storage import Database, PageRequest, TimeRange
from rapport_server.domain.tenants import Caller
from rapport_server.errors import Erased

# Changes are announced; a notice that a killed process took with it, or a key that expired, is noticed within this time.
LOOK_AGAIN_S = 30.0
LOOKS_AT_ONCE = 4  # of the pool's connections, however many watch
POINTS_MAX = 100  # interactions and events in one look; what is beyond comes with the next
OPEN_MAX = (
    1_000  # memories that are followed at once, the oldest first; the others when these are done
)


@dataclass(frozen=True, slots=True)
class EndUserChange:
    """The person now (None: a stranger), and what changed: an interaction, the indexing of a memory, or something else."""

    person: Person | None
    now: datetime
    interaction_id: UUID | None = None
    status: ProcessingStatus | None = None


@dataclass(slots=True)
class _Told:
    """What a watcher knows: the person, the last interaction, the newest memory, and how far those are that may still change."""

    epoch: int
    person: Person | None
    point_id: int
    version: int
    open: dict[int, ProcessingStatus]
    behind: bool = False  # the last look was full

    @property
    def room(self) -> int:
        """How many more memories may be followed; one that failed and may be retried gives way to a new one."""
        if len(self.open) == OPEN_MAX:
            self.open = {v: s for v, s in self.open.items() if not s.status.terminal}
        return OPEN_MAX - len(self.open)

    def changed(self, rows: Sequence[MemoryProgress]) -> list[ProcessingStatus]:
        """What the rows say that was not known; what they say is known then."""
        changed = []
        for row in rows:
            known = self.open.pop(row.version, None)
            completed = row.status.status is IndexingStatus.COMPLETED
            if not (completed and row.kind is MemoryKind.INTERACTION) and _differ(
                known, row.status
            ):
                changed.append(row.status)
            if not completed:
                self.open[row.version] = row.status
            self.version = max(self.version, row.version)
        return changed

    def gone(self, rows: Sequence[MemoryProgress]) -> list[str]:
        """Source ids that were followed and are not among the rows; they are forgotten."""
        gone = self.open.keys() - {row.version for row in rows}
        return [self.open.pop(version).source_id for version in gone]


class WatchEndUser:
    """Each watcher reads the database when its person's bell rings, and remembers what it has told.

    So nothing queues for a slow reader: it sees every interaction, and of the relation and of a memory's indexing the latest.
    """

    def __init__(
        self,
        database: Database,
        hasher: SubjectHasher,
        bells: Bells,
        authenticate: Authenticate,
        directory: TenantDirectory,
    ) -> None:
        self._database = database
        self._hasher = hasher
        self._bells = bells
        self._authenticate = authenticate
        self._directory = directory
        self._looking = asyncio.Semaphore(LOOKS_AT_ONCE)

    async def __call__(self, caller: Caller, scope: Scope) -> AsyncGenerator[EndUserChange]:
        """How things stand, then each change. Raises Erased, and NotFound or Unauthenticated when tenant or key are gone."""
        subject_hash = self._hasher.subject_hash(scope.tenant_id, scope.end_user_id)
        with self._bells.hung(subject_hash) as bell:
            heard = bell.strokes
            first, told = await self._begin(scope, subject_hash)
            yield first
            while True:
                await bell.wait(heard, LOOK_AGAIN_S)
                heard = bell.strokes
                await self._authenticate.confirm(caller)
                await self._directory.get(scope.tenant_id)
                changes = await self._look(scope, subject_hash, told)
                for change in changes:
                    yield change
                if changes and told.behind:
                    heard -= 1  # the next turn comes without a ring

    async def _begin(self, scope: Scope, subject_hash: bytes) -> tuple[EndUserChange, _Told]:
        async with self._looking, self._database.session() as session:
            points = await session.messages.list_points(scope, TimeRange(), True, PageRequest(1))
            version = await session.memories.newest_version(scope)
            unfinished = await session.memories.unfinished(scope, OPEN_MAX)
            person = await session.people.get(scope.tenant_id, scope.end_user_id)
            arrival = await session.people.arrival(scope.tenant_id, subject_hash)
        if len(unfinished) == OPEN_MAX:
            version = unfinished[-1].version
        told = _Told(
            arrival.epoch,
            person,
            points[0].point_id if points else 0,
            version,
            {row.version: row.status for row in unfinished},
        )
        return EndUserChange(_decayed(person, arrival.now), arrival.now), told

    async def _look(self, scope: Scope, subject_hash: bytes, told: _Told) -> list[EndUserChange]:
        async with self._looking, self._database.session() as session:
            points = await session.messages.list_points(
                scope, TimeRange(), False, PageRequest(POINTS_MAX, (told.point_id,))
            )
            room = told.room
            rows = await session.memories.progress(scope, list(told.open), told.version, room)
            gone = told.gone(rows)
            told.behind = len(points) == POINTS_MAX or len(rows) + len(gone) >= OPEN_MAX
            now_at = await session.memories.status(scope, gone) if gone else {}
            # After the points, so that no answer shows an interaction without its effect.
            person = await session.people.get(scope.tenant_id, scope.end_user_id)
            # Last of all: what was read before is of a person who has not been erased since.
            arrival = await session.people.arrival(scope.tenant_id, subject_hash)
        if arrival.epoch != told.epoch:
            raise Erased
        statuses = told.changed(rows)
        # The others were replaced by a newer version, which has a row of its own.
        statuses += [
            ProcessingStatus(source_id, IndexingStatus.NOT_FOUND)
            for source_id in gone
            if source_id not in now_at
        ]
        moved = not points and _relation_of(person) != _relation_of(told.person)
        told.person = person
        told.point_id = points[-1].point_id if points else told.point_id
        now = EndUserChange(_decayed(person, arrival.now), arrival.now)
        return [
            *(replace(now, interaction_id=point.interaction_id) for point in points),
            *([now] if moved else []),
            *(replace(now, status=status) for status in statuses),
        ]


def _differ(known: ProcessingStatus | None, now: ProcessingStatus) -> bool:
    return known is None or (known.status, known.attempts) != (now.status, now.attempts)


def _decayed(person: Person | None, now: datetime) -> Person | None:
    return replace(person, state=decayed(person.state, now)) if person else None


def _relation_of(person: Person | None) -> tuple[object, ...]:
    if person is None:
        return ()
    return person.state, person.interaction_count, person.known_since, person.last_seen
