"""Shards to and from disk, off the event loop: what is written when, and what may be deleted."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TypeVar

from rapport_server.domain.ports import Position
from rapport_server.errors import Unavailable
from rapport_server.vectors.generation import Damaged
from rapport_server.vectors.lists import PersonLists
from rapport_server.vectors.shard import Shard
from rapport_server.vectors.slot import Slot

T = TypeVar("T")

logger = logging.getLogger("rapport.vectors")


class Snapshots:
    """Reads shards on `bulk`, for somebody waits; writes and deletes on `disk`.

    The methods take `slot.saving` themselves unless they say that the caller holds it.
    """

    def __init__(self, dimension: int, bulk: Executor, disk: Executor) -> None:
        self._dimension = dimension
        self._bulk, self._disk = bulk, disk

    async def load(self, slot: Slot) -> Shard | None:
        """The shard as its files have it, or None; not yet proven against the database."""

        def read() -> Shard | None:
            image = slot.folder.load()
            if image is None:
                return None
            return Shard(PersonLists.of(image, self._dimension), image.position)

        async with slot.saving:
            shard = await run_whole(self._bulk, read)
            slot.saved = None if shard is None else shard.position
            return shard

    async def save(self, slot: Slot) -> None:
        """Write a dirty shard. A failure is logged and left for the next time: unsaved, it is only slower to open."""
        async with slot.saving:
            shard = slot.shard
            if shard is None or not slot.dirty:
                return
            try:
                await self._write(slot, shard)
            except Exception:
                logger.exception("shard %s/%d: not saved", slot.key.tenant_id, slot.key.shard_id)

    async def purge(self, slot: Slot, person_no: int) -> int:
        """Write the files anew, without older generations, and count the person's vectors in what is on disk then.

        The caller holds `slot.saving`. When writing fails the files go altogether, for no file is better than one
        with an erased person in it. Raises Unavailable when they cannot be removed or read back.
        """
        shard = slot.shard
        try:
            try:
                await (self._write(slot, shard) if shard is not None else self._delete(slot))
            except OSError as error:
                logger.error(
                    "shard %s/%d: not saved: %s", slot.key.tenant_id, slot.key.shard_id, error
                )
                await self._delete(slot)
            return await run_whole(self._disk, lambda: slot.folder.count(person_no))
        except (Damaged, OSError) as error:
            logger.exception(
                "shard %s/%d: purge not complete", slot.key.tenant_id, slot.key.shard_id
            )
            raise Unavailable("shard files could not be rewritten and checked") from error

    async def delete(self, slot: Slot) -> None:
        """Remove the shard's files. Raises Unavailable when one stays."""
        async with slot.saving:
            try:
                await self._delete(slot)
            except OSError as error:
                logger.exception(
                    "shard %s/%d: files not deleted", slot.key.tenant_id, slot.key.shard_id
                )
                raise Unavailable("shard files could not be deleted") from error

    async def _write(self, slot: Slot, shard: Shard) -> None:
        slot.saved_at = asyncio.get_running_loop().time()

        def write() -> Position:
            image = shard.image()
            slot.folder.save(image)
            return image.position

        slot.saved = await run_whole(self._disk, write)

    async def _delete(self, slot: Slot) -> None:
        slot.saved = None
        await run_whole(self._disk, slot.folder.delete)


async def run_whole(pool: Executor, work: Callable[[], T]) -> T:
    """Run on a thread to its end, even for a caller who is cancelled: the locks that are held are about that thread."""
    job = asyncio.get_running_loop().run_in_executor(pool, work)
    try:
        return await asyncio.shield(job)
    except asyncio.CancelledError:
        await asyncio.wait([job])
        raise
