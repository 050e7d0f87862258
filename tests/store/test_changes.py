"""Changes to what is stored about a person, against an erase that comes between."""

import asyncio

import psycopg
import pytest

from rapport_server.commands.change import Change
from rapport_server.commands.gate import PersonGate
from rapport_server.commands.person_relations import PersonRelations
from rapport_server.commands.set_assignments import SetAssignments
from rapport_server.commands.ticket import Ticket
from rapport_server.commands.triggers import Triggers
from rapport_server.domain.limits import PERSON_RELATIONS_MAX, TRIGGERS_MAX
from rapport_server.domain.person_relations import PersonRelation
from rapport_server.domain.tenants import ApiKeyRole, Caller
from rapport_server.domain.triggers import Trigger
from rapport_server.errors import Erased, InvalidArgument
from rapport_server.store.database import PostgresDatabase
from tests.fix_postgres import Database
from tests.store.house import MAYA, NOON, begin, subject

CALLER = Caller("key", ApiKeyRole.WRITER, "acme")
ANNA = PersonRelation("anna", "Anna")
ASK = Trigger("ask", "Ask.", NOON)
TICKET = Ticket("acme", None, b"", subject(MAYA))


async def test_whoever_is_erased_while_changes_are_under_way_is_not_brought_back(
    store: PostgresDatabase, database: Database
) -> None:
    change = Change(store, PersonGate())
    relations, triggers = PersonRelations(store, change), Triggers(store, change)
    for call in (
        lambda: relations.upsert(CALLER, MAYA, ANNA, TICKET),
        lambda: relations.delete(CALLER, MAYA, "anna", True, TICKET),
        lambda: triggers.upsert(CALLER, MAYA, ASK, TICKET),
        lambda: triggers.delete(CALLER, MAYA, "ask", True, TICKET),
        lambda: SetAssignments(change)(CALLER, MAYA, ["nurse"], TICKET),
    ):
        async with store.transaction() as tx:
            await begin(tx)
        async with store.transaction() as erase:
            epoch = await erase.people.bump("acme", subject(MAYA))
            waiting = asyncio.create_task(call())
            await until_locked_out(database)
            await erase.erasures.delete_person("acme", "maya", subject(MAYA))
        with pytest.raises(Erased):
            await waiting
        async with store.session() as session:
            assert (await session.people.arrival("acme", subject(MAYA))).epoch == epoch
            assert await session.people.get("acme", "maya") is None
            assert await session.erasures.remaining("acme", "maya", subject(MAYA), 0) == 0


async def until_locked_out(database: Database) -> None:
    """Until a statement waits for another's lock."""
    async with await psycopg.AsyncConnection.connect(database.admin_dsn, autocommit=True) as conn:
        async with asyncio.timeout(10):
            while True:
                rows = await conn.execute(
                    "SELECT 1 FROM pg_stat_activity WHERE datname = %s AND wait_event_type = 'Lock'",
                    (database.name,),
                )
                if await rows.fetchone():
                    return
                await asyncio.sleep(0.01)


async def test_one_too_many_is_refused_by_name(store: PostgresDatabase) -> None:
    change = Change(store, PersonGate())
    async with store.transaction() as tx:
        await begin(tx)
        await tx.person_relations.mention(
            MAYA, [PersonRelation(str(n), "x") for n in range(PERSON_RELATIONS_MAX)]
        )
        await tx.triggers.found(MAYA, [Trigger(str(n), "x", NOON) for n in range(TRIGGERS_MAX)])
    with pytest.raises(InvalidArgument, match=r"person_relation is new, and .* 1,000"):
        await PersonRelations(store, change).upsert(CALLER, MAYA, ANNA, TICKET)
    with pytest.raises(InvalidArgument, match=r"trigger is new, and .* 1,000"):
        await Triggers(store, change).upsert(CALLER, MAYA, ASK, TICKET)
    known = PersonRelation("7", "Anna")
    assert await PersonRelations(store, change).upsert(CALLER, MAYA, known, TICKET) == known
