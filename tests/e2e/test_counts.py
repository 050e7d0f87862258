"""Known since, last seen, how many memories and interactions: exact, whatever comes in which order; and what is listed meanwhile."""

import time
import uuid
from datetime import UTC, datetime, timedelta

from rapport.v1.relation_pb2 import Relation
from tests.e2e.scene import NOON, add, minutes, refused, texts, together
from tests.fix_rapport import TenantHandle

LONG_AGO = NOON - timedelta(days=400)


def relation_of(tenant: TenantHandle, name: str = "maya") -> Relation:
    return tenant.client.get_relation(name).relation


def known_since(tenant: TenantHandle, name: str = "maya") -> datetime:
    return relation_of(tenant, name).known_since.ToDatetime(UTC)


def stored(tenant: TenantHandle) -> dict[str, int]:
    """As ListEndUsers tells it, which must agree with the list itself."""
    told = {user.end_user_id: user.total_stored for user in tenant.operator.list_end_users()}
    for name, count in told.items():
        assert len(list(tenant.client.list_memories(name, page_size=1000))) == count
    return told


def test_times_are_those_of_the_first_and_the_latest_in_any_order(tenant: TenantHandle):
    client = tenant.client
    add(client, "maya", {"text": "Maya was born in Ghent.", "occurred_at": NOON - minutes(30)})
    before = relation_of(tenant)
    assert known_since(tenant) == NOON - minutes(30)
    assert (before.interaction_count, before.HasField("last_seen")) == (0, False)
    stranger = client.process("maya", message="hello", occurred_at=NOON)
    assert not stranger.memory.HasField("last_seen")
    earlier = client.process("maya", message="earlier", occurred_at=NOON - minutes(60))
    assert earlier.memory.last_seen.ToDatetime(UTC) == NOON
    assert earlier.memory.known_since.ToDatetime(UTC) == NOON - minutes(60)
    assert earlier.memory.interaction_count == 2
    assert relation_of(tenant).last_seen.ToDatetime(UTC) == NOON
    event = {"kind": "KEPT_PROMISE", "occurred_at": NOON - minutes(90)}
    client.record_event("maya", event=event)
    assert known_since(tenant) == NOON - minutes(90)
    add(client, "maya", {"text": "Maya's school was yellow.", "occurred_at": LONG_AGO})
    add(client, "maya", {"text": "Maya's school was later blue.", "occurred_at": NOON})
    assert known_since(tenant) == LONG_AGO
    after = relation_of(tenant)
    assert after.interaction_count == 2
    assert after.last_seen.ToDatetime(UTC) == NOON


def test_the_number_of_memories_follows_every_call(tenant: TenantHandle):
    client = tenant.client
    add(client, "maya", {"source_id": "a", "text": "The kettle is blue."}, "It rains in Ghent.")
    request_id = str(uuid.uuid4())
    first = client.process("maya", message="hello", request_id=request_id)
    assert first.memory.total_stored == 3
    assert client.process("maya", message="hello", request_id=request_id) == first
    add(client, "maya", {"source_id": "a", "text": "The kettle is red."})
    assert client.process("maya", message="again").memory.total_stored == 4
    short = add(client, "maya", {"text": "The code is 4711.", "expiry_time": 1})
    assert short
    client.delete_memory("maya", source_id="a")
    client.delete_memory("maya", source_id=first.source_id)
    time.sleep(1.1)
    assert client.process("maya", message="and again").memory.total_stored == 3
    assert relation_of(tenant).interaction_count == 3
    with refused("NOT_FOUND"):
        client.delete_memory("maya", source_id=short[0])
    assert stored(tenant) == {"maya": 3}


def test_calls_at_once_leave_exact_numbers(tenant: TenantHandle):
    client = tenant.client
    add(client, "maya", *({"source_id": f"s{n}", "text": f"Shelf {n}."} for n in range(4)))
    totals: list[int] = []

    def work(number: int) -> None:
        match number % 4:
            case 0:
                answer = client.process("maya", message=f"call {number}", occurred_at=NOON)
                totals.append(answer.memory.total_stored)
            case 1:
                add(client, "maya", {"source_id": f"s{number % 3}", "text": f"Shelf {number}."})
            case 2:
                add(client, "maya", f"Book number {number}.")
            case _:
                said = client.process("maya", message=f"forget {number}", occurred_at=NOON)
                client.delete_memory("maya", source_id=said.source_id)

    together(8, work, 40)
    assert relation_of(tenant).interaction_count == 20
    assert stored(tenant) == {"maya": 4 + 10 + 10}
    assert all(5 <= total <= 4 + 10 + 10 + 8 for total in totals)


