"""Readers and writers on the same shard at once."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rapport_server.domain.ports import Probe, ShardKey
from rapport_server.vectors import ShardLimits

from .database import plain_scores, unit
from .house import KEY, House, check

# No search is small enough for the event loop, so all go to the threads.
THREADED = ShardLimits(
    snapshot_every_s=0.05,
    inline_vectors=0,
    search_threads=8,
    replay_threads=4,
    open_bytes_max=10**6,
)


async def hammer(house: House, seconds: float) -> int:
    """8 writers add and remove in pairs of one transaction, 8 readers look for half a transaction."""
    rng, database = np.random.default_rng(1), house.database
    catalog = house.start(THREADED)
    until = time.monotonic() + seconds
    query = np.ones(database.dimension, dtype=np.float32)
    searches = 0
    database.commit(KEY, {person_no: unit(rng, 8) for person_no in range(8)})

    async def write(person_no: int) -> None:
        while time.monotonic() < until:
            # The old eight go and eight new ones come in one transaction: there are always exactly eight.
            old = house.truth(person_no)
            new = database.commit(KEY, {person_no: unit(rng, 8)}, remove=old)
            assert await house.ids(catalog, person_no) == set(new)
            if rng.random() < 0.05:
                newcomer = int(rng.integers(1000, 10**9))
                database.commit(KEY, {newcomer: unit(rng, 3)})
                assert len(await house.ids(catalog, newcomer)) == 3
            await asyncio.sleep(0)

    async def read(reader: int) -> None:
        nonlocal searches
        while time.monotonic() < until:
            probes = [Probe((reader + n) % 8, query, 50) for n in range(3)]
            for ranked in await catalog.search(KEY, probes):
                assert len(ranked.ids) == 8
            searches += 1
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        for number in range(8):
            group.create_task(write(number))
            group.create_task(read(number))
    await house.assert_right(catalog)
    return searches


async def test_a_search_never_sees_half_a_transaction_nor_crashes_while_others_write(
    house: House,
) -> None:
    assert await hammer(house, 4.0) > 50


@pytest.mark.long
@pytest.mark.timeout(180)
async def test_a_minute_of_readers_and_writers(house: House) -> None:
    assert await hammer(house, 60.0) > 1000


async def test_two_processes_on_one_database_are_never_behind_each_other(house: House) -> None:
    rng, database = np.random.default_rng(2), house.database
    catalogs = [house.start(root=house.root / name) for name in ("one", "two")]
    for turn in range(200):
        (new,) = database.commit(KEY, {1: unit(rng, 1)})
        assert new in await house.ids(catalogs[turn % 2], 1)
    for catalog in catalogs:
        await house.assert_right(catalog)


async def test_a_thousand_commits_are_each_found_at_once(house: House) -> None:
    rng, database = np.random.default_rng(3), house.database
    catalog = house.start(THREADED)
    vectors = unit(rng, 1000)

    async def client(number: int) -> None:
        for row in range(number, 1000, 64):
            (new,) = database.commit(KEY, {row % 7: vectors[row : row + 1]})
            probe = Probe(row % 7, vectors[row].astype(np.float32), 1)
            assert (await house.recall(catalog, probe)).ids.tolist() == [new]

    await asyncio.gather(*(client(number) for number in range(64)))
    query = unit(rng, 1)[0].astype(np.float32)
    for person_no in range(7):
        ranked = await house.recall(catalog, Probe(person_no, query, 200))
        check(ranked, plain_scores(database.tables[KEY], person_no, query), 200)
    assert database.calls["scan"] == 1


async def test_many_shards_opened_at_once_are_all_right(house: House) -> None:
    rng, database = np.random.default_rng(4), house.database
    keys = [ShardKey(f"t{n}", 0) for n in range(60)]
    for key in keys:
        database.commit(key, {1: unit(rng, 20)})
    catalog = house.start(ShardLimits(snapshot_every_s=3600.0, open_bytes_max=200_000))
    for _ in range(3):
        await asyncio.gather(*(house.assert_right(catalog, key) for key in keys))
        # All were in use at once; those not in use any more are closed at once, not at the keeper's next round.
        async with asyncio.timeout(5):
            while catalog.stats().bytes > 200_000:
                await asyncio.sleep(0.01)
    assert database.calls["scan"] == 60


async def test_a_shard_larger_than_the_limit_stays_open_between_a_callers_two_calls(
    house: House,
) -> None:
    database = house.database
    database.commit(KEY, {1: unit(np.random.default_rng(5), 50)})
    catalog = house.start(ShardLimits(snapshot_every_s=0.02, open_bytes_max=1))
    await house.assert_right(catalog)
    await asyncio.sleep(0.1)
    before = dict(database.calls)
    await catalog.search(KEY, [Probe(1, np.ones(database.dimension, dtype=np.float32), 5)])
    assert database.calls == before


def test_a_waiting_writer_is_not_starved_by_readers() -> None:
    from rapport_server.vectors.gate import Gate

    gate, until = Gate(), time.monotonic() + 5

    def reader() -> int:
        seen = 0
        while time.monotonic() < until and not written:
            with gate.read():
                time.sleep(0.002)
                seen += 1
        return seen

    written: list[float] = []
    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(reader) for _ in range(4)]
        time.sleep(0.05)
        with gate.try_read() as entered:
            assert entered
        with gate.write():
            with gate.try_read() as entered:
                assert not entered
            written.append(time.monotonic())
        assert all(job.result() > 0 for job in readers)
    assert written[0] < until - 4
