"""The queue: leases, fencing, order, fairness, versions."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from rapport_server.domain import limits
from rapport_server.domain.memories import IndexingStatus
from rapport_server.domain.storage import PageRequest
from rapport_server.store.database import PostgresDatabase
from tests.fix_postgres import Database
from tests.store.seed import chunks, claim, enqueue, index, opened


@pytest.fixture
async def db(database: Database) -> AsyncIterator[PostgresDatabase]:
    async with opened(database) as db:
        yield db


async def _status(db: PostgresDatabase, scope, *ids: str) -> list[IndexingStatus]:
    async with db.session() as session:
        found = await session.memories.status(scope, ids)
    return [found[i].status for i in ids]


async def test_items_are_claimed_oldest_first_and_only_once(db: PostgresDatabase) -> None:
    scope = await enqueue(db, ["a", "b", "c"])
    first, second = await claim(db, 2), await claim(db, 2)
    assert [item.source_id for item in first] == ["a", "b"]
    assert [item.source_id for item in second] == ["c"]
    assert await claim(db) == []
    assert {item.attempts for item in first} == {1}
    assert len({item.lease_token for item in first}) == 1
    assert await _status(db, scope, "a") == [IndexingStatus.PROCESSING]


async def test_concurrent_claims_never_share_an_item(db: PostgresDatabase) -> None:
    await enqueue(db, [f"t{i}" for i in range(60)])
    batches = await asyncio.gather(*(claim(db, 10) for _ in range(12)))
    versions = [item.version for batch in batches for item in batch]
    assert len(versions) == len(set(versions))
    while more := await claim(db, 10):
        versions += [item.version for item in more]
    assert len(set(versions)) == 60


async def test_tenants_take_turns_and_the_round_starts_over(db: PostgresDatabase) -> None:
    for tenant in ("a", "b", "c"):
        await enqueue(db, ["1", "2", "3"], tenant)
    turns, after = [], ""
    for _ in range(9):
        async with db.session() as session:
            (item,) = await session.queue.claim(after, 1, 60.0)
        after = item.scope.tenant_id
        turns.append(after)
    assert turns == ["a", "b", "c"] * 3


async def test_a_claim_stops_at_its_bytes_but_takes_at_least_one(
    db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    await enqueue(db, [f"{name}:" + "x" * 1000 for name in "abcd"])
    monkeypatch.setattr(limits, "CLAIM_BYTES_MAX", 2000)
    assert [item.source_id for item in await claim(db)] == ["a", "b"]
    monkeypatch.setattr(limits, "CLAIM_BYTES_MAX", 1)
    assert [item.source_id for item in await claim(db)] == ["c"]
    assert [item.source_id for item in await claim(db)] == ["d"]


async def test_long_texts_are_claimed_apart_from_short_ones(db: PostgresDatabase) -> None:
    await enqueue(db, ["book:" + "wort " * 8000, "short"])
    assert [item.source_id for item in await claim(db)] == ["short"]
    async with db.session() as session:
        long = await session.queue.claim("", 5, 60.0, long=True)
    assert [item.source_id for item in long] == ["book"]
    assert len(long[0].text) == 40005


async def test_an_item_whose_lease_ran_out_is_claimed_again_and_the_first_holder_writes_nothing(
    db: PostgresDatabase,
) -> None:
    scope = await enqueue(db, ["a"])
    stale = await claim(db, lease_s=0.0)
    (fresh,) = await claim(db)
    assert fresh.attempts == 2
    assert fresh.lease_token != stale[0].lease_token
    await index(db, stale, 1.0)
    assert await _status(db, scope, "a") == [IndexingStatus.PROCESSING]
    async with db.session() as session:
        await session.queue.fail(stale[0], "INTERNAL", "late", final=True)
        await session.queue.release(stale)
        await session.queue.renew(stale, 1000.0)
    assert await _status(db, scope, "a") == [IndexingStatus.PROCESSING]
    await index(db, [fresh], 2.0)
    assert await _status(db, scope, "a") == [IndexingStatus.COMPLETED]
    async with db.session() as session:
        assert (await session.tenants.status("acme", scope.store)).chunks == 1


async def test_a_renewed_lease_lasts(db: PostgresDatabase) -> None:
    await enqueue(db, ["a"])
    held = await claim(db, lease_s=0.3)
    async with db.session() as session:
        await session.queue.renew(held, 60.0)
    await asyncio.sleep(0.35)
    assert await claim(db) == []


async def test_released_items_are_as_if_never_claimed(db: PostgresDatabase) -> None:
    scope = await enqueue(db, ["a"])
    async with db.session() as session:
        await session.queue.release(await claim(db))
    assert await _status(db, scope, "a") == [IndexingStatus.QUEUED]
    assert [item.attempts for item in await claim(db)] == [1]


async def test_a_failed_item_waits_and_ends_errored_with_its_reason(
    db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = await enqueue(db, ["a"])
    monkeypatch.setattr(limits, "RETRY_WAIT_S", 0.1)
    (item,) = await claim(db)
    async with db.session() as session:
        await session.queue.fail(item, "EMBEDDING_FAILED", "no vector", final=False)
    assert await claim(db) == []
    await asyncio.sleep(0.12)
    (item,) = await claim(db)
    async with db.session() as session:
        await session.queue.fail(item, "EMBEDDING_FAILED", "no vector", final=True)
        status = (await session.memories.status(scope, ["a"]))["a"]
    assert (status.status, status.attempts) == (IndexingStatus.ERRORED, 2)
    assert (status.error_reason, status.error_message) == ("EMBEDDING_FAILED", "no vector")
    assert await claim(db) == []
    async with db.session() as session:
        assert await session.queue.retry(scope, ["a", "unknown"]) == ["a"]
    assert [item.attempts for item in await claim(db)] == [1]


async def test_an_item_lost_with_its_last_attempt_is_buried(db: PostgresDatabase) -> None:
    scope = await enqueue(db, ["a", "b"])
    for _ in range(limits.ATTEMPTS_MAX):
        assert len(await claim(db, lease_s=0.0)) == 2
    assert await claim(db) == []
    async with db.session() as session:
        assert await session.queue.bury_lost(limits.ATTEMPTS_MAX, 1) == 1
        assert await session.queue.bury_lost(limits.ATTEMPTS_MAX, 10) == 1
        assert await session.queue.bury_lost(limits.ATTEMPTS_MAX, 10) == 0
        found = await session.memories.status(scope, ["a", "b"])
    assert {(s.status, s.error_reason) for s in found.values()} == {
        (IndexingStatus.ERRORED, "WORKER_LOST")
    }


async def test_a_living_lease_is_not_buried(db: PostgresDatabase) -> None:
    await enqueue(db, ["a"])
    for _ in range(limits.ATTEMPTS_MAX - 1):
        await claim(db, lease_s=0.0)
    await claim(db, lease_s=60.0)
    async with db.session() as session:
        assert await session.queue.bury_lost(limits.ATTEMPTS_MAX, 10) == 0


async def test_completing_a_new_version_removes_the_old_one_with_its_chunks(
    db: PostgresDatabase,
) -> None:
    scope = await enqueue(db, ["a:old", "b:other"])
    await index(db, await claim(db))
    await enqueue(db, ["a:new"])
    async with db.session() as session:
        assert (await session.memories.get(scope, "a")).text == "a:old"
    (item,) = await claim(db)
    async with db.transaction() as tx:
        await tx.queue.owned([item])
        added, removed = await tx.queue.complete(item, chunks(1.0, 2.0))
    assert (len(added), len(removed)) == (2, 1)
    async with db.session() as session:
        memory = await session.memories.get(scope, "a")
        status = await session.tenants.status("acme", scope.store)
        assert await session.memories.count(scope) == 2
    assert (memory.text, memory.status) == ("a:new", IndexingStatus.COMPLETED)
    assert (status.memories, status.chunks) == (2, 3)


async def test_a_version_replaced_while_processing_does_not_come_back(db: PostgresDatabase) -> None:
    scope = await enqueue(db, ["a:first"])
    first = await claim(db)
    await enqueue(db, ["a:second"])
    second = await claim(db)
    await index(db, second)
    await index(db, first)
    async with db.session() as session:
        assert (await session.memories.get(scope, "a")).text == "a:second"
        assert (await session.tenants.status("acme", scope.store)).chunks == 1


async def test_a_batch_reports_changes_by_shard(db: PostgresDatabase, database: Database) -> None:
    await enqueue(db, ["a", "b"], "acme", "maya")
    await enqueue(db, ["c"], "acme", "omar")
    items = await claim(db)
    moved = [
        item if item.scope.end_user_id == "maya" else replace(item, shard_id=7) for item in items
    ]
    async with db.transaction() as tx:
        changes = await tx.queue.complete_many([(item, chunks(1.0, 2.0)) for item in moved])
    assert {shard: (len(a), len(r)) for shard, (a, r) in changes.items()} == {
        0: (4, 0),
        7: (2, 0),
    }


async def test_unfinished_items_are_paged_by_version(db: PostgresDatabase) -> None:
    await enqueue(db, ["a", "b", "c"])
    await index(db, (await claim(db, 1)))
    async with db.session() as session:
        first = await session.queue.page("acme", PageRequest(1))
        rest = await session.queue.page("acme", PageRequest(5, (first[0].version,)))
        assert await session.queue.page("other", PageRequest(5)) == []
        depth, age_s = await session.queue.depth()
    assert [item.source_id for item in first + rest] == ["b", "c"]
    assert first[0].status is IndexingStatus.QUEUED
    assert 0 <= first[0].age_s < 30
    assert depth == 2
    assert 0 < age_s < 30


async def test_an_empty_queue_has_no_depth_and_no_age(db: PostgresDatabase) -> None:
    async with db.session() as session:
        assert await session.queue.depth() == (0, 0.0)


async def test_completing_a_batch_of_256_is_fast(db: PostgresDatabase) -> None:
    await enqueue(db, [f"t{i}:" + "some words " * 8 for i in range(1024)])
    took = []
    for _ in range(4):
        items = await claim(db, 256)
        started = time.perf_counter()
        await index(db, items)
        took.append(time.perf_counter() - started)
    # 30–40 ms on two idle cores; the bound leaves room for a busy machine.
    assert min(took) < 0.25
