"""The people in a person's life, as callers list and change them."""

from rapport_server.commands.change import Change
from rapport_server.commands.ticket import Ticket
from rapport_server.domain.audit import AuditEventKind
from rapport_server.domain.limits import PERSON_RELATIONS_MAX
from rapport_server.domain.memories import Scope
from rapport_server.domain.person_relations import PersonRelation
from rapport_server.domain.storage import Database, PageRequest
from rapport_server.domain.tenants import Caller
from rapport_server.errors import InvalidArgument, NotFound


class PersonRelations:
    """Those of one person at a time."""

    def __init__(self, database: Database, change: Change) -> None:
        self._database = database
        self._change = change

    async def page(self, scope: Scope, page: PageRequest) -> list[PersonRelation]:
        """By name."""
        async with self._database.session() as session:
            return await session.person_relations.page(scope, page)

    async def upsert(
        self, caller: Caller, scope: Scope, relation: PersonRelation, ticket: Ticket
    ) -> PersonRelation:
        """The record; on a replay as it stands now. Raises NotFound for a stranger, InvalidArgument for one too many."""
        async with self._change(caller, scope, ticket) as change:
            if change.replay is not None:
                stored = await change.tx.person_relations.get(
                    scope, str(change.replay["person_relation_id"])
                )
                if stored is None:
                    raise NotFound("person_relation")
                return stored
            await change.person()
            if not await change.tx.person_relations.upsert(scope, relation):
                raise InvalidArgument(
                    "person_relation", f"is new, and a person has at most {PERSON_RELATIONS_MAX:,}"
                )
            await change.finish(
                {"person_relation_id": relation.person_relation_id},
                AuditEventKind.PERSON_RELATION_CHANGED,
                {"upserted_count": 1},
            )
            return relation

    async def delete(
        self,
        caller: Caller,
        scope: Scope,
        person_relation_id: str,
        allow_missing: bool,
        ticket: Ticket,
    ) -> int:
        """How many were deleted, 0 or 1. Raises NotFound unless `allow_missing`."""
        async with self._change(caller, scope, ticket) as change:
            if change.replay is not None:
                return int(change.replay["deleted"])
            deleted = int(await change.tx.person_relations.delete(scope, person_relation_id))
            if not deleted and not allow_missing:
                raise NotFound("person_relation")
            await change.finish(
                {"deleted": deleted},
                AuditEventKind.PERSON_RELATION_CHANGED,
                {"deleted_count": deleted},
            )
            return deleted
