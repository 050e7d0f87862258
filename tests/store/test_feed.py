"""What a shard reads from the database: heads, changes with vectors, images of one snapshot."""

import time
from collections.abc import AsyncIterator
from contextlib import aclosing

import numpy as np
import psycopg
import pytest

from rapport_server.domain.ports import ShardKey
from rapport_server.store import feed as feed_module
from rapport_server.store.database import PostgresDatabase
from rapport_server.store.feed import PostgresFeed
from tests.fix_postgres import Database
from tests.store.seed import DIMENSION, claim, enqueue, index, opened, person, subject

KEY = ShardKey("acme", 0)


@pytest.fixture
async def db(database: Database) -> AsyncIterator[PostgresDatabase]:
    async with opened(database) as db:
        yield db


@pytest.fixture
def feed(db: PostgresDatabase) -> PostgresFeed:
    return PostgresFeed(db, DIMENSION)


async def _add(db: PostgresDatabase, *values: float, who: str = "maya") -> None:
    """One memory per value, indexed by one change each."""
    for value in values:
        await enqueue(db, [f"{who} {value}"], end_user_id=who)
        await index(db, await claim(db), value)


async def test_an_unknown_shard_has_no_head_no_changes_and_no_image(feed: PostgresFeed) -> None:
    assert await feed.head(KEY) is None
    assert await feed.since(KEY, 0, 10) == []
    assert [image async for image in feed.scan(KEY)] == []


async def test_changes_carry_ids_owners_and_vectors(
    db: PostgresDatabase, feed: PostgresFeed
) -> None:
    maya, omar = await person(db), await person(db, "acme", "omar")
    head = await feed.head(KEY)
    assert head is not None
    await _add(db, 1.0, 2.0)
    await _add(db, 3.0, who="omar")
    first, *changes = await feed.since(KEY, head.seq, 10)
    assert first.position == head
    assert [len(change.added) for change in changes] == [1, 1, 1]
    assert [int(change.persons[0]) for change in changes] == [
        maya.person_no,
        maya.person_no,
        omar.person_no,
    ]
    assert [float(change.vectors[0, 0]) for change in changes] == [1.0, 2.0, 3.0]
    assert changes[0].vectors.dtype == np.float16
    assert changes[0].vectors.shape == (1, DIMENSION)
    assert changes[0].added.dtype == changes[0].persons.dtype == np.int64


async def test_since_takes_at_most_its_limit(db: PostgresDatabase, feed: PostgresFeed) -> None:
    await person(db)
    await _add(db, 1.0, 2.0, 3.0)
    head = await feed.head(KEY)
    assert head is not None
    changes = await feed.since(KEY, head.seq - 3, 2)
    assert [change.position.seq for change in changes] == [head.seq - 3, head.seq - 2]


async def test_a_vector_deleted_meanwhile_is_left_out_and_its_removal_follows(
    db: PostgresDatabase, feed: PostgresFeed
) -> None:
    await person(db)
    head = await feed.head(KEY)
    await _add(db, 1.0, 2.0)
    await enqueue(db, ["maya 1.0"])
    await index(db, await claim(db), 5.0)
    assert head is not None
    _, first, second, third = await feed.since(KEY, head.seq, 10)
    assert (len(first.added), len(second.added), len(third.added)) == (0, 1, 1)
    assert first.vectors.shape == (0, DIMENSION)
    assert len(third.removed) == 1
    assert float(third.vectors[0, 0]) == 5.0


async def test_a_dropped_person_is_named_by_number(
    db: PostgresDatabase, feed: PostgresFeed
) -> None:
    who = await person(db)
    async with db.transaction() as tx:
        place = await tx.shards.append("acme", 0, dropped=[who.person_no])
    (change,) = await feed.since(KEY, place.seq, 10)
    assert change.dropped.tolist() == [who.person_no]


async def test_an_empty_shard_gives_one_empty_image(
    db: PostgresDatabase, feed: PostgresFeed
) -> None:
    await person(db)
    (image,) = [image async for image in feed.scan(KEY)]
    assert image.position == await feed.head(KEY)
    assert image.ids.shape == (0,)
    assert image.vectors.shape == (0, DIMENSION)


@pytest.mark.parametrize("rows", [1, 3, 5, 100])
async def test_images_in_any_batch_size_are_the_whole_shard(
    db: PostgresDatabase, feed: PostgresFeed, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.setattr(feed_module, "_SCAN_ROWS", rows)
    await _add(db, 1.0, 2.0, 3.0, 4.0, 5.0)
    await enqueue(db, ["other tenant"], "umbrella")
    await index(db, await claim(db))
    images = [image async for image in feed.scan(KEY)]
    ids = np.concatenate([image.ids for image in images])
    vectors = np.concatenate([image.vectors for image in images])
    assert np.all(np.diff(ids) > 0)
    assert vectors[:, 0].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert max(len(image.ids) for image in images) <= rows


async def test_an_image_is_of_one_moment_whatever_happens_while_it_is_read(
    db: PostgresDatabase, feed: PostgresFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_module, "_SCAN_ROWS", 2)
    await _add(db, 1.0, 2.0, 3.0)
    before = await feed.head(KEY)
    seen: list[float] = []
    async with aclosing(feed.scan(KEY)) as images:
        async for image in images:
            seen += image.vectors[:, 0].tolist()
            assert image.position == before
            if len(seen) == 2:
                await _add(db, 4.0)
                async with db.transaction() as tx:
                    await tx.erasures.delete_person("acme", "maya", subject("acme", "maya"))
    assert seen == [1.0, 2.0, 3.0]
    # The connection came back in its usual state: it sees the present again, and may write.
    assert [len(image.ids) async for image in feed.scan(KEY)] == [0]
    await _add(db, 6.0)


async def test_an_image_left_early_gives_its_connection_back(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_module, "_SCAN_ROWS", 1)
    db = PostgresDatabase(database.app_dsn, database.owner_dsn, size=1)
    await db.open()
    try:
        feed = PostgresFeed(db, DIMENSION)
        await _add(db, 1.0, 2.0)
        async with aclosing(feed.scan(KEY)) as images:
            await anext(images)
        assert await feed.head(KEY) is not None
    finally:
        await db.close()


async def test_an_image_of_40000_vectors_takes_about_a_second_at_most(
    database: Database, db: PostgresDatabase
) -> None:
    who = await person(db)
    async with await psycopg.AsyncConnection.connect(database.owner_dsn) as conn:
        await conn.execute(
            "INSERT INTO chunk (tenant_id, store, end_user_id, source_id, version, person_no, shard_id, chunk_index, vector)"
            " SELECT 'acme', 'MEMORIES', 'maya', n::text, n, %s, 0, 0, decode(repeat('003c', 384), 'hex')"
            " FROM generate_series(1, 40000) AS n",
            (who.person_no,),
        )
    feed = PostgresFeed(db, 384)
    started = time.perf_counter()
    rows = sum([len(image.ids) async for image in feed.scan(KEY)])
    took = time.perf_counter() - started
    print(f"{rows / took:,.0f} vectors/s")
    assert rows == 40_000
    assert took < 1.5
