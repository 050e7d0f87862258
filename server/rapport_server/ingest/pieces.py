"""A memory's text as chunk rows; long texts go through the encoder in slices."""

from collections.abc import Iterator, Sequence

import numpy as np

from rapport_server.domain.memories import ChunkDraft
from rapport_server.domain.ports import Encoded
from rapport_server.errors import EmbeddingFailed

# About 16 windows of the encoder, 0.2 s on two cores: the longest that a short text has to wait behind a slice.
SLICE_CHARS = 16 * 1024
# A slice ends at the best of these in its last quarter.
_BREAKS = ("\n\n", "\n", ". ", " ")


def slices(text: str) -> Iterator[str]:
    """The text in parts of at most SLICE_CHARS characters; together they are the text, blank ones left out."""
    start = 0
    while start < len(text):
        end = _end_of_slice(text, start)
        if not text[start:end].isspace():
            yield text[start:end]
        start = end


def chunk_drafts(text: str, parts: Sequence[Encoded]) -> list[ChunkDraft]:
    """Chunk rows of a text that was encoded in one or several parts.

    Raises EmbeddingFailed when the encoder found nothing to encode in it.
    """
    pieces = [piece for part in parts for piece in part.pieces]
    if not pieces:
        raise EmbeddingFailed
    vectors = np.concatenate([part.vectors for part in parts]).astype(np.float16)
    whole = len(pieces) == 1 and pieces[0].text == text
    return [
        ChunkDraft(index, None if whole else piece.text, vector.tobytes())
        for index, (piece, vector) in enumerate(zip(pieces, vectors, strict=True))
    ]


def _end_of_slice(text: str, start: int) -> int:
    end = start + SLICE_CHARS
    if end >= len(text):
        return len(text)
    for mark in _BREAKS:
        found = text.rfind(mark, end - SLICE_CHARS // 4, end)
        if found >= 0:
            return found + len(mark)
    return end
