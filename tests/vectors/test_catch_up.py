"""The catalog follows the database: what is committed is found, and no other history is ever served."""

import asyncio
import logging
import uuid

import numpy as np
import pytest

from rapport_server.domain.ports import Position, Probe, ShardKey
from rapport_server.errors import Unavailable
from rapport_server.vectors import ShardLimits

from .database import D, plain_scores, unit
from .house import KEY, QUIET, House, check


async def test_what_is_committed_is_found_and_what_is_removed_is_not(house: House) -> None:
    rng, database = np.random.default_rng(1), house.database
    catalog = house.start()
    first = database.commit(KEY, {1: unit(rng, 30), 2: unit(rng, 5)})
    await house.assert_right(catalog)
    database.commit(KEY, {1: unit(rng, 3)}, remove=first[:10])
    await house.assert_right(catalog)
    database.commit(KEY, {2: unit(rng, 2)}, drop=[1])
    assert await house.ids(catalog, 1) == set()
    await house.assert_right(catalog)
    assert database.calls["scan"] == 1


async def test_catching_up_with_nothing_new_asks_the_database_nothing(house: House) -> None:
    house.database.commit(KEY, {1: unit(np.random.default_rng(2), 3)})
    catalog = house.start()
    head = house.database.head_of(KEY)
    await catalog.catch_up(KEY, head)
    before = dict(house.database.calls)
    for _ in range(100):
        await catalog.catch_up(KEY, head)
    assert house.database.calls == before


async def test_callers_with_older_heads_share_one_question_to_the_database(house: House) -> None:
    rng, database = np.random.default_rng(3), house.database
    catalog, heads = house.start(), []
    database.commit(KEY, {1: unit(rng, 1)})
    await house.ids(catalog, 1)
    for _ in range(20):
        database.commit(KEY, {1: unit(rng, 1)})
        heads.append(database.head_of(KEY))
    await catalog.catch_up(KEY, heads[-1])
    before = dict(database.calls)
    await asyncio.gather(*(catalog.catch_up(KEY, head) for head in heads))
    assert database.calls == {**before, "since": before["since"] + 1}


async def test_a_database_restored_to_a_place_that_the_shard_passed_is_followed_back(
    house: House,
) -> None:
    rng, database, catalog = np.random.default_rng(21), house.database, house.start()
    database.commit(KEY, {1: unit(rng, 1)})
    await house.assert_right(catalog)
    database.commit(KEY, {1: unit(rng, 1)})
    await house.assert_right(catalog)
    saved = database.backup()
    database.commit(KEY, {1: unit(rng, 4), 2: unit(rng, 4)})
    await house.assert_right(catalog)
    database.restore(saved)
    await house.assert_right(catalog)
    assert await house.ids(catalog, 2) == set()


async def test_callers_at_the_same_time_share_one_scan_and_one_replay(house: House) -> None:
    rng, database = np.random.default_rng(4), house.database
    database.commit(KEY, {1: unit(rng, 200)})
    catalog = house.start()
    await asyncio.gather(*(catalog.catch_up(KEY, database.head_of(KEY)) for _ in range(32)))
    assert database.calls == {"head": 0, "since": 0, "scan": 1}
    database.commit(KEY, {1: unit(rng, 2)})
    await asyncio.gather(*(catalog.catch_up(KEY, database.head_of(KEY)) for _ in range(32)))
    assert database.calls == {"head": 0, "since": 1, "scan": 1}


async def test_a_caller_with_a_newer_head_than_the_running_catch_up_sees_it_too(
    house: House,
) -> None:
    rng, database = np.random.default_rng(5), house.database
    database.hold = asyncio.Event()
    database.commit(KEY, {1: unit(rng, 3)})
    catalog = house.start()
    older = asyncio.create_task(catalog.catch_up(KEY, database.head_of(KEY)))
    await database.scanning.wait()
    (late,) = database.commit(KEY, {1: unit(rng, 1)})
    newer = asyncio.create_task(house.ids(catalog, 1))
    await asyncio.sleep(0.02)
    database.hold.set()
    await older
    assert late in await newer


async def test_a_cancelled_caller_does_not_stop_the_catch_up_of_the_others(house: House) -> None:
    database = house.database
    database.hold = asyncio.Event()
    database.commit(KEY, {1: unit(np.random.default_rng(6), 3)})
    catalog = house.start()
    first = asyncio.create_task(catalog.catch_up(KEY, database.head_of(KEY)))
    await asyncio.sleep(0.01)
    second = asyncio.create_task(house.ids(catalog, 1))
    await asyncio.sleep(0.01)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    database.hold.set()
    assert await second == house.truth(1)
    assert database.calls["scan"] == 1


async def test_a_database_that_fails_once_fails_the_call_and_not_the_shard(house: House) -> None:
    rng, database = np.random.default_rng(7), house.database
    database.commit(KEY, {1: unit(rng, 3)})
    catalog = house.start()
    await house.ids(catalog, 1)
    database.commit(KEY, {1: unit(rng, 3)})
    database.failure = Unavailable("the database is away")
    with pytest.raises(Unavailable, match="away"):
        await house.ids(catalog, 1)
    await house.assert_right(catalog)
    assert database.calls["scan"] == 1


