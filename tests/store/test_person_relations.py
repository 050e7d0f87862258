"""The other people in a person's life."""

from dataclasses import replace

import pytest

from rapport_server.domain.limits import PERSON_RELATIONS_MAX
from rapport_server.domain.memories import Scope
from rapport_server.domain.person_relations import PersonRelation
from rapport_server.domain.storage import PageRequest
from rapport_server.store.database import PostgresDatabase
from tests.store.house import HOUR, MAYA, NOON, STRANGE_IDS

ANNA = PersonRelation("anna", "Anna", "boss", 0.2, "Strict.", NOON)
STRANGERS = (Scope("acme", "noor"), Scope("globex", "maya"))


async def ids(store: PostgresDatabase, scope: Scope = MAYA, size: int = 2_000) -> list[str]:
    """Page by page."""
    seen: list[PersonRelation] = []
    async with store.session() as session:
        while found := await session.person_relations.page(
            scope,
            PageRequest(size, (seen[-1].name, seen[-1].person_relation_id) if seen else None),
        ):
            seen += found
    return [relation.person_relation_id for relation in seen]


async def test_one_is_stored_whole_replaced_whole_and_deleted_once(store: PostgresDatabase) -> None:
    async with store.transaction() as tx:
        relations = tx.person_relations
        for scope in (MAYA, *STRANGERS):
            assert await relations.upsert(scope, ANNA)
        assert await relations.get(MAYA, "anna") == ANNA
        bare = PersonRelation("anna", "Annette")
        assert await relations.upsert(MAYA, bare)
        assert await relations.get(MAYA, "anna") == bare
        assert (bare.sentiment, bare.last_mentioned) == (0.5, None)
        assert [await relations.delete(MAYA, "anna") for _ in range(2)] == [True, False]
        assert await relations.get(MAYA, "anna") is None
        for scope in STRANGERS:
            assert await relations.get(scope, "anna") == ANNA


async def test_pages_go_by_name_then_id_and_go_on_while_rows_come_and_go(
    store: PostgresDatabase,
) -> None:
    async with store.transaction() as tx:
        for number, strange in enumerate(STRANGE_IDS):
            await tx.person_relations.upsert(MAYA, PersonRelation(strange, strange))
            await tx.person_relations.upsert(MAYA, PersonRelation(f"{number:02}", "Twin"))
        await tx.person_relations.upsert(STRANGERS[0], ANNA)
    every = await ids(store)
    assert sorted(every) == sorted([*STRANGE_IDS, *(f"{n:02}" for n in range(len(STRANGE_IDS)))])
    for size in (1, 3, 7):
        assert await ids(store, size=size) == every
    twins = [one for one in every if one.isdigit()]
    assert twins == sorted(twins)
    async with store.transaction() as tx:
        first = await tx.person_relations.page(MAYA, PageRequest(10))
        last = first[-1]
        await tx.person_relations.delete(MAYA, last.person_relation_id)
        await tx.person_relations.upsert(MAYA, replace(last, person_relation_id="!", name=" "))
        rest = await tx.person_relations.page(
            MAYA, PageRequest(100, (last.name, last.person_relation_id))
        )
    assert [one.person_relation_id for one in rest] == every[10:]


async def test_a_reader_moves_only_sentiment_and_time_of_what_was_given_by_hand(
    store: PostgresDatabase,
) -> None:
    async with store.transaction() as tx:
        relations = tx.person_relations
        await relations.upsert(MAYA, ANNA)
        mother = PersonRelation("m", "mother", "mother", 0.7, "", NOON)
        read = PersonRelation("anna", "anna", "colleague", 0.4, "Read.", NOON + HOUR)
        await relations.mention(MAYA, [read, mother])
        assert await relations.get(MAYA, "anna") == replace(
            ANNA, sentiment=0.4, last_mentioned=NOON + HOUR
        )
        assert await relations.get(MAYA, "m") == mother
        # What the reader made it may name better; an older mention moves no time back.
        better = replace(mother, name="Rosa", sentiment=0.8, last_mentioned=NOON - HOUR)
        await relations.mention(MAYA, [better])
        assert await relations.get(MAYA, "m") == replace(better, last_mentioned=NOON)
        await relations.upsert(MAYA, replace(better, kind="mum"))
        await relations.mention(MAYA, [mother])
        assert await relations.get(MAYA, "m") == replace(
            better, kind="mum", sentiment=0.7, last_mentioned=NOON
        )
        await relations.mention(MAYA, [])


@pytest.mark.parametrize("by_hand", [True, False])
async def test_nobody_has_more_than_the_most(store: PostgresDatabase, by_hand: bool) -> None:
    async with store.transaction() as tx:
        relations = tx.person_relations
        await relations.mention(
            MAYA, [replace(ANNA, person_relation_id=str(n)) for n in range(PERSON_RELATIONS_MAX)]
        )
        one = replace(ANNA, person_relation_id="0", sentiment=0.9)
        other = replace(ANNA, person_relation_id="one more")
        if by_hand:
            assert await relations.upsert(MAYA, one)
            assert not await relations.upsert(MAYA, other)
        else:
            await relations.mention(MAYA, [other, one])
        assert await relations.get(MAYA, "0") == one
        assert await relations.upsert(STRANGERS[0], other)
        await relations.delete(MAYA, "1")
        await relations.mention(MAYA, [other, replace(other, person_relation_id="and another")])
    stored = await ids(store)
    assert len(stored) == PERSON_RELATIONS_MAX
    assert "one more" in stored
