"""request_id: the same work is done once, whoever repeats it and however late."""

import uuid

import pytest

from rapport import Client
from tests.e2e.evidence import refusal_reason
from tests.e2e.scene import NOON, add, is_stranger, refused, together, wait_for
from tests.fix_rapport import TenantHandle


def new_id() -> str:
    return str(uuid.uuid4())


def events_of(tenant: TenantHandle) -> int:
    return len(list(tenant.operator.list_audit_events(page_size=1000)))


def test_the_same_process_call_is_one_interaction_and_answers_again(tenant: TenantHandle):
    client = tenant.client
    add(client, "maya", "Maya grows tomatoes.")
    request_id = new_id()
    call = {"message": "My tomatoes are red.", "channel": "app", "signals": {"mood_delta": 0.5}}
    first = client.process("maya", request_id=request_id, **call)
    client.process("maya", message="Something else meanwhile.")
    again = client.process("maya", request_id=request_id, **call)
    assert again == first
    assert client.get_relation("maya").relation.interaction_count == 2
    with refused("INVALID_ARGUMENT", "REQUEST_ID_REUSED"):
        client.process("maya", request_id=request_id, **call | {"message": "Another body."})
    with refused("INVALID_ARGUMENT", "REQUEST_ID_REUSED"):
        client.process("noor", request_id=request_id, **call)
    assert client.get_relation("maya").relation.interaction_count == 2


def test_every_mutating_call_is_done_once(make_tenant):
    tenant = make_tenant()
    client, operator = tenant.client, tenant.operator
    ids = add(client, "maya", "one", "two", "three")
    said = client.process("maya", message="hello")
    client.upsert_person_relation(
        "maya", person_relation={"person_relation_id": "anna", "name": "Anna"}
    )
    client.upsert_trigger(
        "maya", trigger={"trigger_id": "ask", "description": "Ask.", "due_at": NOON}
    )
    new_tenant = f"t-{new_id()}"
    key = operator.create_api_key(role="READER").api_key
    calls = {
        "AddMemory": lambda r: client.add_memory(
            "maya", memories=["four", {"text": ""}], wait=60, request_id=r
        ),
        "AttachReply": lambda r: client.attach_reply(
            "maya", interaction_id=said.interaction_id, assistant_message="hi", request_id=r
        ),
        "UpdateMemory": lambda r: client.update_memory(
            "maya", source_id=ids[0], title="t", request_id=r
        ),
        "DeleteMemory": lambda r: client.delete_memory("maya", source_id=ids[1], request_id=r),
        "RecordEvent": lambda r: client.record_event(
            "maya", event={"kind": "KEPT_PROMISE"}, request_id=r
        ),
        "UpsertPersonRelation": lambda r: client.upsert_person_relation(
            "maya", person_relation={"name": "Anna"}, request_id=r
        ),
        "DeletePersonRelation": lambda r: client.delete_person_relation(
            "maya", person_relation_id="anna", request_id=r
        ),
        "UpsertTrigger": lambda r: client.upsert_trigger(
            "maya", trigger={"description": "Ask.", "due_at": NOON}, request_id=r
        ),
        "DeleteTrigger": lambda r: client.delete_trigger("maya", trigger_id="ask", request_id=r),
        "SetAssignments": lambda r: client.set_assignments(
            "maya", assignments=["nurse"], request_id=r
        ),
        "RetryProcessing": lambda r: client.retry_processing(
            "maya", source_ids=ids[:1], request_id=r
        ),
        "UpdateTenant": lambda r: operator.update_tenant(default_end_user_id="team", request_id=r),
        "CreateTenant": lambda r: operator.create_tenant(tenant_id=new_tenant, request_id=r),
        "DeleteTenant": lambda r: operator.delete_tenant(new_tenant, request_id=r),
        "RevokeApiKey": lambda r: operator.revoke_api_key(key_id=key.key_id, request_id=r),
        "RunSweep": lambda r: operator.run_sweep(request_id=r),
        "Erase": lambda r: client.erase("maya", request_id=r),
    }
    for name, call in calls.items():
        request_id = new_id()
        first = call(request_id)
        events = events_of(tenant)
        again = call(request_id)
        if name == "RecordEvent":
            # The state is answered as of now: only its clock has moved.
            assert again.relation.interaction_count == first.relation.interaction_count
        else:
            assert again == first, name
        assert events_of(tenant) == events, name
    assert is_stranger(client, "maya")


