"""The change log: number order is commit order, and nothing is ever skipped."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from rapport_server.domain.audit import AuditEventKind, AuditRecord
from rapport_server.domain.ports import Position, ShardKey
from rapport_server.errors import Conflict
from rapport_server.store.database import PostgresDatabase
from rapport_server.store.feed import PostgresFeed
from tests.fix_postgres import Database
from tests.store.seed import DIMENSION, opened, person

KEY = ShardKey("acme", 0)


@pytest.fixture
async def db(database: Database) -> AsyncIterator[PostgresDatabase]:
    async with opened(database) as db:
        await person(db)
        yield db


async def _append(db: PostgresDatabase, *added: int, shard_id: int = 0) -> Position:
    async with db.transaction() as tx:
        return await tx.shards.append("acme", shard_id, added)


async def test_every_change_takes_the_next_number_and_a_token_of_its_own(
    db: PostgresDatabase,
) -> None:
    feed = PostgresFeed(db, DIMENSION)
    start = await feed.head(KEY)
    places = [await _append(db, n) for n in (1, 2, 3)]
    assert start is not None
    assert [place.seq for place in places] == [start.seq + n for n in (1, 2, 3)]
    assert len({place.token for place in places}) == 3
    assert await feed.head(KEY) == places[-1]


async def test_a_new_shard_begins_with_change_zero(db: PostgresDatabase) -> None:
    async with db.transaction() as tx:
        assert await tx.shards.create("acme", 5)
        assert not await tx.shards.create("acme", 5)
        assert await tx.shards.ids("acme") == [0, 5]
    feed = PostgresFeed(db, DIMENSION)
    (change,) = await feed.since(ShardKey("acme", 5), 0, 10)
    assert change.position == await feed.head(ShardKey("acme", 5))
    assert change.position.seq == 0


async def test_appending_to_a_shard_that_is_gone_is_a_conflict(db: PostgresDatabase) -> None:
    with pytest.raises(Conflict):
        await _append(db, 1, shard_id=99)


async def test_a_rolled_back_change_leaves_no_number_behind(db: PostgresDatabase) -> None:
    before = await _append(db)

    async def broken() -> None:
        async with db.transaction() as tx:
            await tx.shards.append("acme", 0, [1])
            raise Conflict

    with pytest.raises(Conflict):
        await broken()
    assert (await _append(db)).seq == before.seq + 1


async def test_number_order_is_commit_order_when_transactions_begin_in_the_other_order(
    db: PostgresDatabase,
) -> None:
    """The slow one begins, and reads, first; it commits last and so is numbered last."""
    feed = PostgresFeed(db, DIMENSION)
    head = await feed.head(KEY)
    assert head is not None
    may_commit, begun = asyncio.Event(), asyncio.Event()

    async def slow() -> Position:
        async with db.transaction() as tx:
            await tx.audit.verify("acme")
            begun.set()
            await may_commit.wait()
            return await tx.shards.append("acme", 0, [1])

    waiting = asyncio.create_task(slow())
    await begun.wait()
    fast = await _append(db, 2)
    seen = await feed.since(KEY, head.seq, 100)
    assert [change.position for change in seen] == [head, fast]
    may_commit.set()
    late = await waiting
    assert [c.position for c in await feed.since(KEY, fast.seq, 100)] == [fast, late]
    assert late.seq == fast.seq + 1


async def test_a_reader_that_follows_many_writers_sees_every_number_once(
    db: PostgresDatabase,
) -> None:
    feed = PostgresFeed(db, DIMENSION)
    start = await feed.head(KEY)
    assert start is not None
    seen: list[Position] = [start]

    async def write(n: int) -> None:
        for i in range(15):
            async with db.transaction() as tx:
                if i % 3 == n % 3:
                    await tx.audit.append("acme", AuditRecord(AuditEventKind.MEMORIES_ADDED, "k"))
                await asyncio.sleep(0.001 * ((n + i) % 4))
                await tx.shards.append("acme", 0, [n * 100 + i])

    async def read() -> None:
        while seen[-1].seq < start.seq + 90:
            changes = await feed.since(KEY, seen[-1].seq, 7)
            assert changes[0].position == seen[-1]
            seen.extend(change.position for change in changes[1:])
            await asyncio.sleep(0)

    await asyncio.gather(read(), *(write(n) for n in range(6)))
    assert [place.seq for place in seen] == list(range(start.seq, start.seq + 91))


async def test_the_head_counts_vectors_and_persons(db: PostgresDatabase) -> None:
    who = await person(db)
    await person(db, "acme", "omar")
    async with db.transaction() as tx:
        await tx.shards.append("acme", 0, added=[1, 2, 3, 4], removed=[9])
    async with db.transaction() as tx:
        await tx.shards.append("acme", 0, dropped=[who.person_no], dropped_vectors=2)
    async with db.session() as session:
        row = await (
            await session.conn.execute("SELECT vectors, persons FROM shard_head")
        ).fetchone()
    assert row == (1, 1)


async def test_pruning_keeps_the_newest_changes_and_the_reader_behind_is_told(
    db: PostgresDatabase,
) -> None:
    feed = PostgresFeed(db, DIMENSION)
    for n in range(10):
        last = await _append(db, n)
    async with db.session() as session:
        assert await session.shards.prune(4) == last.seq - 4
        assert await session.shards.prune(4) == 0
    assert await feed.since(KEY, last.seq - 5, 100) == []
    assert len(await feed.since(KEY, last.seq - 4, 100)) == 5


async def test_all_shards_are_listed_whatever_their_tenant(db: PostgresDatabase) -> None:
    async with db.transaction() as tx:
        await tx.shards.create("a", 0)
        await tx.shards.create("b/../a", 3)
    async with db.session() as session:
        assert {ShardKey("a", 0), ShardKey("b/../a", 3)} <= set(await session.shards.keys())
