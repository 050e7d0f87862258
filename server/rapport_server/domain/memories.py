"""Memories: what a person said or what was added about them, and how far their indexing is."""

import enum
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from rapport_server.domain.analysis import Emotion, Intent


class Store(enum.StrEnum):
    """Which memories: a person's, or the tenant's documents."""

    MEMORIES = "MEMORIES"
    KNOWLEDGE = "KNOWLEDGE"


class MemoryKind(enum.StrEnum):
    """Where a memory comes from."""

    INTERACTION = "INTERACTION"
    ADDED = "ADDED"
    DERIVED = "DERIVED"


class IndexingStatus(enum.StrEnum):
    """QUEUED → PROCESSING → COMPLETED | ERRORED; NOT_FOUND for an id that is not stored."""

    QUEUED = "QUEUED"
    PROCESSING = "PROCESSING"
    COMPLETED = "COMPLETED"
    ERRORED = "ERRORED"
    NOT_FOUND = "NOT_FOUND"

    @property
    def terminal(self) -> bool:
        """No further change comes by itself."""
        return self not in (IndexingStatus.QUEUED, IndexingStatus.PROCESSING)


class MatchStrength(enum.StrEnum):
    """How sure a hit is."""

    STRONG = "STRONG"
    MODERATE = "MODERATE"
    WEAK = "WEAK"


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memories: every read and write of memories names all three."""

    tenant_id: str
    end_user_id: str
    store: Store = Store.MEMORIES


@dataclass(frozen=True, slots=True)
class Pair:
    """One exchange; the assistant's part may be empty."""

    user: str
    assistant: str


@dataclass(frozen=True, slots=True)
class MemoryDraft:
    """A memory as it is about to be stored; `text` is what is indexed and recalled."""

    source_id: str
    text: str
    pairs: tuple[Pair, ...] = ()
    title: str = ""
    user_name: str = ""
    speaker: str = ""
    channel: str = ""
    session_id: str = ""
    time_zone: str = ""
    metadata: dict[str, Any] | None = None
    additional_metadata: dict[str, Any] | None = None
    pinned: bool = False
    infer: bool = False
    occurred_at: datetime | None = None
    expiry_s: int = 0
    expires_at: datetime | None = (
        None  # a fixed time in place of expiry_s, for a new version of what already expires
    )
    kind: MemoryKind = MemoryKind.ADDED
    interaction_id: UUID | None = None
    intent: Intent | None = None
    detected_emotions: tuple[Emotion, ...] = ()


@dataclass(frozen=True, slots=True)
class Memory:
    """A stored memory."""

    scope: Scope
    source_id: str
    version: int
    kind: MemoryKind
    status: IndexingStatus
    text: str
    pairs: tuple[Pair, ...]
    title: str
    user_name: str
    speaker: str
    channel: str
    session_id: str
    time_zone: str
    metadata: dict[str, Any]
    additional_metadata: dict[str, Any]
    pinned: bool
    infer: bool
    occurred_at: datetime
    expires_at: datetime | None
    create_time: datetime
    update_time: datetime
    interaction_id: UUID | None
    intent: Intent | None
    detected_emotions: tuple[Emotion, ...]


@dataclass(frozen=True, slots=True)
class ProcessingStatus:
    """How far a memory's newest version is."""

    source_id: str
    status: IndexingStatus
    attempts: int = 0
    error_reason: str = ""
    error_message: str = ""
    inferred_count: int = 0
    update_time: datetime | None = None


@dataclass(frozen=True, slots=True)
class MemoryProgress:
    """How far one version of a memory is."""

    version: int
    kind: MemoryKind
    status: ProcessingStatus


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A piece to store: its index, its text (None when it is the memory's whole text), float16 vector bytes."""

    chunk_index: int
    text: str | None
    vector: bytes


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A chunk fetched for a recall hit, re-checked in SQL against scope, expiry and deletion."""

    chunk_id: int
    chunk_index: int
    text: str
    memory: Memory


@dataclass(frozen=True, slots=True)
class Claimed:
    """A memory that a worker holds by a lease."""

    scope: Scope
    source_id: str
    version: int
    lease_token: UUID
    attempts: int
    text: str
    kind: MemoryKind
    person_no: int
    shard_id: int


@dataclass(frozen=True, slots=True)
class Unread:
    """A stored memory as one reads it: what the person said (`turns`), as whom, when, and where.

    `speaker` is who said it, empty for the person; `create_time` is when it was stored.
    """

    scope: Scope
    source_id: str
    version: int
    kind: MemoryKind
    turns: list[str]
    user_name: str
    speaker: str
    occurred_at: datetime
    create_time: datetime
    time_zone: str


@dataclass(frozen=True, slots=True)
class QueueItem:
    """A memory that is not COMPLETED, as operators see it."""

    source_id: str
    end_user_id: str
    version: int
    status: IndexingStatus
    attempts: int
    age_s: float
    error_reason: str
    error_message: str


def rendered(pairs: tuple[Pair, ...], user_name: str) -> str:
    """Pairs as one text: `User: …` and `Assistant: …` lines, the person under their name if given."""
    name = user_name or "User"
    lines = []
    for pair in pairs:
        lines.append(f"{name}: {pair.user}")
        if pair.assistant:
            lines.append(f"Assistant: {pair.assistant}")
    return "\n".join(lines)
