"""Recall: the memories nearest in meaning to a question."""

import asyncio
import time
from dataclasses import dataclass

from rapport_server.commands.search import Prepared, Searcher, Timing
from rapport_server.domain.filters import Filter
from rapport_server.domain.memories import Scope
from rapport_server.domain.ports import Encoded, Encoder, Lane
from rapport_server.domain.ranking import Hit


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """What to look for and how much of it; min_similarity None sets no floor."""

    scope: Scope
    query: str
    max_results: int
    min_similarity: float | None = None
    filter: Filter | None = None


@dataclass(frozen=True, slots=True)
class Recalled:
    """Hits, best first, and where the time went (milliseconds)."""

    hits: list[Hit]
    embed_ms: float
    search_ms: float
    fetch_ms: float
    total_ms: float


class Recall:
    """Embeds the question, catches up with the person's shard, searches."""

    def __init__(self, encoder: Encoder, searcher: Searcher) -> None:
        self._encoder = encoder
        self._searcher = searcher
        self._running = 0

    async def __call__(self, query: RecallQuery) -> Recalled:
        """An unknown person, or a filter that nothing passes, gives no hits."""
        started = time.perf_counter()
        timing = Timing()
        self._running += 1
        try:
            prepared, encoded = await self._prepared(query, timing)
        finally:
            self._running -= 1
        hits = await self._searcher.nearest(
            prepared, encoded.mean, query.max_results, query.min_similarity, timing
        )
        total_ms = (time.perf_counter() - started) * 1e3
        return Recalled(hits, timing.embed_ms, timing.search_ms, timing.fetch_ms, total_ms)

    async def _prepared(
        self, query: RecallQuery, timing: Timing
    ) -> tuple[Prepared | None, Encoded]:
        if self._running == 1:
            prepared, encoded = await asyncio.gather(
                self._prepare(query), self._encode(query, timing)
            )
        else:
            # In company one after the other: those who leave a forward pass together then share the statements, too.
            encoded = await self._encode(query, timing)
            prepared = await self._prepare(query)
        return prepared, encoded

    async def _prepare(self, query: RecallQuery) -> Prepared | None:
        return await self._searcher.prepare(query.scope, query.filter)

    async def _encode(self, query: RecallQuery, timing: Timing) -> Encoded:
        started = time.perf_counter()
        (encoded,) = await self._encoder.encode([query.query], Lane.INTERACTIVE)
        timing.embed_ms = (time.perf_counter() - started) * 1e3
        return encoded
