"""The ingest worker: turns QUEUED memories into recallable ones, in the background of a server process."""

import asyncio

import structlog

from rapport_server.domain import limits
from rapport_server.domain.ports import Encoder, SubjectHasher
from rapport_server.domain.storage import Database
from rapport_server.errors import RapportError
from rapport_server.ingest.line import Line
from rapport_server.ingest.observer import IngestObserver, Unobserved
from rapport_server.ingest.progress import Progress

# How soon work that another process acknowledged is seen; two small index look-ups each time.
POLL_S = 1.0
# What a stopping server waits for the batch in hand, within its own 10 s; the rest is given back.
STOP_S = 3.0

log = structlog.get_logger(__name__)


class IngestWorker:
    """Implements `domain.ports.IngestQueue`.

    Short and long texts run on lines of their own, so that a book, which takes many seconds, holds up nobody: its slices take
    turns with the batches of short texts in the encoder.
    """

    def __init__(
        self,
        database: Database,
        encoder: Encoder,
        hasher: SubjectHasher,
        observer: IngestObserver | None = None,
        *,
        lease_s: float = limits.LEASE_S,
        poll_s: float = POLL_S,
    ) -> None:
        self._database = database
        self._lease_s = lease_s
        self._progress = Progress()
        self._lines = [
            Line(
                database,
                encoder,
                hasher,
                observer or Unobserved(),
                self._progress,
                long=long,
                lease_s=lease_s,
                poll_s=poll_s,
            )
            for long in (False, True)
        ]
        self._working: asyncio.Task[None] | None = None
        self._ended = asyncio.Event()

    def wake(self) -> None:
        """There is new work."""
        for line in self._lines:
            line.wake()

    async def progress(self, timeout_s: float) -> None:
        """Return when some item changed its status in this process, or after the timeout."""
        await self._progress.wait(timeout_s)

    async def run(self) -> None:
        """Work until `stop` or cancellation; what is in hand at a cancellation is given back."""
        self._working = asyncio.create_task(self._work(), name="ingest")
        try:
            await asyncio.wait([self._working])
            if not self._working.cancelled():
                self._working.result()
        finally:
            self._working.cancel()
            await asyncio.gather(self._working, return_exceptions=True)
            await self._give_back()
            self._ended.set()

    async def stop(self) -> None:
        """Finish the batches in hand within STOP_S, give everything else back; returns when `run` has ended."""
        if self._working is None:
            return
        for line in self._lines:
            line.stop()
        await asyncio.wait([self._working], timeout=STOP_S)
        self._working.cancel()
        await self._ended.wait()

    async def _work(self) -> None:
        renewal = asyncio.create_task(self._renew(), name="ingest-renew")
        try:
            async with asyncio.TaskGroup() as group:
                for line in self._lines:
                    group.create_task(line.run())
        finally:
            renewal.cancel()

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(self._lease_s / 4)
            held = [item for line in self._lines for item in line.held]
            if not held:
                continue
            try:
                async with self._database.session() as session:
                    await session.queue.renew(held, self._lease_s)
            except RapportError as error:
                # Three more tries before the leases run out.
                log.warning("cannot renew leases", reason=error.reason, items=len(held))

    async def _give_back(self) -> None:
        held = [item for line in self._lines for item in line.held]
        if not held:
            return
        try:
            async with self._database.session() as session:
                await session.queue.release(held)
        except RapportError as error:
            log.warning("work is left to its leases", reason=error.reason, items=len(held))
