"""The runtime port: what the batcher needs of a loaded model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Row:
    """One input of a forward pass: a text and its token ids, int32 (tokens,), special tokens included."""

    text: str
    ids: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class States:
    """What a forward pass makes of each row, float32: `vectors` (rows, dimension), of length 1, and `inner`.

    inner (rows, inner dimension): the mean over the tokens of a layer two thirds up, where more of the tone is left than in
    the vector, which was trained to tell topics; of width 0 where the model shows none.
    """

    vectors: NDArray[np.float32]
    inner: NDArray[np.float32]


def without_inner(vectors: NDArray[np.float32]) -> States:
    """The states of a model that shows only its vectors."""
    return States(vectors, np.zeros((len(vectors), 0), dtype=np.float32))


class Runtime(Protocol):
    """A loaded model. After loading, all methods are called from one thread at a time."""

    @property
    def fingerprint(self) -> str:
        """Identifies the source model, its tokenizer, pooling and maximal length."""
        ...

    @property
    def model_name(self) -> str:
        """For people."""
        ...

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        ...

    @property
    def inner_dimension(self) -> int:
        """Length of the inner states; 0 where the model shows none."""
        ...

    @property
    def window_tokens(self) -> int:
        """How many tokens of a text, special tokens not counted, one row may hold."""
        ...

    @property
    def row_tokens_max(self) -> int:
        """The same with the special tokens."""
        ...

    def enter_thread(self) -> None:
        """Called once by the thread that will make all forward passes."""
        ...

    def tokenize(self, texts: Sequence[str]) -> list[NDArray[np.int32]]:
        """Token ids per text, special tokens included, never truncated."""
        ...

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Character offsets [start, end) of each token, special tokens left out."""
        ...

    def fit(self, ids: NDArray[np.int32]) -> NDArray[np.int32]:
        """The ids of a text that cannot be split, cut down to the window."""
        ...

    def forward(self, rows: Sequence[Row]) -> States:
        """One forward pass; the vector of a row that the model fails on is zero or not finite."""
        ...


def padded(rows: Sequence[Row], pad_id: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Token ids and mask, both (rows, tokens), padded on the right."""
    shape = (len(rows), max(1, *(len(row.ids) for row in rows)))
    ids = np.full(shape, pad_id, dtype=np.int64)
    mask = np.zeros(shape, dtype=np.int64)
    for place, row in enumerate(rows):
        ids[place, : len(row.ids)] = row.ids
        mask[place, : len(row.ids)] = 1
    return ids, mask
