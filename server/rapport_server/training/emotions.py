"""The emotion head: GoEmotions' 28 labels, thresholds from the rows that each network did not see."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rapport_server.analysis.head import Head
from rapport_server.analysis.tokens import KINDS, tokens
from rapport_server.training.data import Emotions
from rapport_server.training.network import Examples, Recipe, train
from rapport_server.training.scores import best_thresholds

Floats = NDArray[np.float32]

RECIPE = Recipe(softmax=False, hidden=256, epochs=10, words_rate=2e-2, words_min=4)


@dataclass(frozen=True, slots=True)
class Trained:
    """The head with its thresholds, in logits, per label."""

    head: Head
    thresholds: Floats


def train_emotions(
    data: Emotions, vectors: Floats, kinds: frozenset[str] | None = KINDS, recipe: Recipe = RECIPE
) -> Trained:
    """Train on all rows; `kinds` None leaves the surface out."""
    examples = Examples(
        vectors,
        surfaces(data.texts, kinds),
        data.targets,
        np.ones(len(data.texts), dtype=np.float32),
    )
    head, outside = train(examples, recipe)
    return Trained(head, best_thresholds(outside, data.targets > 0))


def surfaces(texts: Sequence[str], kinds: frozenset[str] | None = KINDS) -> list[list[str]]:
    """The tokens of each text."""
    return [[] if kinds is None else tokens(text, kinds) for text in texts]


def detect(
    trained: Trained, vectors: Floats, surface: Sequence[Sequence[str]]
) -> NDArray[np.bool_]:
    """What the analyser would list: labels over their threshold, the nearest one when none is. (rows, 28)."""
    logits = trained.head.vector_logits(vectors)
    logits += np.stack([trained.head.word_logits(row) for row in surface])
    margins = logits - trained.thresholds
    found = margins > 0
    nothing = ~found.any(axis=1)
    found[nothing, margins[nothing].argmax(axis=1)] = True
    return found
