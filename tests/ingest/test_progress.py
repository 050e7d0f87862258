"""Waiting for progress: one waiter is woken at once, hundreds take turns so that the database can bear their questions."""

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress

import pytest

from rapport_server.commands.change import Change
from rapport_server.commands.gate import PersonGate
from rapport_server.commands.processing import Processing
from rapport_server.ingest.progress import Progress
from rapport_server.ingest.worker import IngestWorker
from tests.fix_postgres import Database
from tests.ingest.encoders import ScriptedEncoder
from tests.store.seed import Hasher, enqueue, opened

WATCHERS = 300


async def crowd(stack: AsyncExitStack, progress: Progress, size: int) -> list[int]:
    """Waiters that come back whenever they are woken, until the stack ends; counts the times."""
    woken = [0] * size

    async def wait_again(number: int) -> None:
        while True:
            await progress.wait(30.0)
            woken[number] += 1

    tasks = [asyncio.create_task(wait_again(number)) for number in range(size)]
    await asyncio.sleep(0)

    async def leave() -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    stack.push_async_callback(leave)
    return woken


async def ring_until_all_are_woken(progress: Progress, woken: list[int]) -> float:
    """Ring as a busy worker does, for a second at least and three at most; how long it took."""
    started = time.monotonic()
    while (seconds := time.monotonic() - started) < (3 if min(woken) == 0 else 1):
        progress.ring()
        await asyncio.sleep(0.005)
    return seconds


@pytest.mark.parametrize("size", [50, 200, 1000])
async def test_many_waiters_take_turns_however_often_it_rings_and_none_is_left_out(size: int):
    progress = Progress()
    async with AsyncExitStack() as stack:
        woken = await crowd(stack, progress, size)
        seconds = await ring_until_all_are_woken(progress, woken)
        assert min(woken) >= 1
        # About 250 in a second, or one for each waiter where that is more.
        assert sum(woken) <= size + max(250, size) * seconds


async def test_a_waiter_alone_is_woken_at_once_also_after_a_crowd_has_left():
    progress = Progress()
    async with AsyncExitStack() as stack:
        await crowd(stack, progress, 1000)
    started = time.monotonic()
    for _ in range(20):
        waiting = asyncio.create_task(progress.wait(30.0))
        await asyncio.sleep(0)
        progress.ring()
        await waiting
    assert time.monotonic() - started < 5  # a tenth of a second, and what a busy machine adds


async def test_watchers_of_a_waiting_memory_ask_the_database_about_250_times_a_second(
    database: Database, count_sessions: Callable[[], int]
):
    async with opened(database) as db:
        scope = await enqueue(db, ["a"])
        # Nobody works: the memory stays queued.
        worker = IngestWorker(db, ScriptedEncoder(), Hasher())
        processing = Processing(db, Change(db, PersonGate()), worker)
        before = count_sessions()
        told = 0

        async def watch() -> None:
            nonlocal told
            async for _ in processing.watch(scope, ["a"]):
                told += 1

        started = time.monotonic()
        with suppress(TimeoutError):
            async with asyncio.timeout(2):
                await asyncio.gather(*(watch() for _ in range(WATCHERS)))
        seconds = time.monotonic() - started
    asked = count_sessions() - before
    assert told == WATCHERS
    assert WATCHERS < asked <= WATCHERS + max(250, WATCHERS) * seconds
