"""receipt_payload gives the bytes that the server signed."""

from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from rapport import ErasureCounts, ErasureReason, ErasureReceipt, receipt_payload
from rapport_server.domain import erasure

ERASED_AT = datetime(2026, 1, 31, 9, 30, 0, 1, tzinfo=UTC)
COUNTS = {
    "messages": 1,
    "memories": 2,
    "chunks": 3,
    "vectors": 4,
    "person_relations": 5,
    "relation_state": 6,
    "triggers": 7,
    "queued_items": 0,
    "idempotency_records": 9,
}


def receipt() -> ErasureReceipt:
    return ErasureReceipt(
        receipt_id="er_1",
        tenant_id="klinik-ü",
        subject_hash="ab" * 32,
        counts=ErasureCounts(**COUNTS),
        verified=False,
        replicas_pending=["b", "a"],
        erased_at=ERASED_AT,
        audit_sequence=2**40,
        audit_hash="cd" * 32,
        signature=b"\0" * 64,
        key_id="key_1",
        reason=ErasureReason.ERASURE_REASON_LEGAL,
        ticket="T-1",
    )


def test_the_payload_is_the_canonical_json_of_the_contract() -> None:
    expected = (
        '{"audit_hash":"' + "cd" * 32 + '","audit_sequence":1099511627776,"counts":{"chunks":3,'
        '"idempotency_records":9,"memories":2,"messages":1,"person_relations":5,"queued_items":0,'
        '"relation_state":6,"triggers":7,"vectors":4},"erased_at":"2026-01-31T09:30:00.000001Z",'
        '"key_id":"key_1","reason":"ERASURE_REASON_LEGAL","receipt_id":"er_1",'
        '"replicas_pending":["b","a"],"subject_hash":"' + "ab" * 32 + '","tenant_id":"klinik-ü",'
        '"ticket":"T-1","verified":false}'
    )
    assert receipt_payload(receipt()) == expected.encode()


def test_a_signature_by_the_server_verifies() -> None:
    private = Ed25519PrivateKey.generate()
    server_side = erasure.Receipt(
        receipt_id="er_1",
        tenant_id="klinik-ü",
        subject_hash=bytes.fromhex("ab" * 32),
        counts=erasure.ErasureCounts(**COUNTS),
        verified=False,
        replicas_pending=("b", "a"),
        erased_at=ERASED_AT,
        audit_sequence=2**40,
        audit_hash=bytes.fromhex("cd" * 32),
        reason=erasure.ErasureReason.LEGAL,
        ticket="T-1",
        key_id="key_1",
    )
    signature = private.sign(erasure.signed_bytes(server_side))
    private.public_key().verify(signature, receipt_payload(receipt()))


def test_what_validate_only_answers_has_no_payload() -> None:
    with pytest.raises(ValueError, match="validate_only"):
        receipt_payload(ErasureReceipt(counts=ErasureCounts(messages=1)))
