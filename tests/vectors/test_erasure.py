"""An erased person's vectors leave memory and files, and the report of it is honest."""

import asyncio
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from rapport_server.domain.ports import Presence, ShardKey
from rapport_server.errors import Unavailable
from rapport_server.vectors import ShardLimits
from rapport_server.vectors.folder import ShardFolder

from .database import D, unit
from .house import KEY, House


def found_in_files(root: Path, vectors: NDArray[np.float16]) -> int:
    """How many of the vectors' byte strings are in any file under the root."""
    contents = [path.read_bytes() for path in root.rglob("*") if path.is_file()]
    return sum(any(vector.tobytes() in data for data in contents) for vector in vectors)


async def test_a_purge_leaves_no_byte_of_the_person_and_all_of_the_others(house: House) -> None:
    rng, database = np.random.default_rng(1), house.database
    mine, yours = unit(rng, 40), unit(rng, 30)
    database.commit(KEY, {1: mine, 2: yours})
    catalog = house.start()
    await house.assert_right(catalog)
    await catalog._save(catalog._slots[KEY])
    assert found_in_files(house.root, mine) == 40
    database.commit(KEY, drop=[1])
    assert await catalog.purge(KEY, 1) == Presence(0, 0)
    assert found_in_files(house.root, mine) == 0
    assert found_in_files(house.root, yours) == 30
    assert await house.ids(catalog, 1) == set()
    await house.assert_right(catalog)
    await catalog.close()
    assert found_in_files(house.root, mine) == 0
    await house.assert_right(house.start())
    assert database.calls["scan"] == 1


async def test_a_purge_reaches_the_files_of_a_shard_that_is_not_open(house: House) -> None:
    rng, database = np.random.default_rng(2), house.database
    mine, yours = unit(rng, 10), unit(rng, 10)
    database.commit(KEY, {1: mine, 2: yours})
    catalog = house.start()
    await house.assert_right(catalog)
    await catalog.close()
    database.commit(KEY, drop=[1])
    assert await house.start().purge(KEY, 1) == Presence(0, 0)
    assert found_in_files(house.root, mine) == 0
    assert found_in_files(house.root, yours) == 10


async def test_a_purge_gives_back_the_memory_that_the_person_took(house: House) -> None:
    rng, database, catalog = np.random.default_rng(10), house.database, house.start()
    database.commit(KEY, {1: unit(rng, 5)})
    await house.assert_right(catalog)
    before = catalog.stats().bytes
    # Rows removed one by one leave their bytes behind in the room of the list.
    ids = database.commit(KEY, {2: unit(rng, 300)})
    await catalog.catch_up(KEY, database.head_of(KEY))
    database.commit(KEY, remove=ids[:100])
    database.commit(KEY, drop=[2])
    assert await catalog.purge(KEY, 2) == Presence(0, 0)
    shard = catalog._slots[KEY].shard
    assert shard is not None
    assert shard._lists.slack_bytes == 0
    assert catalog.stats().bytes < before * 1.1


async def test_leftovers_of_a_crash_go_with_the_purge(house: House) -> None:
    rng, database = np.random.default_rng(3), house.database
    mine = unit(rng, 10)
    database.commit(KEY, {1: mine, 2: unit(rng, 3)})
    catalog = house.start()
    await house.assert_right(catalog)
    folder = ShardFolder(house.root, KEY, "model-a", D).path
    (folder / "tmp-0").mkdir(parents=True)
    (folder / "tmp-0" / "vectors.f16").write_bytes(mine.tobytes())
    (folder / f"g-{'0' * 32}").mkdir()
    database.commit(KEY, drop=[1])
    assert await catalog.purge(KEY, 1) == Presence(0, 0)
    assert found_in_files(house.root, mine) == 0


