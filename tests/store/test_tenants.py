"""Tenants and installation."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from rapport_server.domain.memories import MemoryDraft, Store
from rapport_server.domain.storage import PageRequest
from rapport_server.domain.tenants import ApiKeyRole, MetadataField, MetadataType, Plan
from rapport_server.errors import NotFound
from rapport_server.store.database import PostgresDatabase
from tests.store.house import MAYA, STRANGE_IDS, complete, enqueue, make_tenant

SCHEMA = (
    MetadataField("ward", MetadataType.STRING, True),
    MetadataField("score", MetadataType.NUMBER, False),
)


async def test_a_tenant_comes_back_as_it_was_given_with_the_database_s_times(
    store: PostgresDatabase,
) -> None:
    given = make_tenant(
        "clinic",
        plan=Plan.CLINIC,
        metadata_schema=SCHEMA,
        default_end_user_id="desk",
        initial_trust=0.25,
        infer_default=True,
        allow_llm=True,
    )
    async with store.session() as session:
        assert await session.tenants.insert(given)
        stored = await session.tenants.get("clinic")
    assert stored is not None
    assert stored.create_time == stored.update_time > given.create_time
    assert replace(stored, create_time=given.create_time, update_time=given.update_time) == given


async def test_a_second_tenant_of_the_same_id_is_refused_and_changes_nothing(
    store: PostgresDatabase,
) -> None:
    async with store.session() as session:
        assert not await session.tenants.insert(make_tenant("acme", plan=Plan.COMMUNITY))
        stored = await session.tenants.get("acme")
    assert stored is not None
    assert stored.plan is Plan.ENTERPRISE


async def test_an_update_writes_every_setting_and_only_of_that_tenant(
    store: PostgresDatabase,
) -> None:
    async with store.session() as session:
        before = await session.tenants.get("acme")
        assert before is not None
        changed = replace(before, plan=Plan.COMMUNITY, metadata_schema=SCHEMA, initial_trust=0.5)
        written = await session.tenants.update(changed)
        assert written == await session.tenants.get("acme")
        other = await session.tenants.get("globex")
    assert replace(written, update_time=before.update_time) == changed
    assert written.update_time > before.update_time
    assert other is not None
    assert other.plan is Plan.ENTERPRISE


async def test_updating_a_tenant_that_is_gone_is_not_found(store: PostgresDatabase) -> None:
    async with store.session() as session:
        with pytest.raises(NotFound):
            await session.tenants.update(make_tenant("nobody"))


async def test_pages_hold_every_tenant_once_in_the_order_of_bytes(store: PostgresDatabase) -> None:
    async with store.session() as session:
        for tenant_id in STRANGE_IDS:
            assert await session.tenants.insert(make_tenant(tenant_id))
        seen: list[str] = []
        while True:
            after = (seen[-1],) if seen else None
            found = await session.tenants.page(PageRequest(3, after))
            seen += [tenant.tenant_id for tenant in found]
            if len(found) < 3:
                break
    assert seen == sorted([*STRANGE_IDS, "acme", "globex"], key=str.encode)


async def test_deleting_a_tenant_takes_its_keys_and_shards_but_no_operator_key_and_no_neighbour(
    store: PostgresDatabase,
) -> None:
    await complete(store, MemoryDraft("m", "text"), scope=replace(MAYA, tenant_id="globex"))
    async with store.transaction() as tx:
        for tenant_id in ("acme", "globex"):
            await tx.keys.insert(tenant_id, f"{tenant_id}-w", ApiKeyRole.WRITER, b"h", None)
        await tx.keys.insert("acme", "op", ApiKeyRole.OPERATOR, b"h", None)
        await tx.shards.create("acme", 0)
        await tx.tenants.delete("acme")
    async with store.session() as session:
        assert await session.tenants.get("acme") is None
        assert await session.keys.find("acme-w") is None
        assert await session.keys.find("op") is not None
        assert await session.shards.ids("acme") == []
        assert await session.tenants.get("globex") is not None
        assert await session.keys.find("globex-w") is not None
        assert await session.shards.ids("globex") == [0]


async def test_the_status_counts_one_store_of_one_tenant(store: PostgresDatabase) -> None:
    await complete(store, MemoryDraft("long", "twelve bytes"), pieces=3)
    await complete(store, MemoryDraft("other", "x"), scope=replace(MAYA, tenant_id="globex"))
    await complete(store, MemoryDraft("doc", "xx"), scope=replace(MAYA, store=Store.KNOWLEDGE))
    await enqueue(store, MemoryDraft("long", "new"), MemoryDraft("fresh", "12345"))
    async with store.session() as session:
        status = await session.tenants.status("acme", Store.MEMORIES)
        empty = await session.tenants.status("globex", Store.KNOWLEDGE)
    assert (status.memories, status.chunks, status.queued) == (2, 3, 2)
    assert status.bytes == len("twelve bytes" + "new" + "12345") + 3 * 16
    assert (empty.memories, empty.chunks, empty.queued, empty.bytes) == (0, 0, 0, 0)


async def test_the_installation_keeps_the_first_secrets_and_the_first_model(
    store: PostgresDatabase,
) -> None:
    async with store.session() as session:
        assert (await session.installation.get()).model_name is None
        await session.installation.set_secrets_fingerprint("first")
        await session.installation.set_secrets_fingerprint("second")
        await session.installation.set_model("mini", "m1", 384)
        after = await session.installation.set_model("large", "m2", 1024)
        assert after == await session.installation.get()
    assert after.secrets_fingerprint == "first"
    assert (after.model_name, after.model_fingerprint, after.dimension) == ("mini", "m1", 384)


async def test_a_closed_tenant_is_seen_by_nobody_lets_nobody_in_and_can_be_deleted(
    store: PostgresDatabase,
) -> None:
    async with store.transaction() as tx:
        assert await tx.tenants.close("acme")
        assert not await tx.tenants.close("nobody")
    async with store.transaction() as tx:
        assert await tx.tenants.get("acme") is None
        assert await tx.tenants.lock("acme") is None
        assert await tx.tenants.closed() == ["acme"]
        assert [t.tenant_id for t in await tx.tenants.page(PageRequest(10))] == ["globex"]
        with pytest.raises(NotFound):
            await tx.people.begin("acme", "maya", 0.0, datetime.now(UTC))
    async with store.transaction() as tx:
        assert await tx.tenants.close("acme")
        assert await tx.tenants.delete("acme")
        assert not await tx.tenants.delete("acme")
