"""A person as the system knows them: place in the shards, relation, counts and messages."""

import enum
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from rapport_server.domain.analysis import Analysis
from rapport_server.domain.relation import RelationState


@dataclass(frozen=True, slots=True)
class Person:
    """One end user's row."""

    tenant_id: str
    end_user_id: str
    person_no: int
    shard_id: int
    state: RelationState
    interaction_count: int
    known_since: datetime
    last_seen: datetime | None
    update_time: datetime
    user_name: str
    time_zone: str
    assignments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Arrival:
    """What a mutation reads when it comes in: the person's epoch now, and the database's time."""

    epoch: int
    now: datetime


class MessageRole(enum.StrEnum):
    """Who spoke."""

    USER = "USER"
    ASSISTANT = "ASSISTANT"


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation, for a prompt."""

    role: MessageRole
    content: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of an interaction; only the person's own has an analysis."""

    message_id: int
    interaction_id: UUID
    role: MessageRole
    text: str
    channel: str
    session_id: str
    occurred_at: datetime
    analysis: Analysis
