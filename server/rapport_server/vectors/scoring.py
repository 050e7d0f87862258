"""The two FAISS calls behind a search, and the order of what they find."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rapport_server.domain.ports import Ranked
from rapport_server.vectors.engine import faiss

NOTHING = Ranked(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))


def nearest(
    index: Any,
    numbers: NDArray[np.int64],
    queries: NDArray[np.float32],
    k: int,
    selector: object | None,
) -> list[Ranked]:
    """Score every query against its own inverted list, in one call.

    numbers: int64 (m,), the list of each query; queries: float32 (m, dimension); selector: a FAISS IDSelector that the
    caller keeps alive, or None. Answers hold at most k, best first, equal scores by the smaller id. Raises ValueError
    for a query of another dimension or one that is not finite.
    """
    if queries.shape[1:] != (index.d,) or not np.isfinite(queries).all():
        raise ValueError(f"a query must be {index.d} finite numbers")
    count = len(queries)
    # One more than asked tells whether the k-th score has equals beyond the cut.
    depth = k + 1
    scores = np.empty((count, depth), dtype=np.float32)
    ids = np.empty((count, depth), dtype=np.int64)
    distances = np.zeros(count, dtype=np.float32)
    parameters = None if selector is None else faiss.SearchParametersIVF(sel=selector, nprobe=1)
    index.search_preassigned_c(
        count,
        faiss.swig_ptr(queries),
        depth,
        faiss.swig_ptr(numbers),
        faiss.swig_ptr(distances),
        faiss.swig_ptr(scores),
        faiss.swig_ptr(ids),
        False,
        parameters,
        None,
    )
    answers = []
    for row in range(count):
        found, values = ids[row], scores[row]
        if found[k] >= 0 and values[k] == values[k - 1]:
            found, values = _at_least(index, numbers[row], queries[row], values[k], parameters)
        answers.append(_ranked(found, values, k))
    return answers


def _at_least(
    index: Any,
    number: np.int64,
    query: NDArray[np.float32],
    score: np.float32,
    parameters: object | None,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Everything in the list that scores `score` or more: a top k keeps an arbitrary few of equal scores."""
    result = faiss.RangeSearchResult(1)
    # Named, because FAISS reads them through bare pointers.
    row, assigned = np.ascontiguousarray(query), np.array([number], dtype=np.int64)
    distance = np.zeros(1, dtype=np.float32)
    index.range_search_preassigned_c(
        1,
        faiss.swig_ptr(row),
        float(np.nextafter(score, np.float32(-np.inf))),
        faiss.swig_ptr(assigned),
        faiss.swig_ptr(distance),
        result,
        False,
        parameters,
        None,
    )
    total = int(faiss.rev_swig_ptr(result.lims, 2)[1])
    ids = faiss.rev_swig_ptr(result.labels, total).copy()
    return ids, faiss.rev_swig_ptr(result.distances, total).copy()


def _ranked(ids: NDArray[np.int64], scores: NDArray[np.float32], k: int) -> Ranked:
    live = (ids >= 0) & np.isfinite(scores)
    ids, scores = ids[live], scores[live]
    order = np.lexsort((ids, -scores))[:k]
    return Ranked(ids[order], scores[order])
