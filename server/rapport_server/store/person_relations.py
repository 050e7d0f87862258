"""Table person_relation."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rapport_server.domain.limits import PERSON_RELATIONS_MAX
from rapport_server.domain.memories import Scope
from rapport_server.domain.person_relations import PersonRelation
from rapport_server.domain.storage import PageRequest
from rapport_server.store.memory_rows import person_values
from rapport_server.store.query import Connection, every, first
from rapport_server.store.sqlfile import load

_SQL = load("person_relation")


class PersonRelationTable:
    """Implements `domain.storage.person_relations.PersonRelations` on one connection."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    async def page(self, scope: Scope, page: PageRequest) -> list[PersonRelation]:
        """By (name, person_relation_id); page key the same two."""
        name, person_relation_id = page.after or ("", "")
        values = {
            **person_values(scope),
            "after_name": name,
            "after_id": person_relation_id,
            "size": page.size,
        }
        return await every(self._conn, PersonRelation, _SQL.page, values)

    async def get(self, scope: Scope, person_relation_id: str) -> PersonRelation | None:
        """None when it is not stored."""
        return await first(self._conn, PersonRelation, _SQL.get, _one(scope, person_relation_id))

    async def upsert(self, scope: Scope, relation: PersonRelation) -> bool:
        """As a caller gives it, whole; False, and nothing is stored, when it would be one over PERSON_RELATIONS_MAX."""
        values = {**person_values(scope), **asdict(relation), "most": PERSON_RELATIONS_MAX}
        return (await self._conn.execute(_SQL.upsert, values)).rowcount == 1

    async def mention(self, scope: Scope, relations: Sequence[PersonRelation]) -> None:
        """As a reader of texts finds them, ids distinct: those that are new are made, as many as there is room for.

        Of one that a caller gave only sentiment and last_mentioned change; last_mentioned never goes back.
        """
        values = {
            **person_values(scope),
            "ids": [relation.person_relation_id for relation in relations],
            "names": [relation.name for relation in relations],
            "kinds": [relation.kind for relation in relations],
            "sentiments": [relation.sentiment for relation in relations],
            "notes": [relation.note for relation in relations],
            "times": [relation.last_mentioned for relation in relations],
            "most": PERSON_RELATIONS_MAX,
        }
        await self._conn.execute(_SQL.mention, values)

    async def delete(self, scope: Scope, person_relation_id: str) -> bool:
        """Whether it was there."""
        values = _one(scope, person_relation_id)
        return (await self._conn.execute(_SQL.delete, values)).rowcount == 1


def _one(scope: Scope, person_relation_id: str) -> dict[str, Any]:
    return {**person_values(scope), "person_relation_id": person_relation_id}
