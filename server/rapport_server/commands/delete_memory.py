"""DeleteMemory: a memory goes with its vectors and, for an interaction, its messages."""

from rapport_server.commands.change import Change
from rapport_server.commands.ticket import Ticket
from rapport_server.domain.audit import AuditEventKind
from rapport_server.domain.memories import Scope
from rapport_server.domain.tenants import Caller
from rapport_server.errors import NotFound


class DeleteMemory:
    """Every version goes, also one that waits in the queue."""

    def __init__(self, change: Change) -> None:
        self._change = change

    async def __call__(
        self, caller: Caller, scope: Scope, source_id: str, allow_missing: bool, ticket: Ticket
    ) -> int:
        """How many memories were deleted, 0 or 1. Raises NotFound unless `allow_missing`."""
        async with self._change(caller, scope, ticket) as change:
            if change.replay is not None:
                return int(change.replay["deleted"])
            tx = change.tx
            person = await tx.people.get(scope.tenant_id, scope.end_user_id)
            deleted, removed = await tx.memories.delete(scope, [source_id])
            if not deleted and not allow_missing:
                raise NotFound("memory")
            await change.finish(
                {"deleted": deleted},
                AuditEventKind.MEMORY_DELETED,
                {"deleted_count": deleted, "chunks": len(removed)},
            )
            if person is not None and removed:
                await tx.shards.append(scope.tenant_id, person.shard_id, removed=removed)
            return deleted