async def test_a_long_log_is_replayed_page_by_page(house: House) -> None:
    rng, database = np.random.default_rng(8), house.database
    limits = ShardLimits(snapshot_every_s=3600.0, replay_changes=7)
    database.commit(KEY, {1: unit(rng, 1)})
    catalog = house.start(limits)
    await house.ids(catalog, 1)
    for person_no in range(60):
        database.commit(KEY, {person_no: unit(rng, 2)})
    await catalog.catch_up(KEY, database.head_of(KEY))
    assert catalog.stats().vectors == 121
    await house.assert_right(catalog)
    assert database.calls["scan"] == 1
    assert 60 / 6 <= database.calls["since"] <= 60 / 6 + 1


@pytest.mark.parametrize("restart", [True, False], ids=["restarted", "running"])
async def test_a_log_that_was_pruned_past_the_shard_means_a_rebuild(
    house: House, caplog: pytest.LogCaptureFixture, restart: bool
) -> None:
    rng, database = np.random.default_rng(9), house.database
    ids = database.commit(KEY, {1: unit(rng, 5)})
    catalog = house.start()
    await house.assert_right(catalog)
    if restart:
        await catalog.close()
        catalog = house.start()
    for _ in range(10):
        database.commit(KEY, {1: unit(rng, 1)}, remove=[ids.pop()] if ids else [])
    database.prune(KEY, 3)
    await house.assert_right(catalog)
    assert database.calls["scan"] == 2
    assert "does not reach back" in caplog.text


async def test_a_log_pruned_up_to_the_very_head_needs_no_rebuild(house: House) -> None:
    database = house.database
    database.commit(KEY, {1: unit(np.random.default_rng(10), 5)})
    catalog = house.start()
    await house.assert_right(catalog)
    await catalog.close()
    database.prune(KEY, 0)
    await house.assert_right(house.start())
    assert database.calls["scan"] == 1


async def test_an_older_head_with_nothing_left_in_the_log_needs_no_rebuild(house: House) -> None:
    rng, database, catalog = np.random.default_rng(22), house.database, house.start()
    database.commit(KEY, {1: unit(rng, 5)})
    older = database.head_of(KEY)
    database.commit(KEY, {1: unit(rng, 5)})
    await house.assert_right(catalog)
    database.prune(KEY, 0)
    await catalog.catch_up(KEY, older)
    assert database.calls["scan"] == 1


