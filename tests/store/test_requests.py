"""request_id records: once, again the same, waiting for a duplicate, reduced by an erase, gone after a day."""

import asyncio
from collections.abc import AsyncIterator

import psycopg
import pytest

from rapport_server.domain.storage import RequestRecord
from rapport_server.errors import Conflict
from rapport_server.store.database import PostgresDatabase
from tests.fix_postgres import Database
from tests.store.seed import opened, subject

ID, BODY, MAYA = b"i" * 32, b"b" * 32, subject("acme", "maya")


@pytest.fixture
async def db(database: Database) -> AsyncIterator[PostgresDatabase]:
    async with opened(database) as db:
        yield db


async def _use(
    db: PostgresDatabase, request: bytes = ID, who: bytes = MAYA, tenant: str = "acme"
) -> RequestRecord | None:
    async with db.transaction() as tx:
        earlier = await tx.requests.begin(tenant, request, BODY, who)
        if earlier is None:
            await tx.requests.finish(tenant, request, {"n": 1})
        return earlier


async def test_the_second_call_gets_what_the_first_one_answered(db: PostgresDatabase) -> None:
    assert await _use(db) is None
    assert await _use(db) == RequestRecord(BODY, {"n": 1}, erased=False)
    async with db.session() as session:
        assert await session.requests.get("acme", ID) == RequestRecord(BODY, {"n": 1}, False)
        assert await session.requests.get("other", ID) is None
    assert await _use(db, tenant="other") is None


async def test_a_concurrent_duplicate_waits_and_then_gets_the_answer(db: PostgresDatabase) -> None:
    claimed, go = asyncio.Event(), asyncio.Event()

    async def first() -> None:
        async with db.transaction() as tx:
            assert await tx.requests.begin("acme", ID, BODY, MAYA) is None
            claimed.set()
            await go.wait()
            await tx.requests.finish("acme", ID, {"n": 7})

    one = asyncio.create_task(first())
    await claimed.wait()
    two = asyncio.create_task(_use(db))
    await asyncio.sleep(0.1)
    assert not two.done()
    go.set()
    await one
    assert await two == RequestRecord(BODY, {"n": 7}, erased=False)


async def test_a_duplicate_of_a_call_that_failed_does_the_work(db: PostgresDatabase) -> None:
    claimed, go = asyncio.Event(), asyncio.Event()

    async def failing() -> None:
        async with db.transaction() as tx:
            await tx.requests.begin("acme", ID, BODY, MAYA)
            claimed.set()
            await go.wait()
            raise Conflict

    one = asyncio.create_task(failing())
    await claimed.wait()
    two = asyncio.create_task(_use(db))
    await asyncio.sleep(0.05)
    go.set()
    with pytest.raises(Conflict):
        await one
    assert await two is None


async def test_reducing_keeps_nothing_but_the_id_and_the_epoch(
    db: PostgresDatabase, database: Database
) -> None:
    await _use(db)
    await _use(db, b"j" * 32, subject("acme", "omar"))
    async with db.transaction() as tx:
        await tx.people.bump("acme", MAYA)
        assert await tx.requests.reduce("acme", MAYA) == 1
        assert await tx.requests.reduce("acme", MAYA) == 0
    assert await _use(db) == RequestRecord(b"", {}, erased=True)
    assert await _use(db, b"j" * 32) == RequestRecord(BODY, {"n": 1}, erased=False)
    async with await psycopg.AsyncConnection.connect(database.owner_dsn) as conn:
        row = await (
            await conn.execute(
                "SELECT body_hash, subject_hash, result, epoch FROM request_record WHERE erased"
            )
        ).fetchone()
    assert row == (None, None, None, 1)


async def test_a_record_of_nobody_outlives_an_erase(db: PostgresDatabase) -> None:
    await _use(db, who=b"")
    async with db.transaction() as tx:
        assert await tx.requests.reduce("acme", b"") == 0
        assert await tx.requests.reduce("acme", MAYA) == 0
    assert await _use(db) == RequestRecord(BODY, {"n": 1}, erased=False)


async def test_records_expire_after_their_hours_some_at_a_time(
    db: PostgresDatabase, database: Database
) -> None:
    for n in range(4):
        await _use(db, bytes([n]) * 32)
    async with await psycopg.AsyncConnection.connect(database.owner_dsn) as conn:
        await conn.execute(
            "UPDATE request_record SET create_time = now() - interval '25 hours' WHERE request_hash <> %s",
            (bytes(32),),
        )
    async with db.session() as session:
        assert await session.requests.expire(24, 2) == 2
        assert await session.requests.expire(24, 2) == 1
        assert await session.requests.expire(24, 2) == 0
        assert await session.requests.get("acme", bytes(32)) is not None
