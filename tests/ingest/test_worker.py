"""The ingest worker: everything acknowledged becomes recallable, exactly once, whatever happens meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

import numpy as np
import psycopg
import pytest

from rapport_server.domain import limits
from rapport_server.domain.memories import IndexingStatus, ProcessingStatus, Scope
from rapport_server.domain.ports import Encoded, Lane, ShardKey
from rapport_server.domain.retention import INLINE_CUT_MAX, KEEP
from rapport_server.domain.tenants import Plan
from rapport_server.errors import EmbeddingFailed, Unavailable
from rapport_server.ingest import line as line_module
from rapport_server.ingest import worker as worker_module
from rapport_server.ingest.pieces import SLICE_CHARS
from rapport_server.ingest.worker import IngestWorker
from rapport_server.store.database import PostgresDatabase
from rapport_server.store.feed import PostgresFeed
from tests.fix_postgres import Database
from tests.ingest.encoders import ScriptedEncoder
from tests.store.seed import DIMENSION, Hasher, claim, enqueue, index, opened, person, subject

COMPLETED, ERRORED, QUEUED = (
    IndexingStatus.COMPLETED,
    IndexingStatus.ERRORED,
    IndexingStatus.QUEUED,
)


@pytest.fixture
async def db(database: Database) -> AsyncIterator[PostgresDatabase]:
    async with opened(database) as db:
        yield db


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses that nobody wants to sit through in a test."""
    monkeypatch.setattr(limits, "RETRY_WAIT_S", 0.02)
    monkeypatch.setattr(line_module, "_PAUSE_S", 0.02)


class Counter:
    """What the worker reported."""

    def __init__(self) -> None:
        self.items = self.chunks = 0
        self.failures: list[tuple[str, bool]] = []

    def indexed(self, items: int, chunks: int, encode_s: float, commit_s: float) -> None:
        assert encode_s >= 0
        assert commit_s >= 0
        self.items += items
        self.chunks += chunks

    def failed(self, reason: str, final: bool) -> None:
        self.failures.append((reason, final))


@asynccontextmanager
async def working(
    db: PostgresDatabase, encoder: object = None, *, lease_s: float = 30.0, observer: object = None
) -> AsyncIterator[IngestWorker]:
    """A worker that runs inside the block."""
    worker = IngestWorker(
        db, encoder or ScriptedEncoder(), Hasher(), observer, lease_s=lease_s, poll_s=0.02
    )
    running = asyncio.create_task(worker.run())
    try:
        yield worker
    finally:
        await worker.stop()
        await running


async def statuses(db: PostgresDatabase, scope: Scope, *ids: str) -> dict[str, ProcessingStatus]:
    async with db.session() as session:
        return await session.memories.status(scope, ids)


async def settled(
    db: PostgresDatabase, worker: IngestWorker, scope: Scope, *ids: str
) -> dict[str, ProcessingStatus]:
    """The statuses once all are terminal."""
    async with asyncio.timeout(20):
        while True:
            found = await statuses(db, scope, *ids)
            if all(status.status.terminal for status in found.values()):
                return found
            await worker.progress(0.1)


async def vectors(db: PostgresDatabase, tenant_id: str = "acme") -> int:
    feed = PostgresFeed(db, DIMENSION)
    return sum([len(image.ids) async for image in feed.scan(ShardKey(tenant_id, 0))])


async def called(encoder: ScriptedEncoder, times: int = 1) -> None:
    """Return once the encoder has been called so often."""
    async with asyncio.timeout(10):
        while len(encoder.calls) < times:
            await asyncio.sleep(0.01)


async def terminate_waiting(database: Database) -> None:
    """End the connections that wait for a lock, once there is one."""
    query = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock'"""
    async with await psycopg.AsyncConnection.connect(database.admin_dsn, autocommit=True) as conn:
        for _ in range(500):
            if await (await conn.execute(query)).fetchall():
                return
            await asyncio.sleep(0.01)
    raise TimeoutError


