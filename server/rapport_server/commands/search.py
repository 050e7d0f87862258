"""Nearest chunks of one person by meaning: catch up, search exactly, fetch behind the wall."""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from rapport_server.commands.together import Together
from rapport_server.domain.filters import Filter
from rapport_server.domain.memories import FoundChunk, Scope
from rapport_server.domain.ports import Probe, ShardKey, VectorIndex
from rapport_server.domain.ranking import Hit, collapsed
from rapport_server.domain.storage import Database, Placed

# Chunks of one scope, by their ids.
Wanted = tuple[Scope, frozenset[int]]

OVERFETCH = 8  # duplicates and just-expired rows rarely cost a second round
GROWTH = 4
TWIN_CANDIDATES_MAX = 128  # somebody who says "ok" every day must not make each "ok" dearer
TWIN_SIMILARITY = (
    1e-3  # equal texts encoded in different batches differ by rounding, far less than this
)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A person's list, caught up to the moment of asking; `allowed` are the chunks that pass the filter (None: all)."""

    scope: Scope
    key: ShardKey
    person_no: int
    allowed: NDArray[np.int64] | None


@dataclass(slots=True)
class Timing:
    """Where a recall's time went, in milliseconds."""

    embed_ms: float = 0.0
    search_ms: float = 0.0
    fetch_ms: float = 0.0


class Searcher:
    """Finds the nearest chunks of one person."""

    def __init__(self, database: Database, index: VectorIndex) -> None:
        self._database = database
        self._index = index
        self._placed = Together(self._place)
        self._found = Together(self._fetch)

    async def prepare(self, scope: Scope, filter: Filter | None = None) -> Prepared | None:
        """Everything that does not need the query's vector, so that it can run beside the embedding.

        None when nothing can be found. Whatever committed before this call is visible to the search after it.
        """
        placed = await self._placed((scope.tenant_id, scope.end_user_id))
        if placed is None:
            return None
        allowed = None
        if filter is not None:
            async with self._database.session() as session:
                allowed = await session.memories.allowed_chunks(scope, filter)
            if not len(allowed):
                return None
        key = ShardKey(scope.tenant_id, placed.shard_id)
        await self._index.catch_up(key, placed.head)
        return Prepared(scope, key, placed.person_no, allowed)

    async def nearest(
        self,
        prepared: Prepared | None,
        vector: NDArray[np.float32],
        k: int,
        min_similarity: float | None,
        timing: Timing | None = None,
    ) -> list[Hit]:
        """At most k hits, best first. Whenever k live ones exist, k are found: dead candidates only widen the search.

        Goes on until the twins of all k are in it, too, among the TWIN_CANDIDATES_MAX nearest.
        """
        if prepared is None or k == 0:
            return []
        timing = timing or Timing()
        want = k + OVERFETCH
        asked: set[int] = set()
        found: dict[int, FoundChunk] = {}
        while True:
            started = time.perf_counter()
            probe = Probe(prepared.person_no, vector, want, prepared.allowed)
            (ranked,) = await self._index.search(prepared.key, [probe])
            timing.search_ms += (time.perf_counter() - started) * 1e3
            scores = dict(zip(ranked.ids.tolist(), ranked.scores.tolist(), strict=True))
            if min_similarity is not None:
                scores = {i: score for i, score in scores.items() if score >= min_similarity}
            last = len(ranked.ids) < want or len(scores) < len(ranked.ids)
            # Mostly the first k are the answer; the others are fetched when some of these are gone or say the same.
            for count in sorted({_with_twins(scores, k), len(scores)}):
                started = time.perf_counter()
                looked_at = dict(islice(scores.items(), count))
                fresh = looked_at.keys() - asked
                asked |= fresh
                if fresh:
                    found |= await self._found((prepared.scope, frozenset(fresh))) or {}
                timing.fetch_ms += (time.perf_counter() - started) * 1e3
                hits = collapsed((found[i], score) for i, score in looked_at.items() if i in found)
                all_in = last and count == len(scores)
                if all_in or (len(hits) >= k and _twins_are_in(hits[k - 1], looked_at, scores)):
                    return hits[:k]
            want *= GROWTH

    async def _place(self, people: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Placed]:
        async with self._database.session() as session:
            return await session.people.placed(people)

    async def _fetch(self, wanted: Sequence[Wanted]) -> dict[Wanted, dict[int, FoundChunk]]:
        ids: dict[Scope, set[int]] = defaultdict(set)
        for scope, chunk_ids in wanted:
            ids[scope] |= chunk_ids
        async with self._database.session() as session:
            found = await session.memories.fetch_chunks(ids)
        return {
            (scope, chunk_ids): {i: found[scope, i] for i in chunk_ids if (scope, i) in found}
            for scope, chunk_ids in wanted
        }


def _with_twins(scores: Mapping[int, float], k: int) -> int:
    """How many of the candidates, best first, are the first k and all that may be twins of the k-th."""
    ordered = list(scores.values())
    if len(ordered) <= k:
        return len(ordered)
    return sum(score >= ordered[k - 1] - TWIN_SIMILARITY for score in ordered)


def _twins_are_in(last: Hit, looked_at: Mapping[int, float], scores: Mapping[int, float]) -> bool:
    """Whether no candidate beyond those looked at could be a twin of the last hit, or enough have been looked at."""
    beyond = next(islice(scores.values(), len(looked_at), None), min(scores.values()))
    return beyond < last.similarity - TWIN_SIMILARITY or len(looked_at) >= TWIN_CANDIDATES_MAX
