"""The audit chain: what is recorded of an act, and how each record binds all before it."""

import enum
import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

GENESIS = b""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class AuditEventKind(enum.StrEnum):
    """What was done."""

    TENANT_CREATED = "TENANT_CREATED"
    TENANT_UPDATED = "TENANT_UPDATED"
    TENANT_DELETED = "TENANT_DELETED"
    API_KEY_CREATED = "API_KEY_CREATED"
    API_KEY_REVOKED = "API_KEY_REVOKED"
    INTERACTION_PROCESSED = "INTERACTION_PROCESSED"
    REPLY_ATTACHED = "REPLY_ATTACHED"
    MEMORIES_ADDED = "MEMORIES_ADDED"
    MEMORY_UPDATED = "MEMORY_UPDATED"
    MEMORY_DELETED = "MEMORY_DELETED"
    MEMORIES_RETRIED = "MEMORIES_RETRIED"
    EVENT_RECORDED = "EVENT_RECORDED"
    END_USER_ERASED = "END_USER_ERASED"
    ERASURE_COMPLETED = "ERASURE_COMPLETED"
    RETENTION_SWEPT = "RETENTION_SWEPT"
    END_USER_EXPORTED = "END_USER_EXPORTED"
    PERSON_RELATION_CHANGED = "PERSON_RELATION_CHANGED"
    TRIGGER_CHANGED = "TRIGGER_CHANGED"
    ASSIGNMENTS_SET = "ASSIGNMENTS_SET"
    KNOWLEDGE_ADDED = "KNOWLEDGE_ADDED"
    KNOWLEDGE_DELETED = "KNOWLEDGE_DELETED"


Details = dict[str, int | float | bool | str]


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """An act to be recorded. `details` holds numbers and enum names, never text or a raw id of a person."""

    kind: AuditEventKind
    actor_key_id: str
    subject_hash: bytes = b""
    details: Details | None = None


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """A recorded act in its tenant's chain; sequence starts at 1."""

    sequence: int
    time: datetime
    kind: AuditEventKind
    actor_key_id: str
    subject_hash: bytes
    details: Details
    previous_hash: bytes
    hash: bytes


@dataclass(frozen=True, slots=True)
class ChainVerdict:
    """Result of a verification; first_bad_sequence is 0 when all is well."""

    ok: bool
    checked: int
    first_bad_sequence: int
    head_hash: bytes


def time_us(time: datetime) -> int:
    """Whole microseconds since 1970, exact."""
    return (time - _EPOCH) // timedelta(microseconds=1)


def chain_hash(
    tenant_id: str, sequence: int, time: datetime, record: AuditRecord, previous_hash: bytes
) -> bytes:
    """SHA-256 over the canonical JSON (sorted keys, no spaces, UTF-8) of the record and the hash before it."""
    body = {
        "tenant_id": tenant_id,
        "sequence": sequence,
        "time_us": time_us(time),
        "kind": record.kind.value,
        "actor_key_id": record.actor_key_id,
        "subject_hash": record.subject_hash.hex(),
        "details": record.details or {},
        "previous_hash": previous_hash.hex(),
    }
    encoded = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(encoded.encode()).digest()
