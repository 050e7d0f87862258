"""The emotion head: GoEmotions' 28 labels, thresholds from the rows that each network did not see."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rapport_server.analysis.head import Head
from rapport_server.analysis.shouting import is_shouting
from rapport_server.analysis.tokens import SHOUTED, tokens
from rapport_server.training.data import Emotions
from rapport_server.training.network import Examples, Recipe, train
from rapport_server.training.scores import best_thresholds
from rapport_server.training.surfaces import Surface

Floats = NDArray[np.float32]

RECIPE = Recipe(softmax=False, hidden=128, epochs=10, words_rate=2e-2, words_min=4)
# Our own messages are few and are what the analyser will read; GoEmotions' are Reddit comments.
OWN_WEIGHT = 6.0
# In logits: a label that is less than 10 % likely is not listed, whatever the threshold with the best F1 is.
THRESHOLD_MIN = -2.2


@dataclass(frozen=True, slots=True)
class Trained:
    """The head with its thresholds, in logits, per label."""

    head: Head
    thresholds: Floats


def joined(reddit: Emotions, own: Emotions) -> Emotions:
    """GoEmotions' rows, then our own messages to an agent."""
    return Emotions(
        reddit.labels,
        reddit.texts + own.texts,
        np.concatenate([reddit.targets, own.targets]),
        np.concatenate(
            [reddit.weights, np.full(len(own.texts), OWN_WEIGHT, dtype=np.float32)],
        ),
    )


def surface(text: str) -> list[str]:
    """What the emotion head reads of a text's surface."""
    return [*tokens(text), SHOUTED] if is_shouting(text) else tokens(text)


def train_emotions(
    data: Emotions, inputs: Floats, read: Surface = surface, recipe: Recipe = RECIPE
) -> Trained:
    """Train on all rows; `read` makes a text's features."""
    examples = Examples(inputs, [read(text) for text in data.texts], data.targets, data.weights)
    head, outside = train(examples, recipe)
    thresholds = best_thresholds(outside, data.targets > 0)
    return Trained(head, np.maximum(thresholds, THRESHOLD_MIN))


def detect(
    trained: Trained, inputs: Floats, surfaces: Sequence[Sequence[str]]
) -> NDArray[np.bool_]:
    """What the analyser would list: labels over their threshold, the nearest one when none is. (rows, 28)."""
    logits = trained.head.state_logits(inputs)
    logits += np.stack([trained.head.word_logits(row) for row in surfaces])
    margins = logits - trained.thresholds
    found = margins > 0
    nothing = ~found.any(axis=1)
    found[nothing, margins[nothing].argmax(axis=1)] = True
    return found