async def test_queued_texts_become_recallable_and_are_logged_once(db: PostgresDatabase) -> None:
    observer = Counter()
    encoder = ScriptedEncoder()
    ids = [f"t{i}" for i in range(600)]
    scope = await enqueue(db, ids)
    await enqueue(db, ["x"], "other", "omar")
    async with working(db, encoder, observer=observer) as worker:
        found = await settled(db, worker, scope, *ids)
        await settled(db, worker, Scope("other", "omar"), "x")
    assert {status.status for status in found.values()} == {COMPLETED}
    assert {status.attempts for status in found.values()} == {1}
    feed = PostgresFeed(db, DIMENSION)
    changes = await feed.since(ShardKey("acme", 0), 0, 1000)
    logged = np.concatenate([change.added for change in changes])
    assert len(logged) == len(np.unique(logged)) == 600 == await vectors(db)
    assert (observer.items, observer.chunks, observer.failures) == (601, 601, [])
    assert max(len(call) for call in encoder.calls) <= limits.CLAIM_ITEMS_MAX
    assert encoder.lanes == {Lane.BULK}


async def test_a_text_of_one_piece_is_stored_once_not_twice(
    db: PostgresDatabase,
) -> None:
    scope = await enqueue(db, ["only once"])
    async with working(db) as worker:
        await settled(db, worker, scope, "only once")
    async with db.session() as session:
        row = await (await session.conn.execute("SELECT text FROM chunk")).fetchone()
    assert row == (None,)


async def test_new_work_is_begun_when_the_worker_is_woken(db: PostgresDatabase) -> None:
    worker = IngestWorker(db, ScriptedEncoder(), Hasher(), poll_s=60.0)
    running = asyncio.create_task(worker.run())
    await asyncio.sleep(0.2)
    scope = await enqueue(db, ["a"])
    worker.wake()
    async with asyncio.timeout(5):
        await settled(db, worker, scope, "a")
    await worker.stop()
    await running


async def test_waiters_are_woken_by_the_commit_not_by_their_timeout(db: PostgresDatabase) -> None:
    scope = await enqueue(db, ["a"])
    worker = IngestWorker(db, ScriptedEncoder(), Hasher(), poll_s=0.02)
    waiting = asyncio.create_task(worker.progress(30.0))
    running = asyncio.create_task(worker.run())
    async with asyncio.timeout(5):
        await waiting
    assert (await statuses(db, scope, "a"))["a"].status is COMPLETED
    await worker.stop()
    await running


async def test_a_change_just_before_waiting_is_not_waited_for(db: PostgresDatabase) -> None:
    worker = IngestWorker(db, ScriptedEncoder(), Hasher())
    worker._progress.ring()
    async with asyncio.timeout(1):
        await worker.progress(30.0)


async def test_two_workers_complete_each_item_once(db: PostgresDatabase) -> None:
    ids = [f"t{i}" for i in range(1500)]
    scope = await enqueue(db, ids)
    observer = Counter()
    async with (
        working(db, observer=observer) as worker,
        working(db, observer=observer),
        working(db, observer=observer),
    ):
        found = await settled(db, worker, scope, *ids)
    assert {status.status for status in found.values()} == {COMPLETED}
    assert observer.items == 1500 == await vectors(db)


async def test_what_a_killed_worker_held_is_taken_up_when_its_lease_ends(
    db: PostgresDatabase,
) -> None:
    ids = ["a", "b", "c"]
    scope = await enqueue(db, ids)
    assert len(await claim(db, lease_s=0.6)) == 3
    async with working(db) as worker:
        await asyncio.sleep(0.2)
        assert await vectors(db) == 0
        found = await settled(db, worker, scope, *ids)
    assert {(s.status, s.attempts) for s in found.values()} == {(COMPLETED, 2)}
    assert await vectors(db) == 3


async def test_a_worker_whose_lease_was_lost_commits_nothing(db: PostgresDatabase) -> None:
    """The worker sleeps past its lease, as a frozen process does; another one has taken the item up meanwhile."""
    hold, begun = asyncio.Event(), asyncio.Event()

    async def freeze(texts: Sequence[str]) -> None:
        begun.set()
        await hold.wait()

    scope = await enqueue(db, ["a"])
    frozen = Counter()
    async with working(db, ScriptedEncoder(freeze), observer=frozen):
        await begun.wait()
        # In one transaction, or the frozen worker, whose other parts are awake here, might claim the item again itself.
        async with db.transaction() as tx:
            await tx.conn.execute("UPDATE memory SET lease_until = now() - interval '1 second'")
            (taken,) = await tx.queue.claim("", 10, 60, long=False)
        hold.set()
    assert frozen.items == 0
    assert await vectors(db) == 0
    async with db.session() as session:
        assert taken.version in await session.queue.owned([taken])
        await session.queue.release([taken])
    async with working(db) as second:
        await settled(db, second, scope, "a")
    assert await vectors(db) == 1


