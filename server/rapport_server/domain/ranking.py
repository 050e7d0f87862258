"""From scored chunks to the hits a caller sees: floor, exact duplicates collapsed, a stable order."""

from collections.abc import Iterable
from dataclasses import dataclass

from rapport_server.domain.memories import FoundChunk, MatchStrength

STRONG_FROM = 0.6  # cosine of all-MiniLM-L6-v2: paraphrases lie above
MODERATE_FROM = 0.35  # the same subject lies above, unrelated text mostly below


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk with the cosine of its own vector to the query, and the memories that say exactly the same."""

    chunk: FoundChunk
    similarity: float
    duplicate_source_ids: tuple[str, ...] = ()

    @property
    def strength(self) -> MatchStrength:
        """How sure the hit is, by its similarity."""
        if self.similarity >= STRONG_FROM:
            return MatchStrength.STRONG
        return MatchStrength.MODERATE if self.similarity >= MODERATE_FROM else MatchStrength.WEAK


def collapsed(scored: Iterable[tuple[FoundChunk, float]]) -> list[Hit]:
    """Best first, ties by the smaller chunk id; of chunks with the same text the newest stands for all."""
    by_text: dict[str, list[tuple[FoundChunk, float]]] = {}
    for chunk, similarity in sorted(scored, key=lambda pair: (-pair[1], pair[0].chunk_id)):
        by_text.setdefault(chunk.text, []).append((chunk, similarity))
    hits = []
    for same in by_text.values():
        chunk, _ = max(same, key=lambda pair: (pair[0].memory.occurred_at, pair[0].chunk_id))
        others = {other.memory.source_id: None for other, _ in same}
        others.pop(chunk.memory.source_id, None)
        hits.append(Hit(chunk, same[0][1], tuple(others)))
    return hits


def one_per_memory(hits: Iterable[Hit]) -> list[Hit]:
    """The best hit of each memory, in the order given."""
    best: dict[str, Hit] = {}
    for hit in hits:
        best.setdefault(hit.chunk.memory.source_id, hit)
    return list(best.values())
