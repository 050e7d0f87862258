"""The demo's conversation: is it the story it is meant to be?"""

from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from rapport_server.demo.conversation import STORY, Conversation, Turn
from rapport_server.demo.show import TELLING, seconds
from rapport_server.domain.analysis import Analysis, Emotion
from rapport_server.domain.relation import (
    RelationEvent,
    RelationEventKind,
    RelationState,
    after_interaction,
    stranger,
)


@pytest.fixture(scope="module")
def turns() -> list[Turn]:
    return list(Conversation.load().turns)


def states(turns: list[Turn]) -> dict[str, RelationState]:
    """The state after each turn, by the rules of the domain."""
    state, found = stranger(0.0, turns[0].at), {}
    for turn in turns:
        analysis = Analysis(
            detected_emotions=tuple(Emotion(*emotion) for emotion in turn.emotions.items()),
            mood_delta=turn.mood,
            shouting=turn.shouting,
        )
        events = [RelationEvent(RelationEventKind(turn.event.kind))] if turn.event else []
        state, _ = after_interaction(state, turn.at, events, analysis)
        found[turn.key] = state
    return found


def test_it_lasts_weeks_and_has_more_than_forty_turns(turns: list[Turn]) -> None:
    assert len(turns) >= 40
    assert turns[-1].at - turns[0].at > timedelta(weeks=5)


def test_the_promised_day_is_a_tuesday_and_the_promise_is_broken_that_day(
    turns: list[Turn],
) -> None:
    by_key = {turn.key: turn for turn in turns}
    assert "Tuesday" in by_key["promise"].reply
    (broken,) = [turn for turn in turns if turn.event and turn.event.kind == "BROKEN_PROMISE"]
    assert f"{broken.at:%A}" == "Tuesday"
    assert broken.at.date() - by_key["promise"].at.date() == timedelta(days=1)


def test_nine_days_of_silence_follow_the_anger(turns: list[Turn]) -> None:
    gaps = {later.key: later.at - earlier.at for earlier, later in pairwise(turns)}
    assert max(gaps, key=lambda key: gaps[key]) == "again"
    assert gaps["again"] > timedelta(days=8)


def test_the_anger_passes_both_borders_of_tone_and_fades_in_the_silence(turns: list[Turn]) -> None:
    after = states(turns)
    assert after["word"].tone_grudge_modifier == ""
    assert after["arrange"].tone_grudge_modifier == "cautious"
    assert after["nobody_came"].tone_grudge_modifier == "cautious_defensive"
    assert after["again"].grudge < 0.01


def test_trust_falls_with_the_promise_and_sentiment_ends_high(turns: list[Turn]) -> None:
    after = states(turns)
    assert after["no_call"].trust < after["phone_by_bed"].trust
    assert after["cheese"].sentiment > 0.8


def test_a_heading_does_not_repeat_its_day() -> None:
    for chapter in Conversation.load().chapters:
        assert f"{chapter.turns[0].at:%A}" not in chapter.title


def test_the_story_takes_about_a_minute(turns: list[Turn]) -> None:
    # The server's answers add some seconds.
    assert 50 < sum(seconds(turn) for turn in turns) < 60


def test_the_context_shown_is_that_of_the_promises_reckoning(turns: list[Turn]) -> None:
    (telling,) = [turn for turn in turns if turn.key == TELLING]
    (broken,) = [turn for turn in turns if turn.event and turn.event.kind == "BROKEN_PROMISE"]
    assert telling.needs == ("promise",)
    assert telling.at.date() == broken.at.date()
    assert telling.at > broken.at


def edited(tmp_path: Path, old: str, new: str) -> Path:
    text = STORY.read_text()
    assert text.count(old) == 1
    path = tmp_path / "story.toml"
    path.write_text(text.replace(old, new))
    return path


def test_a_turn_before_its_predecessor_is_refused(tmp_path: Path) -> None:
    path = edited(tmp_path, "at = 2025-02-24T19:13:00", "at = 2025-02-24T19:09:00")
    with pytest.raises(ValueError, match=r"mother .*goes back in time"):
        Conversation.load(path)


def test_a_need_that_was_never_said_is_refused(tmp_path: Path) -> None:
    path = edited(tmp_path, 'needs = ["appointment", "mother"]', 'needs = ["lighthouse", "thanks"]')
    with pytest.raises(ValueError, match="spinal needs thanks"):
        Conversation.load(path)
