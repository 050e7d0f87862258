"""What the catalog writes, when, and how much of disk and memory it takes."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from rapport_server.domain.ports import ShardKey
from rapport_server.vectors import ShardCatalog, ShardLimits
from rapport_server.vectors.folder import ShardFolder

from .database import D, unit
from .house import KEY, QUIET, House

BRISK = ShardLimits(snapshot_every_s=0.1)


def on_disk(root: Path) -> int:
    return sum(path.stat().st_size for path in root.rglob("*") if path.is_file())


def saved_seq(root: Path) -> int | None:
    folder = ShardFolder(root, KEY, "model-a", D)
    try:
        name = json.loads((folder.path / "CURRENT").read_text())["generation"]
    except FileNotFoundError:
        return None
    return int(json.loads((folder.path / name / "manifest.json").read_text())["seq"])


async def until_saved(root: Path, seq: int, within_s: float = 5.0) -> None:
    async with asyncio.timeout(within_s):
        while saved_seq(root) != seq:
            await asyncio.sleep(0.01)


async def test_a_clean_stop_saves_and_the_next_start_reads_files_only(house: House) -> None:
    rng, database = np.random.default_rng(1), house.database
    database.commit(KEY, {1: unit(rng, 30), 2: unit(rng, 5)})
    catalog = house.start()
    await house.assert_right(catalog)
    assert saved_seq(house.root) is None
    await catalog.close()
    catalog = house.start()
    await house.assert_right(catalog)
    assert database.calls == {"head": 4, "since": 0, "scan": 1}


async def test_a_clean_shard_is_not_written_again(house: House) -> None:
    house.database.commit(KEY, {1: unit(np.random.default_rng(2), 3)})
    catalog = house.start()
    await house.assert_right(catalog)
    await catalog.close()
    before = {path: path.stat().st_mtime_ns for path in house.root.rglob("*")}
    catalog = house.start(BRISK)
    await house.assert_right(catalog)
    await asyncio.sleep(0.2)
    await catalog.close()
    assert {path: path.stat().st_mtime_ns for path in house.root.rglob("*")} == before


async def test_a_dirty_shard_is_saved_in_the_background_but_not_more_often_than_asked(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, database, saves = np.random.default_rng(3), house.database, list[object]()
    real = ShardFolder.save

    def counting(self: ShardFolder, image: object) -> None:
        saves.append(image)
        real(self, image)  # type: ignore[arg-type]

    monkeypatch.setattr(ShardFolder, "save", counting)
    catalog = house.start(ShardLimits(snapshot_every_s=0.3))
    began = time.monotonic()
    while time.monotonic() < began + 1.2:
        database.commit(KEY, {1: unit(rng, 1)})
        await catalog.catch_up(KEY, database.head_of(KEY))
        await asyncio.sleep(0.005)
    await until_saved(house.root, database.head_of(KEY).seq)
    # One at once, for there were no files, and one more in each 0.3 s; the keeper looks four times as often.
    assert 2 <= len(saves) <= (time.monotonic() - began) / 0.3 + 2


@pytest.mark.parametrize(
    "name", ["CURRENT", "manifest.json", "persons.i64", "ids.i64", "vectors.f16", "all", "root"]
)
@pytest.mark.parametrize("harm", ["deleted", "truncated", "noise"])
async def test_files_harmed_while_stopped_give_the_same_answers_after_the_start(
    house: House, name: str, harm: str, caplog: pytest.LogCaptureFixture
) -> None:
    rng, database = np.random.default_rng(4), house.database
    database.commit(KEY, {1: unit(rng, 30), 2: unit(rng, 5)})
    catalog = house.start()
    await house.assert_right(catalog)
    await catalog.close()
    if name == "root":
        shutil.rmtree(house.root)
    for path in [p for p in house.root.rglob("*") if p.is_file() and name in (p.name, "all")]:
        if harm == "deleted":
            path.unlink()
        elif harm == "truncated":
            os.truncate(path, path.stat().st_size // 2)
        else:
            path.write_bytes(rng.bytes(path.stat().st_size))
    await house.assert_right(house.start())
    assert database.calls["scan"] == 2
    assert ("rebuilding" in caplog.text) == (name != "root")


async def test_files_of_another_model_are_not_used(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    rng, database = np.random.default_rng(5), house.database
    ids = database.commit(KEY, {1: unit(rng, 10)})
    catalog = house.start(fingerprint="model-a")
    await house.assert_right(catalog)
    await catalog.close()
    # The new model's vectors stand in the same rows.
    for chunk_id in ids:
        database.tables[KEY].rows[chunk_id] = (1, unit(rng, 1)[0])
    await house.assert_right(house.start(fingerprint="model-b"))
    assert "model-a" in caplog.text
    assert database.calls["scan"] == 2


async def test_a_disk_that_cannot_be_written_costs_no_answer(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    rng, database = np.random.default_rng(6), house.database
    house.root.parent.mkdir(exist_ok=True)
    house.root.write_text("a file where the folder should be")
    catalog = house.start(BRISK)
    database.commit(KEY, {1: unit(rng, 10)})
    await house.assert_right(catalog)
    async with asyncio.timeout(5):
        while "not saved" not in caplog.text:
            await asyncio.sleep(0.01)
    database.commit(KEY, {1: unit(rng, 10)})
    await house.assert_right(catalog)
    house.root.unlink()
    await until_saved(house.root, database.head_of(KEY).seq)


async def test_searches_go_on_while_a_snapshot_and_another_shards_rebuild_are_under_way(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, database, other = np.random.default_rng(7), house.database, ShardKey("other", 0)
    real, writing, finish = ShardFolder.save, asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow(self: ShardFolder, image: object) -> None:
        loop.call_soon_threadsafe(writing.set)
        asyncio.run_coroutine_threadsafe(finish.wait(), loop).result(20)
        real(self, image)  # type: ignore[arg-type]

    monkeypatch.setattr(ShardFolder, "save", slow)
    catalog = house.start(BRISK)
    database.commit(KEY, {1: unit(rng, 10)})
    database.commit(other, {1: unit(rng, 10)})
    await house.assert_right(catalog)
    await writing.wait()
    database.hold = asyncio.Event()
    rebuild = asyncio.create_task(house.ids(catalog, 1, other))
    await asyncio.sleep(0.01)
    async with asyncio.timeout(2):
        database.commit(KEY, {1: unit(rng, 10)})
        await house.assert_right(catalog)
    assert not rebuild.done()
    database.hold.set()
    async with asyncio.timeout(2):
        assert await rebuild == house.truth(1, other)
    finish.set()


async def test_open_shards_stay_under_the_limit_and_closed_ones_answer_when_asked_again(
    house: House,
) -> None:
    rng, database = np.random.default_rng(8), house.database
    keys = [ShardKey(f"tenant-{i}", 0) for i in range(12)]
    for key in keys:
        database.commit(key, {1: unit(rng, 500)})
    limit = 150_000
    catalog = house.start(ShardLimits(snapshot_every_s=3600.0, open_bytes_max=limit))
    for turn in range(3):
        for key in keys:
            await house.assert_right(catalog, key)
            assert 0 < catalog.stats().bytes <= limit
        for key in keys[:4]:
            # Dirty ones are dropped unwritten and catch up from the log.
            database.commit(key, {1: unit(rng, 5)}, remove=[min(house.truth(1, key))])
            await catalog.catch_up(key, database.head_of(key))
        assert database.calls["scan"] == len(keys), turn
    assert 2 <= catalog.stats().shards < len(keys)
    assert len(catalog._slots) == catalog.stats().shards


async def test_the_least_recently_used_shard_goes_first_and_never_one_in_use(house: House) -> None:
    rng, database = np.random.default_rng(9), house.database
    a, b, c = (ShardKey(name, 0) for name in "abc")
    for key in (a, b, c):
        database.commit(key, {1: unit(rng, 500)})
    catalog = house.start(ShardLimits(snapshot_every_s=3600.0, open_bytes_max=130_000))
    for key in (a, b, a, c):
        await house.ids(catalog, 1, key)
    assert set(catalog._slots) == {a, c}
    with catalog._using(a):
        for key in (c, b, c, b):
            await house.ids(catalog, 1, key)
            assert catalog._slots[a].shard is not None


async def test_disk_and_memory_stay_bounded_over_fifty_rounds_of_add_and_delete(
    house: House,
) -> None:
    rng, database, sizes = np.random.default_rng(10), house.database, []
    catalog = house.start(QUIET)
    stay = database.commit(KEY, {1: unit(rng, 100)})
    await house.assert_right(catalog)
    slot = catalog._slots[KEY]
    for turn in range(50):
        ids = database.commit(KEY, {1: unit(rng, 200), turn + 2: unit(rng, 200)})
        await catalog.catch_up(KEY, database.head_of(KEY))
        database.commit(KEY, remove=ids)
        await catalog.catch_up(KEY, database.head_of(KEY))
        await catalog._save(slot)
        sizes.append((on_disk(house.root), catalog.stats().bytes))
    assert await house.ids(catalog, 1) == set(stay)
    assert catalog.stats().vectors == 100
    assert sizes[-1][0] <= sizes[0][0] * 1.1
    assert max(resident for _, resident in sizes) < 500 * (2 * D + 8) * 2 + 100_000
    assert len(list(ShardFolder(house.root, KEY, "model-a", D).path.iterdir())) == 2


async def test_memory_stays_bounded_when_nothing_is_saved_between(house: House) -> None:
    rng, database = np.random.default_rng(11), house.database
    catalog, most = house.start(QUIET), 0
    database.commit(KEY, {1: unit(rng, 100)})
    for turn in range(8):
        ids = database.commit(KEY, {turn + 2: unit(rng, 40_000)})
        await catalog.catch_up(KEY, database.head_of(KEY))
        database.commit(KEY, remove=ids)
        await catalog.catch_up(KEY, database.head_of(KEY))
        most = max(most, catalog.stats().bytes)
    # Room for 65,536 rows is 2.6 MB; eight rounds of it would be 21 MB.
    assert most < 9e6


async def test_many_persons_fit_into_one_shard(house: House) -> None:
    rng, database = np.random.default_rng(12), house.database
    catalog = house.start()
    for start in range(0, 3000, 250):
        database.commit(KEY, {p: unit(rng, 2) for p in range(start, start + 250)})
        await catalog.catch_up(KEY, database.head_of(KEY))
    for person_no in range(0, 3000, 97):
        assert await house.ids(catalog, person_no) == house.truth(person_no)
    assert catalog.stats().vectors == 6000
    assert database.calls["scan"] == 1


CHILD = """
import sys, uuid
from pathlib import Path
import numpy as np
from rapport_server.domain.ports import Position, ShardKey
from rapport_server.vectors.folder import ShardFolder
from rapport_server.vectors.image import Image
rows = 6000
folder = ShardFolder(Path(sys.argv[1]), ShardKey("t", 0), "m", 384)
seq = 0
while True:
    seq += 1
    folder.save(Image(Position(seq, uuid.UUID(int=seq)), np.array([[1, rows]]), np.arange(rows) + seq,
                      np.full((rows, 384), seq % 2000, dtype=np.float16)))
    print(seq, flush=True)
