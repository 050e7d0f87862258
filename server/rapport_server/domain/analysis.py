"""What a message says about the person's mood and intent, whoever read it out of it."""

import enum
from dataclasses import dataclass, field

FRUSTRATION_LABELS = frozenset({"frustration", "annoyance", "disappointment", "disapproval"})
ANXIETY_LABELS = frozenset({"anxiety", "nervousness", "fear"})
ANGER_LABELS = frozenset({"anger"})
# GoEmotions' 28 (Demszky et al., 2020) and the two that stand for several of them.
KNOWN_LABELS = frozenset(
    """
    admiration amusement anger annoyance anxiety approval caring confusion curiosity desire disappointment disapproval disgust
    embarrassment excitement fear frustration gratitude grief joy love nervousness neutral optimism pride realization relief
    remorse sadness surprise
    """.split()
)


class AnalysisOrigin(enum.StrEnum):
    """Who made an analysis; MIXED when fields come from several."""

    NONE = "NONE"
    LOCAL = "LOCAL"
    LLM = "LLM"
    CALLER = "CALLER"
    MIXED = "MIXED"


class Intent(enum.StrEnum):
    """What the person wants with the message."""

    GREETING = "GREETING"
    FAREWELL = "FAREWELL"
    GRATITUDE = "GRATITUDE"
    INFORMATION_REQUEST = "INFORMATION_REQUEST"
    TASK_REQUEST = "TASK_REQUEST"
    SMALL_TALK = "SMALL_TALK"
    COMPLAINT = "COMPLAINT"
    FEEDBACK = "FEEDBACK"
    CORRECTION = "CORRECTION"
    EMOTIONAL_SUPPORT = "EMOTIONAL_SUPPORT"
    MEMORY_REQUEST = "MEMORY_REQUEST"
    CRISIS = "CRISIS"


@dataclass(frozen=True, slots=True)
class Emotion:
    """A detected emotion; a listed label counts whatever its score (0–1)."""

    label: str
    score: float


@dataclass(frozen=True, slots=True)
class Signals:
    """The caller's own reading; None (or no emotions) means not given."""

    detected_emotions: tuple[Emotion, ...] = ()
    intent: Intent | None = None
    mood_delta: float | None = None
    shouting: bool | None = None
    crisis: bool | None = None
    crisis_phrase: str | None = None


@dataclass(frozen=True, slots=True)
class Analysis:
    """A full reading of one message; mood_delta in [−1, 1]."""

    detected_emotions: tuple[Emotion, ...] = ()
    intent: Intent | None = None
    mood_delta: float = 0.0
    shouting: bool = False
    crisis: bool = False
    crisis_phrase: str = ""
    origin: AnalysisOrigin = AnalysisOrigin.NONE
    field_origins: dict[str, AnalysisOrigin] = field(default_factory=dict)


def overridden(base: Analysis, signals: Signals) -> Analysis:
    """The base reading with the caller's fields in place of its own; origins say whose each field is.

    The phrase of a crisis that the caller denies goes with it.
    """
    given = {
        name: value
        for name in (
            "detected_emotions",
            "intent",
            "mood_delta",
            "shouting",
            "crisis",
            "crisis_phrase",
        )
        if (value := getattr(signals, name)) not in (None, ())
    }
    if not given:
        return base
    if signals.crisis is False:
        given["crisis_phrase"] = ""
    origins = base.field_origins | dict.fromkeys(given, AnalysisOrigin.CALLER)
    fields = {
        "detected_emotions": base.detected_emotions,
        "intent": base.intent,
        "mood_delta": base.mood_delta,
        "shouting": base.shouting,
        "crisis": base.crisis,
        "crisis_phrase": base.crisis_phrase,
    } | given
    whole = set(origins.values())
    origin = whole.pop() if len(whole) == 1 else AnalysisOrigin.MIXED
    return Analysis(**fields, origin=origin, field_origins=origins)


def _has(analysis: Analysis, labels: frozenset[str]) -> bool:
    return any(emotion.label.lower() in labels for emotion in analysis.detected_emotions)


def anger(analysis: Analysis) -> bool:
    """Anger is among the detected emotions."""
    return _has(analysis, ANGER_LABELS)


def frustration(analysis: Analysis) -> bool:
    """Frustration, annoyance, disappointment or disapproval is among the detected emotions."""
    return _has(analysis, FRUSTRATION_LABELS)


def anxiety(analysis: Analysis) -> bool:
    """Anxiety, nervousness or fear is among the detected emotions."""
    return _has(analysis, ANXIETY_LABELS)
