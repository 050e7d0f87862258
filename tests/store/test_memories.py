"""Memories: versions, chunks, what is visible to whom and until when."""

import asyncio
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg.sql import SQL, Composed

from rapport_server.domain.analysis import Analysis, Emotion, Intent
from rapport_server.domain.filters import parse_filter
from rapport_server.domain.limits import REPLY_BYTES_MAX
from rapport_server.domain.memories import (
    IndexingStatus,
    MemoryDraft,
    MemoryKind,
    Pair,
    Scope,
    Store,
)
from rapport_server.domain.people import MessageRole
from rapport_server.domain.retention import CUT_BYTES_MAX, CUT_KINDS
from rapport_server.domain.storage import PageRequest, TimeRange
from rapport_server.domain.tenants import Plan
from rapport_server.errors import NotFound
from rapport_server.store.database import PostgresDatabase
from rapport_server.store.sqlfile import load
from tests.fix_postgres import Database
from tests.store.house import (
    HOUR,
    MAYA,
    NOON,
    STRANGE_IDS,
    begin,
    complete,
    enqueue,
    fetch,
    finish_queue,
    make_tenant,
    page,
)

NOOR = Scope("acme", "noor")
FULL = MemoryDraft(
    source_id="full",
    text='Größe "5" \\ 🙂\nnext\tline',
    pairs=(Pair("hi", ""), Pair("a", "b")),
    title="title",
    user_name="Maya",
    speaker="Maya B.",
    channel="web",
    session_id="s1",
    time_zone="Europe/Berlin",
    metadata={"ward": "3", "score": 1.5},
    additional_metadata={"tags": ["x", None], "deep": {"n": -0.5}},
    pinned=True,
    infer=True,
    occurred_at=NOON,
    kind=MemoryKind.INTERACTION,
    interaction_id=uuid4(),
    intent=Intent.FEEDBACK,
    detected_emotions=(Emotion("joy", 0.5),),
)


async def expire(store: PostgresDatabase, source_id: str, at: str = "now()") -> None:
    async with store.session() as session:
        await session.conn.execute(
            f"UPDATE memory SET expires_at = {at} WHERE source_id = %s".encode(), (source_id,)
        )


async def versions(store: PostgresDatabase) -> list[tuple[str, str, bool]]:
    async with store.session() as session:
        found = await session.conn.execute(
            "SELECT text, status, replaces FROM memory ORDER BY version"
        )
        return await found.fetchall()


@pytest.mark.parametrize("queued", [True, False], ids=["enqueued", "completed at once"])
async def test_a_memory_comes_back_with_every_field_it_was_given(
    store: PostgresDatabase, queued: bool
) -> None:
    if queued:
        await enqueue(store, FULL)
    else:
        await complete(store, FULL)
    async with store.session() as session:
        memory = await session.memories.get(MAYA, "full")
    assert memory is not None
    assert memory.scope == MAYA
    assert memory.status is (IndexingStatus.QUEUED if queued else IndexingStatus.COMPLETED)
    assert memory.expires_at is None
    for name in [
        "source_id",
        "text",
        "pairs",
        "title",
        "user_name",
        "speaker",
        "channel",
        "session_id",
        "time_zone",
        "metadata",
        "additional_metadata",
        "pinned",
        "infer",
        "occurred_at",
        "kind",
        "interaction_id",
        "intent",
        "detected_emotions",
    ]:
        assert getattr(memory, name) == getattr(FULL, name), name


async def test_what_a_draft_leaves_out_is_empty_and_its_time_is_the_acceptance(
    store: PostgresDatabase,
) -> None:
    await enqueue(store, MemoryDraft("m", "text", expiry_s=60))
    async with store.session() as session:
        memory = await session.memories.get(MAYA, "m")
    assert memory is not None
    assert memory.occurred_at == memory.create_time
    assert memory.expires_at == memory.create_time + timedelta(seconds=60)
    assert abs(memory.create_time - datetime.now(UTC)) < timedelta(seconds=30)
    assert (memory.pairs, memory.metadata, memory.intent, memory.detected_emotions) == (
        (),
        {},
        None,
        (),
    )


