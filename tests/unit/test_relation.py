"""Every row of the dynamics table, with computed values, and the rules that hold for all inputs."""

from dataclasses import astuple, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rapport_server.domain.analysis import Analysis, Emotion
from rapport_server.domain.relation import (
    RelationEvent,
    RelationEventKind,
    RelationState,
    after_event,
    after_interaction,
    after_message,
    decayed,
    stranger,
)

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
NEUTRAL = Analysis()
BROKEN = RelationEventKind.BROKEN_PROMISE
KEPT = RelationEventKind.KEPT_PROMISE


def state(trust=0.5, sentiment=0.5, grudge=0.0, familiarity=0.1, time=NOW) -> RelationState:
    return RelationState(trust, sentiment, grudge, familiarity, time)


def feeling(*labels: str, **kwargs) -> Analysis:
    return Analysis(tuple(Emotion(label, 0.1) for label in labels), **kwargs)


def test_a_stranger_starts_without_trust_in_an_even_mood():
    assert stranger(0.0, NOW) == RelationState(0.0, 0.5, 0.0, 0.0, NOW)
    assert stranger(0.3, NOW).trust == 0.3


@pytest.mark.parametrize(
    ("before", "after"), [(0.0, 0.01), (0.5, 0.51), (0.945, 0.95), (0.95, 0.95), (0.97, 0.97)]
)
def test_an_interaction_adds_a_hundredth_of_trust_never_above_095(before, after):
    assert after_message(state(trust=before), NEUTRAL).trust == pytest.approx(after, abs=1e-12)


@pytest.mark.parametrize(
    ("before", "after"),
    [(0.95, 0.85), (0.7, 0.6), (0.69, 0.64), (0.4, 0.35), (0.39, 0.37), (0.01, 0.0), (0.0, 0.0)],
)
def test_a_broken_promise_costs_trust_by_how_much_there_is(before, after):
    assert after_event(state(trust=before), BROKEN).trust == pytest.approx(after, abs=1e-12)


def test_a_kept_promise_moves_nothing():
    assert after_event(state(trust=0.8), KEPT) == state(trust=0.8)


@pytest.mark.parametrize(
    ("before", "mood", "after"),
    [
        (0.5, 0.2, 0.64),
        (0.5, -0.2, 0.36),
        (0.9, 0.5, 0.97),  # the target is clamped to 1 before the blend
        (0.1, -0.5, 0.03),
        (0.0, -1.0, 0.0),
        (0.5, 0.0, 0.5),
    ],
)
def test_sentiment_moves_seven_tenths_towards_the_mood(before, mood, after):
    moved = after_message(state(sentiment=before), Analysis(mood_delta=mood))
    assert moved.sentiment == pytest.approx(after, abs=1e-12)


@pytest.mark.parametrize(
    ("analysis", "gain"),
    [
        (NEUTRAL, 0.0),
        (feeling("frustration"), 0.05),
        (feeling("annoyance"), 0.05),
        (feeling("disappointment"), 0.05),
        (feeling("disapproval"), 0.05),
        (feeling("frustration", shouting=True), 0.05),
        (feeling("anger"), 0.10),
        (feeling("anger", "frustration"), 0.10),
        (feeling("anger", "frustration", shouting=True), 0.15),
        (Analysis(shouting=True), 0.0),
        (Analysis(crisis=True), 0.20),
        (feeling("anger", shouting=True, crisis=True), 0.35),
        (feeling("sadness", "fear", "something_unknown"), 0.0),
    ],
)
def test_grudge_takes_the_highest_that_applies_and_a_crisis_on_top(analysis, gain):
    assert after_message(state(grudge=0.1), analysis).grudge == pytest.approx(0.1 + gain, abs=1e-12)


def test_familiarity_grows_by_a_two_hundredth_up_to_one():
    assert after_message(state(familiarity=0.1), NEUTRAL).familiarity == pytest.approx(0.105)
    assert after_message(state(familiarity=0.998), NEUTRAL).familiarity == 1.0


