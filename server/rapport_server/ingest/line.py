"""One line of work: claim → encode → commit, the three steps of different batches side by side."""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import structlog

from rapport_server.domain import limits
from rapport_server.domain.memories import ChunkDraft, Claimed
from rapport_server.domain.ports import Encoder, Lane, SubjectHasher
from rapport_server.domain.retention import INLINE_CUT_MAX, KEEP
from rapport_server.domain.storage import Database, Transaction
from rapport_server.errors import PASSING, Internal, RapportError
from rapport_server.ingest.observer import IngestObserver
from rapport_server.ingest.pieces import chunk_drafts, slices
from rapport_server.ingest.progress import Progress

# 0.2 + 0.4 + … s, about as long as a restart of the database takes; after that the lease runs out and anybody takes it up.
_COMMIT_TRIES_MAX = 6
_PAUSE_S = 1.0

log = structlog.get_logger(__name__)


Ready = tuple[Claimed, list[ChunkDraft]]
ShardChanges = dict[int, tuple[list[int], list[int]]]


@dataclass(slots=True)
class Batch:
    """Claimed items of one tenant, with the chunks of those that could be encoded."""

    items: list[Claimed]
    ready: list[Ready] = field(default_factory=list)
    failed: list[tuple[Claimed, Exception]] = field(default_factory=list)
    encode_s: float = 0.0


