"""The audit chain: append-only for everybody, and any tampering is found where it begins."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import psycopg
import pytest

from rapport_server.domain.audit import (
    GENESIS,
    AuditEvent,
    AuditEventKind,
    AuditRecord,
    chain_hash,
)
from rapport_server.domain.storage import PageRequest, TimeRange
from rapport_server.errors import Conflict
from rapport_server.store import audit as audit_module
from rapport_server.store.database import PostgresDatabase
from tests.fix_postgres import Database
from tests.store.seed import opened, subject

RECORD = AuditRecord(
    AuditEventKind.MEMORIES_ADDED,
    "key-1",
    subject("acme", "maya"),
    {"accepted": 3, "share": 1.0, "huge": 1e22, "minus": -0.0, "plan": "CLINIC", "ok": True},
)

ALWAYS, FIRST = TimeRange(), PageRequest(10)


@pytest.fixture
async def db(database: Database) -> AsyncIterator[PostgresDatabase]:
    async with opened(database) as db:
        yield db


async def _append(db: PostgresDatabase, count: int = 1, tenant: str = "acme") -> AuditEvent:
    for _ in range(count):
        async with db.transaction() as tx:
            event = await tx.audit.append(tenant, RECORD)
    return event


async def _verify(db: PostgresDatabase, tenant: str = "acme"):
    async with db.session() as session:
        return await session.audit.verify(tenant)


async def _tamper(database: Database, *statements: str) -> None:
    """As a superuser, who alone can switch the triggers off."""
    async with await psycopg.AsyncConnection.connect(database.admin_dsn) as conn:
        await conn.execute("SET search_path = rapport")
        await conn.execute("ALTER TABLE audit_event DISABLE TRIGGER ALL")
        for statement in statements:
            await conn.execute(statement.encode())


async def test_events_are_numbered_from_one_and_bind_what_came_before(db: PostgresDatabase) -> None:
    events = [await _append(db) for _ in range(3)]
    assert [event.sequence for event in events] == [1, 2, 3]
    previous = GENESIS
    for event in events:
        assert event.previous_hash == previous
        assert event.hash == chain_hash("acme", event.sequence, event.time, RECORD, previous)
        previous = event.hash
    assert events[0].time < events[1].time < events[2].time
    async with db.session() as session:
        stored = await session.audit.page("acme", None, TimeRange(), False, PageRequest(10))
    assert stored == events


async def test_each_tenant_has_a_chain_of_its_own(db: PostgresDatabase) -> None:
    await _append(db, 2)
    assert (await _append(db, tenant="other")).sequence == 1
    assert (await _verify(db)).checked == 2
    assert (await _verify(db, "other")).checked == 1


async def test_an_untouched_chain_verifies_in_any_batch_size(
    db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = await _append(db, 7)
    for rows in (1, 3, 7, 100):
        monkeypatch.setattr(audit_module, "_BATCH_ROWS", rows)
        verdict = await _verify(db)
        assert (verdict.ok, verdict.checked, verdict.first_bad_sequence) == (True, 7, 0)
        assert verdict.head_hash == last.hash


async def test_an_empty_chain_is_whole(db: PostgresDatabase) -> None:
    verdict = await _verify(db)
    assert (verdict.ok, verdict.checked, verdict.head_hash) == (True, 0, GENESIS)


async def test_verifying_inside_a_transaction_sees_its_own_events(db: PostgresDatabase) -> None:
    async with db.transaction() as tx:
        await tx.audit.append("acme", RECORD)
        assert (await tx.audit.verify("acme")).checked == 1
        await tx.audit.append("acme", RECORD)
    assert (await _verify(db)).checked == 2


async def test_parallel_events_make_one_chain_without_gaps(db: PostgresDatabase) -> None:
    await asyncio.gather(*(_append(db, 5) for _ in range(8)))
    verdict = await _verify(db)
    assert (verdict.ok, verdict.checked) == (True, 40)


async def test_an_event_of_a_rolled_back_act_is_not_there(db: PostgresDatabase) -> None:
    await _append(db)

    async def broken() -> None:
        async with db.transaction() as tx:
            await tx.audit.append("acme", RECORD)
            raise Conflict

    with pytest.raises(Conflict):
        await broken()
    assert (await _append(db)).sequence == 2
    assert (await _verify(db)).ok


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_event SET kind = 'X'",
        "DELETE FROM audit_event",
        "TRUNCATE audit_event",
        "DELETE FROM audit_head",
        "TRUNCATE audit_head",
        "ALTER TABLE audit_event DISABLE TRIGGER ALL",
    ],
)
async def test_the_serving_role_cannot_change_what_is_recorded(
    db: PostgresDatabase, database: Database, statement: str
) -> None:
    await _append(db)
    async with await psycopg.AsyncConnection.connect(database.app_dsn, autocommit=True) as conn:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await conn.execute(statement.encode())
    assert (await _verify(db)).checked == 1


@pytest.mark.parametrize(
    "statement",
    ["UPDATE audit_event SET kind = 'X'", "DELETE FROM audit_event", "TRUNCATE audit_event"],
)
async def test_even_the_owner_is_stopped_by_the_triggers(
    db: PostgresDatabase, database: Database, statement: str
) -> None:
    await _append(db)
    async with await psycopg.AsyncConnection.connect(database.owner_dsn, autocommit=True) as conn:
        with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
            await conn.execute(statement.encode())
    assert (await _verify(db)).checked == 1


TAMPERINGS = {
    "kind": (["UPDATE audit_event SET kind = 'API_KEY_CREATED' WHERE sequence = 3"], 3),
    "unknown kind": (["UPDATE audit_event SET kind = 'NONSENSE' WHERE sequence = 3"], 3),
    "actor": (["UPDATE audit_event SET actor_key_id = 'x' WHERE sequence = 1"], 1),
    "details": (["UPDATE audit_event SET details = '{\"accepted\": 4}' WHERE sequence = 4"], 4),
    "subject": (["UPDATE audit_event SET subject_hash = '' WHERE sequence = 2"], 2),
    "a microsecond": (
        ["UPDATE audit_event SET time = time + interval '1 microsecond' WHERE sequence = 5"],
        5,
    ),
    "hash": (["UPDATE audit_event SET hash = previous_hash WHERE sequence = 2"], 2),
    "previous": (["UPDATE audit_event SET previous_hash = hash WHERE sequence = 2"], 2),
    "missing in the middle": (["DELETE FROM audit_event WHERE sequence = 3"], 3),
    "missing at the start": (["DELETE FROM audit_event WHERE sequence = 1"], 1),
    "cut off at the end": (["DELETE FROM audit_event WHERE sequence > 4"], 5),
    "all gone": (["DELETE FROM audit_event"], 1),
    "order": (
        [
            "UPDATE audit_event SET sequence = 100 WHERE sequence = 2",
            "UPDATE audit_event SET sequence = 2 WHERE sequence = 3",
            "UPDATE audit_event SET sequence = 3 WHERE sequence = 100",
        ],
        2,
    ),
    "closed up after a deletion": (
        [
            "DELETE FROM audit_event WHERE sequence = 3",
            "UPDATE audit_event SET sequence = sequence - 1 WHERE sequence > 3",
            "UPDATE audit_head SET sequence = sequence - 1",
        ],
        3,
    ),
    "head set back": (["UPDATE audit_head SET sequence = 4"], 5),
    "head's hash": (["UPDATE audit_head SET hash = ''"], 6),
    "head gone": (["DELETE FROM audit_head"], 1),
}


@pytest.mark.parametrize("name", TAMPERINGS)
async def test_tampering_is_found_where_it_begins(
    db: PostgresDatabase, database: Database, name: str
) -> None:
    statements, first_bad = TAMPERINGS[name]
    await _append(db, 6)
    await _tamper(database, *statements)
    verdict = await _verify(db)
    assert (verdict.ok, verdict.first_bad_sequence) == (False, first_bad)


async def test_a_rewritten_last_event_with_a_hash_of_its_own_is_found_by_the_head(
    db: PostgresDatabase, database: Database
) -> None:
    last = await _append(db, 3)
    forged = AuditRecord(RECORD.kind, "somebody-else", RECORD.subject_hash, RECORD.details)
    own = chain_hash("acme", 3, last.time, forged, last.previous_hash).hex()
    await _tamper(
        database,
        f"UPDATE audit_event SET actor_key_id = 'somebody-else', hash = '\\x{own}' WHERE sequence = 3",
    )
    verdict = await _verify(db)
    assert (verdict.ok, verdict.first_bad_sequence) == (False, 3)


async def test_events_are_listed_by_kind_time_and_page_in_both_orders(db: PostgresDatabase) -> None:
    events = [await _append(db) for _ in range(4)]
    async with db.transaction() as tx:
        swept = await tx.audit.append("acme", AuditRecord(AuditEventKind.RETENTION_SWEPT, ""))
    async with db.session() as session:
        audit = session.audit

        async def numbers(
            kind: AuditEventKind | None = None,
            times: TimeRange = ALWAYS,
            newest: bool = False,
            page: PageRequest = FIRST,
        ) -> list[int]:
            found = await audit.page("acme", kind, times, newest, page)
            return [event.sequence for event in found]

        assert await numbers() == [1, 2, 3, 4, 5]
        assert await numbers(newest=True, page=PageRequest(2)) == [5, 4]
        assert await numbers(newest=True, page=PageRequest(2, (4,))) == [3, 2]
        assert await numbers(page=PageRequest(2, (2,))) == [3, 4]
        assert await numbers(AuditEventKind.RETENTION_SWEPT) == [swept.sequence]
        assert await numbers(times=TimeRange(events[1].time, events[3].time)) == [2, 3]
        assert await numbers(times=TimeRange(swept.time + timedelta(microseconds=1))) == []