async def test_a_draft_with_a_fixed_time_expires_then(store: PostgresDatabase) -> None:
    fixed = datetime.now(UTC) + HOUR
    await enqueue(store, MemoryDraft("m", "text", expires_at=fixed))
    await complete(store, MemoryDraft("n", "text", expires_at=fixed))
    async with store.session() as session:
        found = await session.memories.get_many(MAYA, ["m", "n"])
    assert [memory.expires_at for memory in found.values()] == [fixed, fixed]


async def test_an_upsert_serves_the_old_version_until_the_new_one_is_completed(
    store: PostgresDatabase,
) -> None:
    (old_chunk,) = await complete(store, MemoryDraft("m", "old"))
    await enqueue(store, MemoryDraft("m", "new"))
    async with store.session() as session:
        served = await session.memories.get(MAYA, "m")
        assert served is not None
        assert (served.text, served.status) == ("old", IndexingStatus.COMPLETED)
        assert (await session.memories.status(MAYA, ["m"]))["m"].status is IndexingStatus.QUEUED
        assert await session.memories.count(MAYA) == 1
        assert list(await fetch(session, MAYA, [old_chunk])) == [old_chunk]
    assert [memory.text for memory in await page(store)] == ["old"]
    await finish_queue(store)
    async with store.session() as session:
        served = await session.memories.get(MAYA, "m")
        assert served is not None
        assert (served.text, served.status) == ("new", IndexingStatus.COMPLETED)
        assert await session.memories.count(MAYA) == 1
        assert await fetch(session, MAYA, [old_chunk]) == {}
    assert [memory.text for memory in await page(store)] == ["new"]


async def test_a_newer_draft_takes_the_place_of_versions_that_never_completed(
    store: PostgresDatabase,
) -> None:
    await complete(store, MemoryDraft("m", "served"))
    await enqueue(store, MemoryDraft("m", "failed"), MemoryDraft("n", "first"))
    async with store.session() as session:
        for item in await session.queue.claim("", 10, 30.0):
            await session.queue.fail(item, "EMBEDDING_FAILED", "no vector", final=True)
    await enqueue(store, MemoryDraft("m", "newest"), MemoryDraft("n", "second"))
    assert await versions(store) == [
        ("served", "COMPLETED", False),
        ("newest", "QUEUED", True),
        ("second", "QUEUED", False),
    ]


async def test_of_two_drafts_of_one_id_in_one_call_the_later_is_stored(
    store: PostgresDatabase,
) -> None:
    await enqueue(store, MemoryDraft("m", "1"), MemoryDraft("n", "2"), MemoryDraft("m", "3"))
    assert sorted(await versions(store)) == [("2", "QUEUED", False), ("3", "QUEUED", False)]


async def test_concurrent_upserts_of_one_id_leave_exactly_one_waiting_version(
    store: PostgresDatabase,
) -> None:
    await complete(store, MemoryDraft("m", "served"))
    await asyncio.gather(*(enqueue(store, MemoryDraft("m", str(n))) for n in range(24)))
    found = await versions(store)
    assert len(found) == 2
    assert [status for _, status, _ in found] == ["COMPLETED", "QUEUED"]
    assert (await page(store))[0].text == "served"


async def test_a_thousand_drafts_are_stored_in_their_order(store: PostgresDatabase) -> None:
    await enqueue(store, *(MemoryDraft(f"m{n}", str(n)) for n in range(1_000)))
    assert [int(memory.text) for memory in await page(store, size=1_000)] == list(
        range(999, -1, -1)
    )


