"""Between memories and rows: what goes into the columns, and what is made of them."""

import json
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from rapport_server.domain.analysis import Emotion, Intent
from rapport_server.domain.memories import (
    FoundChunk,
    IndexingStatus,
    Memory,
    MemoryDraft,
    MemoryKind,
    MemoryProgress,
    Pair,
    ProcessingStatus,
    Scope,
    Store,
)
from rapport_server.domain.retention import Surplus

_dumps = partial(json.dumps, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def as_jsonb(value: Any) -> Jsonb:
    """The value as a jsonb parameter. ValueError for numbers that are not finite."""
    return Jsonb(value, dumps=_dumps)


def person_values(scope: Scope) -> dict[str, Any]:
    """The two columns that every statement on what else is stored of a person names."""
    return {"tenant_id": scope.tenant_id, "end_user_id": scope.end_user_id}


def scope_values(scope: Scope) -> dict[str, Any]:
    """The three columns that every statement on memories names."""
    return {**person_values(scope), "store": scope.store.value}


def draft_values(draft: MemoryDraft) -> dict[str, Any]:
    """The columns of a draft as JSON values."""
    return {
        "source_id": draft.source_id,
        "kind": draft.kind.value,
        "text": draft.text,
        "pairs": [asdict(pair) for pair in draft.pairs],
        "title": draft.title,
        "user_name": draft.user_name,
        "speaker": draft.speaker,
        "channel": draft.channel,
        "session_id": draft.session_id,
        "time_zone": draft.time_zone,
        "metadata": draft.metadata or {},
        "additional_metadata": draft.additional_metadata or {},
        "pinned": draft.pinned,
        "infer": draft.infer,
        "interaction_id": str(draft.interaction_id) if draft.interaction_id else None,
        "intent": draft.intent.value if draft.intent else "",
        "detected_emotions": [asdict(emotion) for emotion in draft.detected_emotions],
        "occurred_at": draft.occurred_at.isoformat() if draft.occurred_at else None,
        "expiry_s": draft.expiry_s,
        "expires_at": draft.expires_at.isoformat() if draft.expires_at else None,
    }


def draft_parameters(draft: MemoryDraft) -> dict[str, Any]:
    """The columns of one draft as parameters of a statement."""
    values = draft_values(draft)
    for name in ("pairs", "metadata", "additional_metadata", "detected_emotions"):
        values[name] = as_jsonb(values[name])
    return values | {
        "occurred_at": draft.occurred_at,
        "expires_at": draft.expires_at,
        "interaction_id": draft.interaction_id,
    }


def memory_of(
    *,
    tenant_id: str,
    store: str,
    end_user_id: str,
    kind: str,
    status: str,
    pairs: list[dict[str, str]],
    intent: str,
    detected_emotions: list[dict[str, Any]],
    **columns: Any,
) -> Memory:
    """A row of table memory."""
    return Memory(
        scope=Scope(tenant_id, end_user_id, Store(store)),
        kind=MemoryKind(kind),
        status=IndexingStatus(status),
        pairs=tuple(Pair(**pair) for pair in pairs),
        intent=Intent(intent) if intent else None,
        detected_emotions=tuple(Emotion(**emotion) for emotion in detected_emotions),
        **columns,
    )


def found_chunk_of(
    chunk_id: int,
    chunk_index: int,
    chunk_text: str,
    tenant_id: str,
    store: str,
    end_user_id: str,
    source_id: str,
    version: int,
    kind: str,
    title: str,
    user_name: str,
    speaker: str,
    channel: str,
    session_id: str,
    time_zone: str,
    metadata: dict[str, Any] | None,
    additional_metadata: dict[str, Any] | None,
    pinned: bool,
    infer: bool,
    occurred_at: datetime,
    expires_at: datetime | None,
    create_time: datetime,
    update_time: datetime,
    interaction_id: UUID | None,
    intent: str,
    detected_emotions: list[dict[str, Any]] | None,
) -> FoundChunk:
    """A chunk beside its memory. Recall makes one of every hit, so the columns come by place: a third of the time of names."""
    memory = Memory(
        Scope(tenant_id, end_user_id, Store(store)),
        source_id,
        version,
        MemoryKind(kind),
        IndexingStatus.COMPLETED,
        chunk_text,
        (),
        title,
        user_name,
        speaker,
        channel,
        session_id,
        time_zone,
        metadata or {},
        additional_metadata or {},
        pinned,
        infer,
        occurred_at,
        expires_at,
        create_time,
        update_time,
        interaction_id,
        Intent(intent) if intent else None,
        tuple(Emotion(**emotion) for emotion in detected_emotions or ()),
    )
    return FoundChunk(chunk_id, chunk_index, chunk_text, memory)


def processing_status_of(*, status: str, **columns: Any) -> ProcessingStatus:
    """How far a version is."""
    return ProcessingStatus(status=IndexingStatus(status), **columns)


def memory_progress_of(*, version: int, kind: str, **columns: Any) -> MemoryProgress:
    """One version and how far it is."""
    return MemoryProgress(version, MemoryKind(kind), processing_status_of(**columns))


def expired_of(
    *, tenant_id: str, store: str, end_user_id: str, source_id: str
) -> tuple[Scope, str]:
    """The address of a memory."""
    return Scope(tenant_id, end_user_id, Store(store)), source_id


def surplus_of(*, tenant_id: str, end_user_id: str, kinds: list[str]) -> Surplus:
    """A person and what there is too much of."""
    return Surplus(Scope(tenant_id, end_user_id), tuple(MemoryKind(kind) for kind in kinds))
