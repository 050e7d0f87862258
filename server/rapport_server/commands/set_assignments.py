"""SetAssignments: the staff or agents to whom a person is assigned."""

from collections.abc import Sequence

from rapport_server.commands.change import Change
from rapport_server.commands.ticket import Ticket
from rapport_server.domain.audit import AuditEventKind
from rapport_server.domain.memories import Scope
from rapport_server.domain.tenants import Caller


class SetAssignments:
    """Replaces the whole set."""

    def __init__(self, change: Change) -> None:
        self._change = change

    async def __call__(
        self, caller: Caller, scope: Scope, assignments: Sequence[str], ticket: Ticket
    ) -> list[str]:
        """The stored set in alphabetical order; on a replay as it stands now. Raises NotFound for a stranger."""
        wanted = sorted(set(assignments))
        async with self._change(caller, scope, ticket) as change:
            person = await change.person()
            if change.replay is not None:
                return sorted(person.assignments)
            await change.tx.people.assign(scope.tenant_id, scope.end_user_id, wanted)
            await change.finish({}, AuditEventKind.ASSIGNMENTS_SET, {"count": len(wanted)})
        return wanted