async def test_ids_alike_never_meet_in_any_call(store: PostgresDatabase) -> None:
    chunk_of = {}
    for name in STRANGE_IDS:
        (chunk_of[name],) = await complete(store, MemoryDraft(name, f"of {name}"))
        await complete(store, MemoryDraft("x", "person"), scope=Scope("acme", name))
    async with store.session() as session:
        for name in STRANGE_IDS:
            assert await session.memories.existing(MAYA, [name]) == {name}
            memory = await session.memories.get(MAYA, name)
            assert memory is not None
            assert memory.text == f"of {name}"
            assert list(await session.memories.status(MAYA, [name])) == [name]
            assert await session.memories.count(Scope("acme", name)) == 1
            assert await session.memories.count(Scope("globex", name)) == 0
        assert set(await session.memories.get_many(MAYA, STRANGE_IDS)) == set(STRANGE_IDS)
    async with store.transaction() as tx:
        for name in ("a%", "a", "%s"):
            assert await tx.memories.delete(MAYA, [name]) == (1, [chunk_of.pop(name)])
    assert {memory.source_id for memory in await page(store)} == set(chunk_of)
    async with store.session() as session:
        assert set(await fetch(session, MAYA, list(chunk_of.values()))) == set(chunk_of.values())


@pytest.mark.parametrize(
    "other", [NOOR, Scope("globex", "maya"), Scope("acme", "maya", Store.KNOWLEDGE)], ids=str
)
async def test_the_wall_gives_no_chunk_to_another_scope(
    store: PostgresDatabase, other: Scope
) -> None:
    own = await complete(store, MemoryDraft("m", "mine"), pieces=2)
    foreign = await complete(store, MemoryDraft("m", "theirs"), scope=other)
    async with store.session() as session:
        found = await fetch(session, MAYA, own + foreign)
        assert await fetch(session, other, own) == {}
    assert list(found) == own
    assert {chunk.memory.scope for chunk in found.values()} == {MAYA}


async def test_each_scope_is_given_its_own_chunks_when_several_ask_together(
    store: PostgresDatabase,
) -> None:
    scopes = [MAYA, NOOR, Scope("globex", "maya"), Scope("acme", "maya", Store.KNOWLEDGE)]
    own = {
        scope: await complete(store, MemoryDraft("m", "text"), scope=scope, pieces=2)
        for scope in scopes
    }
    everything = [chunk_id for chunk_ids in own.values() for chunk_id in chunk_ids]
    async with store.session() as session:
        found = await session.memories.fetch_chunks(dict.fromkeys(scopes, everything))
    assert set(found) == {(scope, chunk_id) for scope in scopes for chunk_id in own[scope]}


async def test_a_found_chunk_has_its_piece_or_the_whole_text_and_its_memory_without_the_rest(
    store: PostgresDatabase,
) -> None:
    pieces = await complete(store, replace(FULL, source_id="long"), pieces=2)
    (whole,) = await complete(store, replace(FULL, source_id="short"))
    async with store.session() as session:
        found = await fetch(session, MAYA, [*pieces, whole, 10**9])
    assert [found[i].chunk_index for i in pieces] == [0, 1]
    assert [found[i].text for i in (*pieces, whole)] == ["piece 0", "piece 1", FULL.text]
    assert [found[i].memory.text for i in (*pieces, whole)] == ["piece 0", "piece 1", FULL.text]
    assert found[whole].memory.source_id == "short"
    assert found[whole].memory.metadata == FULL.metadata
    assert found[whole].memory.pairs == ()


async def test_chunk_ids_come_in_the_order_of_the_pieces_and_are_never_used_again(
    store: PostgresDatabase,
) -> None:
    first = await complete(store, MemoryDraft("m", "text"), pieces=5)
    async with store.transaction() as tx:
        await tx.memories.delete(MAYA, ["m"])
    second = await complete(store, MemoryDraft("m", "text"), pieces=5)
    assert first == sorted(first)
    assert max(first) < min(second)


async def test_a_memory_without_chunks_can_be_stored(store: PostgresDatabase) -> None:
    async with store.transaction() as tx:
        person = await begin(tx)
        assert await tx.memories.insert_completed(MAYA, person, MemoryDraft("m", ""), []) == []
        assert await tx.memories.count(MAYA) == 1


