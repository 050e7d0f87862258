"""A job: the texts of one caller on their way through the model. Touched by the embed thread alone once submitted."""

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rapport_server.domain.ports import Encoded, Lane, Piece
from rapport_server.embedding.pieces import CutPiece, cut, is_last
from rapport_server.embedding.runtime import Row, Runtime
from rapport_server.errors import EmbeddingFailed

# A row of length 1 is off by less than this in float32.
_LENGTH_TOLERANCE = 1e-3


@dataclass(slots=True, eq=False)
class Slot:
    """One piece of a job, waiting for its vector."""

    job: "Job"
    piece: Piece
    row: Row
    vector: NDArray[np.float32] | None = None
    inner: NDArray[np.float32] | None = None

    @property
    def tokens(self) -> int:
        """Tokens in the model, special ones included."""
        return len(self.row.ids)


class Job:
    """`future` gets the list of Encoded, or EmbeddingFailed; `abandoned` is set when nobody waits any more."""

    def __init__(
        self,
        runtime: Runtime,
        texts: Sequence[str],
        lane: Lane,
        future: "asyncio.Future[list[Encoded]]",
    ) -> None:
        self.lane = lane
        self.future = future
        self.abandoned = False
        self.all_cut = False
        self.ready: deque[Slot] = deque()
        self.ready_tokens = 0
        self._texts = texts
        self._cutting: Iterator[list[CutPiece]] = cut(runtime, texts)
        self._slots: list[list[Slot]] = [[] for _ in texts]
        self._unfinished = 0

    @property
    def finished(self) -> bool:
        """Every piece of every text has its vector."""
        return self.all_cut and self._unfinished == 0

    def cut_more(self) -> None:
        """One step of tokenising; the new pieces are ready, longest first."""
        step = next(self._cutting)
        for cut_piece in step:
            slot = Slot(self, cut_piece.piece, cut_piece.row)
            self._slots[cut_piece.text_index].append(slot)
            self.ready.append(slot)
            self.ready_tokens += slot.tokens
        self._unfinished += len(step)
        self.all_cut = is_last(self._texts, step[-1])
        self.ready = deque(sorted(self.ready, key=lambda slot: -slot.tokens))

    def take(self) -> Slot:
        """Hand out the longest ready piece."""
        slot = self.ready.popleft()
        self.ready_tokens -= slot.tokens
        return slot

    def deliver(self, slot: Slot, vector: NDArray[np.float32], inner: NDArray[np.float32]) -> None:
        """A piece has come back from the model."""
        slot.vector, slot.inner = vector, inner
        self._unfinished -= 1

    def result(self) -> list[Encoded] | EmbeddingFailed:
        """What the caller gets; the error names the places of the texts that have no usable vector."""
        encoded = [
            Encoded(
                tuple(slot.piece for slot in slots),
                np.stack([slot.vector for slot in slots if slot.vector is not None]),
                np.stack([slot.inner for slot in slots if slot.inner is not None]),
            )
            for slots in self._slots
        ]
        failed = [
            str(index) for index, one in enumerate(encoded) if not _all_of_length_one(one.vectors)
        ]
        if failed:
            return EmbeddingFailed(text_indexes=",".join(failed))
        return encoded


def _all_of_length_one(vectors: NDArray[np.float32]) -> bool:
    # A comparison with NaN is false, so this covers what is not finite.
    return bool((np.abs(np.linalg.norm(vectors, axis=1) - 1.0) < _LENGTH_TOLERANCE).all())
