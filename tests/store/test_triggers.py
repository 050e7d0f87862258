"""What is to be brought up with a person, and what becomes of it when its memory goes."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from rapport_server.domain.analysis import AnalysisOrigin
from rapport_server.domain.limits import TRIGGERS_MAX
from rapport_server.domain.memories import MemoryDraft, MemoryKind, Scope
from rapport_server.domain.storage import PageRequest, Transaction
from rapport_server.domain.triggers import Trigger, found_id
from rapport_server.store.database import PostgresDatabase
from rapport_server.store.sqlfile import load
from tests.fix_postgres import Database
from tests.store.house import HOUR, MAYA, NOON, complete, enqueue, finish_queue

ASK = Trigger("ask", "Ask how the surgery went.", NOON, AnalysisOrigin.LLM, "said", False)
STRANGERS = (Scope("acme", "noor"), Scope("globex", "maya"))


def found(source_id: str, text: str = "Ask.", hours: float = 0) -> Trigger:
    """As a reader finds it."""
    return Trigger(
        found_id(source_id, text), text, NOON + hours * HOUR, AnalysisOrigin.LOCAL, source_id
    )


async def listed(tx: Transaction, scope: Scope = MAYA, size: int = 2_000) -> list[Trigger]:
    """Page by page."""
    seen: list[Trigger] = []
    while more := await tx.triggers.page(
        scope, PageRequest(size, (seen[-1].due_at, seen[-1].trigger_id) if seen else None)
    ):
        seen += more
    return seen


async def due(tx: Transaction, hours: float = 0, scope: Scope = MAYA) -> list[str]:
    return [one.trigger_id for one in await (await tx.triggers.due(scope, NOON + hours * HOUR))()]


async def test_one_is_stored_whole_replaced_whole_and_deleted_once(store: PostgresDatabase) -> None:
    async with store.transaction() as tx:
        triggers = tx.triggers
        for scope in (MAYA, *STRANGERS):
            assert await triggers.upsert(scope, ASK)
        assert await triggers.get(MAYA, "ask") == ASK
        bare = Trigger("ask", "Again.", NOON + HOUR, done=True)
        assert await triggers.upsert(MAYA, bare)
        assert await triggers.get(MAYA, "ask") == bare
        assert await listed(tx) == [bare]
        assert [await triggers.delete(MAYA, "ask") for _ in range(2)] == [True, False]
        assert await triggers.get(MAYA, "ask") is None
        for scope in STRANGERS:
            assert await listed(tx, scope) == [ASK]


async def test_pages_go_by_time_then_id_and_go_on_while_rows_come_and_go(
    store: PostgresDatabase,
) -> None:
    async with store.transaction() as tx:
        for number in range(20):
            one = Trigger(f"{number:02}", "x", NOON + (number % 3) * HOUR, done=number % 2 == 0)
            await tx.triggers.upsert(MAYA, one)
        every = await listed(tx)
        assert every == sorted(every, key=lambda one: (one.due_at, one.trigger_id))
        assert len(every) == 20
        for size in (1, 3, 7):
            assert await listed(tx, size=size) == every
        last = (await tx.triggers.page(MAYA, PageRequest(5)))[-1]
        await tx.triggers.delete(MAYA, last.trigger_id)
        await tx.triggers.upsert(MAYA, Trigger("early", "x", NOON - HOUR))
        rest = await tx.triggers.page(MAYA, PageRequest(50, (last.due_at, last.trigger_id)))
        assert rest == every[5:]


async def test_due_are_those_whose_time_has_come_and_that_are_not_done_the_longest_first(
    store: PostgresDatabase,
) -> None:
    async with store.transaction() as tx:
        for name, hours, done in (
            ("b", 1, False),
            ("a", 1, False),
            ("c", 0, False),
            ("done", 0, True),
            ("later", 1.01, False),
        ):
            await tx.triggers.upsert(MAYA, Trigger(name, "x", NOON + hours * HOUR, done=done))
        await tx.triggers.upsert(STRANGERS[0], ASK)
        assert await due(tx, 1) == ["c", "a", "b"]
        assert await due(tx, -0.01) == []
        for number in range(60):
            await tx.triggers.upsert(MAYA, Trigger(f"n{number:02}", "x", NOON + 2 * HOUR))
        # What nobody marks as done gives way to what becomes due.
        assert await due(tx, 2) == [f"n{number:02}" for number in range(10, 60)]


async def test_in_a_pipeline_the_due_ones_come_with_the_rows_of_the_next_statement(
    store: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with store.transaction() as tx:
        await tx.triggers.upsert(MAYA, ASK)
    async with store.transaction(pipelined=True) as tx:
        read = await tx.triggers.due(MAYA, NOON)
        assert await tx.memories.count(MAYA) == 0

        async def wait(*_: Any) -> None:
            raise AssertionError("another round trip")

        with monkeypatch.context() as patched:
            patched.setattr(tx.conn, "wait", wait)
            assert await read() == [ASK]


async def test_what_is_read_again_is_made_once_and_what_a_caller_did_to_it_stays(
    store: PostgresDatabase,
) -> None:
    texts = ("kept", "done", "moved", "deleted")
    read = [found("said", text) for text in texts]
    kept, done, moved, deleted = read
    async with store.transaction() as tx:
        await tx.triggers.found(MAYA, read)
        assert {one.description for one in await listed(tx)} == set(texts)
        await tx.triggers.upsert(MAYA, replace(done, done=True))
        await tx.triggers.upsert(MAYA, replace(moved, due_at=NOON + HOUR))
        assert await tx.triggers.delete(MAYA, deleted.trigger_id)
        assert await tx.triggers.get(MAYA, deleted.trigger_id) is None
        await tx.triggers.found(MAYA, [*read, found("said", "new")])
        await tx.triggers.found(MAYA, [])
        after = {one.description: one for one in await listed(tx)}
        assert set(after) == {"kept", "done", "moved", "new"}
        assert after["done"].done
        assert after["moved"].due_at == NOON + HOUR
        assert not await tx.triggers.delete(MAYA, deleted.trigger_id)
        assert kept.trigger_id in await due(tx)
        assert deleted.trigger_id not in await due(tx)
        # By hand it may come back.
        assert await tx.triggers.upsert(MAYA, deleted)
        assert deleted in await listed(tx)


async def test_of_a_deleted_one_that_was_read_nothing_but_ids_is_kept(
    store: PostgresDatabase, database: Database
) -> None:
    async with store.transaction() as tx:
        await tx.triggers.found(MAYA, [found("said", "a secret")])
        await tx.triggers.delete(MAYA, found_id("said", "a secret"))
        await tx.triggers.upsert(MAYA, Trigger("own", "another secret", NOON))
        await tx.triggers.delete(MAYA, "own")
    with psycopg.connect(database.owner_dsn) as conn:
        rows = conn.execute("SELECT description, due_at, source_id FROM person_trigger").fetchall()
    assert rows == [("", datetime(1970, 1, 1, tzinfo=UTC), "said")]


async def remember(store: PostgresDatabase, *source_ids: str, **fields: Any) -> None:
    """Memories with a found trigger each, and one given by hand, done."""
    for source_id in source_ids:
        await complete(store, MemoryDraft(source_id, source_id, **fields))
        async with store.transaction() as tx:
            await tx.triggers.found(MAYA, [found(source_id)])
            await tx.triggers.upsert(
                MAYA, Trigger(f"own {source_id}", "x", NOON, source_id=source_id, done=True)
            )


async def sources(store: PostgresDatabase) -> list[str]:
    async with store.session() as session:
        return sorted(one.source_id for one in await listed(session))


async def test_with_a_memory_go_the_triggers_that_were_read_from_it(
    store: PostgresDatabase, database: Database
) -> None:
    await remember(store, "a", "b", "c", kind=MemoryKind.INTERACTION)
    await remember(store, "short", expiry_s=3600)
    async with store.transaction() as tx:
        await tx.triggers.found(STRANGERS[0], [found("a")])
        await tx.triggers.upsert(MAYA, Trigger("own", "x", NOON))
        await tx.triggers.delete(MAYA, found_id("a", "Ask."))
        await tx.memories.delete(MAYA, ["a"])
        # Nothing is left of it: the same id, used for something new, is read as if for the first time.
        await tx.triggers.found(MAYA, [found("a")])
        assert await tx.triggers.delete(MAYA, found_id("a", "Ask."))
    assert await sources(store) == ["", "b", "b", "c", "c", "short", "short"]
    async with store.transaction() as tx:
        await tx.memories.cut(MAYA, MemoryKind.INTERACTION, 1, 10)
    assert await sources(store) == ["", "c", "c", "short", "short"]
    with psycopg.connect(database.owner_dsn) as conn:
        conn.execute("UPDATE memory SET expires_at = now() WHERE source_id = 'short'")
    async with store.transaction() as tx:
        await tx.memories.delete_expired(MAYA, ["short", "c"])
        assert [one.source_id for one in await listed(tx, STRANGERS[0])] == ["a"]
    assert await sources(store) == ["", "c", "c"]


async def test_a_new_version_takes_away_what_was_read_from_the_old_one_and_nothing_else(
    store: PostgresDatabase, database: Database
) -> None:
    await remember(store, "a", "b")
    gone = found("a", "Deleted.")
    async with store.transaction() as tx:
        await tx.triggers.found(MAYA, [gone])
        await tx.triggers.delete(MAYA, gone.trigger_id)
    await enqueue(store, MemoryDraft("a", "a new text"))
    assert await sources(store) == ["a", "a", "b", "b"]
    await finish_queue(store)
    async with store.transaction() as tx:
        assert [one.trigger_id for one in await listed(tx)] == [
            *sorted((found_id("b", "Ask."), "own a", "own b"))
        ]
        await tx.triggers.found(MAYA, [gone, found("a", "New.")])
        assert gone not in await listed(tx)
    # The served version expires while a newer one waits: what was read from it goes with its text.
    await enqueue(store, MemoryDraft("a", "a newer text"))
    with psycopg.connect(database.owner_dsn) as conn:
        conn.execute(
            "UPDATE memory SET expires_at = now() WHERE source_id = 'a' AND status = 'COMPLETED'"
        )
    async with store.transaction() as tx:
        await tx.memories.delete_expired(MAYA, ["a"])
    assert await sources(store) == ["a", "b", "b"]


async def test_a_waiting_version_that_expires_takes_nothing_away(
    store: PostgresDatabase, database: Database
) -> None:
    await remember(store, "a")
    await enqueue(store, MemoryDraft("a", "a new text"))
    with psycopg.connect(database.owner_dsn) as conn:
        conn.execute("UPDATE memory SET expires_at = now() WHERE status = 'QUEUED'")
    async with store.transaction() as tx:
        assert (await tx.memories.delete_expired(MAYA, ["a"]))[0] == 1
    assert await sources(store) == ["a", "a"]


async def test_nobody_has_more_than_the_most_and_for_found_ones_the_oldest_done_make_room(
    store: PostgresDatabase,
) -> None:
    async with store.transaction() as tx:
        await tx.triggers.found(MAYA, [found("m", str(n), n) for n in range(TRIGGERS_MAX)])
        one = found("m", "0")
        assert await tx.triggers.upsert(MAYA, replace(one, done=True))
        own = Trigger("own", "x", NOON)
        assert not await tx.triggers.upsert(MAYA, own)
        await tx.triggers.found(MAYA, [found("m", "new"), found("m", "no room")])
        every = await listed(tx)
        assert len(every) == TRIGGERS_MAX
        assert {"new", "0", "no room"} & {one.description for one in every} == {"new"}
        await tx.triggers.found(MAYA, [one])
        assert await listed(tx) == every
        assert await tx.triggers.upsert(STRANGERS[0], own)
        assert await tx.triggers.delete(MAYA, every[0].trigger_id)
        assert await tx.triggers.upsert(MAYA, own)


async def test_what_is_due_is_found_without_reading_what_is_done(
    store: PostgresDatabase, database: Database
) -> None:
    async with await psycopg.AsyncConnection.connect(database.owner_dsn) as conn:
        await conn.execute(
            "INSERT INTO person_trigger (tenant_id, end_user_id, trigger_id, description, due_at, origin, source_id, done,"
            " by_hand, deleted) SELECT 'acme', p, n::text, repeat('x', 500), %s - n * interval '1 s', 'LOCAL', 'm', n > 5,"
            " true, n > 900 FROM generate_series(1, 3000) AS n, unnest(ARRAY['maya', 'noor']) AS p",
            (NOON,),
        )
    query = load("trigger").due.as_string(None)
    for number, name in enumerate(("tenant_id", "end_user_id", "at", "limit"), 1):
        query = query.replace(f"%({name})s", f"${number}")
    async with store.session() as session:
        await session.conn.execute(
            f"PREPARE due (text, text, timestamptz, bigint) AS {query}".encode()
        )
        explain = (
            f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE due ('acme', 'maya', '{NOON}', 50)"
        )
        row = await (await session.conn.execute(explain.encode())).fetchone()
    assert row is not None
    plan = row[0][0]["Plan"]
    assert plan["Actual Rows"] == 5
    # 400 pages hold the person's rows.
    assert plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] < 20, plan
