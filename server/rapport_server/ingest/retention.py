"""Deletes what has expired and what a plan does not keep, person by person in short transactions."""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from rapport_server.domain import limits
from rapport_server.domain.audit import AuditEventKind, AuditRecord, Details
from rapport_server.domain.memories import MemoryKind, Scope
from rapport_server.domain.ports import ChangeFeed, ShardKey, SubjectHasher, VectorIndex
from rapport_server.domain.retention import CUT_MAX, KEEP, Surplus
from rapport_server.domain.storage import Database, Transaction

# Where a walk over the people begins: before the first (tenant_id, end_user_id).
START = ("", "")


class Retention:
    """May run beside itself, in any number of processes: what another one deleted is found gone under the person's lock.

    One transaction at a time, and after each a rest as long as it took: calls have at least half of the database.
    """

    def __init__(
        self, database: Database, hasher: SubjectHasher, index: VectorIndex, feed: ChangeFeed
    ) -> None:
        self._database = database
        self._hasher = hasher
        self._index = index
        self._feed = feed
        self._turn = asyncio.Lock()
        self._touched: set[ShardKey] = set()

    async def expire(self, tenant_id: str = "", actor: str = "") -> tuple[int, bool]:
        """Delete some expired memories of that tenant ('': of any); how many, and whether there may be more."""
        async with self._database.session() as session:
            found = await session.memories.expired(tenant_id, limits.SWEEP_ROWS_MAX)
        by_scope: defaultdict[Scope, dict[str, None]] = defaultdict(dict)
        for scope, source_id in found:
            by_scope[scope][source_id] = None
        count = 0
        for scope, source_ids in by_scope.items():
            ids = list(source_ids)
            for begin in range(0, len(ids), CUT_MAX):
                count += await self._expire_of(scope, ids[begin : begin + CUT_MAX], actor)
        return count, len(found) == limits.SWEEP_ROWS_MAX

    async def cut(
        self, after: tuple[str, str], tenant_id: str = "", actor: str = ""
    ) -> tuple[int, tuple[str, str] | None]:
        """Cut the next people of tenants with limited plans (or of that tenant) to their plan.

        Returns how many memories went, and after whom to go on: None when nobody is left.
        """
        async with self._database.session() as session:
            people = await session.memories.over_plan(
                KEEP, tenant_id, after, limits.SWEEP_PEOPLE_MAX
            )
        count = 0
        for surplus in people:
            count += await self._cut_of(surplus, limits.SWEEP_ROWS_MAX - count, actor)
            if count >= limits.SWEEP_ROWS_MAX:
                # This person may have more.
                return count, after
            after = (surplus.scope.tenant_id, surplus.scope.end_user_id)
        return count, after if len(people) == limits.SWEEP_PEOPLE_MAX else None

    async def renew_shards(self, tenant_id: str = "", limit: int | None = None) -> int:
        """Bring the index to where deleted vectors are out of its memory and, with the next snapshot, of its files.

        Those of that tenant ('': of any), at most `limit` (None: all), for each may have to be opened; how many. Raises Unavailable.
        """
        keys = [key for key in self._touched if tenant_id in ("", key.tenant_id)][:limit]
        for key in keys:
            async with self._turn:  # nothing is being deleted that the head does not tell of yet
                head = await self._feed.head(key)
                if head is not None:
                    await self._index.catch_up(key, head)
                self._touched.discard(key)
        return len(keys)

    async def _cut_of(self, surplus: Surplus, limit: int, actor: str) -> int:
        total = 0
        for kind in surplus.kinds:
            while total < limit:
                count = await self._cut_some(surplus.scope, kind, actor)
                total += count
                if not count:
                    break
        return total

    async def _cut_some(self, scope: Scope, kind: MemoryKind, actor: str) -> int:
        async with self._deleting(scope) as tx:
            # Read each time: a larger plan holds from the moment it is acknowledged.
            tenant = await tx.tenants.get(scope.tenant_id)
            keep = KEEP.get(tenant.plan) if tenant else None
            if keep is None:
                return 0
            count, removed = await tx.memories.cut(scope, kind, keep, CUT_MAX)
            await self._note(tx, scope, actor, {"cut": count}, removed)
        return count

    async def _expire_of(self, scope: Scope, source_ids: list[str], actor: str) -> int:
        async with self._deleting(scope) as tx:
            count, removed = await tx.memories.delete_expired(scope, source_ids)
            await self._note(tx, scope, actor, {"expired": count}, removed)
        return count

    @asynccontextmanager
    async def _deleting(self, scope: Scope) -> AsyncIterator[Transaction]:
        async with self._turn:
            started = time.perf_counter()
            async with self._database.transaction() as tx:
                await tx.people.lock_many([(scope.tenant_id, self._subject(scope))])
                yield tx
            await asyncio.sleep(time.perf_counter() - started)

    async def _note(
        self, tx: Transaction, scope: Scope, actor: str, counts: Details, removed: Sequence[int]
    ) -> None:
        """Audit what was deleted, if anything, and log the removed chunks for the shards."""
        if any(counts.values()):
            record = AuditRecord(
                AuditEventKind.RETENTION_SWEPT, actor, self._subject(scope), counts
            )
            await tx.audit.append(scope.tenant_id, record)
        if removed:
            placed = await tx.people.placed([(scope.tenant_id, scope.end_user_id)])
            for place in placed.values():
                await tx.shards.append(scope.tenant_id, place.shard_id, removed=removed)
                self._touched.add(ShardKey(scope.tenant_id, place.shard_id))

    def _subject(self, scope: Scope) -> bytes:
        return self._hasher.subject_hash(scope.tenant_id, scope.end_user_id)
