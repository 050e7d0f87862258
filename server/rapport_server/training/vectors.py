"""The states of all texts of a training, made once; a cache directory keeps them for the next run."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rapport_server.embedding.runtime import Row, Runtime, States

BATCH_ROWS = 16


@dataclass(frozen=True, slots=True)
class Embedded:
    """The states of texts, and at which row each text stands."""

    places: dict[str, int]
    states: States

    def of(self, texts: Sequence[str]) -> States:
        """One row per text."""
        rows = [self.places[text] for text in texts]
        return States(self.states.vectors[rows], self.states.inner[rows])


def embed(runtime: Runtime, texts: Sequence[str], cache: Path | None = None) -> Embedded:
    """Each text's states, cut to the window; batches of texts of a like length."""
    distinct = sorted(set(texts))
    places = {text: place for place, text in enumerate(distinct)}
    name = hashlib.sha256(json.dumps([runtime.fingerprint, distinct]).encode()).hexdigest()
    kept = cache / f"{name}.npz" if cache else None
    if kept is not None and kept.is_file():
        with np.load(kept) as file:
            return Embedded(places, States(file["vectors"], file["inner"]))
    states = _states(runtime, distinct)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.savez(kept, vectors=states.vectors, inner=states.inner)
    return Embedded(places, states)


def _states(runtime: Runtime, texts: Sequence[str]) -> States:
    ids = [runtime.fit(row) for row in runtime.tokenize(texts)]
    order = sorted(range(len(texts)), key=lambda place: (len(ids[place]), place))
    vectors = np.zeros((len(texts), runtime.dimension), dtype=np.float32)
    inner = np.zeros((len(texts), runtime.inner_dimension), dtype=np.float32)
    for begin in range(0, len(order), BATCH_ROWS):
        batch = order[begin : begin + BATCH_ROWS]
        made = runtime.forward([Row(texts[place], ids[place]) for place in batch])
        vectors[batch], inner[batch] = made.vectors, made.inner
    return States(vectors, inner)
