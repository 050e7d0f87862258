"""Keys: who may call what, from the first start to the revocation."""

from datetime import UTC, datetime, timedelta

import pytest

from rapport import ApiKeyRole, Client
from tests.e2e.evidence import files_with, rows_with
from tests.e2e.scene import add, refused
from tests.fix_rapport import RapportProcess, TenantHandle


@pytest.mark.parametrize(
    "key", [None, "rap_000000000000_" + "x" * 43, "rubbish"], ids=["none", "unknown", "rubbish"]
)
def test_without_a_good_key_nothing_is_served(
    rapport: RapportProcess, key: str | None, monkeypatch
):
    monkeypatch.delenv("RAPPORT_API_KEY", raising=False)
    with Client(rapport.address, api_key=key) as client:
        for call in (
            lambda: client.process("maya", message="hello"),
            lambda: client.get_relation("maya"),
            lambda: list(client.watch_processing("maya", source_ids=["x"])),
            lambda: list(client.list_tenants(tenant_id="default")),
            lambda: client.get_signing_keys(),
        ):
            with refused("UNAUTHENTICATED"):
                call()


def test_a_right_key_id_with_a_wrong_secret_is_refused(rapport: RapportProcess):
    wrong = rapport.operator_key[:-1] + ("A" if rapport.operator_key[-1] != "A" else "B")
    with rapport.client(wrong, "default") as client, refused("UNAUTHENTICATED"):
        client.get_tenant()


def test_the_first_keys_are_shown_once_and_stored_only_as_hashes(rapport: RapportProcess):
    log = rapport.log.read_text()
    for key in (rapport.operator_key, rapport.writer_key):
        assert log.count(key) == 1
        secret = key.split("_", 2)[2]
        assert rows_with(rapport.superuser_dsn(), [secret]) == []
        below = [
            path for path in rapport.data_dir.iterdir() if path.name not in {"postgres", "socket"}
        ]
        assert files_with(below, [secret.encode()]) == []
    with rapport.operator() as operator:
        tenant = operator.get_tenant().tenant
        assert (tenant.tenant_id, tenant.plan) == ("default", 3)
        roles = [key.role for key in operator.list_api_keys()]
    assert ApiKeyRole.API_KEY_ROLE_OPERATOR in roles
    assert ApiKeyRole.API_KEY_ROLE_WRITER in roles


def test_a_revoked_key_is_refused_at_once(tenant: TenantHandle):
    created = tenant.operator.create_api_key(role="WRITER")
    with tenant.server.client(created.secret) as client:
        client.process("maya", message="hello")
        revoked = tenant.operator.revoke_api_key(key_id=created.api_key.key_id).api_key
        assert revoked.revoked
        with refused("UNAUTHENTICATED"):
            client.process("maya", message="hello again")
    tenant.client.process("maya", message="another key is not touched")
    with refused("NOT_FOUND"):
        tenant.operator.revoke_api_key(key_id="unknown")


def test_a_key_ends_at_its_expiry(tenant: TenantHandle):
    expires = datetime.now(UTC) + timedelta(seconds=4)
    secret = tenant.operator.create_api_key(role="WRITER", expire_time=expires).secret
    with tenant.server.client(secret) as client:
        client.process("maya", message="hello")
        while datetime.now(UTC) <= expires:
            pass
        with refused("UNAUTHENTICATED"):
            client.process("maya", message="hello again")
    past = datetime.now(UTC) - timedelta(seconds=1)
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", "expire_time"):
        tenant.operator.create_api_key(role="WRITER", expire_time=past)