class Line:
    """At most one batch waits between two steps, so that a process holds no more than four.

    Postgres works on one batch while the encoder works on the next. No connection is held while encoding.
    """

    def __init__(
        self,
        database: Database,
        encoder: Encoder,
        hasher: SubjectHasher,
        observer: IngestObserver,
        progress: Progress,
        *,
        long: bool,
        lease_s: float,
        poll_s: float,
    ) -> None:
        self._database = database
        self._encoder = encoder
        self._hasher = hasher
        self._observer = observer
        self._progress = progress
        self._long = long
        self._lease_s = lease_s
        self._poll_s = poll_s
        self._held: dict[int, Claimed] = {}
        self._work = asyncio.Event()
        self._stopping = False
        self._renew_queues()

    @property
    def held(self) -> list[Claimed]:
        """Items under our lease."""
        return list(self._held.values())

    def wake(self) -> None:
        """There may be new work."""
        self._work.set()

    def stop(self) -> None:
        """Claim no more; `run` ends when what is being encoded has been committed."""
        self._stopping = True
        self._work.set()

    async def run(self) -> None:
        """Work until stopped."""
        while not self._stopping:
            self._renew_queues()
            try:
                await self._run_once()
            except Exception:
                # A fault of ours. What was in hand is left to its lease, with its attempt counted, so that this cannot go on for ever.
                log.exception("the ingest line broke and starts again")
                self._held.clear()
                await asyncio.sleep(_PAUSE_S)

    def _renew_queues(self) -> None:
        self._claimed: asyncio.Queue[Batch | None] = asyncio.Queue(1)
        self._encoded: asyncio.Queue[Batch | None] = asyncio.Queue(1)

    async def _run_once(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._claim_all(), name="ingest-claim")
            group.create_task(self._encode_all(), name="ingest-encode")
            group.create_task(self._commit_all(), name="ingest-commit")

    async def _claim_all(self) -> None:
        tenant = ""
        while not self._stopping:
            self._work.clear()
            try:
                items = await self._claim(tenant)
            except RapportError as error:
                log.warning("cannot claim work", reason=error.reason)
                await asyncio.sleep(_PAUSE_S)
                continue
            if items:
                tenant = items[0].scope.tenant_id
                self._held.update((item.version, item) for item in items)
                await self._claimed.put(Batch(items))
            elif not self._stopping:
                await self._idle()
        await self._claimed.put(None)

    async def _claim(self, after_tenant: str) -> list[Claimed]:
        limit = 1 if self._long else limits.CLAIM_ITEMS_MAX
        async with self._database.session() as session:
            items = await session.queue.claim(after_tenant, limit, self._lease_s, long=self._long)
            session.people.announce(subject for _, subject in self._subjects(items))
            return items

    async def _idle(self) -> None:
        try:
            async with asyncio.timeout(self._poll_s):
                await self._work.wait()
        except TimeoutError:
            return

    async def _encode_all(self) -> None:
        while (batch := await self._claimed.get()) is not None:
            # What was claimed but not begun when we stop is given back by the worker.
            if self._stopping:
                continue
            started = time.perf_counter()
            try:
                await self._encode(batch, batch.items)
            except PASSING as error:
                log.warning("cannot encode now", reason=error.reason, items=len(batch.items))
                await self._give_back(batch.items)
                await asyncio.sleep(_PAUSE_S)
                continue
            batch.encode_s = time.perf_counter() - started
            await self._encoded.put(batch)
        await self._encoded.put(None)

    async def _encode(self, batch: Batch, items: Sequence[Claimed]) -> None:
        """Encode all at once; if that fails, in halves, until only what fails by itself is left out."""
        try:
            batch.ready += await self._drafts(items)
        except PASSING:
            raise
        except Exception as error:
            if len(items) == 1:
                batch.failed.append((items[0], error))
                return
            half = len(items) // 2
            await self._encode(batch, items[:half])
            await self._encode(batch, items[half:])

    async def _drafts(self, items: Sequence[Claimed]) -> list[Ready]:
        if self._long:
            return [(item, await self._drafts_of_long(item.text)) for item in items]
        encoded = await self._encoder.encode([item.text for item in items], Lane.BULK)
        return [
            (item, chunk_drafts(item.text, [part]))
            for item, part in zip(items, encoded, strict=True)
        ]

    async def _drafts_of_long(self, text: str) -> list[ChunkDraft]:
        parts = []
        for part in slices(text):
            parts += await self._encoder.encode([part], Lane.BULK)
        return chunk_drafts(text, parts)

    async def _commit_all(self) -> None:
        while (batch := await self._encoded.get()) is not None:
            started = time.perf_counter()
            items, chunks = await self._commit(batch, batch.ready)
            for item, error in batch.failed:
                await self._fail(item, error)
            self._forget(batch.items)
            self._progress.ring()
            if items:
                commit_s = time.perf_counter() - started
                self._observer.indexed(items, chunks, batch.encode_s, commit_s)

    async def _commit(self, batch: Batch, ready: list[Ready]) -> tuple[int, int]:
        """Commit all at once; what cannot be committed for a reason of its own fails alone. How many items and chunks."""
        if not ready:
            return 0, 0
        try:
            return await self._commit_patiently(ready)
        except PASSING as error:
            log.error("gave up a batch until its lease ends", reason=error.reason, items=len(ready))
            return 0, 0
        except Exception as error:
            if len(ready) == 1:
                batch.failed.append((ready[0][0], error))
                return 0, 0
            half = len(ready) // 2
            first = await self._commit(batch, ready[:half])
            second = await self._commit(batch, ready[half:])
            return first[0] + second[0], first[1] + second[1]

    async def _commit_patiently(self, ready: list[Ready]) -> tuple[int, int]:
        for attempt in range(_COMMIT_TRIES_MAX - 1):
            try:
                return await self._commit_once(ready)
            except PASSING:
                await asyncio.sleep(0.2 * 2**attempt)
        return await self._commit_once(ready)

    async def _commit_once(self, ready: list[Ready]) -> tuple[int, int]:
        items = [item for item, _ in ready]
        tenant_id = items[0].scope.tenant_id
        async with self._database.transaction() as tx:
            await tx.people.lock_many(self._subjects(items))
            # Under the persons' locks: what was erased, deleted or replaced is not there, a lost lease is another's.
            owned = await tx.queue.owned(items)
            ours = [(item, drafts) for item, drafts in ready if item.version in owned]
            changes = await tx.queue.complete_many(ours)
            await _cut(tx, tenant_id, [item for item, _ in ours], changes)
            for shard_id in sorted(changes):
                added, removed = changes[shard_id]
                await tx.shards.append(tenant_id, shard_id, added, removed)
        return len(ours), sum(len(drafts) for _, drafts in ours)

    def _subjects(self, items: Sequence[Claimed]) -> list[tuple[str, bytes]]:
        people = {(item.scope.tenant_id, item.scope.end_user_id) for item in items}
        return [(tenant, self._hasher.subject_hash(tenant, person)) for tenant, person in people]

    async def _fail(self, item: Claimed, error: Exception) -> None:
        public = error if isinstance(error, RapportError) else Internal()
        final = item.attempts >= limits.ATTEMPTS_MAX
        log.warning(
            "an item could not be indexed",
            reason=public.reason,
            error=type(error).__name__,
            attempt=item.attempts,
            final=final,
        )
        try:
            async with self._database.session() as session:
                await session.queue.fail(item, public.reason, public.message, final)
                session.people.announce(subject for _, subject in self._subjects([item]))
        except RapportError as storing:
            # Its lease runs out, and the sweep or another attempt finds it.
            log.error("cannot note that an item failed", reason=storing.reason)
        self._observer.failed(public.reason, final)

    async def _give_back(self, items: Sequence[Claimed]) -> None:
        try:
            async with self._database.session() as session:
                await session.queue.release(items)
        except RapportError as error:
            log.error("cannot give work back before its lease ends", reason=error.reason)
        self._forget(items)

    def _forget(self, items: Sequence[Claimed]) -> None:
        for item in items:
            self._held.pop(item.version, None)


async def _cut(
    tx: Transaction, tenant_id: str, items: Sequence[Claimed], changes: ShardChanges
) -> None:
    """Delete what these items push beyond the tenant's plan, and note it in the changes of their shards."""
    tenant = await tx.tenants.get(tenant_id)
    keep = KEEP.get(tenant.plan) if tenant else None
    if keep is None:
        return
    added = Counter((item.scope, item.kind, item.shard_id) for item in items)
    spare = INLINE_CUT_MAX
    for (scope, kind, shard_id), count in added.items():
        cut, chunk_ids = await tx.memories.cut(scope, kind, keep, count + spare)
        changes[shard_id][1].extend(chunk_ids)
        spare -= max(0, cut - count)
