"""DeleteMemory: a memory goes with its vectors and, for an interaction, its messages."""

from rapport_server.commands.ticket import Ticket
from rapport_server.domain.audit import AuditEventKind, AuditRecord
from rapport_server.domain.memories import Scope
from rapport_server.domain.storage import Database
from rapport_server.domain.tenants import Caller
from rapport_server.errors import NotFound


class DeleteMemory:
    """Every version goes, also one that waits in the queue."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __call__(
        self, caller: Caller, scope: Scope, source_id: str, allow_missing: bool, ticket: Ticket
    ) -> int:
        """How many memories were deleted, 0 or 1. Raises NotFound unless `allow_missing`."""
        async with self._database.session() as session:
            arrival = await session.people.arrival(scope.tenant_id, ticket.subject_hash)
        async with self._database.transaction() as tx:
            await tx.people.lock(scope.tenant_id, ticket.subject_hash, arrival.epoch)
            if (replay := await ticket.begin(tx)) is not None:
                return int(replay["deleted"])
            person = await tx.people.get(scope.tenant_id, scope.end_user_id)
            deleted, removed = await tx.memories.delete(scope, [source_id])
            if not deleted and not allow_missing:
                raise NotFound("memory")
            await ticket.finish(tx, {"deleted": deleted})
            await tx.audit.append(
                scope.tenant_id,
                AuditRecord(
                    AuditEventKind.MEMORY_DELETED,
                    caller.key_id,
                    ticket.subject_hash,
                    {"deleted_count": deleted, "chunks": len(removed)},
                ),
            )
            if person is not None and removed:
                await tx.shards.append(scope.tenant_id, person.shard_id, removed=removed)
            return deleted
