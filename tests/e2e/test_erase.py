"""Erase: one person, everywhere, with a receipt that can be checked; everybody else untouched."""

import itertools
import threading
import time
import uuid

import psycopg
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from rapport import AbortedError, AuditEventKind, ErasureReason, receipt_payload
from tests.e2e.evidence import (
    all_rows,
    files_with,
    paths_that_tell,
    refusal_reason,
    rows_with,
    wait_until_read,
)
from tests.e2e.scene import NOON, add, is_stranger, refused, sentences, texts, together
from tests.fix_rapport import RapportProcess, TenantHandle

SENTENCE = "The pomegranate wristwatch hums beneath Valparaiso and the seventh staircase."
NEEDLES = ("pomegranate wristwatch", "seventh staircase", "maya.castellan@example.org")
PERSON = "maya.castellan@example.org"
ALL_PATHS = {
    "Recall",
    "Recall filtered",
    "ListMemories",
    "ListMessages",
    "ListRelationHistory",
    "GetMemory",
    "VerifyProcessing",
    "WatchProcessing",
    "GetRelation",
    "ListPersonRelations",
    "ListTriggers",
    "ListEndUsers",
}


def live_a_little(tenant: TenantHandle, end_user_id: str, sentence: str) -> str:
    """A person with something in every table that can hold something; the id of a memory with the sentence."""
    client = tenant.client
    (source_id,) = add(
        client,
        end_user_id,
        {
            "text": sentence,
            "title": sentence,
            "speaker": sentence,
            "channel": "app",
            "additional_metadata": {"k": sentence},
        },
        request_id=str(uuid.uuid4()),
    )
    said = client.process(
        end_user_id,
        message=sentence,
        channel="app",
        metadata={"k": sentence},
        user_name=sentence,
        events=[{"kind": "BROKEN_PROMISE", "note": f"Promised: {sentence}"}],
        signals={"crisis": True, "crisis_phrase": sentence},
        request_id=str(uuid.uuid4()),
    )
    client.attach_reply(end_user_id, interaction_id=said.interaction_id, assistant_message=sentence)
    client.record_event(
        end_user_id, event={"kind": "KEPT_PROMISE", "note": f"Promised: {sentence}"}
    )
    client.upsert_person_relation(end_user_id, person_relation={"name": sentence, "note": sentence})
    client.upsert_trigger(
        end_user_id, trigger={"description": sentence, "due_at": NOON, "source_id": source_id}
    )
    deleted = client.upsert_trigger(
        end_user_id, trigger={"description": sentence, "due_at": NOON, "source_id": source_id}
    ).trigger
    client.delete_trigger(end_user_id, trigger_id=deleted.trigger_id)
    client.set_assignments(end_user_id, assignments=[sentence])
    add(client, end_user_id, " ".join([*sentences(40), sentence]), *sentences(5, seed=2))
    return source_id


def own_files(server: RapportProcess) -> list:
    return [server.data_dir / "shards", server.data_dir / "postgres.log", server.log]


def vector_of(server: RapportProcess, tenant: TenantHandle, source_id: str) -> bytes:
    """The stored bytes of a memory's first vector, as the database has them."""
    with psycopg.connect(server.superuser_dsn()) as conn:
        row = conn.execute(
            "SELECT vector FROM rapport.chunk WHERE tenant_id = %s AND source_id = %s ORDER BY chunk_index LIMIT 1",
            (tenant.tenant_id, source_id),
        ).fetchone()
    assert row
    return bytes(row[0])


