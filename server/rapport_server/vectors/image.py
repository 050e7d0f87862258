"""A whole shard as plain arrays: what is written to disk, read from it, and gathered from the database."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rapport_server.domain.ports import Position, ShardImage

_EXPONENT = np.uint16(0x7C00)


@dataclass(frozen=True, slots=True)
class Image:
    """A shard as of `position`, its rows in runs of one person each.

    persons: int64 (p, 2), person number and length of the run, in the order of the runs; ids: int64 (n,);
    vectors: float16 (n, dimension).
    """

    position: Position
    persons: NDArray[np.int64]
    ids: NDArray[np.int64]
    vectors: NDArray[np.float16]

    def count(self, person_no: int) -> int:
        """How many rows the person has."""
        return int(self.persons[self.persons[:, 0] == person_no, 1].sum())


def finite_rows(vectors: NDArray[np.float16]) -> NDArray[np.bool_]:
    """Which rows hold finite numbers only, shape (n,). Reads the exponent bits: no conversion of a whole shard."""
    bits = np.ascontiguousarray(vectors).view(np.uint16)
    whole: NDArray[np.bool_] = ((bits & _EXPONENT) != _EXPONENT).all(axis=1)
    return whole


def gather(parts: Sequence[ShardImage], dimension: int) -> Image:
    """Put the batches of one scan together, sorted by person.

    Rows with a number that is not finite are left out, for they would poison every score of their list. Raises
    ValueError when there is no batch or a vector has another dimension.
    """
    if not parts:
        raise ValueError("a scan yields at least one batch")
    if any(part.vectors.shape != (len(part.ids), dimension) for part in parts):
        raise ValueError(f"the database holds vectors of another dimension than {dimension}")
    ids = np.concatenate([part.ids for part in parts])
    persons = np.concatenate([part.persons for part in parts])
    order = np.argsort(persons, kind="stable")
    vectors = np.concatenate([part.vectors for part in parts]).astype(np.float16, copy=False)[order]
    ids, persons = ids[order], persons[order]
    whole = finite_rows(vectors)
    if not whole.all():
        ids, persons, vectors = ids[whole], persons[whole], vectors[whole]
    numbers, lengths = np.unique(persons, return_counts=True)
    runs = np.stack([numbers, lengths], axis=1).astype(np.int64).reshape(-1, 2)
    return Image(parts[-1].position, runs, ids.astype(np.int64), vectors)
