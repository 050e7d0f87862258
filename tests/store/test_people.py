"""People: lock, epoch, place in the shards, state."""

import asyncio
from dataclasses import replace

import pytest

from rapport_server.domain.memories import MemoryDraft, Scope
from rapport_server.domain.relation import RelationState
from rapport_server.domain.storage import PageRequest, Placed
from rapport_server.errors import Erased, Internal, NotFound
from rapport_server.store import people
from rapport_server.store.database import PostgresDatabase
from tests.store.house import (
    HOUR,
    MAYA,
    NOON,
    STRANGE_IDS,
    begin,
    complete,
    enqueue,
    make_tenant,
    subject,
)

PLACE = ("acme", "maya")


async def test_a_stranger_arrives_with_epoch_0_and_every_erase_raises_it_for_that_person_alone(
    store: PostgresDatabase,
) -> None:
    async with store.session() as session:
        assert (await session.people.arrival("acme", b"s")).epoch == 0
        assert await session.people.bump("acme", b"s") == 1
        assert await session.people.bump("acme", b"s") == 2
        assert (await session.people.arrival("acme", b"s")).epoch == 2
        assert (await session.people.arrival("globex", b"s")).epoch == 0
        assert (await session.people.arrival("acme", b"t")).epoch == 0


async def test_work_that_arrived_before_an_erase_is_refused_at_its_lock(
    store: PostgresDatabase,
) -> None:
    async with store.session() as session:
        arrival = await session.people.arrival("acme", b"s")
        await session.people.bump("acme", b"s")
    with pytest.raises(Erased):
        async with store.transaction() as tx:
            await tx.people.lock("acme", b"s", arrival.epoch)


async def test_work_that_waits_for_the_lock_while_the_erase_commits_is_refused_too(
    store: PostgresDatabase,
) -> None:
    async def late() -> None:
        async with store.transaction() as tx:
            await tx.people.lock("acme", b"s", 0)

    async with store.transaction() as tx:
        await tx.people.bump("acme", b"s")
        waiting = asyncio.create_task(late())
        await asyncio.sleep(0.1)
        assert not waiting.done()
    with pytest.raises(Erased):
        await waiting


@pytest.mark.parametrize("known", [False, True], ids=["new", "known"])
async def test_the_clock_of_the_lock_is_read_after_waiting_for_it(
    store: PostgresDatabase, known: bool
) -> None:
    if known:
        async with store.transaction() as tx:
            await tx.people.lock("acme", b"s", 0)

    async def second() -> None:
        async with store.transaction() as tx:
            clock = await tx.people.lock("acme", b"s", 0)
        assert clock > released

    async with store.transaction() as tx:
        await tx.people.lock("acme", b"s", 0)
        waiting = asyncio.create_task(second())
        await asyncio.sleep(0.1)
        assert not waiting.done()
        released = (await tx.people.arrival("acme", b"s")).now
    await waiting


async def test_locking_many_in_any_order_never_deadlocks_and_keeps_single_locks_out(
    store: PostgresDatabase,
) -> None:
    subjects = [("acme", bytes([n])) for n in range(12)]

    async def lock(order: int) -> None:
        async with store.transaction() as tx:
            await tx.people.lock_many(subjects[order:] + subjects[:order] + subjects[:2])
            await asyncio.sleep(0.005)

    await asyncio.gather(*(lock(order) for order in range(12)))
    async with store.transaction() as tx:
        await tx.people.lock_many(subjects)
        async with store.transaction() as other:
            await other.people.lock("acme", b"free", 0)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2), store.transaction() as other:
                await other.people.lock(*subjects[5], 0)