def test_a_reader_reads_and_an_auditor_audits_and_neither_does_more(tenant: TenantHandle):
    (source_id,) = add(tenant.client, "maya", "Maya sings in a choir.")
    with tenant.caller("READER") as reader, tenant.caller("AUDITOR") as auditor:
        assert reader.recall("maya", query="choir").results
        assert reader.get_memory("maya", source_id=source_id).memory
        assert [user.end_user_id for user in reader.list_end_users()] == ["maya"]
        assert list(auditor.list_audit_events())
        assert auditor.verify_audit_log().ok
        assert list(auditor.list_queue()) == []
        forbidden = [
            (reader, lambda: reader.process("maya", message="x")),
            (reader, lambda: reader.add_memory("maya", memories=["x"])),
            (reader, lambda: reader.erase("maya")),
            (reader, lambda: reader.delete_memory("maya", source_id=source_id)),
            (reader, lambda: list(reader.list_audit_events())),
            (reader, lambda: reader.create_api_key(role="OPERATOR")),
            (auditor, lambda: auditor.recall("maya", query="choir")),
            (auditor, lambda: auditor.get_memory("maya", source_id=source_id)),
            (auditor, lambda: list(auditor.list_end_users())),
            (auditor, lambda: auditor.erase("maya")),
            (tenant.client, lambda: tenant.client.get_tenant()),
            (tenant.client, lambda: list(tenant.client.list_audit_events())),
        ]
        for _, call in forbidden:
            with refused("PERMISSION_DENIED"):
                call()
    assert (
        tenant.client.get_memory("maya", source_id=source_id).memory.text
        == "Maya sings in a choir."
    )


def test_a_key_works_in_its_own_tenant_only_and_an_operators_where_it_names(make_tenant, rapport):
    mine, other = make_tenant(), make_tenant()
    add(other.client, "maya", "a secret")
    for tenant_id in (other.tenant_id, "default", "nowhere"):
        with refused("PERMISSION_DENIED"):
            mine.client.recall("maya", query="secret", tenant_id=tenant_id)
    mine.client.recall("maya", query="secret", tenant_id=mine.tenant_id)
    with rapport.client(rapport.operator_key) as operator:
        with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", "tenant_id"):
            operator.recall("maya", query="secret")
        assert operator.recall("maya", query="secret", tenant_id=other.tenant_id).results
        with refused("NOT_FOUND"):
            operator.recall("maya", query="secret", tenant_id="nowhere")


def test_tenants_are_made_changed_and_listed(make_tenant, rapport: RapportProcess):
    schema = [{"name": "topic", "type": "STRING", "enable_match": True}]
    tenant = make_tenant(plan="CLINIC", metadata_schema=schema, initial_trust=0.3)
    got = tenant.operator.get_tenant().tenant
    assert (got.plan, got.initial_trust, got.metadata_schema[0].name) == (2, 0.3, "topic")
    assert got.tenant_id in {
        listed.tenant_id for listed in tenant.operator.list_tenants(page_size=5)
    }
    changed = tenant.operator.update_tenant(plan="COMMUNITY", update_mask=["plan"]).tenant
    assert (changed.plan, changed.initial_trust) == (1, 0.3)
    with refused("ALREADY_EXISTS"):
        tenant.operator.create_tenant(tenant_id=tenant.tenant_id)
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", "initial_trust"):
        tenant.operator.create_tenant(tenant_id="t-new", initial_trust=1.5)
    with refused("UNIMPLEMENTED"):
        tenant.operator.create_tenant(tenant_id="t-new", infer_default=True)


def test_a_plan_bounds_what_is_kept_of_each_kind_and_pinned_ones_stay(make_tenant):
    tenant = make_tenant(plan="COMMUNITY")
    client = tenant.client
    add(
        client,
        "maya",
        {"source_id": "pinned", "text": "Pinned from the beginning.", "pinned": True},
    )
    for start in (0, 300):
        add(client, "maya", *(f"Fact {number}." for number in range(start, start + 300)))
    said = client.process("maya", message="I speak while facts are cut.")
    while (
        len(kept := {m.text for m in client.list_memories("maya", kind="ADDED", page_size=1000)})
        > 501
    ):
        pass
    assert kept == {"Pinned from the beginning."} | {
        f"Fact {number}." for number in range(100, 600)
    }
    assert client.get_memory("maya", source_id=said.source_id).memory
    hits = client.recall("maya", query="Fact 3.", max_results=1000).results
    assert len(hits) == 502
    status = tenant.operator.get_tenant().tenant.vectorstore_status
    assert sum(store.memories for store in status) == 502
