"""The crisis head: a support vector machine that compares a message with examples by the model's states and by surface at once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class KernelHead:
    """Σ out · exp(−gamma · |x·projection − example|² − Σ weight of each feature that only one of the two has) + bias.

    features numbers the surface's features, shape of their weights (features,); projection (width, k) of the inputs,
    as `Scaling` makes them, onto the directions in which crisis sentences differ; examples (k, m); has (features, m), 0 or 1, as bits along m; out (m,).
    gate (width,) and gate_bias: a linear score of the inputs alone; below 0 the rest is not looked at, which spares
    most messages the cost.
    """

    features: dict[str, int]
    weights: Floats
    gamma: float
    projection: Floats
    examples: Floats
    has: NDArray[np.uint8]
    out: Floats
    bias: float
    gate: Floats
    gate_bias: float
    _own: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        own = self._shared(list(self.features.values()))
        sizes = self.gamma * (self.examples**2).sum(axis=0)
        object.__setattr__(self, "_own", own + sizes)

    def may_be(self, inputs: Floats) -> NDArray[np.bool_]:
        """Which of the inputs (rows, width) are worth a closer look: (rows,)."""
        result: NDArray[np.bool_] = inputs @ self.gate + self.gate_bias > 0
        return result

    def nearness(self, inputs: Floats) -> Floats:
        """The part of one row of inputs (width,) in the exponents, and the examples' own features: (m,)."""
        placed = inputs @ self.projection
        near = 2.0 * (placed @ self.examples) - placed @ placed
        result: Floats = (self.gamma * near - self._own).astype(np.float32, copy=False)
        return result

    def logit(self, nearness: Floats, features: Iterable[str]) -> float:
        """Above 0 speaks for a crisis; for a `nearness` and the features of a text."""
        known = [number for one in features if (number := self.features.get(one)) is not None]
        exponents = nearness + 2.0 * self._shared(known) - self.weights[known].sum()
        return float(np.exp(exponents) @ self.out) + self.bias

    def _shared(self, known: list[int]) -> Floats:
        """The weights of those of the features that each example has, added up: (m,)."""
        has = np.unpackbits(self.has[known], axis=1, count=len(self.out))
        shared: Floats = self.weights[known] @ has.astype(np.float32)
        return shared

    def packed(self, name: str) -> dict[str, NDArray[np.generic]]:
        """The arrays of a head file, under `name.`."""
        return {
            f"{name}.features": np.frombuffer("\n".join(self.features).encode(), dtype=np.uint8),
            f"{name}.weights": self.weights.astype(np.float32),
            f"{name}.gamma": np.array(self.gamma, dtype=np.float64),
            f"{name}.projection": self.projection.astype(np.float32),
            f"{name}.examples": self.examples.astype(np.float16),
            f"{name}.has": self.has,
            f"{name}.out": self.out.astype(np.float32),
            f"{name}.bias": np.array(self.bias, dtype=np.float64),
            f"{name}.gate": self.gate.astype(np.float32),
            f"{name}.gate_bias": np.array(self.gate_bias, dtype=np.float64),
        }

    @classmethod
    def unpacked(cls, name: str, arrays: Mapping[str, NDArray[np.generic]]) -> "KernelHead":
        """Read what `packed` wrote; KeyError when a part is missing."""
        listing = arrays[f"{name}.features"].tobytes().decode().split("\n")
        return cls(
            features={one: number for number, one in enumerate(listing)},
            weights=arrays[f"{name}.weights"].astype(np.float32),
            gamma=float(arrays[f"{name}.gamma"].item()),
            projection=arrays[f"{name}.projection"].astype(np.float32),
            examples=np.ascontiguousarray(arrays[f"{name}.examples"], dtype=np.float32),
            has=arrays[f"{name}.has"].astype(np.uint8),
            out=arrays[f"{name}.out"].astype(np.float32),
            bias=float(arrays[f"{name}.bias"].item()),
            gate=arrays[f"{name}.gate"].astype(np.float32),
            gate_bias=float(arrays[f"{name}.gate_bias"].item()),
        )