async def test_vectors_that_are_not_finite_are_left_out_of_a_rebuild_and_of_a_replay(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    rng, database, catalog = np.random.default_rng(23), house.database, house.start()
    for _ in range(2):
        vectors = unit(rng, 5)
        vectors[1, 2], vectors[3, 0] = np.nan, -np.inf
        database.commit(KEY, {1: vectors})
        ranked = await house.recall(catalog, Probe(1, np.ones(D, dtype=np.float32), 50))
        assert np.isfinite(ranked.scores).all()
        assert len(ranked.ids) == catalog.stats().vectors
    assert catalog.stats().vectors == 6
    assert caplog.text.count("2 vectors left out") == 2


@pytest.mark.parametrize("further", [0, 1, 2, 3, 9])
@pytest.mark.parametrize("restart", [True, False], ids=["restarted", "running"])
async def test_a_restored_older_database_is_followed_wherever_it_has_moved_to_since(
    house: House, further: int, restart: bool
) -> None:
    rng, database = np.random.default_rng(11), house.database
    catalog = house.start()
    database.commit(KEY, {1: unit(rng, 5)})
    saved = database.backup()
    for _ in range(2):
        database.commit(KEY, {1: unit(rng, 2), 2: unit(rng, 2)})
    await house.assert_right(catalog)
    if restart:
        await catalog.close()
        catalog = house.start()
    database.restore(saved)
    for _ in range(further):
        database.commit(KEY, {1: unit(rng, 1)})
    await house.assert_right(catalog)
    assert await house.ids(catalog, 2) == set()
    assert database.calls["scan"] == 2


async def test_a_restored_database_that_is_newer_than_the_files_needs_no_rebuild(
    house: House,
) -> None:
    rng, database = np.random.default_rng(12), house.database
    catalog = house.start()
    database.commit(KEY, {1: unit(rng, 5)})
    await house.assert_right(catalog)
    await catalog.close()
    database.commit(KEY, {1: unit(rng, 5)})
    saved = database.backup()
    database.commit(KEY, {1: unit(rng, 5)})
    database.restore(saved)
    await house.assert_right(house.start())
    assert database.calls["scan"] == 1


async def test_a_recreated_tenant_never_sees_the_old_ones_vectors(house: House) -> None:
    rng, database = np.random.default_rng(13), house.database
    catalog = house.start()
    for _ in range(3):
        database.commit(KEY, {1: unit(rng, 5)})
    await house.assert_right(catalog)
    database.create(KEY)
    assert await house.ids(catalog, 1) == set()
    for _ in range(3):
        database.commit(KEY, {2: unit(rng, 1)})
    assert await house.ids(catalog, 1) == set()
    await house.assert_right(catalog)


async def test_a_gap_in_the_log_means_a_rebuild(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    rng, database = np.random.default_rng(14), house.database
    catalog = house.start()
    database.commit(KEY, {1: unit(rng, 1)})
    await house.assert_right(catalog)
    for _ in range(4):
        database.commit(KEY, {1: unit(rng, 1)})
    del database.tables[KEY].log[2]
    await house.assert_right(catalog)
    assert "gap" in caplog.text
    database.commit(KEY, {1: unit(rng, 1)})
    del database.tables[KEY].log[-1]
    await house.assert_right(catalog)
    assert database.calls["scan"] == 3


async def test_a_shard_in_step_writes_no_warning(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    database, rng = house.database, np.random.default_rng(15)
    for _ in range(3):
        database.commit(KEY, {1: unit(rng, 3)})
        catalog = house.start()
        await house.assert_right(catalog)
        await catalog.close()
    assert caplog.text == ""
    assert database.calls["scan"] == 1


async def test_a_shard_opened_before_its_first_change_is_followed_without_a_warning(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    house.database.create(KEY)
    catalog = house.start()
    for _ in range(3):
        await house.assert_right(catalog)
        assert await house.ids(catalog, 1) == house.truth(1)
        house.database.commit(KEY, {1: unit(np.random.default_rng(24), 3)})
    assert house.database.calls["scan"] == 2
    assert caplog.text == ""


async def test_a_shard_the_database_does_not_have_answers_nothing_and_leaves_no_files(
    house: House,
) -> None:
    catalog, probe = house.start(), Probe(1, np.ones(D, dtype=np.float32), 5)
    house.database.commit(KEY, {1: unit(np.random.default_rng(16), 3)})
    assert len((await house.recall(catalog, probe)).ids) == 3
    await catalog.close()
    assert list(house.root.rglob("vectors.f16"))
    house.database.tables.clear()
    catalog = house.start()
    assert [len(r.ids) for r in await catalog.search(KEY, [probe, probe])] == [0, 0]
    assert not list(house.root.rglob("vectors.f16"))
    await catalog.catch_up(KEY, Position(1, uuid.uuid4()))
    assert (await catalog.search(KEY, [probe]))[0].ids.tolist() == []


async def test_a_search_opens_a_shard_that_is_not_open_and_brings_it_up_first(house: House) -> None:
    rng, database = np.random.default_rng(17), house.database
    database.commit(KEY, {1: unit(rng, 20)})
    catalog = house.start()
    await house.ids(catalog, 1)
    await catalog.close()
    database.commit(KEY, {1: unit(rng, 20)})
    query = unit(rng, 1)[0].astype(np.float32)
    (ranked,) = await house.start().search(KEY, [Probe(1, query, 15)])
    check(ranked, plain_scores(database.tables[KEY], 1, query), 15)


async def test_shards_do_not_see_each_other(house: House) -> None:
    rng, database, catalog = np.random.default_rng(18), house.database, house.start()
    keys = [ShardKey(t, s) for t in ("a", "A", "a-b", "a/b", "../a", "a%") for s in (0, 1, 11)]
    for key in keys:
        database.commit(key, {1: unit(rng, 4)})
    for again in (catalog, None):
        if again is None:
            await catalog.close()
            catalog = house.start()
        for key in keys:
            assert await house.ids(catalog, 1, key) == house.truth(1, key)
    assert all(path.is_relative_to(house.root) for path in house.root.rglob("*"))


async def test_every_live_hit_counts_however_many_were_removed_before_it(house: House) -> None:
    rng, database, catalog = np.random.default_rng(19), house.database, house.start()
    query = unit(rng, 1)[0]
    near = database.commit(KEY, {1: np.repeat(query[None], 200, axis=0)})
    far = database.commit(KEY, {1: unit(rng, 10)})
    probe = Probe(1, query.astype(np.float32), 10)
    assert (await house.recall(catalog, probe)).ids.tolist() == near[:10]
    database.commit(KEY, remove=near)
    assert set((await house.recall(catalog, probe)).ids.tolist()) == set(far)


async def test_after_close_every_verb_says_unavailable(house: House) -> None:
    database = house.database
    database.commit(KEY, {1: unit(np.random.default_rng(20), 3)})
    catalog = house.start(QUIET)
    database.hold = asyncio.Event()
    waiting = asyncio.create_task(catalog.catch_up(KEY, database.head_of(KEY)))
    await asyncio.sleep(0.01)
    await catalog.close()
    await catalog.close()
    for call in (
        waiting,
        catalog.catch_up(KEY, database.head_of(KEY)),
        catalog.search(KEY, []),
        catalog.purge(KEY, 1),
        catalog.drop_shard(KEY),
    ):
        with pytest.raises(Unavailable):
            await call
