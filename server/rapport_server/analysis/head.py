"""A trained head: a hidden layer over the embedding model's states plus a linear part over the surface, in numpy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_ARRAYS = (
    "word_weights",
    "word_power",
    "hidden_weights",
    "hidden_bias",
    "out_weights",
    "out_bias",
)


@dataclass(frozen=True, slots=True)
class Head:
    """Weights: words (vocabulary, outputs), hidden (width, hidden), out (hidden, outputs).

    The words' sum is divided by (how many)^word_power, shape (1,): at 0.5 a long text is no louder than a short one.
    """

    words: dict[str, int]
    word_weights: Floats
    word_power: Floats
    hidden_weights: Floats
    hidden_bias: Floats
    out_weights: Floats
    out_bias: Floats

    def logits(self, inputs: Floats, tokens: Sequence[str]) -> Floats:
        """(rows, outputs) for the inputs (rows, width), as `Scaling` makes them, of one text with these tokens."""
        return self.state_logits(inputs) + self.word_logits(tokens)

    def state_logits(self, inputs: Floats) -> Floats:
        """The part of the model's states, bias included: (rows, outputs)."""
        hidden = np.maximum(inputs @ self.hidden_weights + self.hidden_bias, 0.0)
        logits: Floats = hidden @ self.out_weights + self.out_bias
        return logits

    def word_logits(self, tokens: Sequence[str]) -> Floats:
        """The surface's part: (outputs,)."""
        known = [number for token in tokens if (number := self.words.get(token)) is not None]
        logits: Floats = self.word_weights[known].sum(axis=0)
        return logits / np.float32(max(1, len(known)) ** float(self.word_power[0]))

    def packed(self, name: str) -> dict[str, NDArray[np.generic]]:
        """The arrays of a head file, under `name.`: float16, biases float32."""
        listing = "\n".join(self.words).encode()
        arrays: dict[str, NDArray[np.generic]] = {
            f"{name}.words": np.frombuffer(listing, dtype=np.uint8)
        }
        for part in _ARRAYS:
            array = getattr(self, part)
            arrays[f"{name}.{part}"] = array.astype(
                np.float32 if part.endswith(("bias", "power")) else np.float16
            )
        return arrays

    @classmethod
    def unpacked(cls, name: str, arrays: Mapping[str, NDArray[np.generic]]) -> "Head":
        """Read what `packed` wrote; KeyError when a part is missing."""
        listing = arrays[f"{name}.words"].tobytes().decode()
        words = {word: number for number, word in enumerate(listing.split("\n"))} if listing else {}
        return cls(words, **{part: arrays[f"{name}.{part}"].astype(np.float32) for part in _ARRAYS})