async def test_a_purge_of_a_person_who_was_not_dropped_reports_what_is_there(house: House) -> None:
    database = house.database
    database.commit(KEY, {1: unit(np.random.default_rng(4), 12)})
    catalog = house.start()
    assert await catalog.purge(KEY, 1) == Presence(12, 12)
    assert await catalog.purge(KEY, 999) == Presence(0, 0)


async def test_a_purge_on_a_full_disk_removes_the_files_instead(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, database = np.random.default_rng(5), house.database
    mine = unit(rng, 10)
    database.commit(KEY, {1: mine, 2: unit(rng, 5)})
    catalog = house.start()
    await house.assert_right(catalog)
    await catalog._save(catalog._slots[KEY])
    database.commit(KEY, drop=[1])

    def full(_self: ShardFolder, _image: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(ShardFolder, "save", full)
        assert await catalog.purge(KEY, 1) == Presence(0, 0)
    assert found_in_files(house.root, mine) == 0
    await house.assert_right(catalog)


async def test_a_purge_that_cannot_look_says_so_instead_of_zero(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = house.database
    database.commit(KEY, {1: unit(np.random.default_rng(6), 10)})
    catalog = house.start()
    await house.assert_right(catalog)
    database.commit(KEY, drop=[1])

    def unreadable(_self: ShardFolder, _person_no: int) -> int:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(ShardFolder, "count", unreadable)
        with pytest.raises(Unavailable):
            await catalog.purge(KEY, 1)
    assert await catalog.purge(KEY, 1) == Presence(0, 0)


async def test_a_purge_while_a_snapshot_and_searches_run_still_leaves_nothing(house: House) -> None:
    rng, database = np.random.default_rng(7), house.database
    catalog = house.start(ShardLimits(snapshot_every_s=0.02))
    everybody = {person_no: unit(rng, 30) for person_no in range(12)}
    database.commit(KEY, everybody)
    await house.assert_right(catalog)
    stop = asyncio.Event()

    async def busy() -> None:
        while not stop.is_set():
            database.commit(KEY, {100: unit(rng, 1)})
            await house.ids(catalog, 100)
            await asyncio.sleep(0.001)

    work = asyncio.create_task(busy())
    for person_no in range(8):
        await asyncio.sleep(0.02)
        database.commit(KEY, drop=[person_no])
        assert await catalog.purge(KEY, person_no) == Presence(0, 0)
        assert found_in_files(house.root, everybody[person_no]) == 0
    stop.set()
    await work
    await house.assert_right(catalog)


async def test_a_person_dropped_by_another_process_leaves_the_files_with_the_next_look(
    house: House,
) -> None:
    rng, database = np.random.default_rng(8), house.database
    mine = unit(rng, 10)
    catalog = house.start(ShardLimits(snapshot_every_s=4.0))
    database.commit(KEY, {1: mine, 2: unit(rng, 5)})
    await house.assert_right(catalog)
    await catalog._save(catalog._slots[KEY])
    database.commit(KEY, drop=[1])
    await house.assert_right(catalog)
    # The keeper looks every second and does not wait the four seconds that an ordinary change waits.
    async with asyncio.timeout(2.5):
        while found_in_files(house.root, mine):
            await asyncio.sleep(0.05)


async def test_a_dropped_shard_leaves_no_file_and_comes_back_empty(house: House) -> None:
    rng, database, other = np.random.default_rng(9), house.database, ShardKey("other", 0)
    mine, yours = unit(rng, 10), unit(rng, 10)
    catalog = house.start()
    database.commit(KEY, {1: mine})
    database.commit(other, {1: yours})
    for key in (KEY, other):
        await house.assert_right(catalog, key)
        await catalog._save(catalog._slots[key])
    del database.tables[KEY]
    await catalog.drop_shard(KEY)
    assert catalog.stats().shards == 1
    assert found_in_files(house.root, mine) == 0
    assert found_in_files(house.root, yours) == 10
    assert await catalog.purge(KEY, 1) == Presence(0, 0)
    database.create(KEY)
    assert await house.ids(catalog, 1) == set()
    await house.assert_right(catalog, other)
