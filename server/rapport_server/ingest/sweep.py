"""The periodic sweep: lost items, expired memories, what a plan does not keep, old changes and old request records."""

import asyncio
import itertools
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

import structlog

from rapport_server.domain import limits
from rapport_server.domain.audit import AuditEventKind, AuditRecord, Details
from rapport_server.domain.memories import MemoryKind, Scope
from rapport_server.domain.ports import SubjectHasher
from rapport_server.domain.retention import KEEP
from rapport_server.domain.storage import Database, Transaction
from rapport_server.errors import RapportError

EVERY_S = 30.0
# Steps of one sort in a round: 20,000 rows, after which the other sorts have their turn.
_STEPS_MAX = 20
# Calls and the worker cut what they push out; only a smaller plan leaves more, and looking for it counts whole tenants.
_RETENTION_ROUNDS = 20

log = structlog.get_logger(__name__)


class Sweep:
    """Every process may run one: rows that another one is at are skipped, or found gone under the person's lock."""

    def __init__(
        self, database: Database, hasher: SubjectHasher, *, every_s: float = EVERY_S
    ) -> None:
        self._database = database
        self._hasher = hasher
        self._every_s = every_s

    async def run(self) -> None:
        """Sweep until cancelled."""
        for number in itertools.count():
            await asyncio.sleep(self._every_s)
            await self.round(retention=number % _RETENTION_ROUNDS == 0)

    async def round(self, *, retention: bool = True) -> dict[str, int]:
        """One round of everything; how many rows of each sort. What fails is logged and tried again in the next."""
        done: dict[str, int] = {}
        for name, step in (
            ("buried", self._bury_lost),
            ("expired", self._delete_expired),
            *([("cut", self._cut_to_plan)] if retention else []),
            ("changes", self._prune_changes),
            ("requests", self._expire_requests),
        ):
            try:
                done[name] = await self._repeat(step)
            except RapportError as error:
                log.warning("a step of the sweep failed", step=name, reason=error.reason)
        if any(done.values()):
            log.info("swept", **done)
        return done

    async def _repeat(self, step: Callable[[], Awaitable[int]]) -> int:
        total = 0
        for _ in range(_STEPS_MAX):
            count = await step()
            total += count
            if count < limits.SWEEP_ROWS_MAX:
                break
        return total

    async def _bury_lost(self) -> int:
        async with self._database.session() as session:
            return await session.queue.bury_lost(limits.ATTEMPTS_MAX, limits.SWEEP_ROWS_MAX)

    async def _delete_expired(self) -> int:
        async with self._database.session() as session:
            found = await session.memories.expired(limits.SWEEP_ROWS_MAX)
        by_scope: defaultdict[Scope, set[str]] = defaultdict(set)
        for scope, source_id in found:
            by_scope[scope].add(source_id)
        return sum([await self._delete_of(scope, list(ids)) for scope, ids in by_scope.items()])

    async def _cut_to_plan(self) -> int:
        async with self._database.session() as session:
            found = await session.memories.over_plan(KEEP, limits.SWEEP_ROWS_MAX)
        return sum([await self._cut_of(scope, kind, keep) for scope, kind, keep in found])

    async def _cut_of(self, scope: Scope, kind: MemoryKind, keep: int) -> int:
        async with self._deleting(scope) as tx:
            removed = await tx.memories.cut(scope, kind, keep, limits.SWEEP_ROWS_MAX)
            await self._note(tx, scope, {"cut": len(removed)}, removed)
        return len(removed)

    async def _delete_of(self, scope: Scope, source_ids: list[str]) -> int:
        async with self._deleting(scope) as tx:
            count, removed = await tx.memories.delete_expired(scope, source_ids)
            await self._note(tx, scope, {"expired": count}, removed)
        return count

    @asynccontextmanager
    async def _deleting(self, scope: Scope) -> AsyncIterator[Transaction]:
        async with self._database.transaction() as tx:
            await tx.people.lock_many([(scope.tenant_id, self._subject(scope))])
            yield tx

    async def _note(
        self, tx: Transaction, scope: Scope, counts: Details, removed: Sequence[int]
    ) -> None:
        """Audit what was deleted, if anything, and log the removed chunks for the shards."""
        if any(counts.values()):
            record = AuditRecord(AuditEventKind.RETENTION_SWEPT, "", self._subject(scope), counts)
            await tx.audit.append(scope.tenant_id, record)
        if removed:
            placed = await tx.people.placed([(scope.tenant_id, scope.end_user_id)])
            for place in placed.values():
                await tx.shards.append(scope.tenant_id, place.shard_id, removed=removed)

    def _subject(self, scope: Scope) -> bytes:
        return self._hasher.subject_hash(scope.tenant_id, scope.end_user_id)

    async def _prune_changes(self) -> int:
        async with self._database.session() as session:
            return await session.shards.prune(limits.CHANGES_KEPT)

    async def _expire_requests(self) -> int:
        async with self._database.session() as session:
            return await session.requests.expire(limits.REQUEST_RECORD_HOURS, limits.SWEEP_ROWS_MAX)