async def test_a_slow_batch_keeps_its_lease(db: PostgresDatabase) -> None:
    async def slow(texts: Sequence[str]) -> None:
        await asyncio.sleep(2.5)

    encoder, rival = ScriptedEncoder(slow), ScriptedEncoder()
    scope = await enqueue(db, ["a"])
    async with working(db, encoder, lease_s=1.0) as worker:
        await called(encoder)
        async with working(db, rival):
            found = await settled(db, worker, scope, "a")
    assert found["a"].attempts == 1
    assert rival.calls == []


async def test_a_poison_item_ends_errored_with_its_reason_and_its_neighbours_complete(
    db: PostgresDatabase,
) -> None:
    async def choke(texts: Sequence[str]) -> None:
        if "poison" in texts:
            raise EmbeddingFailed
        if "bug" in texts:
            raise ZeroDivisionError("bug")

    ids = [f"t{i}" for i in range(20)]
    scope = await enqueue(db, [*ids[:10], "poison", "bug", *ids[10:]])
    observer = Counter()
    async with working(db, ScriptedEncoder(choke), observer=observer) as worker:
        found = await settled(db, worker, scope, *ids, "poison", "bug")
    assert {found[i].status for i in ids} == {COMPLETED}
    assert {found[i].attempts for i in ids} == {1}
    poison, bug = found["poison"], found["bug"]
    assert (poison.status, poison.attempts) == (ERRORED, limits.ATTEMPTS_MAX)
    assert (poison.error_reason, bug.error_reason) == ("EMBEDDING_FAILED", "INTERNAL")
    assert "poison" not in poison.error_message
    assert "bug" not in bug.error_message
    assert sorted(observer.failures) == sorted(
        [("EMBEDDING_FAILED", n == 2) for n in range(3)] + [("INTERNAL", n == 2) for n in range(3)]
    )
    assert await vectors(db) == 20


async def test_a_passing_outage_of_the_encoder_costs_no_attempt(db: PostgresDatabase) -> None:
    left = 5

    async def busy(texts: Sequence[str]) -> None:
        nonlocal left
        left -= 1
        if left >= 0:
            raise Unavailable

    scope = await enqueue(db, ["a", "b"])
    async with working(db, ScriptedEncoder(busy)) as worker:
        found = await settled(db, worker, scope, "a", "b")
    assert {(s.status, s.attempts) for s in found.values()} == {(COMPLETED, 1)}


async def test_a_text_without_any_piece_is_not_called_recallable(db: PostgresDatabase) -> None:
    class Empty(ScriptedEncoder):
        async def encode(self, texts: Sequence[str], lane: Lane) -> list[Encoded]:
            return [Encoded((), *2 * [np.zeros((0, DIMENSION), np.float32)]) for _ in texts]

    scope = await enqueue(db, ["a"])
    async with working(db, Empty()) as worker:
        found = await settled(db, worker, scope, "a")
    assert (found["a"].status, found["a"].error_reason) == (ERRORED, "EMBEDDING_FAILED")


async def test_an_erase_between_claim_and_commit_leaves_nothing(db: PostgresDatabase) -> None:
    async def erase(texts: Sequence[str]) -> None:
        if "a" in texts:
            async with db.transaction() as tx:
                await tx.people.bump("acme", subject("acme", "maya"))
                await tx.erasures.delete_person("acme", "maya", subject("acme", "maya"))

    who = await person(db)
    await enqueue(db, ["a", "b"])
    omar = await enqueue(db, ["c"], "acme", "omar")
    async with working(db, ScriptedEncoder(erase)) as worker:
        await settled(db, worker, omar, "c")
        await asyncio.sleep(0.1)
        async with db.session() as session:
            assert (
                await session.erasures.remaining(
                    "acme", "maya", subject("acme", "maya"), who.person_no
                )
                == 0
            )
    assert await vectors(db) == 1


async def test_an_upsert_while_processing_wins(db: PostgresDatabase) -> None:
    async def upsert(texts: Sequence[str]) -> None:
        if "a:old" in texts:
            await enqueue(db, ["a:new"])

    scope = await enqueue(db, ["a:old", "b:1"])
    async with working(db, ScriptedEncoder(upsert)) as worker:
        await settled(db, worker, scope, "a", "b")
        async with db.session() as session:
            memory = await session.memories.get(scope, "a")
    assert memory is not None
    assert (memory.text, memory.status) == ("a:new", COMPLETED)
    assert await vectors(db) == 2


