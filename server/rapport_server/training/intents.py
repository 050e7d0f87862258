"""The intent head: eleven classes (CRISIS has its own head), classes and sources weighted against their imbalance."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rapport_server.analysis.head import Head
from rapport_server.analysis.tokens import tokens
from rapport_server.training.data import Sentence, Utterance
from rapport_server.training.network import Examples, Recipe, train
from rapport_server.training.surfaces import Surface

Floats = NDArray[np.float32]

RECIPE = Recipe(
    softmax=True,
    hidden=128,
    epochs=15,
    words_rate=2e-2,
    words_min=3,
    dropout=0.5,
    words_dropout=0.4,
)
WEAK_WEIGHT = 0.3
OWN_WEIGHT = 8.0
# 0 leaves the classes as they are, 1 gives all the same weight.
BALANCE = 0.7
HELD_OUT_PER_CLASS = 30
PER_CLASS_MAX = 3_000


@dataclass(frozen=True, slots=True)
class IntentData:
    """Rows to train on with weights, a balanced held-out sample of strong rows, and the rows of others that are used."""

    labels: tuple[str, ...]
    texts: list[str]
    classes: NDArray[np.intp]
    weights: Floats
    held_out: list[Utterance]
    used: list[Utterance]


def gather(rows: Sequence[Utterance], own: Sequence[Sentence]) -> IntentData:
    """Hold out 30 strong rows per class, keep at most 3,000 others, add our own sentences of the training half."""
    labels = tuple(sorted({row.label for row in rows}))
    chance = np.random.default_rng(11)
    held_out: list[Utterance] = []
    used: list[Utterance] = []
    texts: list[str] = []
    classes: list[int] = []
    weights: list[float] = []
    for number, label in enumerate(labels):
        strong = [row for row in rows if row.label == label and row.strong]
        strong = [strong[place] for place in chance.permutation(len(strong))]
        weak = [row for row in rows if row.label == label and not row.strong]
        held_out += strong[:HELD_OUT_PER_CLASS]
        kept = strong[HELD_OUT_PER_CLASS : HELD_OUT_PER_CLASS + PER_CLASS_MAX] + weak
        used += kept
        mine = [one.text for one in own if one.label == label]
        texts += [*(row.text for row in kept), *mine]
        classes += [number] * (len(kept) + len(mine))
        weights += [1.0 if row.strong else WEAK_WEIGHT for row in kept]
        weights += [OWN_WEIGHT] * len(mine)
    balanced = _balanced(np.array(classes), np.array(weights))
    return IntentData(labels, texts, np.array(classes), balanced, held_out, used)


def train_intents(
    data: IntentData, inputs: Floats, surface: Surface = tokens, recipe: Recipe = RECIPE
) -> Head:
    """Train on all rows but the held-out ones."""
    targets = np.eye(len(data.labels), dtype=np.float32)[data.classes]
    features = [surface(text) for text in data.texts]
    return train(Examples(inputs, features, targets, data.weights), recipe)[0]


def answers(
    head: Head, texts: Sequence[str], inputs: Floats, surface: Surface = tokens
) -> NDArray[np.intp]:
    """The number of the likeliest intent per text."""
    of_words = np.stack([head.word_logits(surface(text)) for text in texts])
    chosen: NDArray[np.intp] = (head.state_logits(inputs) + of_words).argmax(axis=1)
    return chosen


def _balanced(classes: NDArray[np.intp], weights: NDArray[np.float64]) -> Floats:
    totals = np.bincount(classes, weights=weights)
    weights = weights * ((totals.mean() / totals) ** BALANCE)[classes]
    result: Floats = (weights / weights.mean()).astype(np.float32)
    return result
