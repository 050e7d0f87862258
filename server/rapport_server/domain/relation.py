"""How things stand between agent and person: the four state variables and how they move."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from rapport_server.domain.analysis import Analysis, anger, frustration

TRUST_GAIN = 0.01
TRUST_MAX_GAINED = 0.95
FAMILIARITY_GAIN = 0.005
SENTIMENT_BASELINE = 0.5
SENTIMENT_WEIGHT = 0.7
SENTIMENT_HALF_LIFE_S = 6 * 3600.0
GRUDGE_HALF_LIFE_S = 12 * 3600.0
GRUDGE_FRUSTRATION = 0.05
GRUDGE_ANGER = 0.10
GRUDGE_ANGER_SHOUTED = 0.15
GRUDGE_CRISIS = 0.20
CAUTIOUS_FROM = 0.4
DEFENSIVE_FROM = 0.7


class RelationEventKind(enum.StrEnum):
    """What happened beside a message. A kept promise is recorded and moves nothing."""

    BROKEN_PROMISE = "BROKEN_PROMISE"
    KEPT_PROMISE = "KEPT_PROMISE"


@dataclass(frozen=True, slots=True)
class RelationEvent:
    """An event with the caller's note and its time (None: now)."""

    kind: RelationEventKind
    note: str = ""
    occurred_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class RelationState:
    """The four variables, each in [0, 1], as of `time` (the latest moment seen so far)."""

    trust: float
    sentiment: float
    grudge: float
    familiarity: float
    time: datetime

    @property
    def tone_grudge_modifier(self) -> str:
        """ "cautious_defensive" at grudge ≥ 0.7, "cautious" at ≥ 0.4, else ""."""
        if self.grudge >= DEFENSIVE_FROM:
            return "cautious_defensive"
        return "cautious" if self.grudge >= CAUTIOUS_FROM else ""

    @property
    def relation_bias(self) -> float:
        """trust × familiarity, in [0, 1]."""
        return self.trust * self.familiarity


@dataclass(frozen=True, slots=True)
class RelationPoint:
    """One point of the history: the state right after an interaction or an event."""

    point_id: int
    state: RelationState
    occurred_at: datetime
    interaction_id: UUID | None = None
    event_kind: RelationEventKind | None = None
    note: str = ""
    mood_delta: float = 0.0


def stranger(initial_trust: float, time: datetime) -> RelationState:
    """The state of a person never seen before."""
    return RelationState(initial_trust, SENTIMENT_BASELINE, 0.0, 0.0, time)


def decayed(state: RelationState, to: datetime) -> RelationState:
    """The state as it stands at `to`: sentiment returns to 0.5 and grudge to 0, each by its half-life.

    A moment before the state's own decays nothing and leaves the state's time.
    """
    elapsed_s = (to - state.time).total_seconds()
    if elapsed_s <= 0:
        return state
    return replace(
        state,
        sentiment=SENTIMENT_BASELINE
        + (state.sentiment - SENTIMENT_BASELINE) * 0.5 ** (elapsed_s / SENTIMENT_HALF_LIFE_S),
        grudge=state.grudge * 0.5 ** (elapsed_s / GRUDGE_HALF_LIFE_S),
        time=to,
    )


def after_event(state: RelationState, kind: RelationEventKind) -> RelationState:
    """A broken promise costs the more trust the more there is; never under 0."""
    if kind is not RelationEventKind.BROKEN_PROMISE:
        return state
    loss = 0.10 if state.trust >= 0.7 else 0.05 if state.trust >= 0.4 else 0.02
    return replace(state, trust=max(0.0, state.trust - loss))


def after_message(state: RelationState, analysis: Analysis) -> RelationState:
    """What one message of the person moves: trust, sentiment, grudge and familiarity."""
    return replace(
        state,
        trust=max(state.trust, min(TRUST_MAX_GAINED, state.trust + TRUST_GAIN)),
        sentiment=moved(state.sentiment, analysis.mood_delta, SENTIMENT_WEIGHT),
        grudge=_clamp01(state.grudge + grudge_gain(analysis)),
        familiarity=min(1.0, state.familiarity + FAMILIARITY_GAIN),
    )


def moved(sentiment: float, mood_delta: float, weight: float) -> float:
    """The sentiment in [0, 1], towards clamp01(sentiment + mood_delta) by the weight."""
    target = _clamp01(sentiment + mood_delta)
    return _clamp01(sentiment + weight * (target - sentiment))


def grudge_gain(analysis: Analysis) -> float:
    """0.15 for anger shouted, 0.10 for anger, 0.05 for frustration (the highest only), plus 0.20 in a crisis."""
    gain = GRUDGE_CRISIS if analysis.crisis else 0.0
    if anger(analysis):
        return gain + (GRUDGE_ANGER_SHOUTED if analysis.shouting else GRUDGE_ANGER)
    return gain + (GRUDGE_FRUSTRATION if frustration(analysis) else 0.0)


def after_interaction(
    state: RelationState, at: datetime, events: Sequence[RelationEvent], analysis: Analysis
) -> tuple[RelationState, list[RelationState]]:
    """Decay to `at`, then the request's events, then the message.

    Returns the final state and the state after each event. An older `at` decays nothing, adds its increments in full and
    leaves the time at the latest seen.
    """
    state = decayed(state, at)
    after_events = []
    for event in events:
        state = after_event(state, event.kind)
        after_events.append(state)
    return after_message(state, analysis), after_events


def _clamp01(value: float) -> float:
    return min(1.0, max(0.0, value))
