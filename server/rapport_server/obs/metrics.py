"""Metrics in Prometheus' form, served on a port of their own."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any, Protocol
from wsgiref.simple_server import WSGIServer

import structlog
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.exposition import start_http_server

from rapport_server.config import Address
from rapport_server.domain.ports import IndexStats, Lane
from rapport_server.domain.storage import Database
from rapport_server.errors import RapportError
from rapport_server.startup import StartupError

_log = structlog.get_logger(__name__)

# From a cached read to the longest wait of a call.
CALL_BUCKETS_S = (
    0.0005, 0.001, 0.002, 0.004, 0.008, 0.015, 0.03, 0.06, 0.12, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
)  # fmt: skip
BATCH_BUCKETS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
TOKEN_BUCKETS = (16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096)
QUEUE_POLL_S = 5.0  # one cheap query; a queue that matters lasts longer


class Index(Protocol):
    """The shards."""

    def stats(self) -> IndexStats:
        """What is open now."""
        ...


class Metrics:
    """All figures of one server, in a registry of its own."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.embedding = EmbeddingFigures(self.registry)
        self.ingest = IngestFigures(self.registry, self.step)
        self._calls: dict[tuple[str, str], Any] = {}
        self._steps: dict[tuple[str, str], Any] = {}
        self._call_seconds = Histogram(
            "rapport_rpc_seconds",
            "Calls by RPC and status code, and how long they took.",
            ("rpc", "code"),
            buckets=CALL_BUCKETS_S,
            registry=self.registry,
        )
        self._in_flight = Gauge("rapport_rpc_in_flight", "Calls under way.", registry=self.registry)
        self._step_seconds = Histogram(
            "rapport_step_seconds",
            "Steps inside calls and inside indexing: embed, search, fetch, commit.",
            ("rpc", "step"),
            buckets=CALL_BUCKETS_S,
            registry=self.registry,
        )
        self._queue_depth = Gauge(
            "rapport_queue_depth", "Memories that wait to be indexed.", registry=self.registry
        )
        self._queue_age = Gauge(
            "rapport_queue_age_seconds", "Age of the oldest that waits.", registry=self.registry
        )
        self._database: Database | None = None
        self._server: WSGIServer | None = None
        self._thread: threading.Thread | None = None

    def call_started(self) -> None:
        """A call came in."""
        self._in_flight.inc()

    def call_ended(self, rpc: str, code: str, seconds: float) -> None:
        """A call ended with a status code."""
        self._in_flight.dec()
        child = self._calls.get((rpc, code))
        if child is None:
            child = self._calls[rpc, code] = self._call_seconds.labels(rpc, code)
        child.observe(seconds)

    def step(self, rpc: str, step: str, seconds: float) -> None:
        """A step inside a call, or (rpc "ingest" or "reading") in the background, took so long."""
        child = self._steps.get((rpc, step))
        if child is None:
            child = self._steps[rpc, step] = self._step_seconds.labels(rpc, step)
        child.observe(seconds)

    def watch(self, index: Index, database: Database) -> None:
        """Report the shards whenever asked, and the queue as often as `run` looks."""
        self._gauge("rapport_shards_open", "Shards in memory.", lambda: index.stats().shards)
        self._gauge("rapport_shard_bytes", "Bytes of open shards.", lambda: index.stats().bytes)
        self._gauge("rapport_vectors", "Vectors in open shards.", lambda: index.stats().vectors)
        self._database = database

    async def run(self) -> None:
        """Look at the queue for ever."""
        while True:
            try:
                await self._look_at_queue()
            except RapportError as error:
                # The database is away for a moment: calls say so, and the figures stay as they were.
                _log.warning("the queue was not read", reason=error.reason)
            await asyncio.sleep(QUEUE_POLL_S)

    async def _look_at_queue(self) -> None:
        if self._database is None:
            return
        async with self._database.session() as session:
            depth, age_s = await session.queue.depth()
        self._queue_depth.set(depth)
        self._queue_age.set(age_s)

    def serve(self, listen: Address) -> Address:
        """Answer GET /metrics from a thread; the address with the port that was chosen.

        Raises StartupError when the port is taken.
        """
        try:
            self._server, self._thread = start_http_server(listen.port, listen.host, self.registry)
        except OSError as error:
            raise StartupError(
                f"cannot serve metrics on {listen}: {error.strerror}; choose another --metrics-listen "
                "(RAPPORT_METRICS_LISTEN)"
            ) from error
        return Address(listen.host, self._server.server_port)

    def close(self) -> None:
        """Stop answering."""
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()
            self._server = self._thread = None

    def _gauge(self, name: str, help: str, read: Callable[[], float]) -> None:
        Gauge(name, help, registry=self.registry).set_function(read)