async def test_an_expired_memory_is_in_no_read_from_that_instant_on(
    store: PostgresDatabase,
) -> None:
    draft = replace(FULL, source_id="m", expires_at=datetime.now(UTC) + timedelta(seconds=0.4))
    (chunk_id,) = await complete(store, draft)
    await complete(store, MemoryDraft("stays", "text"))
    assert draft.interaction_id is not None
    async with store.transaction() as tx:
        assert await tx.memories.existing(MAYA, ["m"]) == {"m"}
        memory = await tx.memories.get(MAYA, "m")
        assert memory is not None
        assert list(await fetch(tx, MAYA, [chunk_id])) == [chunk_id]
        await asyncio.sleep(0.5)
        # Still in the transaction that began before: the instant counts, not the begin.
        assert await tx.memories.existing(MAYA, ["m"]) == set()
        assert await tx.memories.get(MAYA, "m") is None
        assert await tx.memories.by_interaction(MAYA, draft.interaction_id) is None
        assert await fetch(tx, MAYA, [chunk_id]) == {}
        assert await tx.memories.status(MAYA, ["m"]) == {}
        assert await tx.memories.count(MAYA) == 1
        with pytest.raises(NotFound):
            await tx.memories.update(memory)
        assert [p[1] for p in await tx.people.page("acme", "", PageRequest(1))] == [1]
    assert [memory.source_id for memory in await page(store)] == ["stays"]


async def test_a_waiting_version_shows_when_the_served_one_has_expired(
    store: PostgresDatabase,
) -> None:
    await complete(store, MemoryDraft("m", "old"))
    await expire(store, "m")
    await enqueue(store, MemoryDraft("m", "new"))
    async with store.session() as session:
        memory = await session.memories.get(MAYA, "m")
        assert memory is not None
        assert memory.text == "new"
        assert await session.memories.count(MAYA) == 1
    assert [memory.text for memory in await page(store)] == ["new"]


async def test_the_sweep_takes_expired_versions_with_their_chunks_and_nothing_else(
    store: PostgresDatabase,
) -> None:
    old_chunks = await complete(store, MemoryDraft("m", "old"), pieces=2)
    (kept,) = await complete(store, MemoryDraft("kept", "text"))
    await expire(store, "m")
    await enqueue(store, MemoryDraft("m", "new"))
    async with store.transaction() as tx:
        assert await tx.memories.expired("", 10) == [(MAYA, "m")]
        assert await tx.memories.delete_expired(MAYA, ["m", "kept"]) == (1, old_chunks)
        assert await tx.memories.expired("", 10) == []
        assert list(await fetch(tx, MAYA, [kept])) == [kept]
    assert await versions(store) == [("text", "COMPLETED", False), ("new", "QUEUED", False)]
    await finish_queue(store)
    assert {memory.text for memory in await page(store)} == {"text", "new"}


async def test_deleting_takes_all_versions_chunks_and_the_messages_of_the_interaction_alone(
    store: PostgresDatabase,
) -> None:
    ids = {name: uuid4() for name in ("gone", "stays", "added")}
    async with store.transaction() as tx:
        for interaction_id in ids.values():
            for role in MessageRole:
                await tx.messages.insert(MAYA, interaction_id, role, "x", "", "", NOON, Analysis())
    chunks = {}
    for name, interaction_id in ids.items():
        kind = MemoryKind.ADDED if name == "added" else MemoryKind.INTERACTION
        draft = MemoryDraft(name, "text", kind=kind, interaction_id=interaction_id)
        chunks[name] = await complete(store, draft, pieces=2)
    await enqueue(store, MemoryDraft("gone", "waiting"))
    async with store.transaction() as tx:
        removed = await tx.memories.delete(MAYA, ["gone", "added", "unknown"])
        assert removed == (2, sorted(chunks["gone"] + chunks["added"]))
        assert await tx.memories.delete(MAYA, ["gone"]) == (0, [])
        assert await tx.messages.of_interaction(MAYA, ids["gone"]) == []
        assert len(await tx.messages.of_interaction(MAYA, ids["stays"])) == 2
        assert len(await tx.messages.of_interaction(MAYA, ids["added"])) == 2
    assert await versions(store) == [("text", "COMPLETED", False)]


async def test_what_has_expired_is_deleted_but_not_counted(store: PostgresDatabase) -> None:
    chunks = await complete(store, MemoryDraft("m", "text"))
    await expire(store, "m")
    async with store.transaction() as tx:
        assert await tx.memories.delete(MAYA, ["m"]) == (0, chunks)
    assert await versions(store) == []