def test_what_a_sweep_by_hand_removes_is_told_and_gone(make_tenant):
    tenant = make_tenant()
    client, operator = tenant.client, tenant.operator
    facts = [
        {"source_id": f"m{n}", "text": f"Note number {n}.", "occurred_at": NOON + minutes(n)}
        for n in range(506)
    ]
    facts[0]["pinned"] = True
    # Told last, of a time before all others.
    facts.append({"source_id": "old", "text": "Before all notes.", "occurred_at": LONG_AGO})
    add(client, "maya", *facts)
    add(client, "noor", *({"text": f"Code {n}.", "expiry_time": 1} for n in range(3)))
    said = client.process("maya", message="Which notes are there?")
    assert said.memory.total_stored == 508
    operator.update_tenant(plan="COMMUNITY")
    time.sleep(1.1)
    request_id = str(uuid.uuid4())
    swept = operator.run_sweep(request_id=request_id)
    events = list(operator.list_audit_events(kind="RETENTION_SWEPT"))
    assert operator.run_sweep(request_id=request_id) == swept
    assert list(operator.list_audit_events(kind="RETENTION_SWEPT")) == events
    (call,) = (dict(event.details) for event in events if not event.subject_hash)
    assert call == {
        "expired_count": swept.expired_count,
        "retention_count": swept.retention_count,
    }
    # The server's own sweep may have come first to some of them.
    done = {
        by: [
            sum(dict(e.details).get(what, 0) for e in events if bool(e.actor_key_id) == by)
            for what in ("expired", "cut")
        ]
        for by in (True, False)
    }
    assert done[True] == [swept.expired_count, swept.retention_count]
    assert [mine + own for mine, own in zip(*done.values(), strict=True)] == [3, 6]
    left = {memory.source_id for memory in client.list_memories("maya", page_size=1000)}
    assert left == {said.source_id, "m0", *(f"m{n}" for n in range(6, 506))}
    assert texts(client, "maya", "Before all notes.", max_results=1) != ["Before all notes."]
    assert stored(tenant) == {"maya": 502, "noor": 0}
    (memories, *_) = operator.get_tenant().tenant.vectorstore_status
    assert (memories.memories, memories.chunks) == (502, 502)
    assert operator.run_sweep().retention_count == 0
    assert operator.verify_audit_log().ok
    with refused("NOT_FOUND"):
        operator.run_sweep(tenant_id=f"t-{uuid.uuid4()}")


def test_lists_neither_repeat_nor_hide_while_rows_come_and_go(tenant: TenantHandle):
    client = tenant.client
    said = [
        client.process("maya", message=f"message {n}", occurred_at=NOON + minutes(n))
        for n in range(12)
    ]
    listed: dict[str, list[str]] = {}
    for order in ("NEWEST", "OLDEST"):
        seen = []
        for message in client.list_messages("maya", order=order, page_size=3):
            seen.append(message.text)
            if len(seen) == 4:
                # One newer and one older than all; two go, one of them on a page that is still to come.
                number = len(listed)
                client.process("maya", message=f"new {order}", occurred_at=NOON + minutes(60))
                client.process("maya", message=f"old {order}", occurred_at=NOON - minutes(60))
                for gone in (said[2 + number], said[9 - number]):
                    client.delete_memory("maya", source_id=gone.source_id)
        listed[order] = seen
    names = {n: f"message {n}" for n in range(12)}
    assert listed["NEWEST"] == [names[n] for n in range(11, -1, -1) if n != 2] + ["old NEWEST"]
    oldest = ["old NEWEST", *(names[n] for n in range(12) if n not in (2, 3, 9, 8))]
    assert listed["OLDEST"][:3] == oldest[:3]
    assert [text for text in listed["OLDEST"] if text != names[3]] == [
        *oldest,
        "new NEWEST",
        "new OLDEST",
    ]


def test_the_history_is_whole_in_both_orders_while_points_are_added(tenant: TenantHandle):
    client = tenant.client
    said = [client.process("maya", message=f"message {n}", occurred_at=NOON) for n in range(10)]
    seen = []
    for point in client.list_relation_history("maya", order="OLDEST", page_size=3):
        seen.append(point.interaction_id)
        if len(seen) == 4:
            # What is known of the relation outlives the words.
            client.delete_memory("maya", source_id=said[7].source_id)
            said.append(client.process("maya", message="later", occurred_at=NOON - minutes(9)))
    assert seen == [answer.interaction_id for answer in said]
    newest = []
    for point in client.list_relation_history("maya", order="NEWEST", page_size=3):
        newest.append(point.interaction_id)
        if len(newest) == 4:
            client.process("maya", message="unseen", occurred_at=NOON)
    assert newest == seen[::-1]


def test_messages_of_what_was_removed_go_with_it(tenant: TenantHandle):
    client = tenant.client
    said = client.process("maya", message="My pin is 4711.", assistant_message="Noted.")
    client.process("maya", message="It rains.")
    client.delete_memory("maya", source_id=said.source_id)
    assert [m.text for m in client.list_messages("maya")] == ["It rains."]
    with refused("NOT_FOUND"):
        client.attach_reply("maya", interaction_id=said.interaction_id, assistant_message="No.")
