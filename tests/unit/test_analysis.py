"""The caller's signals override an analysis field by field."""

from rapport_server.domain.analysis import (
    Analysis,
    AnalysisOrigin,
    Emotion,
    Intent,
    Signals,
    anger,
    anxiety,
    frustration,
    overridden,
)

LOCAL = Analysis(
    (Emotion("joy", 0.9),),
    Intent.GREETING,
    0.3,
    origin=AnalysisOrigin.LOCAL,
    field_origins=dict.fromkeys(
        ("detected_emotions", "intent", "mood_delta"), AnalysisOrigin.LOCAL
    ),
)


def test_without_signals_nothing_changes():
    assert overridden(Analysis(), Signals()) == Analysis(origin=AnalysisOrigin.NONE)
    assert overridden(LOCAL, Signals()) is LOCAL


def test_given_fields_replace_and_say_whose_they_are():
    merged = overridden(LOCAL, Signals(intent=Intent.COMPLAINT, crisis=False))
    assert (merged.intent, merged.mood_delta) == (Intent.COMPLAINT, 0.3)
    assert merged.origin is AnalysisOrigin.MIXED
    assert merged.field_origins["intent"] is AnalysisOrigin.CALLER
    assert merged.field_origins["crisis"] is AnalysisOrigin.CALLER
    assert merged.field_origins["mood_delta"] is AnalysisOrigin.LOCAL


def test_signals_alone_are_the_callers():
    merged = overridden(Analysis(), Signals(mood_delta=0.0, shouting=True))
    assert merged.origin is AnalysisOrigin.CALLER
    assert set(merged.field_origins) == {"mood_delta", "shouting"}


def test_false_is_given_but_an_empty_emotion_list_is_not():
    merged = overridden(LOCAL, Signals(shouting=False, detected_emotions=()))
    assert merged.detected_emotions == LOCAL.detected_emotions
    assert "shouting" in merged.field_origins


def test_related_labels_count_as_their_family_whatever_the_score():
    def having(label: str) -> Analysis:
        return Analysis((Emotion(label, 0.0),))

    assert all(
        frustration(having(x))
        for x in ("frustration", "annoyance", "disappointment", "disapproval")
    )
    assert all(anxiety(having(x)) for x in ("anxiety", "nervousness", "fear"))
    assert anger(having("anger"))
    assert not anger(having("annoyance"))
    assert not frustration(having("anger"))