async def test_a_new_person_is_a_stranger_and_begins_only_once(store: PostgresDatabase) -> None:
    async with store.transaction() as tx:
        await tx.people.lock("acme", subject(MAYA), 0)
        begun = await tx.people.begin("acme", "maya", 0.3, NOON)
        assert await tx.people.begin("acme", "maya", 0.9, NOON + HOUR) == begun
    assert begun.state == RelationState(0.3, 0.5, 0.0, 0.0, NOON)
    assert (begun.known_since, begun.last_seen, begun.interaction_count) == (NOON, None, 0)
    assert (begun.user_name, begun.time_zone, begun.assignments) == ("", "", ())
    async with store.session() as session:
        assert await session.people.get("acme", "maya") == begun
        assert await session.people.get("globex", "maya") is None


async def test_saving_writes_everything_that_an_interaction_moves(store: PostgresDatabase) -> None:
    async with store.transaction() as tx:
        begun = await begin(tx)
        other = await begin(tx, Scope("acme", "other"))
        moved = replace(
            begun,
            state=RelationState(0.1, 0.2, 0.3, 0.4, NOON + HOUR),
            interaction_count=7,
            known_since=NOON - HOUR,
            last_seen=NOON + HOUR,
            user_name="Maya",
            time_zone="Europe/Berlin",
        )
        await tx.people.save(moved)
    async with store.session() as session:
        stored = await session.people.get("acme", "maya")
        assert stored is not None
        assert replace(stored, update_time=moved.update_time) == moved
        assert stored.update_time > begun.update_time
        assert await session.people.get("acme", "other") == other


async def test_a_person_of_an_unknown_tenant_cannot_begin(store: PostgresDatabase) -> None:
    with pytest.raises(NotFound, match="tenant"):
        async with store.transaction() as tx:
            await begin(tx, Scope("nobody", "maya"))


async def test_a_newcomer_waits_for_the_deletion_of_the_tenant_and_then_fails(
    store: PostgresDatabase,
) -> None:
    async def arrive() -> None:
        async with store.transaction() as tx:
            await begin(tx)

    async with store.transaction() as tx:
        await tx.tenants.lock("acme")
        waiting = asyncio.create_task(arrive())
        await asyncio.sleep(0.1)
        assert not waiting.done()
        assert await tx.people.ids("acme", 10) == []
        await tx.tenants.delete("acme")
    with pytest.raises(NotFound):
        await waiting


async def test_people_who_arrive_together_share_the_first_shard_and_are_all_counted(
    store: PostgresDatabase,
) -> None:
    async def arrive(number: int) -> int:
        async with store.transaction() as tx:
            return (await begin(tx, Scope("acme", f"p{number}"))).shard_id

    assert set(await asyncio.gather(*(arrive(number) for number in range(24)))) == {0}
    async with store.session() as session:
        assert await session.shards.ids("acme") == [0]
        found = await session.conn.execute("SELECT tenant_id, persons, vectors FROM shard_head")
        assert await found.fetchall() == [("acme", 24, 0)]


async def test_a_transaction_that_fails_leaves_no_person_and_counts_none(
    store: PostgresDatabase,
) -> None:
    async with store.transaction() as tx:
        await begin(tx, Scope("acme", "there"))

    async def fail() -> None:
        async with store.transaction() as tx:
            await begin(tx)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fail()
    async with store.session() as session:
        assert await session.people.ids("acme", 10) == ["there"]
        found = await session.conn.execute("SELECT persons FROM shard_head")
        assert await found.fetchall() == [(1,)]