def test_after_erase_nothing_finds_what_the_same_search_found_before(make_rapport):
    # A server of its own, stopped at the end, so that every file it leaves can be looked at.
    server = make_rapport("--snapshot-seconds", "4")
    with server.operator("default") as operator, server.writer() as client:
        tenant = TenantHandle("default", client, operator, server.writer_key, server)
        source_id = live_a_little(tenant, PERSON, SENTENCE)
        other_id = live_a_little(tenant, "noor", "Noor waters the basil every evening.")
        vector = vector_of(server, tenant, source_id)
        other_vector = vector_of(server, tenant, other_id)

        # Before: the same search finds it on every path, in rows, and its vector in the shard's files.
        assert paths_that_tell(client, PERSON, SENTENCE, source_id) == ALL_PATHS
        before = rows_with(server.superuser_dsn(), NEEDLES)
        assert {table for table, _ in before} >= {
            "memory",
            "message",
            "chunk",
            "relation_point",
            "end_user",
            "person_relation",
            "person_trigger",
        }
        shards = server.data_dir / "shards"
        while not all(files_with([shards], [one]) for one in (vector, other_vector)):
            texts(client, PERSON, SENTENCE)
        wait_until_read(server.superuser_dsn())
        others_before = all_rows(server.superuser_dsn(), "end_user_id", "noor")
        shown_before = client.recall("noor", query="basil", max_results=1000).results

        preview = client.erase(PERSON, validate_only=True).receipt
        assert paths_that_tell(client, PERSON, SENTENCE, source_id) == ALL_PATHS
        receipt = client.erase(PERSON, reason="LEGAL", ticket="GDPR-17").receipt
        # Looked at first of all, before any snapshot could have come by itself.
        assert files_with([shards], [vector]) == []

        assert receipt.verified
        assert not receipt.replicas_pending
        assert receipt.counts == preview.counts
        assert receipt.counts.messages == 2
        assert receipt.counts.memories == 8
        assert receipt.counts.chunks == receipt.counts.vectors > 8
        assert receipt.counts.relation_state == 4
        assert (receipt.counts.person_relations, receipt.counts.triggers) == (1, 1)
        assert receipt.counts.idempotency_records >= 2
        assert not receipt.counts.queued_items
        assert (receipt.reason, receipt.ticket) == (ErasureReason.ERASURE_REASON_LEGAL, "GDPR-17")

        assert paths_that_tell(client, PERSON, SENTENCE, source_id) == set()
        assert rows_with(server.superuser_dsn(), NEEDLES) == []
        assert (
            files_with(own_files(server), [*(needle.encode() for needle in NEEDLES), vector]) == []
        )
        assert files_with([shards], [other_vector])
        assert all_rows(server.superuser_dsn(), "end_user_id", "noor") == others_before
        shown_after = client.recall("noor", query="basil", max_results=1000).results
        assert list(shown_after) == list(shown_before)
        assert [user.end_user_id for user in operator.list_end_users()] == ["noor"]
        assert list(operator.list_queue()) == []

        # The receipt, the chain, and the receipt as it can be asked for later.
        assert operator.verify_audit_log().ok
        keys = {key.key_id: key for key in operator.get_signing_keys().signing_keys}
        assert keys[receipt.key_id].algorithm == "Ed25519"
        public_key = Ed25519PublicKey.from_public_bytes(keys[receipt.key_id].public_key)
        public_key.verify(receipt.signature, receipt_payload(receipt))
        later = operator.get_erasure_receipt(receipt_id=receipt.receipt_id).receipt
        assert later == receipt
        forged = type(receipt)()
        forged.CopyFrom(receipt)
        forged.counts.memories += 1
        with pytest.raises(InvalidSignature):
            public_key.verify(receipt.signature, receipt_payload(forged))
        events = {event.kind: event for event in operator.list_audit_events()}
        erased = events[AuditEventKind.AUDIT_EVENT_KIND_END_USER_ERASED]
        assert erased.sequence == receipt.audit_sequence
        assert erased.hash == receipt.audit_hash
        assert erased.subject_hash == receipt.subject_hash

        # The id comes back as a stranger.
        assert is_stranger(client, PERSON)
        answer = client.process(PERSON, message="Do you know me?")
        assert not answer.memory.relevant_memories
        assert answer.user.interaction_count == 1
        assert texts(client, PERSON, SENTENCE, max_results=1000) == ["User: Do you know me?"]

        assert server.stop() == 0
        assert (
            files_with(own_files(server), [*(needle.encode() for needle in NEEDLES[:2]), vector])
            == []
        )


def test_erasing_an_unknown_person_is_ok_counts_zero_and_is_audited(tenant: TenantHandle):
    receipt = tenant.client.erase("nobody").receipt
    assert receipt.verified
    assert not any(getattr(receipt.counts, f.name) for f in receipt.counts.DESCRIPTOR.fields)
    kinds = [event.kind for event in tenant.operator.list_audit_events()]
    assert AuditEventKind.AUDIT_EVENT_KIND_END_USER_ERASED in kinds
    preview = tenant.client.erase("nobody", validate_only=True).receipt
    assert not preview.signature
    assert len(list(tenant.operator.list_audit_events())) == len(kinds)


def test_only_a_persons_own_data_goes(tenant: TenantHandle):
    for end_user_id in ("maya", "noor"):
        live_a_little(tenant, end_user_id, f"{end_user_id} likes figs.")
    before = paths_that_tell(tenant.client, "noor", "noor likes figs.", "unknown")
    tenant.client.erase("maya")
    assert paths_that_tell(tenant.client, "noor", "noor likes figs.", "unknown") == before
    assert is_stranger(tenant.client, "maya")


