"""The sweep: what is lost, expired or old goes, and what came meanwhile stays."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import psycopg
import pytest

from rapport_server.domain import limits
from rapport_server.domain.audit import AuditEventKind
from rapport_server.domain.memories import IndexingStatus, MemoryDraft, Scope
from rapport_server.domain.ports import Position, Probe, ShardKey
from rapport_server.domain.retention import CUT_MAX, KEEP
from rapport_server.domain.storage import PageRequest, TimeRange
from rapport_server.domain.tenants import Plan
from rapport_server.ingest import sweep as sweep_module
from rapport_server.ingest.retention import START, Retention
from rapport_server.ingest.sweep import Sweep
from rapport_server.store.database import PostgresDatabase
from rapport_server.store.feed import PostgresFeed
from rapport_server.vectors import ShardCatalog, ShardLimits
from tests.fix_postgres import Database
from tests.store.seed import DIMENSION, Hasher, claim, enqueue, index, opened, person, subject


@pytest.fixture
async def db(database: Database) -> AsyncIterator[PostgresDatabase]:
    async with opened(database) as db:
        yield db


@pytest.fixture
async def catalog(db: PostgresDatabase, tmp_path: Path) -> AsyncIterator[ShardCatalog]:
    limits = ShardLimits(snapshot_every_s=0.1)
    catalog = ShardCatalog(tmp_path, PostgresFeed(db, DIMENSION), DIMENSION, "model", limits)
    yield catalog
    await catalog.close()


@pytest.fixture
def new_sweep(db: PostgresDatabase, catalog: ShardCatalog) -> Callable[[], Sweep]:
    feed = PostgresFeed(db, DIMENSION)
    return lambda: Sweep(db, Retention(db, Hasher(), catalog, feed))


async def _expire(database: Database, *source_ids: str) -> None:
    async with await psycopg.AsyncConnection.connect(database.owner_dsn) as conn:
        await conn.execute(
            "UPDATE memory SET expires_at = now() - interval '1 second' WHERE source_id = ANY(%s)",
            (list(source_ids),),
        )


async def test_expired_memories_go_from_disk_and_from_the_shards(
    db: PostgresDatabase, database: Database, new_sweep: Callable[[], Sweep]
) -> None:
    scope = await enqueue(db, ["a", "b", "c"])
    await index(db, await claim(db))
    await _expire(database, "a", "b")
    done = await new_sweep().round()
    assert done["expired"] == 2
    feed = PostgresFeed(db, DIMENSION)
    assert sum([len(image.ids) async for image in feed.scan(ShardKey("acme", 0))]) == 1
    head = await feed.head(ShardKey("acme", 0))
    assert head is not None
    (change,) = await feed.since(ShardKey("acme", 0), head.seq, 1)
    assert len(change.removed) == 2
    async with db.session() as session:
        assert await session.memories.count(scope) == 1
        (event,) = await session.audit.page(
            "acme", AuditEventKind.RETENTION_SWEPT, TimeRange(), False, PageRequest(10)
        )
    assert event.details == {"expired": 2}
    assert event.subject_hash == subject("acme", "maya")
    assert not any((await new_sweep().round()).values())


async def test_a_new_version_of_an_expired_memory_survives_the_sweep(
    db: PostgresDatabase, database: Database, new_sweep: Callable[[], Sweep]
) -> None:
    scope = await enqueue(db, ["a:old"])
    await index(db, await claim(db))
    await _expire(database, "a")
    await enqueue(db, ["a:new"])
    await new_sweep().round()
    await index(db, await claim(db))
    async with db.session() as session:
        memory = await session.memories.get(scope, "a")
    assert memory is not None
    assert memory.text == "a:new"


async def test_expired_memories_of_more_than_one_step_all_go(
    db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch, new_sweep: Callable[[], Sweep]
) -> None:
    monkeypatch.setattr(limits, "SWEEP_ROWS_MAX", 3)
    for who in ("maya", "omar"):
        someone = await person(db, "acme", who)
        async with db.transaction() as tx:
            drafts = [MemoryDraft(f"{n}", "text", expiry_s=1) for n in range(4)]
            await tx.memories.enqueue(Scope("acme", who), someone, drafts)
    await asyncio.sleep(1.05)
    assert (await new_sweep().round())["expired"] == 8


async def test_items_lost_for_good_are_buried(
    db: PostgresDatabase, new_sweep: Callable[[], Sweep]
) -> None:
    scope = await enqueue(db, ["a"])
    for _ in range(limits.ATTEMPTS_MAX):
        await claim(db, lease_s=0.0)
    assert (await new_sweep().round())["buried"] == 1
    async with db.session() as session:
        status = (await session.memories.status(scope, ["a"]))["a"]
    assert (status.status, status.error_reason) == (IndexingStatus.ERRORED, "WORKER_LOST")


async def test_old_changes_and_request_records_go(
    db: PostgresDatabase,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    new_sweep: Callable[[], Sweep],
) -> None:
    monkeypatch.setattr(limits, "CHANGES_KEPT", 2)
    await person(db)
    async with db.transaction() as tx:
        await tx.requests.begin("acme", b"r", b"b", b"")
        for _ in range(6):
            await tx.shards.append("acme", 0)
    async with await psycopg.AsyncConnection.connect(database.owner_dsn) as conn:
        await conn.execute("UPDATE request_record SET create_time = now() - interval '25 hours'")
    done = await new_sweep().round()
    assert (done["changes"], done["requests"]) == (4, 1)


async def test_sweeps_side_by_side_do_no_harm(
    db: PostgresDatabase, database: Database, new_sweep: Callable[[], Sweep]
) -> None:
    await enqueue(db, [f"t{n}" for n in range(200)])
    await index(db, await claim(db, 200))
    await _expire(database, *(f"t{n}" for n in range(100)))
    rounds = await asyncio.gather(*(new_sweep().round() for _ in range(4)))
    assert sum(done["expired"] for done in rounds) == 100
    async with db.session() as session:
        assert (await session.audit.verify("acme")).ok


async def _set_plan(db: PostgresDatabase, plan: Plan) -> None:
    async with db.transaction() as tx:
        tenant = await tx.tenants.lock("acme")
        assert tenant is not None
        await tx.tenants.update(replace(tenant, plan=plan))


async def test_a_smaller_plan_cuts_the_oldest_at_the_next_sweep_and_pinned_ones_stay(
    db: PostgresDatabase, database: Database, new_sweep: Callable[[], Sweep]
) -> None:
    scope = await enqueue(db, [f"t{n:03}" for n in range(510)])
    async with await psycopg.AsyncConnection.connect(database.owner_dsn) as conn:
        await conn.execute("UPDATE memory SET pinned = true WHERE source_id = 't000'")
    for _ in range(3):
        await index(db, await claim(db, 200))
    assert (await new_sweep().round())["cut"] == 0
    await _set_plan(db, Plan.COMMUNITY)
    assert (await new_sweep().round())["cut"] == 9
    async with db.session() as session:
        left = await session.memories.existing(scope, [f"t{n:03}" for n in range(12)])
        assert await session.memories.count(scope) == 501
    assert left == {"t000", "t010", "t011"}
    feed = PostgresFeed(db, DIMENSION)
    assert sum([len(image.ids) async for image in feed.scan(ShardKey("acme", 0))]) == 501
    assert (await new_sweep().round())["cut"] == 0


async def test_what_is_cut_leaves_memory_and_files_with_the_next_snapshot(
    db: PostgresDatabase,
    catalog: ShardCatalog,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    new_sweep: Callable[[], Sweep],
) -> None:
    monkeypatch.setitem(KEEP, Plan.COMMUNITY, 10)
    scope = await enqueue(db, [f"t{n:02}" for n in range(40)])
    await enqueue(db, ["other"], end_user_id="omar")
    await index(db, await claim(db))
    key = ShardKey("acme", 0)
    probe = Probe(
        (await person(db)).person_no, np.full(DIMENSION, 0.3, np.float32), k=100, allowed=None
    )
    (ranked,) = await catalog.search(key, [probe])
    assert len(ranked.ids) == 40
    await _until(lambda: _vectors(tmp_path) == 41)
    await _set_plan(db, Plan.COMMUNITY)
    done = await new_sweep().round()
    assert (done["cut"], done["shards"]) == (30, 1)
    # Nobody has searched since.
    assert catalog.stats().vectors == 11
    await _until(lambda: _vectors(tmp_path) == 11)
    async with db.session() as session:
        left = await session.memories.existing(scope, [f"t{n:02}" for n in range(40)])
    assert left == {f"t{n:02}" for n in range(30, 40)}


async def test_what_is_cut_while_a_shard_is_being_renewed_leaves_it_at_the_next_renewal(
    db: PostgresDatabase, catalog: ShardCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(KEEP, Plan.COMMUNITY, 3)
    feed = PostgresFeed(db, DIMENSION)
    retention = Retention(db, Hasher(), catalog, feed)
    await enqueue(db, ["a", "b", "c", "d"])
    await index(db, await claim(db))
    await _set_plan(db, Plan.COMMUNITY)
    assert (await retention.cut(START))[0] == 1
    monkeypatch.setitem(KEEP, Plan.COMMUNITY, 1)
    read, cutting = feed.head, []

    async def head(key: ShardKey) -> Position | None:
        known = await read(key)
        cutting.append(asyncio.create_task(retention.cut(START)))
        # It may end before the shard is renewed up to the head that it is not in.
        await asyncio.wait(cutting, timeout=0.5)
        return known

    with monkeypatch.context() as patched:
        patched.setattr(feed, "head", head)
        assert await retention.renew_shards() == 1
    assert await cutting[0] == (2, None)
    assert await retention.renew_shards() == 1
    assert catalog.stats().vectors == 1


def _vectors(root: Path) -> int:
    """How many vectors the files of the one shard hold, older generations included."""
    try:
        return sum(json.loads(path.read_text())["vectors"] for path in root.glob("*/0/g-*/*.json"))
    except FileNotFoundError:
        return -1  # it has just been replaced


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():
            await asyncio.sleep(0.05)


async def test_a_walk_over_everybody_goes_on_in_the_next_round(
    db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch, new_sweep: Callable[[], Sweep]
) -> None:
    monkeypatch.setitem(KEEP, Plan.COMMUNITY, 1)
    monkeypatch.setattr(limits, "SWEEP_PEOPLE_MAX", 2)
    monkeypatch.setattr(sweep_module, "_STEPS_MAX", 2)
    people = [f"person-{n}" for n in range(5)]
    for who in people:
        await enqueue(db, ["a", "b"], end_user_id=who)
        await index(db, await claim(db))
    await _set_plan(db, Plan.COMMUNITY)
    sweep = new_sweep()
    assert [(await sweep.round())["cut"] for _ in range(4)] == [4, 1, 0, 0]


async def test_a_person_with_much_too_much_is_cut_in_many_short_transactions(
    db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch, new_sweep: Callable[[], Sweep]
) -> None:
    monkeypatch.setitem(KEEP, Plan.COMMUNITY, 3)
    monkeypatch.setattr(limits, "SWEEP_ROWS_MAX", 128)
    await enqueue(db, [f"t{n:03}" for n in range(303)])
    await index(db, await claim(db, 1000))
    await _set_plan(db, Plan.COMMUNITY)
    assert (await new_sweep().round())["cut"] == 300
    async with db.session() as session:
        events = await session.audit.page(
            "acme", AuditEventKind.RETENTION_SWEPT, TimeRange(), False, PageRequest(100)
        )
    counts = [event.details["cut"] for event in events]
    assert sum(counts) == 300
    assert max(counts) == CUT_MAX


async def test_a_larger_plan_stops_a_sweep_that_has_begun(
    db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch, new_sweep: Callable[[], Sweep]
) -> None:
    monkeypatch.setitem(KEEP, Plan.COMMUNITY, 3)
    scope = await enqueue(db, [f"t{n:03}" for n in range(203)])
    await index(db, await claim(db, 1000))
    await _set_plan(db, Plan.COMMUNITY)
    sweeping = asyncio.create_task(new_sweep().round())
    async with db.session() as session:
        while await session.memories.count(scope) == 203:
            await asyncio.sleep(0)
    await _set_plan(db, Plan.ENTERPRISE)
    async with db.session() as session:
        left = await session.memories.count(scope)
        done = await sweeping
        # One transaction may have been under way.
        assert await session.memories.count(scope) >= left - CUT_MAX
    assert 0 < done["cut"] < 200