def test_a_keys_secret_is_shown_once_even_to_a_replay(tenant: TenantHandle):
    request_id = new_id()
    first = tenant.operator.create_api_key(role="READER", request_id=request_id)
    again = tenant.operator.create_api_key(role="READER", request_id=request_id)
    assert first.secret
    assert not again.secret
    assert again.api_key == first.api_key


def test_concurrent_duplicates_do_the_work_once_and_all_get_the_answer(tenant: TenantHandle):
    request_id = new_id()
    answers = together(
        12, lambda _: tenant.client.process("maya", message="Only once.", request_id=request_id), 24
    )
    assert len({answer.interaction_id for answer in answers}) == 1
    assert all(answer == answers[0] for answer in answers)
    assert tenant.client.get_relation("maya").relation.interaction_count == 1
    add_id = new_id()
    added = together(
        12, lambda _: tenant.client.add_memory("maya", memories=["x", "y"], request_id=add_id), 24
    )
    ids = {tuple(result.source_id for result in answer.results) for answer in added}
    assert len(ids) == 1
    assert wait_for(tenant.client, "maya", list(ids.pop())) == []
    assert len(list(tenant.client.list_memories("maya"))) == 3


def test_an_id_is_scoped_to_credential_and_rpc(tenant: TenantHandle):
    request_id = new_id()
    tenant.client.process("maya", message="hello", request_id=request_id)
    tenant.client.add_memory("maya", memories=["hello"], request_id=request_id)
    with tenant.caller("WRITER") as other:
        other.process("maya", message="hello", request_id=request_id)
    assert tenant.client.get_relation("maya").relation.interaction_count == 2


def test_after_erase_a_replay_is_refused_and_writes_nothing(tenant: TenantHandle):
    client = tenant.client
    process_id, add_id, erase_id = new_id(), new_id(), new_id()
    calls = [
        lambda: client.process("maya", message="remember me", request_id=process_id),
        lambda: client.add_memory("maya", memories=["remember me"], request_id=add_id),
    ]
    for call in calls:
        call()
    receipt = client.erase("maya", request_id=erase_id).receipt
    assert receipt.counts.idempotency_records == 2
    for call in calls:
        assert refusal_reason(call) == "ERASED"
    assert is_stranger(client, "maya")
    again = client.erase("maya", request_id=erase_id).receipt
    assert again == receipt
    client.process("maya", message="a new life")
    assert client.erase("maya", request_id=erase_id).receipt == receipt
    assert client.get_relation("maya").relation.interaction_count == 1
    with refused("INVALID_ARGUMENT", "REQUEST_ID_REUSED"):
        client.erase("noor", request_id=erase_id)


def test_what_was_deleted_since_is_left_out_of_a_replay(tenant: TenantHandle):
    client: Client = tenant.client
    (source_id,) = add(client, "maya", "Maya collects stamps.")
    request_id = new_id()
    call = {"message": "Where are Maya's stamps?", "request_id": request_id}
    first = client.process("maya", **call)
    assert [m.source_id for m in first.memory.relevant_memories] == [source_id]
    client.delete_memory("maya", source_id=source_id)
    again = client.process("maya", **call)
    assert not again.memory.relevant_memories
    assert "collects stamps" not in again.context.system_prompt
    assert again.interaction_id == first.interaction_id


@pytest.mark.parametrize("request_id", ["1", "g" * 36, "00000000-0000-0000-0000-00000000000g"])
def test_an_id_that_is_no_uuid_is_refused(tenant: TenantHandle, request_id: str):
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", "request_id"):
        tenant.client.add_memory("maya", memories=["x"], request_id=request_id)
