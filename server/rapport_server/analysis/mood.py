"""From emotions to a change of mood: pleasantness and intensity of each label on the circumplex.

Source of the form: J. A. Russell, "A circumplex model of affect", Journal of Personality and Social Psychology 39 (1980):
an emotion is a point of valence (pleasant to unpleasant) and arousal. The numbers per label are this project's own; they were
set by hand and copied from no lexicon.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rapport_server.domain.analysis import Emotion

# With this the strongest single emotion moves mood by about 0.4, the scale on which the demo story was marked by hand.
SCALE = 0.5
CRISIS_MOOD_MAX = -0.4
# Scores that add up to less than this are faint: what they lack counts as neutral.
SCORES_FULL = 0.5
SHOUTED_FACTOR = 1.25


@dataclass(frozen=True, slots=True)
class Affect:
    """valence in [−1, 1], arousal in [0, 1]."""

    valence: float
    arousal: float


AFFECT = {
    "admiration": Affect(0.7, 0.5),
    "amusement": Affect(0.7, 0.6),
    "anger": Affect(-0.8, 0.9),
    "annoyance": Affect(-0.5, 0.6),
    "approval": Affect(0.4, 0.3),
    "caring": Affect(0.4, 0.3),
    "confusion": Affect(-0.15, 0.4),
    "curiosity": Affect(0.15, 0.4),
    "desire": Affect(0.2, 0.5),
    "disappointment": Affect(-0.6, 0.4),
    "disapproval": Affect(-0.45, 0.4),
    "disgust": Affect(-0.7, 0.6),
    "embarrassment": Affect(-0.5, 0.5),
    "excitement": Affect(0.8, 0.9),
    "fear": Affect(-0.7, 0.8),
    "gratitude": Affect(0.8, 0.5),
    "grief": Affect(-0.9, 0.6),
    "joy": Affect(0.9, 0.7),
    "love": Affect(0.9, 0.6),
    "nervousness": Affect(-0.45, 0.7),
    "optimism": Affect(0.6, 0.5),
    "pride": Affect(0.7, 0.6),
    "realization": Affect(0.0, 0.3),
    "relief": Affect(0.6, 0.2),
    "remorse": Affect(-0.6, 0.5),
    "sadness": Affect(-0.75, 0.4),
    "surprise": Affect(0.05, 0.7),
    "neutral": Affect(0.0, 0.0),
}


def mood_delta(emotions: Sequence[Emotion], *, shouting: bool, crisis: bool) -> float:
    """In [−1, 1]: SCALE × Σ score · valence · (1 + arousal) / 2 over the larger of Σ score and SCORES_FULL.

    Labels without a point are left out. Neutral alone gives 0.
    A shouted message counts a quarter more, a crisis at least as −0.4.
    """
    weight = total = 0.0
    for emotion in emotions:
        if (affect := AFFECT.get(emotion.label)) is not None:
            weight += emotion.score
            total += emotion.score * affect.valence * (1.0 + affect.arousal) / 2.0
    mood = SCALE * total / max(weight, SCORES_FULL)
    if shouting:
        mood *= SHOUTED_FACTOR
    if crisis:
        mood = min(mood, CRISIS_MOOD_MAX)
    return round(max(-1.0, min(1.0, mood)), 4)
