"""The crisis head: a support vector machine, as there are only a few thousand sentences and their wording is varied."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
from sklearn.svm import SVC  # type: ignore[import-untyped]

from rapport_server.analysis.kernel import KernelHead
from rapport_server.analysis.signs import marks
from rapport_server.analysis.tokens import tokens
from rapport_server.training.data import Sentence
from rapport_server.training.network import vocabulary

Floats = NDArray[np.float32]

# The kernel's widths and the machine's penalty; chosen by cross-validation on the training sentences.
GAMMA = 1.0
INNER_SHARE = 0.5
MARK_WEIGHT = 0.02
TOKEN_WEIGHT = 0.005
PENALTY = 3.0
# Average precision in cross-validation is 0.938; with 96 directions it is 0.936, and each costs time.
DIRECTIONS = 160
TOKEN_TEXTS_MIN = 4
# A background message weighs less than one of our own, of whatever intent.
BACKGROUND_WEIGHT = 0.6
OWN_WEIGHT = 1.0
BACKGROUND_EMOTIONS = 3_000
BACKGROUND_INTENTS = 1_000
FOLDS = 5
# The gate lets this share through of the crises that the machine finds, each judged by a gate that did not see it.
GATE_RECALL = 0.999
GATE_SCALE = 4.5
GATE_PENALTY_INVERSE = 0.1
# Messages of the background that may themselves be about a crisis: left out rather than labelled harmless.
RISKY = re.compile(
    r"suicid|kill (?:my|your|him|her)sel|\bkms\b|want(?:ed)? to die|self.?harm|cut(?:ting)? my|end my|hang (?:my|your)|unalive"
    r"|depress|hope?less|worthless|\bdie\b|dead|death",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CrisisData:
    """Texts, wanted and weights (n,); the first `judged` are crisis sentences, whose scores choose the threshold."""

    texts: list[str]
    wanted: NDArray[np.bool_]
    weights: Floats
    judged: int


def gather(
    sentences: Sequence[Sentence], own: Sequence[str], background: Sequence[str]
) -> CrisisData:
    """The crisis sentences, our own messages with other intents, and harmless messages of others."""
    own = [text for text in own if not RISKY.search(text)]
    harmless = [text for text in background if not RISKY.search(text)]
    texts = [*(one.text for one in sentences), *own, *harmless]
    wanted = np.zeros(len(texts), dtype=np.bool_)
    wanted[: len(sentences)] = [one.label == "crisis" for one in sentences]
    weights = np.full(len(texts), BACKGROUND_WEIGHT, dtype=np.float32)
    weights[: len(sentences) + len(own)] = OWN_WEIGHT
    weights[: len(sentences)] = 1.0
    return CrisisData(texts, wanted, weights, len(sentences))


def features(text: str) -> list[str]:
    """What the crisis head reads of a text's surface."""
    return [*tokens(text), *marks(text)]


def train(
    data: CrisisData, inputs: Floats, precision_min: float
) -> tuple[KernelHead, NDArray[np.float64]]:
    """The head on all rows, its threshold at 0, and each row's score above the threshold from a machine that did not see it.

    The threshold is the lowest that keeps `precision_min` on the judged rows.
    """
    surfaces = [features(text) for text in data.texts]
    words = vocabulary(surfaces[: data.judged], TOKEN_TEXTS_MIN)
    weights = np.array([_weight(word) for word in words], dtype=np.float32)
    matrix = np.zeros((len(surfaces), len(words)), dtype=np.float32)
    for place, surface in enumerate(surfaces):
        matrix[place, [words[one] for one in surface if one in words]] = 1.0
    projection = _directions(inputs[: data.judged])
    placed = inputs @ projection
    kernel = _kernel(placed, matrix * np.sqrt(weights))
    folds = np.random.default_rng(5).permutation(len(surfaces)) % FOLDS
    outside = np.zeros(len(surfaces))
    for fold in range(FOLDS):
        seen, unseen = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        machine = _fit(kernel, data, seen)
        outside[unseen] = machine.decision_function(kernel[np.ix_(unseen, seen)])
    limit = threshold(outside[: data.judged], data.wanted[: data.judged], precision_min)
    machine = _fit(kernel, data, np.arange(len(surfaces)))
    gate, gate_bias = _gate(data, inputs, folds, data.wanted & (outside > limit))
    head = KernelHead(
        features=words,
        weights=weights,
        gamma=GAMMA,
        projection=projection,
        examples=np.ascontiguousarray(placed[machine.support_].T),
        has=np.packbits(np.ascontiguousarray(matrix[machine.support_].T) > 0, axis=1),
        out=machine.dual_coef_[0].astype(np.float32),
        bias=float(machine.intercept_[0]) - limit,
        gate=gate,
        gate_bias=gate_bias,
    )
    return head, outside - limit


