"""API keys."""

import asyncio
from datetime import timedelta

from rapport_server.domain.storage import PageRequest
from rapport_server.domain.tenants import ApiKeyRole
from rapport_server.store.database import PostgresDatabase
from tests.store.house import NOON, STRANGE_IDS


async def test_a_key_is_found_by_its_id_alone_with_its_hash(store: PostgresDatabase) -> None:
    async with store.session() as session:
        assert not await session.keys.any()
        made = await session.keys.insert("acme", "k1", ApiKeyRole.READER, b"\0hash", NOON)
        assert await session.keys.any()
        assert await session.keys.find("k1") == (made, b"\0hash")
        assert await session.keys.find("K1") is None
    assert (made.tenant_id, made.role, made.revoked) == ("acme", ApiKeyRole.READER, False)
    assert not made.valid_at(NOON)
    assert made.valid_at(NOON - timedelta(seconds=1))


async def test_a_revoked_key_stays_revoked_and_only_its_own_tenant_can_revoke_it(
    store: PostgresDatabase,
) -> None:
    async with store.session() as session:
        await session.keys.insert("acme", "k1", ApiKeyRole.WRITER, b"h", None)
        assert await session.keys.revoke("globex", "k1") is None
        found = await session.keys.find("k1")
        assert found is not None
        assert not found[0].revoked
        revoked = await session.keys.revoke("acme", "k1")
        assert revoked is not None
        assert revoked.revoked
        assert await session.keys.revoke("acme", "k1") == revoked
        found = await session.keys.find("k1")
    assert found is not None
    assert found[0].revoked


async def test_pages_hold_every_key_of_the_tenant_once(store: PostgresDatabase) -> None:
    async with store.session() as session:
        for key_id in STRANGE_IDS:
            await session.keys.insert("acme", key_id, ApiKeyRole.READER, b"h", None)
        await session.keys.insert("globex", "b", ApiKeyRole.READER, b"h", None)
        seen: list[str] = []
        while found := await session.keys.page(
            "acme", PageRequest(4, (seen[-1],) if seen else None)
        ):
            seen += [key.key_id for key in found]
    assert seen == sorted(STRANGE_IDS, key=str.encode)


async def test_listeners_hear_of_a_revoked_key_and_a_changed_tenant_once_it_is_committed(
    store: PostgresDatabase,
) -> None:
    async with store.session() as session:
        await session.keys.insert("acme", "k1", ApiKeyRole.WRITER, b"h", None)
    notices = store.listen()
    assert await anext(notices) == {"kind": "listening"}
    async with store.transaction() as tx:
        await tx.keys.revoke("acme", "k1")
        tenant = await tx.tenants.lock("acme")
        assert tenant is not None
        await tx.tenants.update(tenant)
        heard = asyncio.ensure_future(anext(notices))
        done, _ = await asyncio.wait([heard], timeout=0.2)
        assert not done
    assert await heard == {"kind": "key", "key_id": "k1"}
    assert await anext(notices) == {"kind": "tenant", "tenant_id": "acme"}
    await notices.aclose()  # type: ignore[attr-defined]


async def test_listening_goes_on_after_the_connection_was_lost_and_says_so(
    store: PostgresDatabase,
) -> None:
    notices = store.listen()
    assert await anext(notices) == {"kind": "listening"}
    waiting = asyncio.ensure_future(anext(notices))
    await asyncio.sleep(0.05)
    async with store.session() as session:
        await session.conn.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN rapport'"
        )
        assert await waiting == {"kind": "listening"}
        await session.keys.insert("acme", "k1", ApiKeyRole.WRITER, b"h", None)
        await session.keys.revoke("acme", "k1")
    assert await anext(notices) == {"kind": "key", "key_id": "k1"}
    await notices.aclose()  # type: ignore[attr-defined]