@pytest.mark.parametrize(
    ("hours", "sentiment", "grudge"),
    [(0, 0.9, 0.8), (6, 0.7, 0.8 * 0.5**0.5), (12, 0.6, 0.4), (24, 0.525, 0.2)],
)
def test_sentiment_halves_in_6_hours_and_grudge_in_12(hours, sentiment, grudge):
    later = decayed(state(sentiment=0.9, grudge=0.8), NOW + timedelta(hours=hours))
    assert later.sentiment == pytest.approx(sentiment, abs=1e-12)
    assert later.grudge == pytest.approx(grudge, abs=1e-12)
    assert (later.trust, later.familiarity) == (0.5, 0.1)


def test_a_low_mood_recovers_upwards():
    assert decayed(state(sentiment=0.1), NOW + timedelta(hours=6)).sentiment == pytest.approx(0.3)


def test_one_interaction_decays_then_takes_the_events_then_the_message():
    start = state(trust=0.695, sentiment=0.9, grudge=0.4)
    final, after_events = after_interaction(
        start,
        NOW + timedelta(hours=12),
        [RelationEvent(BROKEN), RelationEvent(KEPT)],
        feeling("anger", mood_delta=-0.2),
    )
    # The promise is broken at trust 0.695, where it costs 0.05; had the message come first it would cost 0.10.
    assert [s.trust for s in after_events] == pytest.approx([0.645, 0.645])
    assert final.trust == pytest.approx(0.655)
    assert final.sentiment == pytest.approx(0.6 - 0.7 * 0.2)
    assert final.grudge == pytest.approx(0.2 + 0.10)
    assert final.time == NOW + timedelta(hours=12)


def test_an_older_interaction_decays_nothing_adds_in_full_and_leaves_the_time():
    final, _ = after_interaction(
        state(grudge=0.4, sentiment=0.8), NOW - timedelta(days=2), [], feeling("anger")
    )
    assert final.grudge == pytest.approx(0.5)
    assert final.sentiment == pytest.approx(0.8)
    assert final.time == NOW


@pytest.mark.parametrize(
    ("grudge", "tone"),
    [(0.0, ""), (0.399, ""), (0.4, "cautious"), (0.699, "cautious"), (0.7, "cautious_defensive")],
)
def test_the_tone_follows_the_grudge(grudge, tone):
    assert state(grudge=grudge).tone_grudge_modifier == tone


def test_relation_bias_is_trust_times_familiarity():
    assert state(trust=0.6, familiarity=0.5).relation_bias == pytest.approx(0.3)


unit = st.floats(0, 1)
states = st.builds(state, unit, unit, unit, unit)
labels = st.lists(st.sampled_from(["anger", "annoyance", "joy", "fear", "x"]), max_size=3)
analyses = st.builds(
    lambda names, mood, shouting, crisis: feeling(
        *names, mood_delta=mood, shouting=shouting, crisis=crisis
    ),
    labels,
    st.floats(-1, 1),
    st.booleans(),
    st.booleans(),
)
steps = st.tuples(
    st.integers(-500_000, 500_000),
    st.lists(st.sampled_from(list(RelationEventKind)), max_size=3),
    analyses,
)


@given(states, st.lists(steps, max_size=20))
def test_the_variables_stay_in_range_and_the_time_never_goes_back(start, history):
    current = start
    for seconds, events, analysis in history:
        at = NOW + timedelta(seconds=seconds)
        after, _ = after_interaction(current, at, [RelationEvent(e) for e in events], analysis)
        assert all(0.0 <= value <= 1.0 for value in astuple(after)[:4])
        assert after.time == max(current.time, at)
        current = after


@given(states, st.integers(0, 10_000_000), st.integers(0, 10_000_000))
def test_decay_is_the_same_in_one_step_or_two_and_only_ever_approaches_rest(start, first, second):
    at_once = decayed(start, NOW + timedelta(seconds=first + second))
    in_two = decayed(decayed(start, NOW + timedelta(seconds=first)), at_once.time)
    assert in_two.sentiment == pytest.approx(at_once.sentiment, abs=1e-9)
    assert in_two.grudge == pytest.approx(at_once.grudge, abs=1e-9)
    assert at_once.grudge <= start.grudge
    assert abs(at_once.sentiment - 0.5) <= abs(start.sentiment - 0.5)


@given(states, analyses)
def test_a_worse_mood_never_leaves_a_better_sentiment(start, analysis):
    worse = replace(analysis, mood_delta=max(-1.0, analysis.mood_delta - 0.1))
    assert after_message(start, worse).sentiment <= after_message(start, analysis).sentiment + 1e-12