class EmbeddingFigures:
    """Hears the encoder."""

    def __init__(self, registry: CollectorRegistry) -> None:
        texts = Histogram(
            "rapport_embed_batch_texts",
            "Texts in a forward pass.",
            ("lane",),
            buckets=BATCH_BUCKETS,
            registry=registry,
        )
        tokens = Histogram(
            "rapport_embed_batch_tokens",
            "Tokens in a forward pass.",
            ("lane",),
            buckets=TOKEN_BUCKETS,
            registry=registry,
        )
        seconds = Histogram(
            "rapport_embed_batch_seconds",
            "Duration of a forward pass.",
            ("lane",),
            buckets=CALL_BUCKETS_S,
            registry=registry,
        )
        waiting = Gauge(
            "rapport_embed_queue_depth",
            "Texts waiting for the encoder or in it.",
            ("lane",),
            registry=registry,
        )
        self._batches = {
            lane: tuple(figure.labels(lane.value) for figure in (texts, tokens, seconds))
            for lane in Lane
        }
        self._waiting = {lane: waiting.labels(lane.value) for lane in Lane}

    def batch(self, lane: Lane, texts: int, tokens: int, seconds: float) -> None:
        """A forward pass ended; called on the encoder's thread."""
        of_texts, of_tokens, of_seconds = self._batches[lane]
        of_texts.observe(texts)
        of_tokens.observe(tokens)
        of_seconds.observe(seconds)

    def queue_depth(self, lane: Lane, depth: int) -> None:
        """Texts that wait or are under way."""
        self._waiting[lane].set(depth)


class IngestFigures:
    """Hears the ingest worker."""

    def __init__(
        self, registry: CollectorRegistry, step: Callable[[str, str, float], None]
    ) -> None:
        self._step = step
        self._items = Counter(
            "rapport_ingest_memories", "Memories that became recallable.", registry=registry
        )
        self._chunks = Counter(
            "rapport_ingest_chunks", "Chunks that became recallable.", registry=registry
        )
        self._read = Counter(
            "rapport_reading_memories",
            "Memories read for other people and things to come back to.",
            registry=registry,
        )
        self._found = Counter(
            "rapport_reading_found",
            "Mentions of other people and follow-ups that were found.",
            ("what",),
            registry=registry,
        )
        self._failures = Counter(
            "rapport_ingest_failures",
            "Attempts that failed, by reason, and whether it was the last one.",
            ("reason", "final"),
            registry=registry,
        )

    def indexed(self, items: int, chunks: int, encode_s: float, commit_s: float) -> None:
        """A batch is recallable."""
        self._items.inc(items)
        self._chunks.inc(chunks)
        self._step("ingest", "embed", encode_s)
        self._step("ingest", "commit", commit_s)

    def read(self, memories: int, people: int, follow_ups: int, seconds: float) -> None:
        """A batch of memories has been read."""
        self._read.inc(memories)
        self._found.labels("person").inc(people)
        self._found.labels("follow_up").inc(follow_ups)
        self._step("reading", "batch", seconds)

    def failed(self, reason: str, final: bool) -> None:
        """An item failed."""
        self._failures.labels(reason, str(final).lower()).inc()
