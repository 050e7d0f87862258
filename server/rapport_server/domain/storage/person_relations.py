"""The other people in a person's life."""

from collections.abc import Sequence
from typing import Protocol

from rapport_server.domain.memories import Scope
from rapport_server.domain.person_relations import PersonRelation
from rapport_server.domain.storage.ranges import PageRequest


class PersonRelations(Protocol):
    """Table person_relation; write with the person locked."""

    async def page(self, scope: Scope, page: PageRequest) -> list[PersonRelation]:
        """By (name, person_relation_id); page key the same two."""
        ...

    async def get(self, scope: Scope, person_relation_id: str) -> PersonRelation | None:
        """None when it is not stored."""
        ...

    async def upsert(self, scope: Scope, relation: PersonRelation) -> bool:
        """As a caller gives it, whole; False, and nothing is stored, when it would be one over PERSON_RELATIONS_MAX."""
        ...

    async def mention(self, scope: Scope, relations: Sequence[PersonRelation]) -> None:
        """As a reader of texts finds them, ids distinct: those that are new are made, as many as there is room for.

        Of one that a caller gave only sentiment and last_mentioned change; last_mentioned never goes back.
        """
        ...

    async def delete(self, scope: Scope, person_relation_id: str) -> bool:
        """Whether it was there."""
        ...
