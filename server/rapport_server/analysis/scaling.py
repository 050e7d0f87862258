"""What the heads read of the embedding model: a text's vector beside its inner state, both of about the same length."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Scaling:
    """center and scale, both (inner dimension,): the mean of the inner states in training, and one over their deviation."""

    center: Floats
    scale: Floats

    @classmethod
    def of(cls, inner: Floats) -> "Scaling":
        """The one by which these inner states (n, inner dimension) have length 1 on average, as the vectors have."""
        deviation = inner.std(axis=0) * np.sqrt(inner.shape[1])
        return cls(inner.mean(axis=0), (1.0 / np.maximum(deviation, 1e-6)).astype(np.float32))

    def inputs(self, vectors: Floats, inner: Floats) -> Floats:
        """(rows, dimension + inner dimension) for the vectors (rows, dimension) and the inner states of the same rows."""
        result: Floats = np.concatenate([vectors, (inner - self.center) * self.scale], axis=1)
        return result

    def packed(self) -> dict[str, NDArray[np.generic]]:
        """The arrays of a head file."""
        return {"inner_center": self.center, "inner_scale": self.scale}

    @classmethod
    def unpacked(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Scaling":
        """Read what `packed` wrote; KeyError when a part is missing."""
        return cls(
            arrays["inner_center"].astype(np.float32), arrays["inner_scale"].astype(np.float32)
        )
