"""RecordEvent: something that happened between agent and person outside a message."""

from dataclasses import replace

from rapport_server.commands.gate import PersonGate
from rapport_server.commands.ticket import Ticket
from rapport_server.domain.audit import AuditEventKind, AuditRecord
from rapport_server.domain.memories import Scope
from rapport_server.domain.people import Person
from rapport_server.domain.relation import RelationEvent, RelationPoint, after_event, decayed
from rapport_server.domain.storage import Database
from rapport_server.domain.tenants import Caller, Tenant
from rapport_server.errors import NotFound


class RecordEvent:
    """Moves the relation by an event; an event is no interaction and does not count as one."""

    def __init__(self, database: Database, gate: PersonGate) -> None:
        self._database = database
        self._gate = gate

    async def __call__(
        self, caller: Caller, tenant: Tenant, scope: Scope, event: RelationEvent, ticket: Ticket
    ) -> Person:
        """The person right after the event; on a replay as they stand now."""
        async with self._database.session() as session:
            arrival = await session.people.arrival(scope.tenant_id, ticket.subject_hash)
        async with self._gate.hold(ticket.subject_hash), self._database.transaction() as tx:
            clock = await tx.people.lock(scope.tenant_id, ticket.subject_hash, arrival.epoch)
            if await ticket.begin(tx) is not None:
                person = await tx.people.get(scope.tenant_id, scope.end_user_id)
                if person is None:
                    raise NotFound("end_user")
                return replace(person, state=decayed(person.state, clock))
            at = event.occurred_at or clock
            person = await tx.people.begin(
                scope.tenant_id, scope.end_user_id, tenant.initial_trust, at
            )
            state = after_event(decayed(person.state, at), event.kind)
            await tx.messages.insert_point(
                scope, RelationPoint(0, state, at, event_kind=event.kind, note=event.note)
            )
            person = replace(
                person, state=state, known_since=min(person.known_since, at), update_time=clock
            )
            await tx.people.save(person)
            await ticket.finish(tx, {})
            await tx.audit.append(
                scope.tenant_id,
                AuditRecord(
                    AuditEventKind.EVENT_RECORDED,
                    caller.key_id,
                    ticket.subject_hash,
                    {"event_kind": event.kind.value},
                ),
            )
            return person
