"""The crisis head: a support vector machine that compares a message with examples by embedding and by surface at once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class KernelHead:
    """Σ out · exp(−gamma · |v·projection − example|² − Σ weight of each feature that only one of the two has) + bias.

    features numbers the surface's features, shape of their weights (features,); projection (dimension, k) onto the
    directions in which crisis sentences differ; examples (k, m); has (features, m), 0 or 1; out (m,). gate (dimension,) and gate_bias: a linear score of the embedding alone; below 0 the
    rest is not looked at, which spares most messages the cost.
    """

    features: dict[str, int]
    weights: Floats
    gamma: float
    projection: Floats
    examples: Floats
    has: Floats
    out: Floats
    bias: float
    gate: Floats
    gate_bias: float
    _own: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        sizes = self.gamma * (self.examples**2).sum(axis=0)
        object.__setattr__(self, "_own", self.weights @ self.has + sizes)

    def may_be(self, vectors: Floats) -> NDArray[np.bool_]:
        """Which of the vectors (rows, dimension) are worth a closer look: (rows,)."""
        result: NDArray[np.bool_] = vectors @ self.gate + self.gate_bias > 0
        return result

    def nearness(self, vector: Floats) -> Floats:
        """The embedding's part of the exponents, and the examples' own features: (m,)."""
        placed = vector @ self.projection
        near = 2.0 * (placed @ self.examples) - placed @ placed
        result: Floats = (self.gamma * near - self._own).astype(np.float32, copy=False)
        return result

    def logit(self, nearness: Floats, features: Iterable[str]) -> float:
        """Above 0 speaks for a crisis; for a `nearness` and the features of a text."""
        known = [number for one in features if (number := self.features.get(one)) is not None]
        weights = self.weights[known]
        exponents = nearness + 2.0 * (weights @ self.has[known]) - weights.sum()
        return float(np.exp(exponents) @ self.out) + self.bias

    def packed(self, name: str) -> dict[str, NDArray[np.generic]]:
        """The arrays of a head file, under `name.`."""
        return {
            f"{name}.features": np.frombuffer("\n".join(self.features).encode(), dtype=np.uint8),
            f"{name}.weights": self.weights.astype(np.float32),
            f"{name}.gamma": np.array(self.gamma, dtype=np.float64),
            f"{name}.projection": self.projection.astype(np.float32),
            f"{name}.examples": self.examples.astype(np.float16),
            f"{name}.has": np.packbits(self.has > 0, axis=1),
            f"{name}.out": self.out.astype(np.float32),
            f"{name}.bias": np.array(self.bias, dtype=np.float64),
            f"{name}.gate": self.gate.astype(np.float32),
            f"{name}.gate_bias": np.array(self.gate_bias, dtype=np.float64),
        }

    @classmethod
    def unpacked(cls, name: str, arrays: Mapping[str, NDArray[np.generic]]) -> "KernelHead":
        """Read what `packed` wrote; KeyError when a part is missing."""
        listing = arrays[f"{name}.features"].tobytes().decode().split("\n")
        examples = np.ascontiguousarray(arrays[f"{name}.examples"], dtype=np.float32)
        bits = arrays[f"{name}.has"].astype(np.uint8)
        return cls(
            features={one: number for number, one in enumerate(listing)},
            weights=arrays[f"{name}.weights"].astype(np.float32),
            gamma=float(arrays[f"{name}.gamma"].item()),
            projection=arrays[f"{name}.projection"].astype(np.float32),
            examples=examples,
            has=np.unpackbits(bits, axis=1, count=examples.shape[1]).astype(np.float32),
            out=arrays[f"{name}.out"].astype(np.float32),
            bias=float(arrays[f"{name}.bias"].item()),
            gate=arrays[f"{name}.gate"].astype(np.float32),
            gate_bias=float(arrays[f"{name}.gate_bias"].item()),
        )
