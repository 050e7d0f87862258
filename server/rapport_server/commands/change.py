"""A change to what is stored about one person: under the person's lock, once for each request_id."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rapport_server.commands.gate import PersonGate
from rapport_server.commands.ticket import Result, Ticket
from rapport_server.domain.audit import AuditEventKind, AuditRecord, Details
from rapport_server.domain.memories import Scope
from rapport_server.domain.people import Person
from rapport_server.domain.storage import Database, Transaction
from rapport_server.domain.tenants import Caller
from rapport_server.errors import NotFound


@dataclass(frozen=True, slots=True)
class OpenChange:
    """A transaction with the person locked since `clock`; `replay` is what the first call of this request_id kept."""

    tx: Transaction
    clock: datetime
    replay: Result | None
    _caller: Caller
    _scope: Scope
    _ticket: Ticket

    async def person(self) -> Person:
        """Raises NotFound for a person who never began."""
        person = await self.tx.people.get(self._scope.tenant_id, self._scope.end_user_id)
        if person is None:
            raise NotFound("end_user")
        return person

    async def finish(
        self, result: Mapping[str, Any], kind: AuditEventKind, details: Details
    ) -> None:
        """Keep the result for a replay, and audit what was done."""
        await self._ticket.finish(self.tx, result)
        record = AuditRecord(kind, self._caller.key_id, self._ticket.subject_hash, details)
        await self.tx.audit.append(self._scope.tenant_id, record)


class Change:
    """Opens such changes."""

    def __init__(self, database: Database, gate: PersonGate) -> None:
        self._database = database
        self._gate = gate

    @asynccontextmanager
    async def __call__(
        self, caller: Caller, scope: Scope, ticket: Ticket
    ) -> AsyncIterator[OpenChange]:
        """Commits at the end. Raises Erased when the person is erased meanwhile."""
        async with self._database.session() as session:
            arrival = await session.people.arrival(scope.tenant_id, ticket.subject_hash)
        async with self._gate.hold(ticket.subject_hash), self._database.transaction() as tx:
            clock = await tx.people.lock(scope.tenant_id, ticket.subject_hash, arrival.epoch)
            yield OpenChange(tx, clock, await ticket.begin(tx), caller, scope, ticket)
