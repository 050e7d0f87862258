"""WatchEndUser on a real database: what is told of a memory's way, and what a crowd of watchers asks."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager

import pytest

from rapport_server.commands import watch_end_user
from rapport_server.commands.authenticate import OPEN_CALLER, Authenticate
from rapport_server.commands.bells import Bells
from rapport_server.commands.tenant_directory import TenantDirectory
from rapport_server.commands.watch_end_user import EndUserChange, WatchEndUser
from rapport_server.domain.limits import WATCHERS_MAX
from rapport_server.domain.memories import Scope
from rapport_server.errors import ResourceExhausted
from rapport_server.store.database import PostgresDatabase
from tests.fix_postgres import Database
from tests.store.seed import Hasher, claim, enqueue, index, opened, person, subject

MAYA = Scope("acme", "maya")
Told = tuple[str, str, int]


@pytest.fixture(autouse=True)
def never_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the bells wake the watchers."""
    monkeypatch.setattr(watch_end_user, "LOOK_AGAIN_S", 3600.0)


@asynccontextmanager
async def house(database: Database) -> AsyncIterator[tuple[PostgresDatabase, WatchEndUser, Bells]]:
    """A database whose news ring the bells of the watchers, as in a server."""
    async with opened(database) as db, asyncio.TaskGroup() as group:
        bells = Bells()
        listening = asyncio.Event()

        async def listen() -> None:
            async for news in db.listen():
                listening.set()
                bells.ring(map(bytes.fromhex, news.get("subjects", ())))

        await person(db)
        tasks = [group.create_task(work) for work in (listen(), db.announce())]
        await listening.wait()
        authenticate = Authenticate(db, lambda _: b"")
        yield db, WatchEndUser(db, Hasher(), bells, authenticate, TenantDirectory(db)), bells
        for task in tasks:
            task.cancel()


async def told(stream: AsyncGenerator[EndUserChange]) -> Told:
    status = (await anext(stream)).status
    assert status is not None
    return status.source_id, status.status.value, status.attempts


async def test_every_step_of_a_memory_is_told_a_retry_of_an_old_failure_too(database: Database):
    async with house(database) as (db, watch, _):
        await enqueue(db, ["old"])

        async def fail() -> None:
            (item,) = await claim(db)
            async with db.session() as session:
                await session.queue.fail(item, "INTERNAL", "broken", True)
                session.people.announce([subject("acme", "maya")])

        await fail()
        async with aclosing(watch(OPEN_CALLER, MAYA)) as stream:
            first = await anext(stream)
            assert first.person is not None
            assert (first.interaction_id, first.status) == (None, None)
            async with db.transaction() as tx:
                await tx.people.lock("acme", subject("acme", "maya"), 0)
                await tx.queue.retry(MAYA, ["old"])
            assert await told(stream) == ("old", "QUEUED", 0)
            await fail()
            assert await told(stream) == ("old", "ERRORED", 1)
            await enqueue(db, ["old: anew", "new"])
            assert {await told(stream), await told(stream)} == {
                ("old", "QUEUED", 0), ("new", "QUEUED", 0),
            }  # fmt: skip
            await index(db, await claim(db))
            # The worker's transaction locks the person; here nobody did.
            async with db.session() as session:
                session.people.announce([subject("acme", "maya")])
            assert {await told(stream), await told(stream)} == {
                ("old", "COMPLETED", 1), ("new", "COMPLETED", 1),
            }  # fmt: skip


async def test_more_memories_than_are_followed_at_once_are_all_told(
    database: Database, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(watch_end_user, "OPEN_MAX", 3)
    async with house(database) as (db, watch, _), aclosing(watch(OPEN_CALLER, MAYA)) as stream:
        await anext(stream)
        names = [f"memory {number}" for number in range(10)]
        await enqueue(db, names)
        assert [await told(stream) for _ in range(3)] == [(name, "QUEUED", 0) for name in names[:3]]
        await index(db, await claim(db))
        async with db.session() as session:
            session.people.announce([subject("acme", "maya")])
        ended = [await told(stream) for _ in names]
        assert sorted(ended) == sorted((name, "COMPLETED", 1) for name in names)


async def test_a_notice_that_was_missed_costs_time_alone(
    database: Database, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(watch_end_user, "LOOK_AGAIN_S", 0.1)
    async with house(database) as (db, watch, bells):
        monkeypatch.setattr(bells, "ring", lambda _: None)
        async with aclosing(watch(OPEN_CALLER, MAYA)) as stream:
            await anext(stream)
            await enqueue(db, ["quiet"])
            assert await told(stream) == ("quiet", "QUEUED", 0)


async def test_a_crowd_of_watchers_of_one_busy_person_asks_about_250_times_a_second_and_misses_nothing(
    database: Database, count_sessions: Callable[[], int]
):
    last = "memory 29"
    async with house(database) as (db, watch, _):
        begun = 0

        async def follow() -> int:
            nonlocal begun
            async with aclosing(watch(OPEN_CALLER, MAYA)) as stream:
                await anext(stream)
                begun += 1
                names = set()
                async for change in stream:
                    assert change.status
                    names.add(change.status.source_id)
                    if last in names:
                        return len(names)
            return 0

        crowd = [asyncio.create_task(follow()) for _ in range(300)]
        while begun < len(crowd):
            await asyncio.sleep(0.01)
        before = count_sessions()
        for number in range(30):
            await enqueue(db, [f"memory {number}"])
        assert await asyncio.gather(*crowd) == [30] * 300
        # Each came at most twice in its turns while the person changed thirty times.
        assert count_sessions() - before <= 3 * 300


def test_the_watchers_of_a_process_are_bounded_and_leave_room_behind():
    bells = Bells()
    hung = [bells.hung(bytes([number % 7])) for number in range(WATCHERS_MAX)]
    for one in hung:
        one.__enter__()
    with pytest.raises(ResourceExhausted), bells.hung(b"one more"):
        pass
    hung.pop().__exit__(None, None, None)
    with bells.hung(b"one more") as bell:
        bells.ring([b"one more", b"nobody's"])
        assert bell.strokes == 1
        bells.ring_all()
        assert bell.strokes == 2
