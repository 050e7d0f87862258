"""Tables person_epoch and end_user."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from rapport_server.domain.people import Arrival, Person
from rapport_server.domain.ports import Position, ShardKey
from rapport_server.domain.relation import RelationState, stranger
from rapport_server.domain.storage import PageRequest, Placed
from rapport_server.errors import Erased, NotFound
from rapport_server.store.query import Connection, column, every, first, one, scalar
from rapport_server.store.shards import ShardTable
from rapport_server.store.sqlfile import load

SHARD_VECTORS_MAX = 80_000  # about 64 MiB: a snapshot or a rewrite takes well under a second
SHARD_PERSONS_MAX = (
    20_000  # inverted lists of one shard; each costs its header whether it is used or not
)

_SQL = load("person")
_TENANT_SQL = load("tenant")


class PeopleTable:
    """People: their lock and epoch, their place in the shards, their relation.

    `placements` collects how many people this transaction placed in which shard; the counts in shard_head are raised from
    it at the very end, because heads are locked last. `touched` collects who was locked, to be announced after the commit.
    """

    def __init__(
        self, conn: Connection, placements: Counter[ShardKey], touched: set[bytes]
    ) -> None:
        self._conn = conn
        self._placements = placements
        self._touched = touched

    async def arrival(self, tenant_id: str, subject_hash: bytes) -> Arrival:
        """The person's epoch (0 when never seen) without a lock, and the database's clock."""
        values = {"tenant_id": tenant_id, "subject_hash": subject_hash}
        return await one(self._conn, Arrival, _SQL.arrival, values)

    async def lock(self, tenant_id: str, subject_hash: bytes, epoch: int) -> datetime:
        """Lock the person for this transaction (making the lock row if needed); the database's clock after that.

        Raises Erased when the epoch is no longer the given one.
        """
        values = {"tenant_id": tenant_id, "subject_hash": subject_hash}
        locked = await first(self._conn, Arrival, _SQL.lock, values)
        if locked is None:
            await self._conn.execute(_SQL.insert_epoch, values)
            # A statement of its own: only a new snapshot sees a row that somebody else made meanwhile.
            locked = await one(self._conn, Arrival, _SQL.lock, values)
        if locked.epoch != epoch:
            raise Erased
        self._touched.add(subject_hash)
        return locked.now

    async def lock_many(self, subjects: Sequence[tuple[str, bytes]]) -> None:
        """Lock several persons (tenant_id, subject_hash) in sorted order, whatever their epochs."""
        wanted = sorted(set(subjects))
        subject_hashes = [subject_hash for _, subject_hash in wanted]
        values = {
            "tenant_ids": [tenant_id for tenant_id, _ in wanted],
            "subject_hashes": subject_hashes,
        }
        await self._conn.execute(_SQL.insert_epochs, values)
        await self._conn.execute(_SQL.lock_many, values)
        self._touched.update(subject_hashes)

    async def bump(self, tenant_id: str, subject_hash: bytes) -> int:
        """Lock the person and raise the epoch; the new one."""
        values = {"tenant_id": tenant_id, "subject_hash": subject_hash}
        self._touched.add(subject_hash)
        return int(await scalar(self._conn, _SQL.bump, values))

    def announce(self, subject_hashes: Iterable[bytes]) -> None:
        """Wake those who watch these persons, after the commit; whom this transaction locked is announced anyway."""
        self._touched.update(subject_hashes)

    async def get(self, tenant_id: str, end_user_id: str) -> Person | None:
        """None when the person is not stored."""
        values = {"tenant_id": tenant_id, "end_user_id": end_user_id}
        return await first(self._conn, _person, _SQL.get, values)

    async def begin(
        self, tenant_id: str, end_user_id: str, initial_trust: float, at: datetime
    ) -> Person:
        """The person's row, made (and placed in a shard with room) if it is missing; call after `lock`.

        Raises NotFound when the tenant is gone.
        """
        person = await self.get(tenant_id, end_user_id)
        if person is not None:
            return person
        if not await scalar(self._conn, _TENANT_SQL.hold, (tenant_id,)):
            raise NotFound("tenant")
        shard_id = await self._shard_with_room(tenant_id)
        values = {
            "tenant_id": tenant_id,
            "end_user_id": end_user_id,
            "shard_id": shard_id,
            "at": at,
            **_variables(stranger(initial_trust, at)),
        }
        person = await one(self._conn, _person, _SQL.insert, values)
        self._placements[ShardKey(tenant_id, shard_id)] += 1
        return person

    async def save(self, person: Person) -> None:
        """Write state, counts, times, user_name and time_zone back. Raises Internal, at the latest at the commit, when the row is gone."""
        values = {
            "tenant_id": person.tenant_id,
            "end_user_id": person.end_user_id,
            "state_time": person.state.time,
            "interaction_count": person.interaction_count,
            "known_since": person.known_since,
            "last_seen": person.last_seen,
            "user_name": person.user_name,
            "time_zone": person.time_zone,
            **_variables(person.state),
        }
        await self._conn.execute(_SQL.save, values)

    async def assign(self, tenant_id: str, end_user_id: str, assignments: Sequence[str]) -> None:
        """Replace the person's assignments; the relation does not change by it."""
        values = {
            "tenant_id": tenant_id,
            "end_user_id": end_user_id,
            "assignments": list(assignments),
        }
        await self._conn.execute(_SQL.assign, values)

    async def placed(self, people: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Placed]:
        """Where the vectors of each (tenant_id, end_user_id) are; whoever is not stored is left out."""
        values = {
            "tenant_ids": [tenant_id for tenant_id, _ in people],
            "end_user_ids": [end_user_id for _, end_user_id in people],
        }
        return dict(await every(self._conn, _placed, _SQL.placed, values))

    async def page(
        self, tenant_id: str, assignment: str, page: PageRequest
    ) -> list[tuple[Person, int]]:
        """With each person's number of stored memories, by end_user_id; page key (end_user_id,)."""
        values = {
            "tenant_id": tenant_id,
            "assignment": assignment,
            "after": page.after[0] if page.after else "",
            "size": page.size,
        }
        return await every(self._conn, _person_and_memories, _SQL.page, values)

    async def ids(self, tenant_id: str, limit: int) -> list[str]:
        """Some end_user_ids, for a tenant's deletion."""
        return await column(self._conn, _SQL.ids, {"tenant_id": tenant_id, "limit": limit})

    async def count_placements(self) -> None:
        """Raise the person counts of the heads; the last statement of a transaction that began someone."""
        for key, persons in sorted(self._placements.items(), key=_by_shard):
            values = {"tenant_id": key.tenant_id, "shard_id": key.shard_id, "persons": persons}
            await self._conn.execute(_SQL.add_persons, values)

    async def _shard_with_room(self, tenant_id: str) -> int:
        """The lowest shard with room, made if there is none.

        The heads are only read: newcomers that arrive together may take a shard a little over its bound, which costs nothing,
        while a lock held from here to the commit would stop everybody else in the shard.
        """
        values = {
            "tenant_id": tenant_id,
            "vectors_max": SHARD_VECTORS_MAX,
            "persons_max": SHARD_PERSONS_MAX,
        }
        shard_id, exists = await one(self._conn, _choice, _SQL.choose_shard, values)
        if not exists:
            # Of those who make it at once one does, and the others wait for that one's commit.
            await ShardTable(self._conn).create(tenant_id, shard_id)
        return shard_id


def _choice(*, shard_id: int, exists: bool) -> tuple[int, bool]:
    return shard_id, exists


def _by_shard(item: tuple[ShardKey, int]) -> tuple[str, int]:
    return item[0].tenant_id, item[0].shard_id


def _variables(state: RelationState) -> dict[str, float]:
    return {
        "trust": state.trust,
        "sentiment": state.sentiment,
        "grudge": state.grudge,
        "familiarity": state.familiarity,
    }


def _person(
    *,
    trust: float,
    sentiment: float,
    grudge: float,
    familiarity: float,
    state_time: datetime,
    assignments: Sequence[str],
    **columns: Any,
) -> Person:
    state = RelationState(trust, sentiment, grudge, familiarity, state_time)
    return Person(state=state, assignments=tuple(assignments), **columns)


def _person_and_memories(*, memories: int, **columns: Any) -> tuple[Person, int]:
    return _person(**columns), memories


def _placed(
    *, tenant_id: str, end_user_id: str, person_no: int, shard_id: int, seq: int, token: Any
) -> tuple[tuple[str, str], Placed]:
    return (tenant_id, end_user_id), Placed(person_no, shard_id, Position(seq, token))
