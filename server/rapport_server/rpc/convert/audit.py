"""Audit events, receipts and keys to check them with."""

from dataclasses import asdict

from rapport.v1 import audit_pb2
from rapport_server.domain.audit import GENESIS, AuditEvent
from rapport_server.domain.erasure import Receipt
from rapport_server.domain.ports import Signer
from rapport_server.rpc.convert.enums import AUDIT_EVENT_KIND, ERASURE_REASON
from rapport_server.rpc.convert.structs import to_struct
from rapport_server.rpc.convert.times import to_timestamp

ALGORITHM = "Ed25519"


def audit_event(given: AuditEvent) -> audit_pb2.AuditEvent:
    """One row of the log."""
    first = given.previous_hash == GENESIS
    return audit_pb2.AuditEvent(
        sequence=given.sequence,
        time=to_timestamp(given.time),
        kind=AUDIT_EVENT_KIND.to(given.kind),
        actor_key_id=given.actor_key_id,
        subject_hash=given.subject_hash.hex(),
        details=to_struct(given.details),
        hash=given.hash.hex(),
        previous_hash="" if first else given.previous_hash.hex(),
    )


def receipt(given: Receipt) -> audit_pb2.ErasureReceipt:
    """The proof of an erasure; without an id it only counts what would be erased, and names no time."""
    return audit_pb2.ErasureReceipt(
        receipt_id=given.receipt_id,
        tenant_id=given.tenant_id,
        subject_hash=given.subject_hash.hex(),
        counts=audit_pb2.ErasureCounts(**asdict(given.counts)),
        verified=given.verified,
        replicas_pending=given.replicas_pending,
        erased_at=to_timestamp(given.erased_at if given.receipt_id else None),
        audit_sequence=given.audit_sequence,
        audit_hash=given.audit_hash.hex(),
        signature=given.signature,
        key_id=given.key_id,
        reason=ERASURE_REASON.to(given.reason),
        ticket=given.ticket,
    )


def signing_key(given: Signer) -> audit_pb2.SigningKey:
    """The public half of the key in use."""
    return audit_pb2.SigningKey(
        key_id=given.key_id, algorithm=ALGORITHM, public_key=given.public_key
    )
