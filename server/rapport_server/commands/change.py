"""A change to what is stored about one person: under the person's lock, once for each request_id."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from rapport_server.commands.gate import PersonGate
from rapport_server.commands.ticket import Result, Ticket
from rapport_server.domain.memories import Scope
from rapport_server.domain.storage import Database, Transaction
from rapport_server.errors import NotFound


class Change:
    """Opens the transactions of such changes."""

    def __init__(self, database: Database, gate: PersonGate) -> None:
        self._database = database
        self._gate = gate

    @asynccontextmanager
    async def __call__(
        self, scope: Scope, ticket: Ticket
    ) -> AsyncIterator[tuple[Transaction, Result | None]]:
        """The transaction with the person locked, and what the first call of this request_id kept.

        Raises Erased when the person is erased meanwhile.
        """
        async with self._database.session() as session:
            arrival = await session.people.arrival(scope.tenant_id, ticket.subject_hash)
        async with self._gate.hold(ticket.subject_hash), self._database.transaction() as tx:
            await tx.people.lock(scope.tenant_id, ticket.subject_hash, arrival.epoch)
            yield tx, await ticket.begin(tx)


async def must_exist(tx: Transaction, scope: Scope) -> None:
    """Raises NotFound for a person who never began."""
    if await tx.people.get(scope.tenant_id, scope.end_user_id) is None:
        raise NotFound("end_user")
