"""A loaded model: a fast tokenizer, a window, and a forward pass."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rapport_server.embedding.runtime import Row, States

Forward = Callable[[Sequence[Row]], States]

# What a forward pass is tried with: short, beyond ASCII, and longer than most windows.
PROBES = (
    "Maya prefers dark mode.",
    "  Ünïcode — 你好 🙂\n",
    "the hip still hurts at night " * 100,
)
# How far (1 - cosine) a faster forward pass may be from `encode` before it is not used.
COSINE_TOLERANCE = 1e-5


def _nothing() -> None:
    """Most forward passes belong to no thread."""


@dataclass(frozen=True)
class LoadedModel:
    """Implements `Runtime`. The tokenizer neither pads nor truncates."""

    model_name: str
    fingerprint: str
    dimension: int
    inner_dimension: int
    row_tokens_max: int
    window_tokens: int
    tokenizer: Any = field(repr=False)
    forward: Forward = field(repr=False)
    enter_thread: Callable[[], None] = field(default=_nothing, repr=False)

    def tokenize(self, texts: Sequence[str]) -> list[NDArray[np.int32]]:
        """Token ids per text, special tokens included, never truncated."""
        return tokenized(self.tokenizer, texts)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Character offsets [start, end) of each token, special tokens left out."""
        encoding = self.tokenizer.encode(text, add_special_tokens=False)
        offsets: list[tuple[int, int]] = encoding.offsets
        return offsets

    def fit(self, ids: NDArray[np.int32]) -> NDArray[np.int32]:
        """The ids cut down to the window, the closing special token kept."""
        return fitted(ids, self.row_tokens_max)


def tokenized(tokenizer: Any, texts: Sequence[str]) -> list[NDArray[np.int32]]:
    """Token ids per text, special tokens included."""
    encodings = tokenizer.encode_batch_fast(list(texts))
    return [np.array(encoding.ids, dtype=np.int32) for encoding in encodings]


def fitted(ids: NDArray[np.int32], row_tokens_max: int) -> NDArray[np.int32]:
    """The ids cut down to so many, the closing special token kept."""
    if len(ids) <= row_tokens_max:
        return ids
    return np.concatenate([ids[: row_tokens_max - 1], ids[-1:]])


def probe_rows(tokenizer: Any, row_tokens_max: int) -> list[Row]:
    """The probes as inputs of a forward pass."""
    ids = tokenized(tokenizer, PROBES)
    return [Row(text, fitted(one, row_tokens_max)) for text, one in zip(PROBES, ids, strict=True)]


def nearness(forward: Forward, probes: Sequence[Row], wanted: NDArray[np.float32]) -> float:
    """The smallest cosine between what the pass gives and what is wanted, (probes, dimension): together and one by one."""
    alone = np.vstack([forward([probe]).vectors for probe in probes])
    return float(min((got * wanted).sum(axis=1).min() for got in (forward(probes).vectors, alone)))