"""


def test_a_process_killed_while_it_saves_leaves_a_whole_shard(tmp_path: Path) -> None:
    rng = np.random.default_rng(13)
    for _ in range(6):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        seq = int(child.stdout.readline())
        time.sleep(float(rng.uniform(0, 0.12)))
        child.send_signal(signal.SIGKILL)
        seq = max([seq, *map(int, child.stdout.read().split())])
        child.stdout.close()
        child.wait()
        folder = ShardFolder(tmp_path, ShardKey("t", 0), "m", 384)
        image = folder.load()
        assert image is not None
        assert image.position.seq in (seq, seq + 1)
        assert (image.vectors == image.position.seq % 2000).all()
        assert (image.ids == np.arange(6000) + image.position.seq).all()
        assert len(list(folder.path.iterdir())) == 2


def test_limits_with_which_nothing_would_move_are_refused() -> None:
    for bad in ({"replay_changes": 1}, {"rebuilds": 0}, {"snapshot_every_s": 0.0}):
        with pytest.raises(ValueError, match="must be"):
            ShardLimits(**bad)


async def test_deleted_tenants_files_go_at_the_start(house: House) -> None:
    rng, database = np.random.default_rng(14), house.database
    keys = [ShardKey(name, 0) for name in "ab"]
    catalog: ShardCatalog = house.start()
    for key in keys:
        database.commit(key, {1: unit(rng, 3)})
        await house.assert_right(catalog, key)
    await catalog.close()
    catalog = house.start()
    assert await catalog.forget_others(keys[:1]) == 1
    for key in keys:
        await house.assert_right(catalog, key)
    assert database.calls["scan"] == 3
