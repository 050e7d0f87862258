"""The batching encoder: concurrent callers share forward passes, and those who wait overtake bulk work."""

import asyncio
from collections import deque
from collections.abc import Sequence

from rapport_server.domain.ports import Encoded, Lane
from rapport_server.embedding.jobs import Job
from rapport_server.embedding.runtime import Runtime
from rapport_server.embedding.thread import EmbedThread, Observer
from rapport_server.errors import Unavailable

# Callers beyond this would wait for seconds: it is kinder to say so at once.
INTERACTIVE_TEXTS_MAX = 512
# A few batches of the ingest worker, enough to keep the lane full.
BULK_TEXTS_MAX = 4096
_RETRY_S = 1.0


class BatchingEncoder:
    """Implements `Encoder` on one thread. Belongs to one event loop; the thread starts with the first call.

    Bounds: more than `interactive_texts_max` waiting texts are refused with Unavailable; bulk callers wait until fewer than
    `bulk_texts_max` are under way. A single call may be larger than either bound when nothing else waits.
    """

    def __init__(
        self,
        runtime: Runtime,
        *,
        observer: Observer | None = None,
        interactive_texts_max: int = INTERACTIVE_TEXTS_MAX,
        bulk_texts_max: int = BULK_TEXTS_MAX,
    ) -> None:
        self._runtime = runtime
        self._observer = observer
        self._texts_max = {Lane.INTERACTIVE: interactive_texts_max, Lane.BULK: bulk_texts_max}
        self._depth = dict.fromkeys(Lane, 0)
        self._bulk_waiters: deque[asyncio.Future[None]] = deque()
        self._thread: EmbedThread | None = None
        self._closed = False

    @property
    def fingerprint(self) -> str:
        """Identifies the source model, its tokenizer, pooling and maximal length."""
        return self._runtime.fingerprint

    @property
    def model_name(self) -> str:
        """The model's name, for people."""
        return self._runtime.model_name

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._runtime.dimension

    @property
    def inner_dimension(self) -> int:
        """Length of the inner states; 0 where the model shows none."""
        return self._runtime.inner_dimension

    def start(self) -> None:
        """Start the thread now instead of with the first call."""
        if self._closed:
            raise Unavailable("the embedding thread has been stopped", retry_s=_RETRY_S)
        if self._thread is None:
            self._thread = EmbedThread(self._runtime, asyncio.get_running_loop(), self._observer)

    async def close(self) -> None:
        """Finish the forward pass under way, fail everything that waits with Unavailable, end the thread."""
        self._closed = True
        self._wake_bulk_waiters()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.stop)

    async def encode(self, texts: Sequence[str], lane: Lane) -> list[Encoded]:
        """Embed each text, split to the window; answers stand in the order asked.

        Raises EmbeddingFailed for the whole call when a text has no finite vector (`metadata["text_indexes"]` names them) or the
        forward pass broke, Unavailable when too many wait or the encoder is closed.
        """
        if not texts:
            return []
        self.start()
        await self._admit(len(texts), lane)
        assert self._thread is not None
        future: asyncio.Future[list[Encoded]] = asyncio.get_running_loop().create_future()
        job = Job(self._runtime, texts, lane, future)
        self._count(lane, len(texts))
        try:
            self._thread.submit(job)
            return await future
        finally:
            # After a result this says nothing; after a cancellation the thread skips what it has not begun.
            job.abandoned = True
            self._count(lane, -len(texts))

    async def _admit(self, count: int, lane: Lane) -> None:
        if lane is Lane.INTERACTIVE:
            if not self._fits(count, lane):
                raise Unavailable(
                    "too many calls wait for an embedding; call again", retry_s=_RETRY_S
                )
            return
        while not self._fits(count, lane):
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._bulk_waiters.append(waiter)
            try:
                await waiter
            finally:
                self._bulk_waiters.remove(waiter)
            # The wait may have ended because of a close.
            self.start()

    def _fits(self, count: int, lane: Lane) -> bool:
        depth = self._depth[lane]
        return depth == 0 or depth + count <= self._texts_max[lane]

    def _count(self, lane: Lane, change: int) -> None:
        self._depth[lane] += change
        if self._observer is not None:
            self._observer.queue_depth(lane, self._depth[lane])
        if lane is Lane.BULK and change < 0:
            self._wake_bulk_waiters()

    def _wake_bulk_waiters(self) -> None:
        for waiter in self._bulk_waiters:
            if not waiter.done():
                waiter.set_result(None)
