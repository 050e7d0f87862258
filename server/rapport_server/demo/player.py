"""Plays a conversation through the SDK, turn by turn, and reports what was recalled and how things stand."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

import rapport
from rapport_server.demo.conversation import Conversation, Event, Turn

# A server that is not there is reported while somebody still looks at the screen.
MEET_S_MAX = 5.0
VARIABLES = ("trust", "sentiment", "grudge", "familiarity")


class Levels(Protocol):
    """The four variables, each in [0, 1]: a Relation and a RelationPoint have them."""

    trust: float
    sentiment: float
    grudge: float
    familiarity: float


@dataclass(frozen=True, slots=True)
class State:
    """The four variables at one moment."""

    trust: float
    sentiment: float
    grudge: float
    familiarity: float

    @classmethod
    def of(cls, levels: Levels) -> "State":
        """The variables of an answer."""
        return cls(levels.trust, levels.sentiment, levels.grudge, levels.familiarity)


@dataclass(frozen=True, slots=True)
class Recalled:
    """A recalled memory: its text, cosine, time, and whether the reply needed it."""

    text: str
    similarity: float
    at: datetime
    needed: bool


@dataclass(frozen=True, slots=True)
class Step:
    """What Rapport answered to one turn."""

    turn: Turn
    before: State
    after: State
    recalled: tuple[Recalled, ...]
    tone: str
    prompt: str
    total_stored: int

    @property
    def reminded(self) -> bool:
        """Whether a memory that the reply needed was recalled."""
        return any(memory.needed for memory in self.recalled)


@dataclass(frozen=True, slots=True)
class Point:
    """One point of the person's history, as the server keeps it."""

    at: datetime
    state: State
    event: str


class Player:
    """One person of one tenant, who must be a stranger."""

    def __init__(
        self, client: rapport.Client, conversation: Conversation, end_user_id: str
    ) -> None:
        self._client = client
        self._conversation = conversation
        self.end_user_id = end_user_id

    def meet(self) -> State | None:
        """Where a stranger begins; None when the person is known already. Raises RapportError."""
        answer = self._client.get_relation(self.end_user_id, timeout=MEET_S_MAX)
        relation = answer.relation
        return None if relation.HasField("known_since") else State.of(relation)

    def play(self, state: State) -> Iterator[Step]:
        """Every turn, the first from `state`. Raises RapportError."""
        turns_of: dict[str, str] = {}  # the key of the turn that became a memory, by source_id
        for turn in self._conversation.turns:
            answer = self._process(turn)
            turns_of[answer.source_id] = turn.key
            self._client.attach_reply(
                self.end_user_id,
                interaction_id=answer.interaction_id,
                assistant_message=turn.reply,
            )
            recalled = tuple(
                Recalled(
                    memory.text,
                    memory.similarity,
                    memory.timestamp.ToDatetime(UTC),
                    turns_of.get(memory.source_id) in turn.needs,
                )
                for memory in answer.memory.relevant_memories
            )
            before, state = state, State.of(answer.user)
            context = answer.context
            yield Step(
                turn,
                before,
                state,
                recalled,
                context.tone_grudge_modifier,
                context.system_prompt,
                answer.memory.total_stored,
            )

    def history(self) -> list[Point]:
        """All points so far, oldest first."""
        return [
            Point(
                point.occurred_at.ToDatetime(UTC),
                State.of(point),
                rapport.RelationEventKind.Name(point.event_kind) if point.event_kind else "",
            )
            for point in self._client.list_relation_history(self.end_user_id, order="OLDEST")
        ]

    def _process(self, turn: Turn) -> rapport.ProcessResponse:
        return self._client.process(
            self.end_user_id,
            message=turn.says,
            user_name=self._conversation.person,
            time_zone=str(self._conversation.zone),
            channel=self._conversation.channel,
            session_id=f"{turn.at:%Y-%m-%d}",
            occurred_at=turn.at,
            signals=_signals(turn),
            events=[_event(turn.event, turn.at)] if turn.event else [],
        )


def _signals(turn: Turn) -> rapport.Signals:
    """Every field is set: the story says how it is meant, whatever a server reads out of the words."""
    return rapport.Signals(
        detected_emotions=[
            rapport.DetectedEmotion(label=label, score=score)
            for label, score in (turn.emotions or {"neutral": 1.0}).items()
        ],
        intent=f"INTENT_{turn.intent}",
        mood_delta=turn.mood,
        shouting=turn.shouting,
        crisis=False,
    )


def _event(event: Event, at: datetime) -> rapport.RelationEvent:
    told = rapport.RelationEvent(kind=f"RELATION_EVENT_KIND_{event.kind}", note=event.note)
    told.occurred_at.FromDatetime(at)
    return told