async def test_a_new_version_replaces_the_served_one_in_the_log(db: PostgresDatabase) -> None:
    scope = await enqueue(db, ["a:old"])
    async with working(db) as worker:
        await settled(db, worker, scope, "a")
        await enqueue(db, ["a:new"])
        await settled(db, worker, scope, "a")
    new = (await PostgresFeed(db, DIMENSION).since(ShardKey("acme", 0), 0, 100))[-1]
    assert len(new.removed) == len(new.added) == 1
    assert new.removed[0] != new.added[0]
    assert await vectors(db) == 1


async def test_a_book_does_not_stand_in_front_of_a_sentence(db: PostgresDatabase) -> None:
    release = asyncio.Event()

    async def slow_book(texts: Sequence[str]) -> None:
        if texts[0].startswith("book"):
            await release.wait()

    scope = await enqueue(db, ["book:" + "word " * 200_000, "sentence"])
    async with working(db, ScriptedEncoder(slow_book)) as worker:
        found = await settled(db, worker, scope, "sentence")
        assert found["sentence"].status is COMPLETED
        assert not (await statuses(db, scope, "book"))["book"].status.terminal
        release.set()
        found = await settled(db, worker, scope, "book")
    assert found["book"].status is COMPLETED


async def test_a_book_does_not_wait_for_the_next_book(db: PostgresDatabase) -> None:
    release = asyncio.Event()

    async def slow_second(texts: Sequence[str]) -> None:
        if texts[0].startswith("second"):
            await release.wait()

    scope = await enqueue(db, [name + ":" + "word " * 8000 for name in ("first", "second")])
    async with working(db, ScriptedEncoder(slow_second)) as worker:
        found = await settled(db, worker, scope, "first")
        assert found["first"].status is COMPLETED
        release.set()
        await settled(db, worker, scope, "second")


async def test_a_long_text_is_encoded_in_slices_and_no_character_is_lost(
    db: PostgresDatabase,
) -> None:
    text = "book:" + "".join(f"Sentence number {n}. " for n in range(6000)) + "ü" * 20_000
    encoder = ScriptedEncoder()
    scope = await enqueue(db, [text])
    async with working(db, encoder) as worker:
        await settled(db, worker, scope, "book")
    assert all(len(call) == 1 and len(call[0]) <= SLICE_CHARS for call in encoder.calls)
    async with db.session() as session:
        rows = await (
            await session.conn.execute("SELECT text FROM chunk ORDER BY chunk_index")
        ).fetchall()
    assert "".join(row for (row,) in rows) == text
    assert all(row.endswith(" ") for (row,) in rows[:7])


async def test_no_connection_is_held_while_encoding(database: Database) -> None:
    db = PostgresDatabase(database.app_dsn, database.owner_dsn, size=1)
    await db.open()

    async def use_the_only_connection(texts: Sequence[str]) -> None:
        async with asyncio.timeout(5), db.session() as session:
            await session.queue.depth()

    try:
        ids = [f"t{i}" for i in range(300)]
        scope = await enqueue(db, ids)
        async with working(db, ScriptedEncoder(use_the_only_connection)) as worker:
            found = await settled(db, worker, scope, *ids)
        assert {(s.status, s.attempts) for s in found.values()} == {(COMPLETED, 1)}
    finally:
        await db.close()


async def test_the_next_batch_is_encoded_while_the_last_one_is_committed(
    db: PostgresDatabase,
) -> None:
    encoder = ScriptedEncoder()
    ids = [f"t{i}" for i in range(limits.CLAIM_ITEMS_MAX + 1)]
    scope = await enqueue(db, ids)
    async with AsyncExitStack() as held:
        tx = await held.enter_async_context(db.transaction())
        await tx.people.lock_many([("acme", subject("acme", "maya"))])
        async with working(db, encoder) as worker:
            await called(encoder, 2)
            assert await vectors(db) == 0
            await held.aclose()
            await settled(db, worker, scope, *ids)