async def test_newcomers_take_the_lowest_shard_with_room_and_open_another_when_there_is_none(
    store: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def arrive(name: str) -> int:
        async with store.transaction() as tx:
            return (await begin(tx, Scope("acme", name))).shard_id

    monkeypatch.setattr(people, "SHARD_PERSONS_MAX", 2)
    assert [await arrive(f"p{n}") for n in range(5)] == [0, 0, 1, 1, 2]
    async with store.transaction() as tx:
        await tx.shards.append("acme", 1, dropped=[4])
    assert await arrive("after an erase") == 1
    monkeypatch.setattr(people, "SHARD_VECTORS_MAX", 3)
    await complete(store, MemoryDraft("m", "text"), scope=Scope("acme", "p4"), pieces=3)
    assert await arrive("after many vectors") == 3


async def test_every_shard_begins_with_a_change_that_carries_the_token_of_its_head(
    store: PostgresDatabase,
) -> None:
    async with store.transaction() as tx:
        await begin(tx)
    async with store.session() as session:
        placed = (await session.people.placed([PLACE]))[PLACE]
        found = await session.conn.execute("SELECT seq, token FROM shard_change")
        assert await found.fetchall() == [(placed.head.seq, placed.head.token)]
    assert placed.head.seq == 0


@pytest.mark.parametrize("pipelined", [False, True])
async def test_a_person_whose_row_is_gone_cannot_be_saved(
    store: PostgresDatabase, pipelined: bool
) -> None:
    async with store.transaction() as tx:
        person = await begin(tx)
    with pytest.raises(Internal):
        async with store.transaction(pipelined=pipelined) as tx:
            await tx.people.save(replace(person, end_user_id="gone"))


async def test_a_person_s_place_follows_the_head_of_the_shard(store: PostgresDatabase) -> None:
    await complete(store, MemoryDraft("m", "text"))
    async with store.transaction() as tx:
        head = await tx.shards.append("acme", 0, removed=[1])
    async with store.session() as session:
        placed = await session.people.placed([PLACE, ("acme", "nobody"), ("other", "maya")])
        person = await session.people.get(*PLACE)
    assert person is not None
    assert placed == {PLACE: Placed(person.person_no, 0, head)}


async def test_pages_show_every_person_once_with_their_number_of_memories(
    store: PostgresDatabase,
) -> None:
    for number, name in enumerate(STRANGE_IDS):
        scope = Scope("acme", name)
        async with store.transaction() as tx:
            await begin(tx, scope)
        drafts = [MemoryDraft(f"m{n}", "text") for n in range(number % 3)]
        await enqueue(store, *drafts, scope=scope)
    async with store.transaction() as tx:
        await begin(tx, Scope("globex", "a"))
    await complete(store, MemoryDraft("m", "text"), scope=Scope("acme", "%s"))
    await enqueue(store, MemoryDraft("m", "newer"), scope=Scope("acme", "%s"))

    seen: list[tuple[str, int]] = []
    async with store.session() as session:
        while found := await session.people.page(
            "acme", "", PageRequest(4, (seen[-1][0],) if seen else None)
        ):
            seen += [(person.end_user_id, memories) for person, memories in found]
    expected = {name: number % 3 for number, name in enumerate(STRANGE_IDS)}
    expected["%s"] += 1
    assert seen == sorted(expected.items(), key=lambda entry: entry[0].encode())


async def test_people_are_found_by_assignment(store: PostgresDatabase) -> None:
    async with store.transaction() as tx:
        for name in ("maya", "noor"):
            await begin(tx, Scope("acme", name))
        await tx.conn.execute(
            "UPDATE end_user SET assignments = '{dr-lee,agent-7}' WHERE end_user_id = 'noor'"
        )
        found = await tx.people.page("acme", "agent-7", PageRequest(10))
        assert [(p.end_user_id, p.assignments) for p, _ in found] == [
            ("noor", ("dr-lee", "agent-7"))
        ]
        assert await tx.people.page("acme", "agent", PageRequest(10)) == []


async def test_people_of_tenants_with_ids_alike_never_meet(store: PostgresDatabase) -> None:
    async with store.transaction() as tx:
        for tenant_id in ("acme-corp", "acm%", "Acme"):
            assert await tx.tenants.insert(make_tenant(tenant_id))
        made = {t: await begin(tx, Scope(t, "maya")) for t in ("acme", "acme-corp", "acm%", "Acme")}
    assert len({person.person_no for person in made.values()}) == 4
    async with store.session() as session:
        for tenant_id, person in made.items():
            assert await session.people.get(tenant_id, "maya") == person
            assert await session.people.ids(tenant_id, 10) == ["maya"]
