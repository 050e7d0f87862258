"""How a shard follows the database: prove that both tell one history, then replay, else read everything anew."""

import asyncio
import enum
import logging
from collections.abc import AsyncGenerator, Sequence
from concurrent.futures import Executor

from rapport_server.domain.ports import Change, ChangeFeed, Position, ShardImage, ShardKey
from rapport_server.vectors.image import gather
from rapport_server.vectors.limits import ShardLimits
from rapport_server.vectors.lists import PersonLists
from rapport_server.vectors.shard import Shard

logger = logging.getLogger("rapport.vectors")


class Verdict(enum.Enum):
    """Whether the shard now stands at the head; if not, the value says why it must be read anew."""

    IN_STEP = "in step"
    OUT_OF_REACH = "the change log does not reach back to it, or ends before it"
    OTHER_HISTORY = (
        "the database has another token at its number: restored, recreated or another database"
    )
    GAP = "the change log has a gap or ends before the head"


class CatchUp:
    """Brings shards up to the database. Applying runs on `replaying`, building on `bulk`; the database is asked from the loop.

    A shard stands at (number, token). The token was drawn at random in the very transaction that took the number, so
    equal tokens at equal numbers mean one common history up to there, even when the database was restored and has moved
    past that number since.
    """

    def __init__(
        self,
        feed: ChangeFeed,
        dimension: int,
        limits: ShardLimits,
        replaying: Executor,
        bulk: Executor,
    ) -> None:
        self._feed = feed
        self._dimension = dimension
        self._page = limits.replay_changes
        self._replaying, self._bulk = replaying, bulk
        self._rebuilds = asyncio.Semaphore(limits.rebuilds)

    async def follow(self, key: ShardKey, shard: Shard, head: Position) -> Verdict:
        """Apply what was committed after the shard's position, up to `head` or later.

        On any verdict but IN_STEP the shard must not be searched again.
        """
        while shard.position != head:
            at = shard.position
            changes = await self._feed.since(key, at.seq, self._page)
            if not changes or changes[0].position.seq != at.seq:
                return Verdict.IN_STEP if await self._feed.head(key) == at else Verdict.OUT_OF_REACH
            if changes[0].position != at:
                return Verdict.OTHER_HISTORY
            fresh = changes[1:]
            if not fresh:
                return Verdict.IN_STEP if at.seq >= head.seq else Verdict.GAP
            if not _contiguous(at.seq, fresh):
                return Verdict.GAP
            await self._apply(key, shard, fresh)
            if shard.position.seq >= head.seq:
                return Verdict.IN_STEP
        return Verdict.IN_STEP

    async def rebuild(self, key: ShardKey) -> Shard | None:
        """Read the whole shard from the database; None when the database has no such shard."""
        async with self._rebuilds:
            parts = await self._scan(key)
            if not parts:
                return None
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._bulk, _build, key, parts, self._dimension)

    async def _apply(self, key: ShardKey, shard: Shard, fresh: Sequence[Change]) -> None:
        left_out = await asyncio.get_running_loop().run_in_executor(
            self._replaying, shard.apply, fresh
        )
        if left_out:
            _warn_not_finite(key, left_out)

    async def _scan(self, key: ShardKey) -> list[ShardImage]:
        batches = self._feed.scan(key)
        try:
            return [part async for part in batches]
        finally:
            # Closed here and now: it holds a database connection.
            if isinstance(batches, AsyncGenerator):
                await batches.aclose()


def _build(key: ShardKey, parts: list[ShardImage], dimension: int) -> Shard:
    total = sum(len(part.ids) for part in parts)
    image = gather(parts, dimension)
    # The batches are a whole copy of the shard; let go of them before the index makes another.
    parts.clear()
    if len(image.ids) < total:
        _warn_not_finite(key, total - len(image.ids))
    return Shard(PersonLists.of(image, dimension), image.position)


def _contiguous(seq: int, changes: Sequence[Change]) -> bool:
    return all(change.position.seq == seq + step for step, change in enumerate(changes, start=1))


def _warn_not_finite(key: ShardKey, count: int) -> None:
    logger.warning(
        "shard %s/%d: %d vectors left out, they hold numbers that are not finite",
        key.tenant_id,
        key.shard_id,
        count,
    )