async def test_a_commit_whose_connection_dies_is_tried_again(
    db: PostgresDatabase, database: Database
) -> None:
    encoder = ScriptedEncoder()
    scope = await enqueue(db, ["a"])
    async with AsyncExitStack() as held:
        tx = await held.enter_async_context(db.transaction())
        await tx.people.lock_many([("acme", subject("acme", "maya"))])
        async with working(db, encoder) as worker:
            await terminate_waiting(database)
            await held.aclose()
            found = await settled(db, worker, scope, "a")
    assert (found["a"].status, found["a"].attempts) == (COMPLETED, 1)
    assert len(encoder.calls) == 1
    assert await vectors(db) == 1


async def test_a_stopped_worker_finishes_what_is_in_hand_and_gives_the_rest_back(
    db: PostgresDatabase,
) -> None:
    begun, go = asyncio.Event(), asyncio.Event()

    async def wait(texts: Sequence[str]) -> None:
        begun.set()
        await go.wait()

    ids = [f"t{i}" for i in range(2 * limits.CLAIM_ITEMS_MAX)]
    scope = await enqueue(db, ids)
    async with working(db, ScriptedEncoder(wait)) as worker:
        await begun.wait()
        await asyncio.sleep(0.1)
        stopping = asyncio.create_task(worker.stop())
        await asyncio.sleep(0.05)
        go.set()
        await stopping
    found = await statuses(db, scope, *ids)
    half = limits.CLAIM_ITEMS_MAX
    assert {(found[i].status, found[i].attempts) for i in ids[:half]} == {(COMPLETED, 1)}
    assert {(found[i].status, found[i].attempts) for i in ids[half:]} == {(QUEUED, 0)}


async def test_a_worker_that_cannot_finish_in_time_gives_everything_back(
    db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_module, "STOP_S", 0.1)

    async def forever(texts: Sequence[str]) -> None:
        await asyncio.Event().wait()

    encoder = ScriptedEncoder(forever)
    scope = await enqueue(db, ["a"])
    async with working(db, encoder):
        await called(encoder)
    found = await statuses(db, scope, "a")
    assert (found["a"].status, found["a"].attempts) == (QUEUED, 0)


async def test_a_cancelled_worker_gives_back_what_it_holds(db: PostgresDatabase) -> None:
    async def forever(texts: Sequence[str]) -> None:
        await asyncio.Event().wait()

    encoder = ScriptedEncoder(forever)
    scope = await enqueue(db, ["a"])
    running = asyncio.create_task(IngestWorker(db, encoder, Hasher(), poll_s=0.02).run())
    await called(encoder)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (await statuses(db, scope, "a"))["a"].status is QUEUED


async def test_a_fault_of_the_worker_itself_does_not_end_the_work(
    db: PostgresDatabase, capsys: pytest.CaptureFixture[str]
) -> None:
    class Broken(Counter):
        def indexed(self, items: int, chunks: int, encode_s: float, commit_s: float) -> None:
            super().indexed(items, chunks, encode_s, commit_s)
            if self.items == 1:
                raise RuntimeError("the observer broke")

    observer = Broken()
    scope = await enqueue(db, ["a"])
    async with working(db, observer=observer) as worker:
        await settled(db, worker, scope, "a")
        await enqueue(db, ["b"])
        found = await settled(db, worker, scope, "b")
    assert found["b"].status is COMPLETED
    assert observer.items == 2
    assert "the ingest line broke" in capsys.readouterr().out


async def test_a_batch_cuts_what_it_pushes_out_and_little_of_what_was_too_much_before(
    db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(KEEP, Plan.COMMUNITY, 1)
    people = [Scope("acme", who) for who in ("maya", "omar", "noor")]
    for scope in people[:2]:
        await enqueue(db, [f"old {n}" for n in range(100)], end_user_id=scope.end_user_id)
        await index(db, await claim(db, 100))
    async with db.transaction() as tx:
        tenant = await tx.tenants.lock("acme")
        assert tenant is not None
        await tx.tenants.update(replace(tenant, plan=Plan.COMMUNITY))
    for scope in people:
        await enqueue(db, ["new", "newer"], end_user_id=scope.end_user_id)
    async with working(db) as worker:
        for scope in people:
            await settled(db, worker, scope, "newer")
    async with db.session() as session:
        left = [await session.memories.count(scope) for scope in people]
        assert (await session.memories.existing(people[2], ["new", "newer"])) == {"newer"}
    assert sum(left[:2]) == 2 * 102 - (2 * 2 + INLINE_CUT_MAX)
    assert left[2] == 1
    assert await vectors(db) == sum(left)
