"""The vectors of all texts of a training, made once; a cache directory keeps them for the next run."""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rapport_server.embedding.runtime import Row, Runtime

BATCH_ROWS = 16


def embed(
    runtime: Runtime,
    texts: Sequence[str],
    cache: Path | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, NDArray[np.float32]]:
    """Each text's vector (dimension,), cut to the window; batches of texts of a like length."""
    distinct = sorted(set(texts))
    name = hashlib.sha256(json.dumps([runtime.fingerprint, distinct]).encode()).hexdigest()
    kept = cache / f"{name}.npy" if cache else None
    if kept is not None and kept.is_file():
        vectors = np.load(kept)
    else:
        vectors = _vectors(runtime, distinct, progress)
        if kept is not None:
            kept.parent.mkdir(parents=True, exist_ok=True)
            np.save(kept, vectors)
    return dict(zip(distinct, vectors, strict=True))


def _vectors(
    runtime: Runtime, texts: Sequence[str], progress: Callable[[int, int], None]
) -> NDArray[np.float32]:
    ids = [runtime.fit(row) for row in runtime.tokenize(texts)]
    order = sorted(range(len(texts)), key=lambda place: (len(ids[place]), place))
    vectors = np.zeros((len(texts), runtime.dimension), dtype=np.float32)
    for begin in range(0, len(order), BATCH_ROWS):
        batch = order[begin : begin + BATCH_ROWS]
        vectors[batch] = runtime.forward([Row(texts[place], ids[place]) for place in batch])
        progress(begin + len(batch), len(order))
    return vectors
