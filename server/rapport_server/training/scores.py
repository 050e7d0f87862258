"""Scores and thresholds: F1 per label, the Ekman groups of the GoEmotions paper, precision and recall."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

# Demszky et al., "GoEmotions: A Dataset of Fine-Grained Emotions" (2020), appendix: the mapping to Ekman's six and neutral.
EKMAN = {
    "anger": "anger annoyance disapproval",
    "disgust": "disgust",
    "fear": "fear nervousness",
    "joy": "joy amusement approval excitement gratitude love optimism relief pride admiration desire caring",
    "sadness": "sadness disappointment embarrassment grief remorse",
    "surprise": "surprise realization confusion curiosity",
    "neutral": "neutral",
}


def f1(found: NDArray[np.bool_], wanted: NDArray[np.bool_]) -> Floats:
    """F1 of each column of two matrices (rows, labels)."""
    both = (found & wanted).sum(axis=0)
    result: Floats = 2.0 * both / np.maximum(found.sum(axis=0) + wanted.sum(axis=0), 1)
    return result


def ekman(matrix: NDArray[np.bool_], labels: Sequence[str]) -> NDArray[np.bool_]:
    """(rows, 28) to (rows, 7): a group is there when any of its labels is."""
    groups = [[labels.index(one) for one in group.split()] for group in EKMAN.values()]
    return np.stack([matrix[:, group].any(axis=1) for group in groups], axis=1)


def one_hot(answers: NDArray[np.intp], count: int) -> NDArray[np.bool_]:
    """(rows,) numbers to (rows, count)."""
    return np.eye(count, dtype=np.bool_)[answers]


def best_thresholds(logits: Floats, wanted: NDArray[np.bool_]) -> Floats:
    """Per label, the threshold with the highest F1 on these rows."""
    thresholds = np.zeros(logits.shape[1], dtype=np.float32)
    for label in range(logits.shape[1]):
        order = np.argsort(-logits[:, label], kind="stable")
        hits = np.cumsum(wanted[order, label])
        scores = 2.0 * hits / (np.arange(1, len(order) + 1) + hits[-1])
        best = int(scores.argmax())
        below = min(best + 1, len(order) - 1)
        thresholds[label] = (logits[order[best], label] + logits[order[below], label]) / 2
    return thresholds


def precision_recall(found: NDArray[np.bool_], wanted: NDArray[np.bool_]) -> tuple[float, float]:
    """Of what was found, how much is wanted; of what is wanted, how much was found."""
    both = float((found & wanted).sum())
    return both / max(1.0, float(found.sum())), both / max(1.0, float(wanted.sum()))