async def test_an_update_writes_its_fields_of_that_version_and_leaves_chunks_alone(
    store: PostgresDatabase,
) -> None:
    (chunk_id,) = await complete(store, FULL)
    await enqueue(store, replace(FULL, text="waiting"))
    async with store.transaction() as tx:
        memory = await tx.memories.get(MAYA, "full")
        assert memory is not None
        changed = replace(
            memory,
            title="t2",
            text="new text",
            pairs=(Pair("new", "text"),),
            metadata={"ward": "4"},
            additional_metadata={},
            pinned=False,
        )
        written = await tx.memories.update(changed)
        assert written == await tx.memories.get(MAYA, "full")
        assert list(await fetch(tx, MAYA, [chunk_id])) == [chunk_id]
    assert replace(written, update_time=changed.update_time) == changed
    assert written.update_time > memory.update_time
    assert [text for text, _, _ in await versions(store)] == ["new text", "waiting"]


async def test_updating_a_version_that_is_gone_is_not_found(store: PostgresDatabase) -> None:
    await complete(store, FULL)
    async with store.transaction() as tx:
        memory = await tx.memories.get(MAYA, "full")
        assert memory is not None
        await tx.memories.delete(MAYA, ["full"])
        with pytest.raises(NotFound):
            await tx.memories.update(memory)


async def test_pages_are_not_disturbed_by_what_is_written_meanwhile(
    store: PostgresDatabase,
) -> None:
    for number in range(10):
        await complete(store, MemoryDraft(f"m{number}", str(number)))

    async def disturb() -> None:
        for number in range(15):
            await enqueue(store, MemoryDraft(f"late{number}", "late"), MemoryDraft("m9", "again"))
            await finish_queue(store)

    disturbing = asyncio.create_task(disturb())
    seen = await page(store, size=3)
    while found := await page(store, size=3, after=seen[-1].version):
        seen += found
        await asyncio.sleep(0.02)
    await disturbing
    old = [memory.source_id for memory in seen if memory.source_id.startswith("m")]
    assert [name for name in old if name != "m9"] == [f"m{n}" for n in range(8, -1, -1)]
    assert len({memory.source_id for memory in seen}) == len(seen)


async def test_kind_channel_session_and_time_narrow_the_list_exactly(
    store: PostgresDatabase,
) -> None:
    await complete(store, replace(FULL, source_id="1", occurred_at=NOON))
    await enqueue(store, MemoryDraft("2", "x", channel="we_", occurred_at=NOON + HOUR))
    await enqueue(
        store, MemoryDraft("3", "x", channel="web", session_id="s%", occurred_at=NOON + 2 * HOUR)
    )

    async def listed(
        kind: MemoryKind | None = None,
        channel: str = "",
        session_id: str = "",
        times: TimeRange | None = None,
    ) -> str:
        async with store.session() as session:
            found = await session.memories.page(
                MAYA, kind, channel, session_id, times or TimeRange(), None, PageRequest(10)
            )
        return "".join(memory.source_id for memory in found)

    assert await listed() == "321"
    assert await listed(kind=MemoryKind.ADDED) == "32"
    assert await listed(channel="web") == "31"
    assert await listed(channel="we_") == "2"
    assert await listed(session_id="s1") == "1"
    assert await listed(channel="web", session_id="s%") == "3"
    assert await listed(times=TimeRange(NOON, NOON + 2 * HOUR)) == "21"
    assert await listed(times=TimeRange(start=NOON + HOUR)) == "32"


