"""The local reading of a message: three heads, a rule for shouting, and a formula for mood; no network, no model pass."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rapport_server.analysis.head import Head
from rapport_server.analysis.kernel import KernelHead
from rapport_server.analysis.mood import AFFECT, mood_delta
from rapport_server.analysis.phrase import crisis_phrase
from rapport_server.analysis.scaling import Scaling
from rapport_server.analysis.shouting import is_shouting
from rapport_server.analysis.signs import marks
from rapport_server.analysis.tokens import SHOUTED, tokens, windows
from rapport_server.domain.analysis import (
    ANXIETY_LABELS,
    FRUSTRATION_LABELS,
    Analysis,
    AnalysisOrigin,
    Emotion,
    Intent,
)
from rapport_server.domain.ports import Encoded

_FIELDS = ("detected_emotions", "intent", "mood_delta", "shouting", "crisis", "crisis_phrase")
# The two labels that the contract adds stand for several of GoEmotions'.
_GROUPS = (("frustration", FRUSTRATION_LABELS), ("anxiety", ANXIETY_LABELS))
SCORE_DIGITS = 4
# Annoyance is the least that shouting and plain complaints say, and GoEmotions' Reddit comments hardly teach it.
UPSET_SCORE = 0.5
FELT_VALENCE_MIN = 0.3
SURE_INTENT_MIN = 0.7
# A message of 32 KiB has about fifty pieces; the cost of reading them all stays near 50 ms.
PIECES_MAX = 64


class LocalAnalyser:
    """Analyses messages from their embedding and their surface; stateless, so any thread may call it."""

    def __init__(
        self,
        *,
        scaling: Scaling,
        emotions: Head,
        emotion_labels: Sequence[str],
        emotion_thresholds: NDArray[np.float32],
        intents: Head,
        intent_labels: Sequence[str],
        crisis: KernelHead,
    ) -> None:
        self._scaling = scaling
        self._emotions = emotions
        self._emotion_labels = tuple(emotion_labels)
        self._emotion_thresholds = emotion_thresholds
        self._intents = intents
        self._intent_labels = tuple(Intent(label) for label in intent_labels)
        self._crisis = crisis

    def analyse(self, text: str, encoded: Encoded) -> Analysis:
        """The full reading; origin LOCAL. `encoded` holds this text's pieces by the model that the heads belong to."""
        words = tokens(text)
        whole = self._scaling.inputs(
            encoded.mean[np.newaxis], encoded.inner.mean(axis=0)[np.newaxis]
        )
        intent, is_sure = self._read_intent(whole, words)
        shouting = is_shouting(text)
        loud = [*words, SHOUTED] if shouting else words
        upset = shouting or (intent is Intent.COMPLAINT and is_sure)
        emotions = self._read_emotions(whole, loud, upset=upset)
        phrase = self._read_crisis(text, encoded, words)
        crisis = phrase is not None
        return Analysis(
            detected_emotions=emotions,
            intent=Intent.CRISIS if crisis else intent,
            mood_delta=mood_delta(emotions, shouting=shouting, crisis=crisis),
            shouting=shouting,
            crisis=crisis,
            crisis_phrase=phrase or "",
            origin=AnalysisOrigin.LOCAL,
            field_origins=dict.fromkeys(_FIELDS, AnalysisOrigin.LOCAL),
        )

    def _read_emotions(
        self, whole: NDArray[np.float32], words: Sequence[str], *, upset: bool
    ) -> tuple[Emotion, ...]:
        """The labels over their thresholds; an upset message in which none is pleasant or unpleasant is annoyed."""
        logits = self._emotions.logits(whole, words)[0]
        margins = logits - self._emotion_thresholds
        found = np.flatnonzero(margins > 0)
        if not len(found):
            found = np.array([int(margins.argmax())])
        scores = {
            self._emotion_labels[place]: round(
                float(1.0 / (1.0 + math.exp(-logits[place]))), SCORE_DIGITS
            )
            for place in found
        }
        if upset and all(abs(AFFECT[label].valence) < FELT_VALENCE_MIN for label in scores):
            scores["annoyance"] = UPSET_SCORE
        for name, members in _GROUPS:
            if of_group := [scores[label] for label in scores if label in members]:
                scores[name] = max(of_group)
        ranked = sorted(scores.items(), key=lambda item: -item[1])
        return tuple(Emotion(label, score) for label, score in ranked)

    def _read_intent(self, whole: NDArray[np.float32], words: Sequence[str]) -> tuple[Intent, bool]:
        """The likeliest intent, and whether it is likelier than SURE_INTENT_MIN."""
        logits = self._intents.logits(whole, words)[0]
        best = int(logits.argmax())
        share = 1.0 / float(np.exp(logits - logits[best]).sum())
        return self._intent_labels[best], share >= SURE_INTENT_MIN

    def _read_crisis(self, text: str, encoded: Encoded, words: Sequence[str]) -> str | None:
        """The words a crisis rests on, of the worst part; None when there is none."""
        worst, worst_logit = None, 0.0
        inputs = self._scaling.inputs(encoded.vectors, encoded.inner)
        for place in np.flatnonzero(self._crisis.may_be(inputs))[:PIECES_MAX]:
            near = self._crisis.nearness(inputs[place])
            for part in windows(encoded.pieces[place].text):
                known = words if part == text else tokens(part)
                logit = self._crisis.logit(near, [*known, *marks(part)])
                if logit > worst_logit:
                    worst, worst_logit = (part, near), logit
        if worst is None:
            return None
        part, near = worst
        return crisis_phrase(
            part, lambda one: self._crisis.logit(near, [*tokens(one), *marks(one)])
        )
