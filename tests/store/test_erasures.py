"""Erasing a person: everything goes, nobody else is touched, and the look afterwards would see what is left."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import uuid4

import psycopg
import pytest

from rapport_server.domain.analysis import Analysis, AnalysisOrigin
from rapport_server.domain.erasure import ErasureCounts, ErasureReason, PendingErasure, Receipt
from rapport_server.domain.memories import Scope
from rapport_server.domain.people import MessageRole
from rapport_server.domain.person_relations import PersonRelation
from rapport_server.domain.relation import RelationPoint
from rapport_server.domain.triggers import Trigger
from rapport_server.store.database import PostgresDatabase
from tests.fix_postgres import Database
from tests.store.seed import AT, claim, enqueue, index, opened, person, subject

MAYA = ("acme", "maya", subject("acme", "maya"))
LOCAL = AnalysisOrigin.LOCAL


@pytest.fixture
async def db(database: Database) -> AsyncIterator[PostgresDatabase]:
    async with opened(database) as db:
        yield db


async def _live(db: PostgresDatabase, tenant: str = "acme", who: str = "maya") -> None:
    """A person with a bit of everything: 3 memories (1 waiting, 1 with a served and a waiting version), 2 messages, a point, a
    relation, 2 triggers and a deleted one, a request.
    """
    scope = Scope(tenant, who)
    someone = await person(db, tenant, who)
    await enqueue(db, ["a:1", "b:1"], tenant, who)
    while claimed := await claim(db):
        await index(db, claimed)
    await enqueue(db, ["a:2", "c:1"], tenant, who)
    interaction = uuid4()
    async with db.transaction() as tx:
        for role in MessageRole:
            await tx.messages.insert(scope, interaction, role, "hello", "", "", AT, Analysis())
        await tx.messages.insert_point(scope, RelationPoint(0, someone.state, AT, interaction))
        await tx.person_relations.upsert(scope, PersonRelation("r", "Anna"))
        await tx.triggers.upsert(scope, Trigger("done", "Ask about b.", AT, done=True))
        await tx.triggers.found(scope, [Trigger(n, f"{n}?", AT, LOCAL, "b") for n in ("1", "2")])
        assert await tx.triggers.delete(scope, "1")
        request = subject("request", tenant + who)
        await tx.requests.begin(tenant, request, b"body", subject(tenant, who))
        await tx.requests.finish(tenant, request, {"source_id": "a"})


ALL = ErasureCounts(
    messages=2,
    memories=3,
    chunks=2,
    vectors=2,
    person_relations=1,
    relation_state=2,
    triggers=2,
    queued_items=2,
    idempotency_records=1,
)


async def _rows(database: Database, *, but: str = "") -> dict[str, list[str]]:
    """Every row of every table as text."""
    found = {}
    async with await psycopg.AsyncConnection.connect(database.owner_dsn) as conn:
        tables = await (
            await conn.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'rapport'")
        ).fetchall()
        for (table,) in tables:
            rows = await (
                await conn.execute(f"SELECT t::text FROM {table} t ORDER BY 1".encode())
            ).fetchall()
            found[table] = [row for (row,) in rows if not but or but not in row]
    return found


async def test_the_counts_before_are_the_counts_of_the_deletion(db: PostgresDatabase) -> None:
    await _live(db)
    who = await person(db)
    async with db.session() as session:
        assert await session.erasures.count(*MAYA) == ALL
        assert await session.erasures.count(*MAYA) == ALL
    async with db.transaction() as tx:
        assert await tx.erasures.delete_person(*MAYA) == (ALL, who)
    async with db.session() as session:
        assert await session.erasures.count(*MAYA) == ErasureCounts()
        assert await session.erasures.remaining(*MAYA, who.person_no) == 0


async def test_an_unknown_person_counts_zero(db: PostgresDatabase) -> None:
    async with db.transaction() as tx:
        assert await tx.erasures.delete_person(*MAYA) == (ErasureCounts(), None)
        assert await tx.erasures.remaining(*MAYA, 0) == 0


async def test_nobody_else_is_touched(db: PostgresDatabase, database: Database) -> None:
    neighbours = [("acme", "maya2"), ("acme", "may"), ("acme", "Maya"), ("acme-corp", "maya")]
    neighbours += [("acme", "maya%"), ("acme", "_aya"), ("acme", "maya/b")]
    for tenant, who in neighbours:
        await _live(db, tenant, who)
    while claimed := await claim(db):
        await index(db, claimed)
    before = await _rows(database)
    await _live(db)
    async with db.transaction() as tx:
        counts, _ = await tx.erasures.delete_person(*MAYA)
    assert counts == ALL
    after = await _rows(database)
    for table in (
        *("memory", "chunk", "message", "relation_point", "end_user"),
        *("person_relation", "person_trigger"),
    ):
        assert after[table] == before[table], table
    assert set(before["request_record"]) <= set(after["request_record"])


async def test_nothing_distinctive_stays_in_any_table(
    db: PostgresDatabase, database: Database
) -> None:
    who = "maya-0b6a"
    secret = "the lighthouse keeper hums"
    await enqueue(db, [f"x:{secret}"], end_user_id=who)
    await index(db, await claim(db))
    await enqueue(db, [f"y:{secret} twice"], end_user_id=who)
    assert any(secret in row for rows in (await _rows(database)).values() for row in rows)
    async with db.transaction() as tx:
        await tx.erasures.delete_person("acme", who, subject("acme", who))
    text = json.dumps(await _rows(database))
    assert secret not in text
    assert who not in text


@pytest.mark.parametrize(
    "left",
    [
        """INSERT INTO message (tenant_id, end_user_id, interaction_id, role, text, channel, session_id, occurred_at)
           VALUES ('acme', 'maya', gen_random_uuid(), 'USER', '', '', '', now())""",
        """INSERT INTO relation_point
               (tenant_id, end_user_id, occurred_at, trust, sentiment, grudge, familiarity, state_time)
           VALUES ('acme', 'maya', now(), 0, 0, 0, 0, now())""",
        """INSERT INTO chunk
               (tenant_id, store, end_user_id, source_id, version, person_no, shard_id, chunk_index, vector)
           VALUES ('acme', 'MEMORIES', 'maya', 'a', 1, 1, 0, 0, '')""",
        """INSERT INTO memory
               (tenant_id, store, end_user_id, source_id, kind, status, person_no, shard_id, text, occurred_at)
           VALUES ('acme', 'KNOWLEDGE', 'maya', 'a', 'ADDED', 'ERRORED', 1, 0, '', now())""",
        f"""INSERT INTO request_record (tenant_id, request_hash, subject_hash)
            VALUES ('acme', '', '\\x{subject("acme", "maya").hex()}')""",
        """CREATE TABLE later_note (tenant_id text, end_user_id text);
           GRANT SELECT ON later_note TO rapport_app; INSERT INTO later_note VALUES ('acme', 'maya')""",
        """CREATE TABLE later_posting (tenant_id text, person_no bigint);
           GRANT SELECT ON later_posting TO rapport_app; INSERT INTO later_posting VALUES ('acme', 77)""",
        f"""CREATE TABLE later_cache (tenant_id text, subject_hash bytea);
            GRANT SELECT ON later_cache TO rapport_app;
            INSERT INTO later_cache VALUES ('acme', '\\x{subject("acme", "maya").hex()}')""",
    ],
)
async def test_a_row_left_in_any_table_is_seen_even_in_tables_that_come_later(
    db: PostgresDatabase, database: Database, left: str
) -> None:
    async with await psycopg.AsyncConnection.connect(database.owner_dsn) as conn:
        await conn.execute(left.encode())
    async with db.session() as session:
        assert await session.erasures.remaining(*MAYA, 77) == 1
        assert await session.erasures.remaining("acme", "omar", subject("acme", "omar"), 78) == 0


async def test_rows_are_found_by_number_and_one_who_came_back_is_not_counted(
    db: PostgresDatabase,
) -> None:
    await _live(db)
    who = await person(db)
    async with db.session() as session:
        for known in (None, "maya"):
            # 4 memory rows, 2 chunks, 1 person.
            assert await session.erasures.remaining_of_number("acme", who.person_no, known) == 7
    async with db.transaction() as tx:
        await tx.erasures.delete_person(*MAYA)
    await _live(db)
    async with db.session() as session:
        for known in (None, "maya"):
            assert await session.erasures.remaining_of_number("acme", who.person_no, known) == 0
        assert await session.erasures.remaining(*MAYA, who.person_no) > 0


async def test_what_may_outlive_the_person_is_not_counted(db: PostgresDatabase) -> None:
    await _live(db)
    who = await person(db)
    async with db.transaction() as tx:
        await tx.people.bump("acme", MAYA[2])
        await tx.erasures.delete_person(*MAYA)
        await tx.erasures.insert(_receipt(), who.person_no, who.shard_id)
        assert await tx.erasures.remaining(*MAYA, who.person_no) == 0


async def test_25000_memories_go_in_one_call_within_seconds(
    db: PostgresDatabase, database: Database
) -> None:
    who = await person(db)
    async with await psycopg.AsyncConnection.connect(database.owner_dsn) as conn:
        await conn.execute(
            "INSERT INTO memory (tenant_id, store, end_user_id, source_id, kind, status, person_no, shard_id, text, occurred_at)"
            " SELECT 'acme', 'MEMORIES', p, n::text, 'ADDED', 'COMPLETED', 1, 0, repeat('word ', 12), now()"
            " FROM generate_series(1, 25000) AS n, unnest(ARRAY['maya', 'omar']) AS p"
        )
        await conn.execute(
            "INSERT INTO chunk (tenant_id, store, end_user_id, source_id, version, person_no, shard_id, chunk_index, vector)"
            " SELECT tenant_id, store, end_user_id, source_id, version, 1, 0, 0, decode(repeat('003c', 384), 'hex')"
            " FROM memory"
        )
    started = time.perf_counter()
    async with db.transaction() as tx:
        counts, _ = await tx.erasures.delete_person(*MAYA)
        left = await tx.erasures.remaining(*MAYA, who.person_no)
    took = time.perf_counter() - started
    print(f"{took:.2f} s")
    assert (counts.memories, counts.chunks, left) == (25_000, 25_000, 0)
    assert took < 5
    async with db.session() as session:
        omar = await session.erasures.count("acme", "omar", b"")
    assert (omar.memories, omar.chunks) == (25_000, 25_000)


def _receipt(**changes) -> Receipt:
    return replace(
        Receipt(
            receipt_id=str(uuid4()),
            tenant_id="acme",
            subject_hash=MAYA[2],
            counts=ALL,
            verified=False,
            replicas_pending=(),
            erased_at=AT,
            audit_sequence=4,
            audit_hash=b"h" * 32,
            reason=ErasureReason.LEGAL,
            ticket="T-1",
        ),
        **changes,
    )


async def test_a_receipt_is_verified_only_when_flagged_and_nobody_is_pending(
    db: PostgresDatabase,
) -> None:
    receipt = _receipt()
    receipt_id = receipt.receipt_id
    async with db.transaction() as tx:
        await tx.erasures.register("one")
        await tx.erasures.register("two")
        await tx.erasures.register("two")
        assert await tx.erasures.insert(receipt, 5, 3) == ("one", "two")
    async with db.session() as session:
        erasures = session.erasures
        assert await erasures.get("acme", receipt_id) == replace(
            receipt, replicas_pending=("one", "two")
        )
        assert await erasures.get("other", receipt_id) is None
        assert await erasures.get("acme", "not a uuid") is None
        pending = PendingErasure("acme", receipt_id, MAYA[2], 3, 5)
        assert await erasures.pending_of("one") == [pending]
        assert not await erasures.confirm("one", "acme", receipt_id)
        assert not await erasures.confirm("one", "acme", receipt_id)
        await erasures.set_verified("acme", receipt_id)
        assert await erasures.get("acme", receipt_id) == replace(receipt, replicas_pending=("two",))
        assert await erasures.confirm("two", "acme", receipt_id)
        assert not await erasures.confirm("two", "acme", receipt_id)
        assert await erasures.get("acme", receipt_id) == replace(receipt, verified=True)
        assert await erasures.pending_of("two") == []


async def test_of_processes_that_confirm_at_once_exactly_one_is_the_last(
    db: PostgresDatabase,
) -> None:
    for _ in range(10):
        receipt = _receipt()
        async with db.transaction() as tx:
            for name in "abcdef":
                await tx.erasures.register(name)
            await tx.erasures.insert(receipt, 5, 3)

        async def confirm(name: str, receipt_id: str = receipt.receipt_id) -> bool:
            async with db.transaction() as tx:
                return await tx.erasures.confirm(name, "acme", receipt_id)

        assert sum(await asyncio.gather(*(confirm(name) for name in "abcdef"))) == 1


async def test_other_processes_are_told_of_an_erasure_at_its_commit(db: PostgresDatabase) -> None:
    notices = db.listen()
    try:
        assert (await anext(notices))["kind"] == "listening"
        async with db.transaction() as tx:
            await tx.erasures.insert(_receipt(), 5, 3)
        async with asyncio.timeout(5):
            assert await anext(notices) == {"kind": "erasure"}
    finally:
        await notices.aclose()