def test_work_in_flight_is_overtaken_and_brings_nobody_back(tenant: TenantHandle):
    client = tenant.client
    facts = sentences(200, seed=3)
    reasons = []
    started = threading.Barrier(9)

    def work(job: int) -> None:
        started.wait()
        if job == 0:
            for _ in range(3):
                client.erase("maya")
            return
        for number in range(12):
            try:
                if number % 2:
                    client.process("maya", message=facts[job * 12 + number])
                else:
                    client.add_memory("maya", memories=facts[job * 12 : job * 12 + 12])
            except AbortedError as error:
                reasons.append(error.reason)

    together(9, work, 9)
    assert set(reasons) <= {"ERASED"}
    # Queued work of before is gone with the person: the last word is Erase's.
    assert client.erase("maya").receipt.verified
    assert is_stranger(client, "maya")
    assert list(tenant.operator.list_queue()) == []
    assert texts(client, "maya", facts[0], max_results=1000) == []


def test_a_call_that_arrived_before_an_erase_and_ends_after_it_writes_nothing(tenant: TenantHandle):
    client = tenant.client
    # The longest message keeps the encoder busy while Erase overtakes.
    long = " ".join(sentences(400))[: 32 * 1024]
    outcomes: list[str] = []

    def slow() -> None:
        outcomes.append(refusal_reason(lambda: client.process("maya", message=long)))

    while "ERASED" not in outcomes:
        assert len(outcomes) < 10, outcomes
        client.process("maya", message="I am known.")
        thread = threading.Thread(target=slow)
        thread.start()
        time.sleep(0.1)
        client.erase("maya")
        thread.join()
        if outcomes[-1] == "ERASED":
            assert is_stranger(client, "maya")
            assert texts(client, "maya", sentences(400)[0]) == []


def test_a_job_that_was_queued_is_erased_with_its_person(tenant: TenantHandle):
    for round_number in range(4):
        ids = [f"{round_number}-{n}" for n in range(60)]
        items = [
            {"source_id": i, "text": f"{i} {t}"} for i, t in zip(ids, sentences(60), strict=True)
        ]
        tenant.client.add_memory("maya", memories=items)
        receipt = tenant.client.erase("maya").receipt
        assert receipt.counts.memories == 60
        changes = tenant.client.watch_processing("maya", source_ids=ids)
        assert not any(change.status.success for change in changes)
        assert is_stranger(tenant.client, "maya")


def test_the_audit_log_holds_neither_ids_nor_text(tenant: TenantHandle):
    live_a_little(tenant, PERSON, SENTENCE)
    tenant.client.erase(PERSON)
    told = str(list(tenant.operator.list_audit_events(page_size=1000)))
    assert not any(needle in told for needle in NEEDLES)
    events = list(tenant.operator.list_audit_events(order="OLDEST", page_size=3))
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    for earlier, later in itertools.pairwise(events):
        assert later.previous_hash == earlier.hash


def test_a_wrong_ticket_is_refused_before_anything_happens(tenant: TenantHandle):
    add(tenant.client, "maya", "kept")
    for ticket in ("with space", "x" * 65, "ü"):
        with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", "ticket"):
            tenant.client.erase("maya", ticket=ticket)
    assert texts(tenant.client, "maya", "kept") == ["kept"]


def test_deleting_a_tenant_erases_every_person_and_leaves_receipts_and_audit(
    make_tenant, rapport: RapportProcess
):
    tenant, other = make_tenant(), make_tenant()
    for end_user_id in ("maya", "noor"):
        live_a_little(tenant, end_user_id, SENTENCE)
    add(other.client, "maya", "another tenant's")
    assert "memory" in {table for table, _ in rows_with(rapport.superuser_dsn(), NEEDLES)}
    answer = tenant.operator.delete_tenant(tenant.tenant_id)
    assert (answer.deleted_count, answer.end_users_erased) == (1, 2)
    assert rows_with(rapport.superuser_dsn(), [SENTENCE]) == []
    with refused("UNAUTHENTICATED"):
        tenant.client.recall("maya", query="anything")
    with refused("NOT_FOUND"):
        tenant.operator.get_tenant()
    kinds = [event.kind for event in tenant.operator.list_audit_events()]
    assert kinds.count(AuditEventKind.AUDIT_EVENT_KIND_END_USER_ERASED) == 2
    assert AuditEventKind.AUDIT_EVENT_KIND_TENANT_DELETED in kinds
    assert tenant.operator.verify_audit_log().ok
    with refused("NOT_FOUND"):
        tenant.operator.delete_tenant(tenant.tenant_id)
    assert tenant.operator.delete_tenant(tenant.tenant_id, allow_missing=True).deleted_count == 0
    assert texts(other.client, "maya", "x") == ["another tenant's"]
