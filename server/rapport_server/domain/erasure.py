"""The receipt of an erasure and the bytes that its signature covers."""

import enum
import json
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime

from rapport_server.domain.ports import Signer


class ErasureReason(enum.StrEnum):
    """Why a person was erased."""

    USER_REQUEST = "USER_REQUEST"
    RETENTION = "RETENTION"
    LEGAL = "LEGAL"
    OTHER = "OTHER"


@dataclass(frozen=True, slots=True)
class ErasureCounts:
    """How many rows or vectors of each sort were deleted, or would be."""

    messages: int = 0
    memories: int = 0
    chunks: int = 0
    vectors: int = 0
    person_relations: int = 0
    relation_state: int = 0
    triggers: int = 0
    queued_items: int = 0
    idempotency_records: int = 0


@dataclass(frozen=True, slots=True)
class Receipt:
    """A proof of erasure; `verified` only when a later look found nothing and no process is pending."""

    receipt_id: str
    tenant_id: str
    subject_hash: bytes
    counts: ErasureCounts
    verified: bool
    replicas_pending: tuple[str, ...]
    erased_at: datetime
    audit_sequence: int
    audit_hash: bytes
    reason: ErasureReason
    ticket: str = ""
    signature: bytes = b""
    key_id: str = ""


def signed_bytes(receipt: Receipt) -> bytes:
    """The UTF-8 bytes of canonical JSON that the contract states beside ErasureReceipt.signature."""
    body = {
        "receipt_id": receipt.receipt_id,
        "tenant_id": receipt.tenant_id,
        "subject_hash": receipt.subject_hash.hex(),
        "counts": asdict(receipt.counts),
        "verified": receipt.verified,
        "replicas_pending": list(receipt.replicas_pending),
        "erased_at": f"{receipt.erased_at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}",
        "audit_sequence": receipt.audit_sequence,
        "audit_hash": receipt.audit_hash.hex(),
        "key_id": receipt.key_id,
        "reason": f"ERASURE_REASON_{receipt.reason}",
        "ticket": receipt.ticket,
    }
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


@dataclass(frozen=True, slots=True)
class PendingErasure:
    """An erasure whose vectors one process has still to drop."""

    tenant_id: str
    receipt_id: str
    subject_hash: bytes
    shard_id: int
    person_no: int


def signed(receipt: Receipt, signer: Signer) -> Receipt:
    """The receipt with a signature by this installation's key."""
    keyed = replace(receipt, key_id=signer.key_id)
    return replace(keyed, signature=signer.sign(signed_bytes(keyed)))
