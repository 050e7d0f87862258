"""The periodic sweep: lost items, expired memories, what a plan does not keep, old changes and old request records."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from rapport_server.domain import limits
from rapport_server.domain.storage import Database
from rapport_server.errors import RapportError
from rapport_server.ingest.retention import START, Retention

EVERY_S = 30.0
# Steps of one sort in a round: 20,000 rows, or 5,120 people looked at, after which the other sorts have their turn.
_STEPS_MAX = 20
# Shards that are opened for a round, if they are not open: more would push those out that searches need.
_SHARDS_MAX = 8

log = structlog.get_logger(__name__)


class Sweep:
    """Every process may run one: rows that another one is at are skipped, or found gone under the person's lock."""

    def __init__(
        self, database: Database, retention: Retention, *, every_s: float = EVERY_S
    ) -> None:
        self._database = database
        self._retention = retention
        self._every_s = every_s
        # A walk over everybody whose plan is limited takes as many rounds as it takes, and then begins again.
        self._after = START

    async def run(self) -> None:
        """Sweep until cancelled."""
        while True:
            await asyncio.sleep(self._every_s)
            await self.round()

    async def round(self) -> dict[str, int]:
        """One round of everything; how many rows of each sort. What fails is logged and tried again in the next."""
        done: dict[str, int] = {}
        for name, step in (
            ("buried", self._bury_lost),
            ("expired", self._retention.expire),
            ("cut", self._cut_to_plan),
            ("changes", self._prune_changes),
            ("requests", self._expire_requests),
            ("shards", self._renew_shards),
        ):
            try:
                done[name] = await _repeat(step)
            except RapportError as error:
                log.warning("a step of the sweep failed", step=name, reason=error.reason)
        if any(done.values()):
            log.info("swept", **done)
        return done

    async def _bury_lost(self) -> tuple[int, bool]:
        async with self._database.session() as session:
            return _full(await session.queue.bury_lost(limits.ATTEMPTS_MAX, limits.SWEEP_ROWS_MAX))

    async def _cut_to_plan(self) -> tuple[int, bool]:
        count, after = await self._retention.cut(self._after)
        self._after = after or START
        return count, after is not None

    async def _prune_changes(self) -> tuple[int, bool]:
        async with self._database.session() as session:
            return _full(await session.shards.prune(limits.CHANGES_KEPT))

    async def _expire_requests(self) -> tuple[int, bool]:
        async with self._database.session() as session:
            return _full(
                await session.requests.expire(limits.REQUEST_RECORD_HOURS, limits.SWEEP_ROWS_MAX)
            )

    async def _renew_shards(self) -> tuple[int, bool]:
        return await self._retention.renew_shards(limit=_SHARDS_MAX), False


async def _repeat(step: Callable[[], Awaitable[tuple[int, bool]]]) -> int:
    """Until the step says that there is no more, at most _STEPS_MAX times."""
    total = 0
    for _ in range(_STEPS_MAX):
        count, more = await step()
        total += count
        if not more:
            break
    return total


def _full(count: int) -> tuple[int, bool]:
    return count, count >= limits.SWEEP_ROWS_MAX
