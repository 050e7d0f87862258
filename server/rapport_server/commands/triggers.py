"""What is to be brought up with a person, as callers list and change it."""

from rapport_server.commands.change import Change
from rapport_server.commands.ticket import Ticket
from rapport_server.domain.audit import AuditEventKind
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
        async with self._change(caller, scope, ticket) as change:
            if change.replay is not None:
                stored = await change.tx.triggers.get(scope, str(change.replay["trigger_id"]))
                if stored is None:
                    raise NotFound("trigger")
                return stored
            await change.person()
            source_id = trigger.source_id
            if source_id and not await change.tx.memories.existing(scope, [source_id]):
                raise InvalidArgument("trigger.source_id", "is no memory of this person")
            if not await change.tx.triggers.upsert(scope, trigger):
                raise InvalidArgument(
                    "trigger", f"is new, and a person has at most {TRIGGERS_MAX:,}"
                )
            await change.finish(
                {"trigger_id": trigger.trigger_id},
                AuditEventKind.TRIGGER_CHANGED,
                {"upserted_count": 1},
            )
            return trigger

    async def delete(
        self, caller: Caller, scope: Scope, trigger_id: str, allow_missing: bool, ticket: Ticket
    ) -> int:
        """How many were deleted, 0 or 1. Raises NotFound unless `allow_missing`."""
        async with self._change(caller, scope, ticket) as change:
            if change.replay is not None:
                return int(change.replay["deleted"])
            deleted = int(await change.tx.triggers.delete(scope, trigger_id))
            if not deleted and not allow_missing:
                raise NotFound("trigger")
            await change.finish(
                {"deleted": deleted}, AuditEventKind.TRIGGER_CHANGED, {"deleted_count": deleted}
            )
            return deleted
