"""Recall: the memories nearest in meaning to a question."""

import asyncio
import time
from dataclasses import dataclass

from rapport_server.commands.search import Searcher, Timing
from rapport_server.domain.filters import Filter
from rapport_server.domain.memories import Scope
from rapport_server.domain.ports import Encoder, Lane
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
    """Embeds the question while the person's shard catches up, then searches."""

    def __init__(self, encoder: Encoder, searcher: Searcher) -> None:
        self._encoder = encoder
        self._searcher = searcher

    async def __call__(self, query: RecallQuery) -> Recalled:
        """An unknown person, or a filter that nothing passes, gives no hits."""
        started = time.perf_counter()
        prepared, (encoded,) = await asyncio.gather(
            self._searcher.prepare(query.scope, query.filter),
            self._encoder.encode([query.query], Lane.INTERACTIVE),
        )
        embed_ms = (time.perf_counter() - started) * 1e3
        timing = Timing()
        hits = await self._searcher.nearest(
            prepared, encoded.mean, query.max_results, query.min_similarity, timing
        )
        total_ms = (time.perf_counter() - started) * 1e3
        return Recalled(hits, embed_ms, timing.search_ms, timing.fetch_ms, total_ms)
