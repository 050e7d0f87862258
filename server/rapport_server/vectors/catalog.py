"""Which shards are open: the vector index of one process, on FAISS."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from rapport_server.domain.ports import (
    ChangeFeed,
    IndexStats,
    Position,
    Presence,
    Probe,
    Ranked,
    ShardKey,
)
from rapport_server.errors import Unavailable
from rapport_server.vectors.catch_up import CatchUp, Verdict
from rapport_server.vectors.engine import faiss
from rapport_server.vectors.folder import ShardFolder, forget_others
from rapport_server.vectors.limits import ShardLimits
from rapport_server.vectors.scoring import NOTHING
from rapport_server.vectors.shard import Shard
from rapport_server.vectors.slot import Slot
from rapport_server.vectors.snapshots import Snapshots, run_whole

# How often the keeper looks for dirty shards, as a share of `snapshot_every_s`.
_KEEPER_SHARE = 0.25

logger = logging.getLogger("rapport.vectors")


class ShardCatalog:
    """A VectorIndex: shards in memory and under `root`, opened when asked for, closed by age when there are too many.

    root: a folder of this process alone; it may be emptied while the process is down. feed: the database's side.
    dimension, fingerprint: of the embedding model; files of another are not used. One catalog belongs to one event loop.
    """

    def __init__(
        self,
        root: Path,
        feed: ChangeFeed,
        dimension: int,
        fingerprint: str,
        limits: ShardLimits | None = None,
    ) -> None:
        self._root, self._feed = root, feed
        self._dimension, self._fingerprint = dimension, fingerprint
        self._limits = limits or ShardLimits()
        # Pools' queues are bounded by the calls in flight, each of which waits for its own job.
        self._searching = _pool("faiss-search", self._limits.search_threads)
        self._replaying = _pool("faiss-replay", self._limits.replay_threads)
        self._bulk = _pool("faiss-bulk", self._limits.bulk_threads)
        # One writer: snapshots compete for one disk, and each holds a second copy of a shard.
        self._writing = _pool("faiss-disk", 1)
        self._catch_up = CatchUp(feed, dimension, self._limits, self._replaying, self._bulk)
        self._snapshots = Snapshots(dimension, self._bulk, self._writing)
        # Least recently used first.
        self._slots: OrderedDict[ShardKey, Slot] = OrderedDict()
        self._bytes = 0
        self._crowded = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None
        self._closed = False

    async def catch_up(self, key: ShardKey, head: Position) -> None:
        """Make everything up to `head` visible to searches; costs a comparison when the shard stands there.

        A head behind the shard is that of a caller who read it a moment ago, or of a database that was restored, so the
        database is asked. One catch-up per shard runs at a time and is shared; a caller who is cancelled does not stop
        it. Raises Unavailable after close, and what the feed raises.
        """
        with self._using(key) as slot:
            while slot.shard is None or slot.shard.position != head:
                task = slot.catching_up
                if task is None or task.done():
                    task = slot.catching_up = asyncio.create_task(self._advance(slot, head))
                    task.add_done_callback(lambda ended: self._ended(slot, ended))
                    # It asks the database, later than `head` was read, so what it ends with is right.
                    return await self._shared(task)
                await self._shared(task)
                if slot.shard is not None and slot.shard.passed(head):
                    return None
            return None

    async def search(self, key: ShardKey, probes: Sequence[Probe]) -> list[Ranked]:
        """Score each probe against its person's list, exactly; unknown people and shards have nothing.

        A shard that is not open is opened and brought up to the database first. Raises ValueError for a query of
        another dimension or one that is not finite.
        """
        with self._using(key) as slot:
            if slot.shard is None:
                head = await self._feed.head(key)
                await (self.drop_shard(key) if head is None else self.catch_up(key, head))
            shard = slot.shard
            if shard is None:
                return [NOTHING] * len(probes)
            if shard.cost(probes) <= self._limits.inline_vectors:
                ranked = shard.search_now(probes)
                if ranked is not None:
                    return ranked
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._searching, shard.search, probes)

    async def purge(self, key: ShardKey, person_no: int) -> Presence:
        """Rewrite memory and files without a dropped person, remove older generations, then look for that person.

        The looking reads the files back from disk. Counts the rows under `person_no`, so a person who came back under
        the same number is found. Raises Unavailable when the files cannot be rewritten, removed or read back.
        """
        head = await self._feed.head(key)
        if head is None:
            await self.drop_shard(key)
            return Presence(0, 0)
        with self._using(key) as slot:
            await self.catch_up(key, head)
            async with slot.changing, slot.saving:
                shard = slot.shard
                if shard is not None:
                    await run_whole(self._bulk, shard.rewrite)
                files = await self._snapshots.purge(slot, person_no)
                return Presence(0 if shard is None else shard.count(person_no), files)

    async def drop_shard(self, key: ShardKey) -> None:
        """Forget a shard and delete its files. Raises Unavailable when a file cannot be deleted."""
        with self._using(key) as slot:
            async with slot.changing:
                self._put(slot, None)
                await self._snapshots.delete(slot)

    async def forget_others(self, keys: Collection[ShardKey]) -> int:
        """Delete the files of all shards but these, for tenants that were deleted while this process was down.

        For the start, before anything is searched; returns how many shards went. Raises OSError.
        """
        return await run_whole(self._writing, lambda: forget_others(self._root, keys))

    async def close(self) -> None:
        """Write what is not yet on disk and stop the threads. What cannot be written is logged: it is only a cache."""
        if self._closed:
            return
        self._closed = True
        tasks = [slot.catching_up for slot in self._slots.values() if slot.catching_up is not None]
        tasks += [self._keeper] if self._keeper is not None else []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for slot in list(self._slots.values()):
            await self._save(slot)
        for pool in (self._searching, self._replaying, self._bulk, self._writing):
            await asyncio.to_thread(pool.shutdown)

    def stats(self) -> IndexStats:
        """Open shards, their resident bytes and vectors."""
        shards = [slot.shard for slot in self._slots.values() if slot.shard is not None]
        return IndexStats(
            len(shards), sum(s.resident_bytes for s in shards), sum(s.vectors for s in shards)
        )

    async def _advance(self, slot: Slot, head: Position) -> None:
        async with slot.changing:
            shard = slot.shard
            if shard is None:
                shard = await self._snapshots.load(slot)
            if shard is not None and shard.position.seq == 0 and shard.position != head:
                # Opened before its first change: no log has a change 0 to prove that place by, and nothing is in.
                shard = None
            if shard is not None:
                verdict = await self._catch_up.follow(slot.key, shard, head)
                if verdict is not Verdict.IN_STEP:
                    logger.warning(
                        "shard %s/%d at %d: rebuilding: %s",
                        slot.key.tenant_id,
                        slot.key.shard_id,
                        shard.position.seq,
                        verdict.value,
                    )
                    shard = None
            if shard is None:
                # What was proven wrong must not answer while the right one is being made.
                self._put(slot, None)
                shard = await self._catch_up.rebuild(slot.key)
                if shard is None:
                    # The database has no such shard any more, so its files must not stay either.
                    await self._snapshots.delete(slot)
            self._put(slot, shard)
        await self._make_room()

    async def _save(self, slot: Slot) -> None:
        with slot.pinned():
            await self._snapshots.save(slot)
        self._reckon(slot)

    async def _make_room(self) -> None:
        """Close the least recently used shards until the rest fits; the one used last stays, however large.

        A dirty one is not written first: the log replays what its files lack, at most some seconds' worth. Only one that
        has no files yet is, for it would have to be read whole again.
        """
        while self._bytes > self._limits.open_bytes_max:
            others = list(self._slots.values())[:-1]
            slot = next((s for s in others if s.shard is not None and s.idle), None)
            if slot is None:
                return
            if slot.saved is None:
                await self._save(slot)
            if slot.idle:
                self._put(slot, None)
                self._release(slot)

    async def _keep(self) -> None:
        while not self._closed:
            # Not wait_for, which on Python 3.11 loses a cancellation that comes together with the event.
            with suppress(TimeoutError):
                async with asyncio.timeout(self._limits.snapshot_every_s * _KEEPER_SHARE):
                    await self._crowded.wait()
            self._crowded.clear()
            now = asyncio.get_running_loop().time()
            for slot in list(self._slots.values()):
                if slot.due(now, self._limits.snapshot_every_s):
                    await self._save(slot)
            await self._make_room()

    @contextmanager
    def _using(self, key: ShardKey) -> Iterator[Slot]:
        if self._closed:
            raise Unavailable("the server is shutting down")
        if self._keeper is None:
            # For the searches that run on the event loop itself.
            faiss.omp_set_num_threads(1)
            self._keeper = asyncio.get_running_loop().create_task(self._keep(), name="shard-keeper")
        slot = self._slots.get(key)
        if slot is None:
            folder = ShardFolder(self._root, key, self._fingerprint, self._dimension)
            slot = self._slots[key] = Slot(key, folder)
        self._slots.move_to_end(key)
        try:
            with slot.pinned():
                yield slot
        finally:
            self._release(slot)

    def _release(self, slot: Slot) -> None:
        """Let go of the place of a shard that is not open, or let the keeper close some when there are too many."""
        if self._bytes > self._limits.open_bytes_max and slot.idle and slot.shard is not None:
            self._crowded.set()
        if slot.idle and slot.shard is None and self._slots.get(slot.key) is slot:
            del self._slots[slot.key]

    def _put(self, slot: Slot, shard: Shard | None) -> None:
        slot.shard = shard
        self._reckon(slot)

    def _reckon(self, slot: Slot) -> None:
        now = 0 if slot.shard is None else slot.shard.resident_bytes
        self._bytes += now - slot.bytes
        slot.bytes = now

    def _ended(self, slot: Slot, task: asyncio.Task[None]) -> None:
        if slot.catching_up is task:
            slot.catching_up = None
        self._release(slot)
        if not task.cancelled():
            task.exception()  # Marks it as seen: those who still wait get it, the others were cancelled.

    async def _shared(self, task: asyncio.Task[None]) -> None:
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():  # By close; the caller was not.
                raise Unavailable("the server is shutting down") from None
            raise


def _pool(name: str, threads: int) -> ThreadPoolExecutor:
    # OpenMP's own threads would compete with the pools' for the same cores.
    return ThreadPoolExecutor(threads, name, initializer=faiss.omp_set_num_threads, initargs=(1,))
