"""RecordEvent: something that happened between agent and person outside a message."""

from dataclasses import replace

from rapport_server.commands.change import Change
from rapport_server.commands.ticket import Ticket
from rapport_server.domain.audit import AuditEventKind
from rapport_server.domain.memories import Scope
from rapport_server.domain.people import Person
from rapport_server.domain.relation import RelationEvent, RelationPoint, after_event, decayed
from rapport_server.domain.tenants import Caller, Tenant


class RecordEvent:
    """Moves the relation by an event; an event is no interaction and does not count as one."""

    def __init__(self, change: Change) -> None:
        self._change = change

    async def __call__(
        self, caller: Caller, tenant: Tenant, scope: Scope, event: RelationEvent, ticket: Ticket
    ) -> Person:
        """The person right after the event; on a replay as they stand now."""
        async with self._change(caller, scope, ticket) as change:
            tx, clock = change.tx, change.clock
            if change.replay is not None:
                person = await change.person()
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
            await change.finish({}, AuditEventKind.EVENT_RECORDED, {"event_kind": event.kind.value})
            return person
