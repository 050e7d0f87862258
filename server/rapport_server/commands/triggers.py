"""What is to be brought up with a person, as callers list and change it."""

from rapport_server.commands.change import Change, must_exist
from rapport_server.commands.ticket import Ticket
from rapport_server.domain.audit import AuditEventKind, AuditRecord
from rapport_server.domain.limits import TRIGGERS_MAX
from rapport_server.domain.memories import Scope
from rapport_server.domain.storage import Database, PageRequest
from rapport_server.domain.tenants import Caller
from rapport_server.domain.triggers import Trigger
from rapport_server.errors import InvalidArgument, NotFound


class Triggers:
    """Those of one person at a time."""

    def __init__(self, database: Database, change: Change) -> None:
        self._database = database
        self._change = change

    async def page(self, scope: Scope, page: PageRequest) -> list[Trigger]:
        """Done ones included, the earliest due first."""
        async with self._database.session() as session:
            return await session.triggers.page(scope, page)

    async def upsert(
        self, caller: Caller, scope: Scope, trigger: Trigger, ticket: Ticket
    ) -> Trigger:
        """The trigger; on a replay as it stands now.

        Raises NotFound for a stranger, InvalidArgument for one too many or for a source_id that is no memory of the person.
        """
        async with self._change(scope, ticket) as (tx, replay):
            if replay is not None:
                stored = await tx.triggers.get(scope, str(replay["trigger_id"]))
                if stored is None:
                    raise NotFound("trigger")
                return stored
            await must_exist(tx, scope)
            source_id = trigger.source_id
            if source_id and not await tx.memories.existing(scope, [source_id]):
                raise InvalidArgument("trigger.source_id", "is no memory of this person")
            if not await tx.triggers.upsert(scope, trigger):
                raise InvalidArgument(
                    "trigger", f"is new, and a person has at most {TRIGGERS_MAX:,}"
                )
            await ticket.finish(tx, {"trigger_id": trigger.trigger_id})
            record = AuditRecord(
                AuditEventKind.TRIGGER_CHANGED,
                caller.key_id,
                ticket.subject_hash,
                {"upserted_count": 1},
            )
            await tx.audit.append(scope.tenant_id, record)
            return trigger

    async def delete(
        self, caller: Caller, scope: Scope, trigger_id: str, allow_missing: bool, ticket: Ticket
    ) -> int:
        """How many were deleted, 0 or 1. Raises NotFound unless `allow_missing`."""
        async with self._change(scope, ticket) as (tx, replay):
            if replay is not None:
                return int(replay["deleted"])
            deleted = int(await tx.triggers.delete(scope, trigger_id))
            if not deleted and not allow_missing:
                raise NotFound("trigger")
            await ticket.finish(tx, {"deleted": deleted})
            record = AuditRecord(
                AuditEventKind.TRIGGER_CHANGED,
                caller.key_id,
                ticket.subject_hash,
                {"deleted_count": deleted},
            )
            await tx.audit.append(scope.tenant_id, record)
            return deleted