async def test_a_page_of_long_texts_ends_with_the_row_that_fills_a_reply(
    store: PostgresDatabase,
) -> None:
    text = "x" * (REPLY_BYTES_MAX // 2)
    await enqueue(store, *(MemoryDraft(f"m{n}", text) for n in range(5)))
    first = await page(store)
    assert [memory.source_id for memory in first] == ["m4", "m3", "m2"]
    rest = await page(store, after=first[1].version)
    assert [memory.source_id for memory in rest] == ["m2", "m1", "m0"]


async def test_retention_finds_the_oldest_unpinned_ones_beyond_the_newest_of_their_kind(
    store: PostgresDatabase,
) -> None:
    for number in range(8):
        await complete(store, MemoryDraft(f"m{number}", "x", pinned=number == 1))
    await complete(store, MemoryDraft("talk", "x", kind=MemoryKind.INTERACTION))
    await enqueue(store, MemoryDraft("waiting", "x"))
    async with store.session() as session:
        find = session.memories.oldest_beyond
        assert await find(MAYA, MemoryKind.ADDED, 3, 10) == ["m0", "m2", "m3", "m4"]
        assert await find(MAYA, MemoryKind.ADDED, 3, 2) == ["m0", "m2"]
        assert await find(MAYA, MemoryKind.ADDED, 7, 10) == []
        assert await find(MAYA, MemoryKind.INTERACTION, 0, 10) == ["talk"]
        assert await find(NOOR, MemoryKind.ADDED, 0, 10) == []


async def test_retention_goes_by_when_things_happened_and_then_by_when_they_were_told(
    store: PostgresDatabase,
) -> None:
    hours = {"today": 9, "told late": 1, "noon": 5, "noon again": 5, "told last": 3}
    for source_id, hour in hours.items():
        await complete(store, MemoryDraft(source_id, "x", occurred_at=NOON + hour * HOUR))
    order = ["told late", "told last", "noon", "noon again", "today"]
    async with store.session() as session:
        for keep in range(6):
            found = await session.memories.oldest_beyond(MAYA, MemoryKind.ADDED, keep, 10)
            assert found == order[: max(0, 5 - keep)]


async def test_long_texts_are_cut_in_several_steps(store: PostgresDatabase) -> None:
    for number in range(5):
        await complete(store, MemoryDraft(f"m{number}", "x" * (CUT_BYTES_MAX // 2)))
    cuts = []
    for _ in range(4):
        async with store.transaction() as tx:
            count, chunk_ids = await tx.memories.cut(MAYA, MemoryKind.ADDED, 0, 64)
            assert len(chunk_ids) == count
            cuts.append(count)
    assert cuts == [2, 2, 1, 0]


async def test_everybody_with_a_limited_plan_is_passed_once_and_told_of_what_is_too_much(
    store: PostgresDatabase,
) -> None:
    async with store.transaction() as tx:
        for tenant_id, plan in (("b", Plan.COMMUNITY), ("c", Plan.CLINIC), ("d", Plan.COMMUNITY)):
            assert await tx.tenants.insert(make_tenant(tenant_id, plan=plan))
    for place in ("acme/x", "b/x", "b/y", "b/z", "c/x", "d/x"):
        scope = Scope(*place.split("/"))
        for number in range(3):
            kind = MemoryKind.INTERACTION if number == 2 and place == "d/x" else MemoryKind.ADDED
            draft = MemoryDraft(f"m{number}", "x", kind=kind, pinned=place == "b/y" and number > 1)
            await complete(store, draft, scope=scope)
    keep = {Plan.COMMUNITY: 2, Plan.CLINIC: 1}
    walks: dict[str, list[tuple[str, tuple[MemoryKind, ...]]]] = {}
    for tenant_id in ("", "b", "acme"):
        seen, after = [], ("", "")
        async with store.session() as session:
            while found := await session.memories.over_plan(keep, tenant_id, after, 2):
                after = (found[-1].scope.tenant_id, found[-1].scope.end_user_id)
                seen += [
                    (f"{one.scope.tenant_id}/{one.scope.end_user_id}", one.kinds) for one in found
                ]
        walks[tenant_id] = seen
    added = (MemoryKind.ADDED,)
    of_b = [("b/x", added), ("b/y", ()), ("b/z", added)]
    assert walks == {"": [*of_b, ("c/x", added), ("d/x", ())], "b": of_b, "acme": []}


class Chronicle:
    """Random writes to one person's memories, and the number of those that may be read, counted one by one."""

    def __init__(self, store: PostgresDatabase, seed: int) -> None:
        self.store = store
        self.rng = random.Random(seed)
        self.names = [f"m{n}" for n in range(8)]

    def some(self) -> list[str]:
        return self.rng.sample(self.names, self.rng.randrange(1, 5))

    async def step(self) -> None:
        works = (self.upsert, self.upsert, self.finish, self.fail, self.expire, self.delete)
        await self.rng.choice((*works, self.sweep, self.cut, self.talk))()

    async def upsert(self) -> None:
        drafts = [
            MemoryDraft(name, "x", expiry_s=self.rng.choice((0, 3600))) for name in self.some()
        ]
        await enqueue(self.store, *drafts)

    async def talk(self) -> None:
        await complete(self.store, MemoryDraft(str(uuid4()), "x", kind=MemoryKind.INTERACTION))

    async def finish(self) -> None:
        await finish_queue(self.store)

    async def fail(self) -> None:
        async with self.store.session() as session:
            for item in await session.queue.claim("", 2, 30.0):
                await session.queue.fail(item, "EMBEDDING_FAILED", "", final=True)

    async def expire(self) -> None:
        """One version of a source_id at random, not always the served one."""
        async with self.store.session() as session:
            await session.conn.execute(
                "UPDATE memory SET expires_at = now() WHERE version IN"
                " (SELECT version FROM memory ORDER BY md5(version::text || %s) LIMIT 2)",
                (str(self.rng.random()),),
            )

    async def delete(self) -> None:
        async with self.store.transaction() as tx:
            await begin(tx)
            await tx.memories.delete(MAYA, self.some()[:1])

    async def sweep(self) -> None:
        async with self.store.transaction() as tx:
            await begin(tx)
            await tx.memories.delete_expired(MAYA, self.some())

    async def cut(self) -> None:
        async with self.store.transaction() as tx:
            await begin(tx)
            await tx.memories.cut(MAYA, self.rng.choice(CUT_KINDS), 6, 2)

    async def check(self) -> int:
        async with self.store.session() as session:
            row = await (
                await session.conn.execute(
                    "SELECT count(DISTINCT source_id) FROM memory WHERE expires_at IS NULL OR expires_at > now()"
                )
            ).fetchone()
            assert row is not None
            assert await session.memories.count(MAYA) == row[0]
            ((_, listed),) = await session.people.page("acme", "", PageRequest(10))
            assert listed == row[0]
            return int(row[0])


async def test_the_number_of_memories_is_exact_after_every_kind_of_write(
    store: PostgresDatabase,
) -> None:
    chronicle = Chronicle(store, seed=8)
    await chronicle.talk()
    seen = set()
    for _ in range(300):
        await chronicle.step()
        seen.add(await chronicle.check())
    assert len(seen) > 5


async def test_the_interaction_s_own_memory_is_found_by_its_interaction(
    store: PostgresDatabase,
) -> None:
    await complete(store, FULL)
    assert FULL.interaction_id is not None
    async with store.session() as session:
        found = await session.memories.by_interaction(MAYA, FULL.interaction_id)
        assert found == await session.memories.get(MAYA, "full")
        assert await session.memories.by_interaction(NOOR, FULL.interaction_id) is None
        assert await session.memories.by_interaction(MAYA, uuid4()) is None


async def test_the_status_tells_of_the_newest_version_why_it_failed(
    store: PostgresDatabase,
) -> None:
    await complete(store, MemoryDraft("m", "served"))
    await enqueue(store, MemoryDraft("m", "bad"), MemoryDraft("n", "waits"))
    async with store.session() as session:
        for item in await session.queue.claim("", 1, 30.0):
            await session.queue.fail(item, "EMBEDDING_FAILED", "no vector", final=True)
        found = await session.memories.status(MAYA, ["m", "n", "unknown"])
    assert set(found) == {"m", "n"}
    assert found["m"].status is IndexingStatus.ERRORED
    assert (found["m"].attempts, found["m"].error_reason, found["m"].error_message) == (
        1,
        "EMBEDDING_FAILED",
        "no vector",
    )
    assert found["n"].status is IndexingStatus.QUEUED
    assert [memory.text for memory in await page(store)] == ["waits", "served"]


@pytest.mark.parametrize("planned", ["empty", "full and unknown", "full and analyzed"])
async def test_no_plan_reads_the_whole_table_whenever_it_was_made(
    store: PostgresDatabase, database: Database, planned: str
) -> None:
    memory, chunk = load("memory"), load("chunk")
    queries: dict[str, SQL | Composed] = {
        "placed": load("person").placed,
        "fetch": chunk.fetch,
        "page": memory.page.format(filter=SQL("true")),
        "get_many": memory.get_many,
        "status": memory.status,
        "existing": memory.existing,
        "delete": memory.delete,
        "count": memory.count,
        "over_plan": memory.over_plan,
    }
    async with store.session() as session:
        if planned == "empty":
            statements = await _prepare(session.conn, queries)
        await enqueue(store, *(MemoryDraft(f"m{n}", "x" * 1_000) for n in range(1_000)))
        await finish_queue(store, dimension=384)
        if planned == "full and analyzed":
            with psycopg.connect(database.owner_dsn, autocommit=True) as owner:
                owner.execute("ANALYZE memory, chunk, end_user, shard_head")
        if planned != "empty":
            statements = await _prepare(session.conn, queries)
        for name, statement in statements.items():
            explain = f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}"
            row = await (await session.conn.execute(explain.encode())).fetchone()
            assert row is not None
            plan = row[0][0]["Plan"]
            # A thousand memories, or a thousand chunks, are on a thousand pages and more.
            assert plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] < 300, (name, plan)


async def _prepare(
    conn: psycopg.AsyncConnection[Any], queries: dict[str, SQL | Composed]
) -> dict[str, str]:
    """Plan each query; the statements that execute it."""
    statements = {}
    for name, query in queries.items():
        text = query.as_string(None)
        used = [key for key in _VALUES if f"%({key})s" in text]
        for number, key in enumerate(used, 1):
            text = text.replace(f"%({key})s", f"${number}")
        types = ", ".join(_VALUES[key][0] for key in used)
        await conn.execute(f"PREPARE plan_{name} ({types}) AS {text}".encode())
        values = ", ".join(_VALUES[key][1] for key in used)
        statements[name] = f"EXECUTE plan_{name} ({values})"
        await conn.execute(statements[name].encode())
    return statements


_VALUES = {
    "tenant_id": ("text", "'acme'"),
    "tenant_ids": ("text[]", "'{acme}'"),
    "stores": ("text[]", "'{MEMORIES}'"),
    "end_user_ids": ("text[]", "'{maya}'"),
    "chunk_lists": ("text[]", """'{"100,200,300,400,500,600,700,800"}'"""),
    "store": ("text", "'MEMORIES'"),
    "end_user_id": ("text", "'maya'"),
    "source_ids": ("text[]", "'{m100,m200,m300,m400}'"),
    "after": ("bigint", f"{2**62}"),
    "kind": ("text", "''"),
    "channel": ("text", "''"),
    "session_id": ("text", "''"),
    "start": ("timestamptz", "NULL"),
    "end": ("timestamptz", "NULL"),
    "size": ("bigint", "20"),
    "bytes_max": ("bigint", "1000000"),
    "keep": ("bigint", "990"),
    "limit": ("bigint", "5"),
    "plans": ("text[]", "'{ENTERPRISE}'"),
    "keeps": ("int[]", "'{990}'"),
    "kinds": ("text[]", "'{ADDED,INTERACTION}'"),
    "after_tenant": ("text", "''"),
    "after_user": ("text", "''"),
}


async def test_the_allowed_chunks_are_those_of_completed_living_memories_that_pass(
    store: PostgresDatabase,
) -> None:
    web = await complete(store, MemoryDraft("1", "x", channel="web"), pieces=3)
    await complete(store, MemoryDraft("2", "x", channel="app"))
    await complete(store, MemoryDraft("1", "x", channel="web"), scope=NOOR)
    await complete(store, MemoryDraft("dead", "x", channel="web"))
    await expire(store, "dead")
    await enqueue(store, MemoryDraft("waits", "x", channel="web"))
    async with store.session() as session:
        allowed = await session.memories.allowed_chunks(MAYA, parse_filter({"channel": "web"}, ()))
        none = await session.memories.allowed_chunks(MAYA, parse_filter({"channel": "we"}, ()))
    assert allowed.dtype == "int64"
    assert allowed.tolist() == web
    assert none.tolist() == []
