"""The people in a person's life, what is to be brought up, and to whom the person is assigned."""

import uuid
from datetime import timedelta

from rapport import AnalysisOrigin, AuditEventKind, Client, Trigger
from tests.e2e.scene import NOON, add, minutes, refused
from tests.e2e.test_isolation import WEIRD
from tests.fix_rapport import TenantHandle

CALLER = AnalysisOrigin.ANALYSIS_ORIGIN_CALLER
LOCAL = AnalysisOrigin.ANALYSIS_ORIGIN_LOCAL


def names(client: Client, end_user_id: str, **settings: int) -> list[str]:
    return [one.name for one in client.list_person_relations(end_user_id, **settings)]


def due(client: Client, end_user_id: str = "maya", **settings: object) -> list[str]:
    """What Process reports, by the first word."""
    answer = client.process(end_user_id, message="Hello again.", **settings)  # type: ignore[arg-type]
    return [trigger.description.split()[0] for trigger in answer.triggers]


def kinds(tenant: TenantHandle) -> list[int]:
    return [event.kind for event in tenant.operator.list_audit_events(page_size=1000)]


def test_a_person_relation_is_made_replaced_listed_and_deleted(tenant: TenantHandle):
    client = tenant.client
    with refused("NOT_FOUND"):
        client.upsert_person_relation("maya", person_relation={"name": "Anna"})
    assert names(client, "maya") == []
    client.process("maya", message="Hello.")
    made = client.upsert_person_relation("maya", person_relation={"name": "Anna"}).person_relation
    assert (made.sentiment, made.kind, made.note) == (0.5, "", "")
    assert not made.HasField("last_mentioned")
    assert uuid.UUID(made.person_relation_id)
    whole = {
        "person_relation_id": made.person_relation_id,
        "name": "Anna Brandt",
        "kind": "boss",
        "sentiment": 0.0,
        "note": "Strict.",
        "last_mentioned": NOON,
    }
    stored = client.upsert_person_relation("maya", person_relation=whole).person_relation
    assert list(client.list_person_relations("maya")) == [stored]
    assert (stored.name, stored.sentiment, stored.note) == ("Anna Brandt", 0, "Strict.")
    # Replaced, not merged.
    client.upsert_person_relation(
        "maya",
        person_relation={"person_relation_id": made.person_relation_id, "name": "Anna"},
    )
    assert list(client.list_person_relations("maya")) == [made]
    for name in ("Zoe", "Bea", "Cem"):
        client.upsert_person_relation("maya", person_relation={"name": name})
    assert names(client, "maya", page_size=2) == ["Anna", "Bea", "Cem", "Zoe"]
    chosen = {"person_relation_id": made.person_relation_id}
    assert client.delete_person_relation("maya", **chosen).deleted_count == 1
    with refused("NOT_FOUND") as error:
        client.delete_person_relation("maya", **chosen)
    assert error.metadata == {"resource": "person_relation", **chosen}
    assert client.delete_person_relation("maya", **chosen, allow_missing=True).deleted_count == 0
    assert kinds(tenant).count(AuditEventKind.AUDIT_EVENT_KIND_PERSON_RELATION_CHANGED) == 8
    assert "Anna" not in str(list(tenant.operator.list_audit_events(page_size=1000)))


def test_a_due_trigger_is_reported_until_it_is_done_and_goes_with_its_memory(tenant: TenantHandle):
    client = tenant.client
    with refused("NOT_FOUND"):
        client.upsert_trigger("maya", trigger={"description": "Ask.", "due_at": NOON})
    (source_id,) = add(client, "maya", "I keep bees.")

    def upsert(description: str, after: float, **fields: object) -> Trigger:
        given = {"description": description, "due_at": NOON + minutes(after), **fields}
        return client.upsert_trigger("maya", trigger=given).trigger  # type: ignore[arg-type]

    late = upsert("Surgery went how?", 10, source_id=source_id, origin="LOCAL")
    early = upsert("Birthday!", 5)
    upsert("Later.", 20)
    assert (late.origin, early.origin, late.source_id) == (LOCAL, CALLER, source_id)
    assert due(client, occurred_at=NOON) == []
    assert due(client, occurred_at=NOON + minutes(5)) == ["Birthday!"]
    request_id = str(uuid.uuid4())
    call = {"message": "Hello.", "occurred_at": NOON + minutes(10), "request_id": request_id}
    first = client.process("maya", **call)
    assert list(first.triggers) == [early, late]
    assert f"| {early.description}\n" in first.context.system_prompt
    # Without a time it is now, when all are due.
    assert due(client) == ["Birthday!", "Surgery", "Later."]
    upsert("New.", 1)
    assert list(client.process("maya", **call).triggers) == [early, late]

    early.done = True
    assert client.upsert_trigger("maya", trigger=early).trigger == early
    assert due(client) == ["New.", "Surgery", "Later."]
    assert list(client.process("maya", **call).triggers) == [late]
    assert early in list(client.list_triggers("maya", page_size=1))
    assert [one.due_at.ToSeconds() for one in client.list_triggers("maya", page_size=2)] == [
        int((NOON + minutes(after)).timestamp()) for after in (1, 5, 10, 20)
    ]
    client.delete_memory("maya", source_id=source_id)
    assert due(client) == ["New.", "Later."]
    assert late not in list(client.list_triggers("maya"))
    assert client.delete_trigger("maya", trigger_id=early.trigger_id).deleted_count == 1
    with refused("NOT_FOUND") as error:
        client.delete_trigger("maya", trigger_id=early.trigger_id)
    assert error.metadata == {"resource": "trigger", "trigger_id": early.trigger_id}
    missing = client.delete_trigger("maya", trigger_id=early.trigger_id, allow_missing=True)
    assert missing.deleted_count == 0
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", "trigger.source_id"):
        upsert("Again.", 1, source_id=source_id)
    assert due(client, "noor") == []


