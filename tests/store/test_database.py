"""Transactions, and what the driver's errors become."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from uuid import uuid4

import psycopg
import pytest

from rapport_server.domain.analysis import Analysis, Emotion
from rapport_server.domain.memories import MemoryDraft, Pair, Scope
from rapport_server.domain.people import MessageRole
from rapport_server.domain.person_relations import PersonRelation
from rapport_server.domain.relation import RelationPoint, stranger
from rapport_server.domain.triggers import Trigger
from rapport_server.errors import (
    Conflict,
    DeadlineExceeded,
    Internal,
    NotFound,
    RapportError,
    Unavailable,
)
from rapport_server.store import database as module
from rapport_server.store.database import PostgresDatabase
from tests.fix_postgres import Database
from tests.store.house import NOON, begin, complete, make_tenant


async def test_a_transaction_commits_at_its_end_and_not_when_it_fails(
    store: PostgresDatabase,
) -> None:
    async with store.transaction() as tx:
        await tx.tenants.insert(make_tenant("one"))
        async with store.session() as session:
            assert await session.tenants.get("one") is None

    async def fail() -> None:
        async with store.transaction() as tx:
            await tx.tenants.insert(make_tenant("two"))
            raise NotFound("x")

    with pytest.raises(NotFound):
        await fail()
    async with store.session() as session:
        assert await session.tenants.get("one") is not None
        assert await session.tenants.get("two") is None


async def test_a_cancelled_transaction_rolls_back_and_gives_its_connection_back(
    database: Database,
) -> None:
    async with PostgresDatabase(database.app_dsn, database.owner_dsn, size=1) as store:

        async def work() -> None:
            async with store.transaction() as tx:
                await tx.tenants.insert(make_tenant("one"))
                await tx.conn.execute("SELECT pg_sleep(30)")

        task = asyncio.create_task(work())
        await asyncio.sleep(0.2)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert task.cancelled()
        async with store.session() as session:
            assert await session.tenants.get("one") is None


@pytest.mark.parametrize(
    ("statement", "leaf"),
    [
        ("DO $$ BEGIN RAISE SQLSTATE '57014'; END $$", DeadlineExceeded),
        ("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$", Conflict),
        ("DO $$ BEGIN RAISE SQLSTATE '40P01'; END $$", Conflict),
        ("DO $$ BEGIN RAISE SQLSTATE '53300'; END $$", Unavailable),
        ("DO $$ BEGIN RAISE SQLSTATE '57P03'; END $$", Unavailable),
        ("DO $$ BEGIN RAISE SQLSTATE '25006'; END $$", Unavailable),
        ("SELECT pg_terminate_backend(pg_backend_pid())", Unavailable),
        ("SELECT 'secret text'::int", Internal),
        ("SELECT secret_column FROM tenant", Internal),
    ],
)
async def test_the_driver_s_errors_become_leaves_that_tell_nothing_of_it(
    store: PostgresDatabase, statement: str, leaf: type[RapportError]
) -> None:
    with pytest.raises(RapportError) as caught:
        async with store.session() as session:
            await session.conn.execute(statement.encode())
    assert type(caught.value) is leaf
    assert caught.value.message == leaf().message
    assert isinstance(caught.value.__cause__, psycopg.Error)


async def test_a_statement_that_takes_too_long_is_ended(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_STATEMENT_S", 1)
    async with PostgresDatabase(database.app_dsn, database.owner_dsn) as store:
        with pytest.raises(DeadlineExceeded):
            async with store.session() as session:
                await session.conn.execute("SELECT pg_sleep(20)")


async def test_two_transactions_that_wait_for_each_other_end_in_one_conflict(
    store: PostgresDatabase,
) -> None:
    async def lock(first: str, second: str) -> None:
        async with store.transaction() as tx:
            await tx.tenants.lock(first)
            await asyncio.sleep(0.1)
            await tx.tenants.lock(second)

    ended = await asyncio.gather(
        lock("acme", "globex"), lock("globex", "acme"), return_exceptions=True
    )
    assert [type(end) for end in ended if end is not None] == [Conflict]


async def test_who_finds_no_free_connection_in_time_is_told_to_come_again(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_WAIT_S", 0.2)
    async with PostgresDatabase(database.app_dsn, database.owner_dsn, size=1) as store:
        async with store.session():
            with pytest.raises(Unavailable):
                async with store.session():
                    pass
        async with store.session() as session:
            assert await session.tenants.get("one") is None


async def test_after_a_restart_of_the_database_one_call_fails_and_the_next_ones_do_not(
    store: PostgresDatabase, database: Database
) -> None:
    async def read() -> None:
        async with store.session() as session:
            await session.tenants.get("acme")
            await asyncio.sleep(0.05)

    await asyncio.gather(*(read() for _ in range(8)))
    with psycopg.connect(database.admin_dsn, autocommit=True) as conn:
        conn.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'rapport_app' AND datname = %s",
            (database.name,),
        )
    with pytest.raises(Unavailable):
        await read()
    await asyncio.sleep(0.5)
    await asyncio.gather(*(read() for _ in range(8)))


async def test_an_unreachable_database_is_unavailable(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_WAIT_S", 0.3)
    nowhere = PostgresDatabase("host=/nonexistent dbname=x", database.owner_dsn)
    with pytest.raises(Unavailable):
        async with nowhere:
            pass
    await nowhere.close()


async def test_vacuuming_reclaims_the_rows_of_the_deleted_and_is_shared_by_those_who_wait(
    store: PostgresDatabase, database: Database
) -> None:
    async with store.transaction() as tx:
        await begin(tx)
        await tx.conn.execute("DELETE FROM end_user")
    before = store._vacuums_begun
    await asyncio.gather(*(store.vacuum_person_tables() for _ in range(8)))
    assert store._vacuums_begun - before <= 2
    with psycopg.connect(database.admin_dsn, autocommit=True) as conn:
        row = conn.execute("SELECT pg_relation_size('rapport.end_user')").fetchone()
    assert row == (0,)


async def test_the_planner_s_statistics_hold_nothing_of_a_person(
    store: PostgresDatabase, database: Database
) -> None:
    secret = "a distinctive sentence"
    scope = Scope("acme", secret)
    draft = MemoryDraft(
        secret,
        secret,
        pairs=(Pair(secret, secret),),
        title=secret,
        user_name=secret,
        speaker=secret,
        channel=secret,
        session_id=secret,
        time_zone=secret,
        metadata={"x": secret},
        additional_metadata={"x": secret},
        detected_emotions=(Emotion(secret, 1.0),),
    )
    analysis = Analysis(crisis_phrase=secret)
    for number in range(30):
        await complete(store, replace(draft, source_id=f"{secret} {number}"), scope=scope, pieces=2)
    async with store.transaction() as tx:
        await tx.conn.execute("UPDATE chunk SET text = %s", (secret,))
        await tx.requests.begin("acme", b"r", b"b", b"s")
        await tx.requests.finish("acme", b"r", {"recalled": [secret]})
        for _ in range(30):
            await tx.messages.insert(
                scope, uuid4(), MessageRole.USER, secret, secret, secret, NOON, analysis
            )
            state = stranger(0.0, NOON)
            await tx.messages.insert_point(scope, RelationPoint(0, state, NOON, note=secret))
        for number in range(30):
            own = f"{secret} {number}"
            await tx.person_relations.upsert(
                scope, PersonRelation(own, own, secret, 0.1, secret, NOON)
            )
            await tx.triggers.upsert(scope, Trigger(own, secret, NOON, source_id=secret))
    with psycopg.connect(database.owner_dsn, autocommit=True) as conn:
        conn.execute("ANALYZE")
        found = conn.execute(
            "SELECT tablename, attname FROM pg_stats s WHERE schemaname = 'rapport' AND strpos(s::text, %s) > 0",
            ("distinctive",),
        ).fetchall()
        described = conn.execute(
            "SELECT n_distinct FROM pg_stats WHERE tablename = 'memory' AND attname = 'end_user_id'"
        ).fetchone()
        vectors = conn.execute(
            "SELECT most_common_vals IS NULL AND histogram_bounds IS NULL FROM pg_stats"
            " WHERE tablename = 'chunk' AND attname = 'vector'"
        ).fetchone()
    assert found == []
    assert described is not None
    assert described[0] == pytest.approx(-0.002)
    assert vectors == (True,)
