"""The crisis head: one strongly regularised logistic regression, as there are only hundreds of sentences."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

from rapport_server.analysis.head import Head
from rapport_server.analysis.signs import marks
from rapport_server.analysis.tokens import tokens
from rapport_server.training.data import Sentence
from rapport_server.training.network import vocabulary

Floats = NDArray[np.float32]

# How loud each part is beside the others under one penalty; chosen by cross-validation on the training half.
VECTOR_SCALE = 4.5
TOKEN_SCALE = 0.8
PENALTY_INVERSE = 0.1
# A background message weighs little alone; there are thousands of them.
BACKGROUND_WEIGHT = 0.05
# Our own messages with other intents, some of them sad: closer to what people send.
OWN_WEIGHT = 1.0
BACKGROUND_EMOTIONS = 4_000
BACKGROUND_INTENTS = 2_000
FOLDS = 8
# Messages of the background that may themselves be about a crisis: left out rather than labelled harmless.
RISKY = re.compile(
    r"suicid|kill (?:my|your|him|her)sel|\bkms\b|want(?:ed)? to die|self.?harm|cut(?:ting)? my|end my|hang (?:my|your)|unalive"
    r"|depress|hope?less|worthless|\bdie\b|dead|death",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CrisisData:
    """Texts, wanted and weights (n,); the first `judged` are crisis sentences, whose logits choose the threshold."""

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


def train(data: CrisisData, vectors: Floats, *, use_marks: bool = True) -> tuple[Head, Floats]:
    """The head on all rows, and each judged row's logit from a head that did not see it."""
    surfaces = [features(text) if use_marks else tokens(text) for text in data.texts]
    rich = data.weights >= 1.0
    words = vocabulary([row for row, is_rich in zip(surfaces, rich, strict=True) if is_rich], 2)
    matrix = _matrix(vectors, surfaces, words)
    folds = np.random.default_rng(5).permutation(len(data.texts)) % FOLDS
    outside = np.zeros(len(data.texts), dtype=np.float32)
    for fold in range(FOLDS):
        model = _fit(matrix, data, folds != fold)
        outside[folds == fold] = model.decision_function(matrix[folds == fold])
    model = _fit(matrix, data, np.ones(len(folds), dtype=np.bool_))
    return _head(model.coef_[0], float(model.intercept_[0]), words, vectors.shape[1]), outside


def _fit(matrix: Floats, data: CrisisData, rows: NDArray[np.bool_]) -> LogisticRegression:
    model = LogisticRegression(C=PENALTY_INVERSE, max_iter=2_000)
    return model.fit(matrix[rows], data.wanted[rows], sample_weight=data.weights[rows])


def _matrix(vectors: Floats, surfaces: Sequence[Sequence[str]], words: dict[str, int]) -> Floats:
    matrix = np.zeros((len(surfaces), vectors.shape[1] + len(words)), dtype=np.float32)
    matrix[:, : vectors.shape[1]] = vectors * VECTOR_SCALE
    for place, surface in enumerate(surfaces):
        for token in surface:
            if (number := words.get(token)) is not None:
                matrix[place, vectors.shape[1] + number] = _scale(token)
    return matrix


def _scale(token: str) -> float:
    is_mark = token.startswith("<") and token.endswith(">")
    return 1.0 if is_mark else TOKEN_SCALE


def _head(weights: Floats, bias: float, words: dict[str, int], dimension: int) -> Head:
    scales = np.array([_scale(token) for token in words], dtype=np.float32)
    return Head(
        words=words,
        word_weights=(weights[dimension:] * scales)[:, np.newaxis].astype(np.float32),
        word_power=np.zeros(1, dtype=np.float32),
        linear_weights=(weights[:dimension] * VECTOR_SCALE)[:, np.newaxis].astype(np.float32),
        hidden_weights=np.zeros((dimension, 0), dtype=np.float32),
        hidden_bias=np.zeros(0, dtype=np.float32),
        out_weights=np.zeros((0, 1), dtype=np.float32),
        out_bias=np.array([bias], dtype=np.float32),
    )


def threshold(outside: Floats, wanted: NDArray[np.bool_], recall_min: float) -> float:
    """The highest threshold that finds at least `recall_min` of the wanted rows."""
    ranked = np.sort(outside[wanted])
    missed_max = int((1.0 - recall_min) * len(ranked))
    return float(ranked[missed_max]) - 1e-4