def test_people_are_listed_by_whom_they_are_assigned_to(tenant: TenantHandle):
    client, operator = tenant.client, tenant.operator
    with refused("NOT_FOUND"):
        client.set_assignments("maya", assignments=["nurse"])
    people = [f"p{number:02}" for number in range(9)]
    for number, end_user_id in enumerate(people):
        client.record_event(end_user_id, event={"kind": "KEPT_PROMISE"})
        before = client.get_relation(end_user_id).relation.update_time
        staff = ["nurse", "dr. b", "nurse"] if number % 3 else ["dr. b"]
        told = client.set_assignments(end_user_id, assignments=staff).assignments
        assert list(told) == sorted(set(staff))
        # The relation has not changed.
        assert client.get_relation(end_user_id).relation.update_time == before

    def assigned(assignment: str, size: int = 0) -> list[str]:
        listed = operator.list_end_users(assignment=assignment, page_size=size)
        return [user.end_user_id for user in listed]

    assert assigned("nurse", 2) == [one for n, one in enumerate(people) if n % 3]
    assert assigned("dr. b", 4) == assigned("") == people
    assert assigned("nurs") == assigned("Nurse") == []
    # A token is of one filter alone.
    page = operator.list_end_users(assignment="nurse", page_size=2)
    token = next(iter(page.pages())).next_page_token
    with refused("INVALID_ARGUMENT", "PAGE_TOKEN_INVALID", "page_token"):
        list(operator.list_end_users(assignment="dr. b", page_token=token))
    # Whoever is assigned anew while the pages go on is met once, or not at all.
    assert not client.set_assignments("p01", assignments=[]).assignments
    client.set_assignments("p08", assignments=["nurse"])
    rest = operator.list_end_users(assignment="nurse", page_size=2, page_token=token)
    assert [user.end_user_id for user in rest] == ["p04", "p05", "p07", "p08"]
    with tenant.caller("READER") as reader:
        (user,) = [u for u in reader.list_end_users(assignment="dr. b") if u.end_user_id == "p02"]
        assert list(user.assignments) == ["dr. b", "nurse"]
    assert AuditEventKind.AUDIT_EVENT_KIND_ASSIGNMENTS_SET in kinds(tenant)


def test_ids_are_opaque_and_of_one_person_and_tenant(make_tenant):
    one, other = make_tenant(), make_tenant()
    client = one.client
    for tenant, people in ((one, WEIRD), (other, WEIRD[:1])):
        for end_user_id in people:
            tenant.client.record_event(end_user_id, event={"kind": "KEPT_PROMISE"})
            for own in WEIRD:
                told = f"{tenant.tenant_id} {end_user_id}"[:256]
                tenant.client.upsert_person_relation(
                    end_user_id, person_relation={"person_relation_id": own, "name": own}
                )
                tenant.client.upsert_trigger(
                    end_user_id,
                    trigger={"trigger_id": own, "description": told, "due_at": NOON},
                )
    for end_user_id in WEIRD:
        assert sorted(names(client, end_user_id, page_size=1)) == sorted(WEIRD)
        triggers = list(client.list_triggers(end_user_id, page_size=1))
        assert {trigger.trigger_id for trigger in triggers} == set(WEIRD)
        assert {t.description for t in triggers} == {f"{one.tenant_id} {end_user_id}"[:256]}
    client.delete_person_relation("a", person_relation_id="a%")
    client.delete_trigger("a", trigger_id="_")
    assert client.erase("A").receipt.counts.triggers == len(WEIRD)
    left = {end_user_id: len(WEIRD) for end_user_id in WEIRD} | {"a": len(WEIRD) - 1, "A": 0}
    for end_user_id, count in left.items():
        assert len(names(client, end_user_id)) == count
        assert len(list(client.list_triggers(end_user_id))) == count
    assert len(names(other.client, "a")) == len(WEIRD)
    counts = client.erase("a").receipt.counts
    assert (counts.person_relations, counts.triggers) == (len(WEIRD) - 1,) * 2
    assert list(client.list_triggers("a")) == names(client, "a") == []
    assert len(list(other.client.list_triggers("a"))) == len(WEIRD)


def test_a_default_person_is_met_where_nothing_is_kept_by_name(make_tenant):
    client = make_tenant(default_end_user_id="team").client
    client.process(message="Hello.")
    client.upsert_trigger(trigger={"description": "Ask.", "due_at": NOON})
    assert [one.description for one in client.list_triggers("team")] == ["Ask."]
    assert len(list(client.list_triggers())) == 1
    client.set_assignments(assignments=["nurse"])
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", "end_user_id"):
        list(client.list_person_relations(""))


def test_a_reader_lists_and_changes_nothing(tenant: TenantHandle):
    tenant.client.process("maya", message="Hello.")
    tenant.client.upsert_person_relation("maya", person_relation={"name": "Anna"})
    later = NOON + timedelta(days=3)
    with tenant.caller("READER") as reader:
        assert names(reader, "maya") == ["Anna"]
        assert list(reader.list_triggers("maya")) == []
        for change in (
            lambda: reader.upsert_person_relation("maya", person_relation={"name": "Bea"}),
            lambda: reader.delete_person_relation("maya", person_relation_id="x"),
            lambda: reader.upsert_trigger("maya", trigger={"description": "x", "due_at": later}),
            lambda: reader.delete_trigger("maya", trigger_id="x"),
            lambda: reader.set_assignments("maya", assignments=[]),
        ):
            with refused("PERMISSION_DENIED"):
                change()
