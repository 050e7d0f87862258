"""The local reading of a message: three heads, a rule for shouting, and a formula for mood; no network, no model pass."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rapport_server.analysis.head import Head
from rapport_server.analysis.mood import mood_delta
from rapport_server.analysis.phrase import crisis_phrase
from rapport_server.analysis.shouting import is_shouting
from rapport_server.analysis.signs import marks
from rapport_server.analysis.tokens import tokens, windows
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


class LocalAnalyser:
    """Analyses messages from their embedding and their surface; stateless, so any thread may call it."""

    def __init__(
        self,
        *,
        emotions: Head,
        emotion_labels: Sequence[str],
        emotion_thresholds: NDArray[np.float32],
        intents: Head,
        intent_labels: Sequence[str],
        crisis: Head,
        crisis_threshold: float,
    ) -> None:
        self._emotions = emotions
        self._emotion_labels = tuple(emotion_labels)
        self._emotion_thresholds = emotion_thresholds
        self._intents = intents
        self._intent_labels = tuple(Intent(label) for label in intent_labels)
        self._crisis = crisis
        self._crisis_threshold = crisis_threshold

    def analyse(self, text: str, encoded: Encoded) -> Analysis:
        """The full reading; origin LOCAL. `encoded` holds this text's pieces by the model that the heads belong to."""
        words = tokens(text)
        mean = encoded.mean[np.newaxis]
        emotions = self._read_emotions(mean, words)
        phrase = self._read_crisis(text, encoded, words)
        crisis = phrase is not None
        shouting = is_shouting(text)
        return Analysis(
            detected_emotions=emotions,
            intent=Intent.CRISIS if crisis else self._read_intent(mean, words),
            mood_delta=mood_delta(emotions, shouting=shouting, crisis=crisis),
            shouting=shouting,
            crisis=crisis,
            crisis_phrase=phrase or "",
            origin=AnalysisOrigin.LOCAL,
            field_origins=dict.fromkeys(_FIELDS, AnalysisOrigin.LOCAL),
        )

    def _read_emotions(
        self, mean: NDArray[np.float32], words: Sequence[str]
    ) -> tuple[Emotion, ...]:
        logits = self._emotions.logits(mean, words)[0]
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
        for name, members in _GROUPS:
            if of_group := [scores[label] for label in scores if label in members]:
                scores[name] = max(of_group)
        ranked = sorted(scores.items(), key=lambda item: -item[1])
        return tuple(Emotion(label, score) for label, score in ranked)

    def _read_intent(self, mean: NDArray[np.float32], words: Sequence[str]) -> Intent:
        return self._intent_labels[int(self._intents.logits(mean, words)[0].argmax())]

    def _read_crisis(self, text: str, encoded: Encoded, words: Sequence[str]) -> str | None:
        """The words a crisis rests on, of the worst piece; None when there is none."""
        of_pieces = self._crisis.vector_logits(encoded.vectors)[:, 0]
        worst, worst_logit = None, self._crisis_threshold
        for piece, of_piece in zip(encoded.pieces, of_pieces, strict=True):
            for part in windows(piece.text):
                features = [*(words if part == text else tokens(part)), *marks(part)]
                logit = float(of_piece + self._crisis.word_logits(features)[0])
                if logit > worst_logit:
                    worst, worst_logit = part, logit
        return None if worst is None else crisis_phrase(worst, self._crisis)
