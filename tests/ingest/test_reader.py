"""The reader: what a memory says of others and of things to come is stored once, whatever happens meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import psycopg
import pytest
import structlog.testing
from psycopg.sql import SQL

from rapport_server.domain import limits
from rapport_server.domain.analysis import Analysis, AnalysisOrigin
from rapport_server.domain.memories import MemoryDraft, MemoryKind, Pair, Scope, Store
from rapport_server.domain.person_relations import PersonRelation
from rapport_server.domain.ports import Encoded, Lane
from rapport_server.domain.storage import PageRequest
from rapport_server.domain.triggers import Trigger
from rapport_server.errors import EmbeddingFailed, Unavailable
from rapport_server.inference import LocalMentions
from rapport_server.ingest.reader import MemoryReader
from rapport_server.store.database import PostgresDatabase
from rapport_server.store.sqlfile import load
from tests.fix_postgres import Database
from tests.ingest.encoders import ScriptedEncoder
from tests.store.seed import Hasher, chunks, claim, enqueue, index, opened, person, subject

# A Tuesday evening in London; the clock of the tests' database is later.
AT = datetime(2026, 12, 1, 20, tzinfo=UTC)
MAYA = Scope("acme", "maya")
ALL = PageRequest(1000)
SHOUTED = "My boss Anna shouted at me again."
SURGERY = "My surgery is tomorrow."


class Moods:
    """An analyser that finds every sentence about shouting sad, and every other one glad."""

    async def analyse(self, text: str, encoded: Encoded, *, allow_llm: bool) -> Analysis:
        assert not allow_llm
        assert encoded.pieces[0].text == text
        return Analysis(mood_delta=-0.2 if "shout" in text else 0.2, origin=AnalysisOrigin.LOCAL)


class Figures:
    """What the reader reported."""

    def __init__(self) -> None:
        self.found = (0, 0, 0)

    def read(self, memories: int, people: int, follow_ups: int, seconds: float) -> None:
        assert seconds >= 0
        self.found = (memories, people, follow_ups)


@pytest.fixture
async def db(database: Database) -> AsyncIterator[PostgresDatabase]:
    async with opened(database) as db:
        yield db


def reader(db: PostgresDatabase, encoder: object = None, **settings: object) -> MemoryReader:
    settings = {"analyser": Moods(), "poll_s": 0.02, "lease_s": 30.0} | settings
    analyser = settings.pop("analyser")
    return MemoryReader(
        db, encoder or ScriptedEncoder(), analyser, LocalMentions(), Hasher(), **settings
    )


async def say(
    db: PostgresDatabase, *texts: str, scope: Scope = MAYA, at: datetime = AT, **fields: object
) -> None:
    """Store interactions, as Process does."""
    who = await person(db, scope.tenant_id, scope.end_user_id)
    for text in texts:
        draft = MemoryDraft(
            source_id=text[:200],
            text=f"User: {text}",
            pairs=(Pair(text, "My mother Rosa has surgery tomorrow, says the assistant."),),
            occurred_at=at,
            time_zone="Europe/London",
            kind=MemoryKind.INTERACTION,
        )
        async with db.transaction() as tx:
            await tx.people.lock_many(
                [(scope.tenant_id, subject(scope.tenant_id, scope.end_user_id))]
            )
            await tx.memories.insert_completed(scope, who, replace(draft, **fields), chunks(1.0))


async def read_all(db: PostgresDatabase, of: MemoryReader | None = None) -> int:
    """Read until nothing waits; how many memories that were."""
    of = of or reader(db)
    total = 0
    while count := await of.round():
        total += count
    return total


async def people(db: PostgresDatabase, scope: Scope = MAYA) -> dict[str, PersonRelation]:
    async with db.session() as session:
        return {r.name: r for r in await session.person_relations.page(scope, ALL)}


async def triggers(db: PostgresDatabase, scope: Scope = MAYA) -> list[Trigger]:
    async with db.session() as session:
        return await session.triggers.page(scope, ALL)


async def test_what_the_person_says_becomes_relations_and_triggers(db: PostgresDatabase) -> None:
    figures = Figures()
    encoder = ScriptedEncoder()
    await say(db, SHOUTED, SURGERY)
    assert await read_all(db, reader(db, encoder, observer=figures)) == 2
    assert figures.found == (2, 1, 1)
    assert encoder.calls == [[SHOUTED]]
    assert encoder.lanes == {Lane.BULK}
    (anna,) = (await people(db)).values()
    assert (anna.name, anna.kind, anna.last_mentioned) == ("Anna", "boss", AT)
    assert anna.sentiment == pytest.approx(0.5 - 0.35 * (0.2 + 0.2))
    (trigger,) = await triggers(db)
    assert trigger.description == "Ask how the surgery on 2026-12-02 went"
    assert (trigger.due_at, trigger.source_id) == (datetime(2026, 12, 3, 9, tzinfo=UTC), SURGERY)
    assert (trigger.origin, trigger.done) == (AnalysisOrigin.LOCAL, False)


async def test_nothing_is_read_twice(db: PostgresDatabase, database: Database) -> None:
    await say(db, SHOUTED, SURGERY)
    assert await read_all(db) == 2
    before = await people(db), await triggers(db)
    assert await read_all(db) == 0
    # Two readers that have both claimed the same store it once.
    await say(db, "My boss Anna came.")
    first, second = reader(db, lease_s=-1.0), reader(db, lease_s=-1.0)
    met = asyncio.Barrier(2)

    async def meet(texts: Sequence[str]) -> None:
        await met.wait()

    first._encoder = second._encoder = ScriptedEncoder(meet)
    assert await asyncio.gather(first.round(), second.round()) == [1, 1]
    anna = (await people(db))["Anna"]
    assert anna.sentiment == pytest.approx(before[0]["Anna"].sentiment + 0.35 * 0.2)
    assert await triggers(db) == before[1]


async def test_only_one_reader_is_at_a_tenant(db: PostgresDatabase) -> None:
    await say(db, *(f"{n} {SHOUTED}" for n in range(limits.READ_ITEMS_MAX + 1)))
    await say(db, SURGERY, scope=Scope("beta", "ben"))
    first, second, third = reader(db), reader(db), reader(db)
    assert await first.round() == limits.READ_ITEMS_MAX
    assert await second.round() == 1
    assert await third.round() == 0
    assert await first.round() == 1
    assert await triggers(db, Scope("beta", "ben"))
    async with db.session() as session:
        assert await session.reading.take_turn("", first._token, 1.0) == ""


async def test_a_dead_readers_tenant_is_read_after_its_lease(db: PostgresDatabase) -> None:
    await say(db, SURGERY)
    async with db.session() as session:
        token = reader(db)._token
        assert await session.reading.take_turn("", token, 30.0) == "acme"
    assert await read_all(db) == 0
    async with db.session() as session:
        await session.reading.take_turn("", token, -1.0)
    assert await read_all(db) == 1
    assert len(await triggers(db)) == 1


async def test_the_same_person_is_one_relation(db: PostgresDatabase) -> None:
    await say(db, "My boss is late.", "My mother sang.", at=AT)
    await read_all(db)
    assert set(await people(db)) == {"boss", "mother"}
    await say(db, "My boss Anna came.", "Anna went.", "My boss smiled.", at=AT + timedelta(1))
    await say(db, "My sister Mia rang.", "My sister Ida rang.", "My sister Mia wrote.")
    await read_all(db)
    found = await people(db)
    assert set(found) == {"Anna", "mother", "Mia", "Ida"}
    sentiment = 0.5
    for _ in range(4):
        sentiment += 0.35 * 0.2
    assert found["Anna"].sentiment == pytest.approx(sentiment)
    assert found["Anna"].last_mentioned == AT + timedelta(1)
    assert found["Mia"].sentiment > found["Ida"].sentiment


async def test_what_a_caller_made_keeps_its_name_kind_and_note(db: PostgresDatabase) -> None:
    await person(db)
    made = PersonRelation("r1", "Anna", "line manager", 0.9, "likes tea")
    async with db.transaction() as tx:
        await tx.people.lock_many([("acme", subject("acme", "maya"))])
        assert await tx.person_relations.upsert(MAYA, made)
    await say(db, SHOUTED, "My boss Anna Berg left.")
    await read_all(db)
    (anna,) = (await people(db)).values()
    assert replace(anna, sentiment=0.9, last_mentioned=None) == made
    assert anna.sentiment != made.sentiment


async def test_only_the_persons_own_words_of_the_newest_version_are_read(
    db: PostgresDatabase,
) -> None:
    await say(db, "Nothing happened.")
    other = "My uncle Bob fell."
    await say(db, other, speaker="Bob", user_name="Maya", kind=MemoryKind.ADDED, pairs=())
    own = "My aunt Vera fell."
    await say(db, own, speaker="maya", user_name="Maya", kind=MemoryKind.ADDED, pairs=(), text=own)
    await say(db, "My son Tim fell.", kind=MemoryKind.DERIVED)
    await say(db, "My dog Rex fell.", scope=Scope("acme", "", Store.KNOWLEDGE))
    await enqueue(db, ["diary: My friend Zoe left.", "waiting: My friend Kim left."])
    await index(db, [item for item in await claim(db) if item.source_id == "diary"])
    await enqueue(db, ["diary: My friend Lea left."])
    await index(db, await claim(db))
    await read_all(db)
    assert set(await people(db)) == {"Vera", "Lea"}


async def test_a_follow_up_of_an_old_diary_is_not_made(db: PostgresDatabase) -> None:
    await say(db, SURGERY, kind=MemoryKind.ADDED, at=datetime(2020, 1, 1, tzinfo=UTC))
    await read_all(db)
    assert await triggers(db) == []


@pytest.mark.parametrize("meanwhile", ["erased", "deleted", "expired"])
async def test_what_goes_while_it_is_read_comes_to_nothing(
    db: PostgresDatabase, database: Database, meanwhile: str
) -> None:
    await say(db, SHOUTED)
    who = await person(db)

    async def go(texts: Sequence[str]) -> None:
        async with db.transaction() as tx:
            await tx.people.lock_many([("acme", subject("acme", "maya"))])
            if meanwhile == "deleted":
                await tx.memories.delete(MAYA, [SHOUTED])
            elif meanwhile == "erased":
                await tx.people.bump("acme", subject("acme", "maya"))
                await tx.erasures.delete_person("acme", "maya", subject("acme", "maya"))
        if meanwhile == "expired":
            async with await psycopg.AsyncConnection.connect(database.owner_dsn) as conn:
                await conn.execute("UPDATE rapport.memory SET expires_at = now()")

    assert await reader(db, ScriptedEncoder(go)).round() == 1
    assert await people(db) == {}
    assert await read_all(db) == 0
    async with db.session() as session:
        if meanwhile == "erased":
            remaining = await session.erasures.remaining(
                "acme", "maya", subject("acme", "maya"), who.person_no
            )
            assert remaining == 0


async def test_nothing_is_lost_when_embedding_or_the_database_fails(db: PostgresDatabase) -> None:
    await say(db, SHOUTED, SURGERY)

    async def fail(texts: Sequence[str]) -> None:
        raise Unavailable

    with pytest.raises(Unavailable):
        await reader(db, ScriptedEncoder(fail), lease_s=-1.0).round()
    assert await triggers(db) == []
    assert await read_all(db) == 2

    async def refuse(texts: Sequence[str]) -> None:
        raise EmbeddingFailed

    await say(db, "My brother Leo shouted.")
    await read_all(db, reader(db, ScriptedEncoder(refuse)))
    assert (await people(db))["Leo"].sentiment == 0.5


async def test_what_can_never_be_stored_keeps_nobody_else_waiting(
    db: PostgresDatabase, database: Database
) -> None:
    noor = Scope("acme", "noor")
    await say(db, SHOUTED)
    await say(db, "My aunt Vera fell.", scope=noor)
    async with await psycopg.AsyncConnection.connect(database.owner_dsn) as conn:
        await conn.execute(
            "CREATE FUNCTION rapport.refuse_anna() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = 'check_violation'; END $$"
        )
        await conn.execute(
            "CREATE TRIGGER anna BEFORE INSERT ON rapport.person_relation"
            " FOR EACH ROW WHEN (NEW.name = 'Anna') EXECUTE FUNCTION rapport.refuse_anna()"
        )
    with structlog.testing.capture_logs() as logs:
        assert await read_all(db) == 2
    assert [entry["event"] for entry in logs] == ["what a person said of others is left out"]
    assert "Anna" not in str(logs)
    assert await people(db) == {}
    assert set(await people(db, noor)) == {"Vera"}


async def test_of_long_memories_only_a_few_are_read_in_one_go(db: PostgresDatabase) -> None:
    await say(db, *(f"{number} " + "It rained. " * 3_000 for number in range(4)))
    of = reader(db)
    assert [await of.round() for _ in range(3)] == [2, 2, 0]


async def test_without_an_analyser_people_are_found_and_no_feeling_moves(
    db: PostgresDatabase,
) -> None:
    encoder = ScriptedEncoder()
    await say(db, SHOUTED)
    await read_all(db, reader(db, encoder, analyser=None))
    assert (await people(db))["Anna"].sentiment == 0.5
    assert encoder.calls == []


async def test_what_was_stored_before_the_reader_came_counts_as_read(
    db: PostgresDatabase, database: Database
) -> None:
    await person(db)
    async with await psycopg.AsyncConnection.connect(database.owner_dsn) as conn:
        # As a version without the column would have written it.
        await conn.execute(
            "INSERT INTO rapport.memory (tenant_id, store, end_user_id, source_id, kind, status, person_no, shard_id, text,"
            " occurred_at) SELECT 'acme', 'MEMORIES', 'maya', 's' || n, 'ADDED', 'COMPLETED', 1, 0, 'My aunt Vera fell.', now()"
            " FROM generate_series(1, 1000) n"
        )
    assert await read_all(db) == 0


async def test_looking_for_what_is_unread_reads_little_of_a_large_table(
    db: PostgresDatabase, database: Database
) -> None:
    await person(db)
    values = {"after": "", "token": uuid4(), "lease_s": 1.0, "tenant_id": "acme", "limit": 32}
    values |= {"chars": 100, "bytes_max": 64_000, "versions": [19_950]}
    async with await psycopg.AsyncConnection.connect(
        database.owner_dsn, autocommit=True, cursor_factory=psycopg.AsyncClientCursor
    ) as conn:
        await conn.execute("SET search_path TO rapport")
        await conn.execute(
            "INSERT INTO memory (tenant_id, store, end_user_id, source_id, version, kind, status, person_no, shard_id, text,"
            " occurred_at, unread) SELECT 'acme', 'MEMORIES', 'maya', 's' || n, n, 'ADDED', 'COMPLETED', 1, 0,"
            " repeat('x', 200), now(), n > 19900 FROM generate_series(1, 20000) n"
        )
        for analyzed in (False, True):
            if analyzed:
                await conn.execute("ANALYZE memory")
            for name in ("take_turn", "unread", "mark_read"):
                query = SQL("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ") + getattr(
                    load("reading"), name
                )
                row = await (await conn.execute(query, values)).fetchone()
                assert row
                plan = row[0][0]["Plan"]
                # All rows are on 700 pages, all entries of an index on 100.
                blocks = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
                assert blocks < 60, (name, analyzed, plan)


async def test_the_bound_of_people_holds_and_is_logged_once(
    db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PERSON_RELATIONS_MAX", 3)
    monkeypatch.setattr("rapport_server.store.person_relations.PERSON_RELATIONS_MAX", 3)
    logged: list[str] = []
    monkeypatch.setattr(
        "rapport_server.ingest.reader.log.warning", lambda event, **_: logged.append(event)
    )
    await say(db, *(f"My friend {name} came." for name in ("Ada", "Bea", "Cleo", "Dora", "Ella")))
    await say(db, "My friend Ada left.")
    of = reader(db)
    await read_all(db, of)
    assert set(await people(db)) == {"Ada", "Bea", "Cleo"}
    await say(db, "My friend Fay came.")
    await read_all(db, of)
    assert len(logged) == 1


async def test_a_running_reader_finds_what_comes_and_ends_when_told(
    db: PostgresDatabase,
) -> None:
    work = asyncio.create_task(reader(db).run())
    try:
        await say(db, SURGERY)
        while not await triggers(db):
            assert not work.done()
            await asyncio.sleep(0.02)
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
    async with db.session() as session:
        assert await session.reading.take_turn("", reader(db)._token, 1.0) == ""