def _weight(feature: str) -> float:
    return MARK_WEIGHT if feature.startswith("<") and feature.endswith(">") else TOKEN_WEIGHT


def _kernel(vectors: Floats, surface: Floats) -> Floats:
    """exp(−distance) of all pairs of rows: (n, n)."""
    result: Floats = np.exp(-GAMMA * _distances(vectors) - _distances(surface))
    return result


def _distances(rows: Floats) -> Floats:
    """The squared distances of all pairs of rows: (n, n)."""
    sizes = (rows**2).sum(axis=1)
    result: Floats = np.maximum(sizes[:, np.newaxis] + sizes - 2.0 * rows @ rows.T, 0.0)
    return result


def _directions(inputs: Floats) -> Floats:
    """The principal directions of the inputs, the inner states counting INNER_SHARE: (width, DIRECTIONS)."""
    shares = np.ones(inputs.shape[1], dtype=np.float32)
    shares[len(shares) // 2 :] = INNER_SHARE  # as many numbers as the vector has
    weighted = inputs * shares
    _, _, directions = np.linalg.svd(weighted - weighted.mean(axis=0), full_matrices=False)
    return np.ascontiguousarray(shares[:, np.newaxis] * directions[:DIRECTIONS].T)


def _fit(kernel: Floats, data: CrisisData, rows: NDArray[np.intp]) -> SVC:
    machine = SVC(C=PENALTY, kernel="precomputed")
    return machine.fit(
        kernel[np.ix_(rows, rows)], data.wanted[rows], sample_weight=data.weights[rows]
    )


def _gate(
    data: CrisisData, inputs: Floats, folds: NDArray[np.intp], found: NDArray[np.bool_]
) -> tuple[Floats, float]:
    """Weights (width,) and bias of a linear score that is above 0 for nearly every crisis that was found."""

    def fitted(rows: NDArray[np.bool_]) -> LogisticRegression:
        model = LogisticRegression(C=GATE_PENALTY_INVERSE, max_iter=2_000)
        scaled = inputs[rows] * GATE_SCALE
        return model.fit(scaled, data.wanted[rows], sample_weight=data.weights[rows])

    outside = np.zeros(len(folds))
    for fold in range(FOLDS):
        model = fitted(folds != fold)
        outside[folds == fold] = model.decision_function(inputs[folds == fold] * GATE_SCALE)
    ranked = np.sort(outside[found])
    floor = float(ranked[int((1.0 - GATE_RECALL) * len(ranked))])
    model = fitted(np.ones(len(folds), dtype=np.bool_))
    weights = (model.coef_[0] * GATE_SCALE).astype(np.float32)
    return weights, float(model.intercept_[0]) - floor


def threshold(
    outside: NDArray[np.float64], wanted: NDArray[np.bool_], precision_min: float
) -> float:
    """The lowest threshold at which at least `precision_min` of what is found is wanted."""
    order = np.argsort(-outside, kind="stable")
    precision = np.cumsum(wanted[order]) / np.arange(1, len(order) + 1)
    last = int(np.flatnonzero(precision >= precision_min)[-1])
    return float(outside[order[last]]) - 1e-6
