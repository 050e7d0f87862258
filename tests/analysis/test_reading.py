"""What the local analysis reads out of a message."""

import numpy as np
import pytest

from rapport_server.analysis.mood import AFFECT, mood_delta
from rapport_server.analysis.tokens import SURFACE_CHARS_MAX, tokens, windows
from rapport_server.domain.analysis import (
    AnalysisOrigin,
    Emotion,
    Intent,
    anger,
    frustration,
)
from rapport_server.domain.ports import Encoded, Piece


def labels(analysis):
    return {emotion.label for emotion in analysis.detected_emotions}


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Thank you so much, you are a star!", "gratitude"),
        ("I love my little sister so much", "love"),
        ("lol that was hilarious 😂", "amusement"),
        ("I'm so sad, I can't stop crying", "sadness"),
        ("I'm terrified of the operation", "fear"),
        ("I am furious, this makes me so angry", "anger"),
        ("The meeting is on the second floor.", "neutral"),
    ],
)
def test_a_plain_emotion_is_detected(analyse, text, label):
    assert label in labels(analyse(text))


def test_the_contracts_two_labels_come_with_their_members(analyse):
    anxious = analyse("I'm scared and nervous about tomorrow's surgery")
    assert {"fear", "nervousness"} & labels(anxious)
    assert "anxiety" in labels(anxious)
    annoyed = analyse("I'm really disappointed, this is so annoying")
    assert "frustration" in labels(annoyed)


def test_words_are_read_as_they_stand_and_in_pairs():
    assert tokens("I'm NOT ok... really?!") == [
        "i'm", "not", "ok", "...", "really", "?!",
        "<start> i'm", "i'm not", "not ok", "ok ...", "... really", "really ?!",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["ok", "hi", "what's the weather", "Set a timer for 10 minutes"])
def test_small_talk_leaves_the_mood_alone(analyse, text):
    assert abs(analyse(text).mood_delta) <= 0.07


def test_anger_at_the_agent_is_read(analyse):
    assert anger(analyse("I hate you"))
    assert frustration(analyse("you forgot my appointment again"))
    assert frustration(analyse("WHY DOES NOBODY EVER CALL ME BACK"))
    assert analyse("thank you so much, that helped").mood_delta >= 0.25


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("hello there", Intent.GREETING),
        ("Goodbye, see you tomorrow", Intent.FAREWELL),
        ("thanks a lot for your help", Intent.GRATITUDE),
        ("What is the capital of Norway?", Intent.INFORMATION_REQUEST),
        ("Set an alarm for 7 am", Intent.TASK_REQUEST),
        ("Please remember that I am allergic to nuts", Intent.MEMORY_REQUEST),
        ("No, that's wrong, I said Tuesday", Intent.CORRECTION),
    ],
)
def test_a_plain_intent_is_read(analyse, text, intent):
    assert analyse(text).intent == intent


@pytest.mark.parametrize(
    "text",
    [
        "I want to kill myself",
        "My brother wants to die and he has bought a rope",
        "I don't want to live anymore",
        "Everyone would be better off without me, I can't go on living",
    ],
)
def test_a_crisis_is_told_with_its_words(analyse, text):
    found = analyse(text)
    assert found.crisis
    assert found.intent is Intent.CRISIS
    assert found.crisis_phrase
    assert found.crisis_phrase in text
    assert found.mood_delta <= -0.4


@pytest.mark.parametrize(
    "text",
    [
        "This bug is killing me",
        "How do I kill a Python process?",
        "In the film the hero kills himself at the end",
        "omg I'm dead 😂",
        "Can you book a table for four?",
    ],
)
def test_a_look_alike_is_no_crisis(analyse, text):
    found = analyse(text)
    assert not found.crisis
    assert found.crisis_phrase == ""
    assert found.intent is not Intent.CRISIS


def test_the_worst_piece_decides_on_a_crisis(analyser, encoded):
    parts = ["We had a lovely picnic by the lake with the kids.", "I want to kill myself tonight."]
    text = " ".join(parts)
    starts = [0, len(parts[0]) + 1]
    whole = Encoded(
        tuple(Piece(p, s, s + len(p)) for p, s in zip(parts, starts, strict=True)),
        np.concatenate([encoded(part).vectors for part in parts]),
        np.concatenate([encoded(part).inner for part in parts]),
    )
    found = analyser.analyse(text, whole)
    assert found.crisis
    assert found.crisis_phrase in parts[1]


def test_every_field_says_local(analyse):
    found = analyse("Good morning!")
    assert found.origin is AnalysisOrigin.LOCAL
    assert set(found.field_origins.values()) == {AnalysisOrigin.LOCAL}
    assert len(found.field_origins) == 6


@pytest.mark.parametrize("text", ["?", "🙂", "你好", "   .  ", "a" * 32_768, "no " * 10_000])
def test_odd_messages_are_read_too(analyse, text):
    found = analyse(text)
    assert found.detected_emotions
    assert -1 <= found.mood_delta <= 1


def test_mood_follows_valence_and_intensity():
    def mood(label, **flags):
        return mood_delta([Emotion(label, 0.8)], **{"shouting": False, "crisis": False} | flags)

    assert mood("joy") > mood("approval") > 0 == mood("neutral")
    assert mood("anger") < mood("annoyance") < 0
    assert mood("anger", shouting=True) < mood("anger")
    assert mood("joy", crisis=True) <= -0.4
    assert 0 < mood_delta([Emotion("joy", 0.1)], shouting=False, crisis=False) < mood("joy") / 4
    assert mood_delta([Emotion("whatever", 1.0)], shouting=False, crisis=False) == 0.0
    assert all(-1 <= one.valence <= 1 and 0 <= one.arousal <= 1 for one in AFFECT.values())


def test_the_surface_of_a_long_message_is_bounded():
    assert len(" ".join(tokens("x" * 100_000))) <= 3 * SURFACE_CHARS_MAX
    text = "One sentence here. Another one there! " * 40
    assert "".join(windows(text)) == text
    assert max(map(len, windows(text))) <= 320
