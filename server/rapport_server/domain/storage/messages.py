"""What was said, and how the relation stood after it."""

from datetime import datetime
from typing import Protocol
from uuid import UUID

from rapport_server.domain.analysis import Analysis
from rapport_server.domain.memories import Scope
from rapport_server.domain.people import Message, MessageRole
from rapport_server.domain.relation import RelationPoint
from rapport_server.domain.storage.ranges import PageRequest, TimeRange


class Messages(Protocol):
    """Tables message and relation_point."""

    async def insert(
        self,
        scope: Scope,
        interaction_id: UUID,
        role: MessageRole,
        text: str,
        channel: str,
        session_id: str,
        occurred_at: datetime,
        analysis: Analysis,
    ) -> None:
        """Store one message; `analysis` counts only for the person's own."""
        ...

    async def of_interaction(self, scope: Scope, interaction_id: UUID) -> list[Message]:
        """The one or two messages of an interaction, the person's first."""
        ...

    async def page(
        self,
        scope: Scope,
        newest_first: bool,
        channel: str,
        session_id: str,
        times: TimeRange,
        page: PageRequest,
    ) -> list[Message]:
        """By (occurred_at, message_id); page key the same two."""
        ...

    async def insert_point(self, scope: Scope, point: RelationPoint) -> None:
        """point_id is made by the database."""
        ...

    async def point_of_interaction(
        self, scope: Scope, interaction_id: UUID
    ) -> RelationPoint | None:
        """The state right after an interaction, None when it is not stored."""
        ...

    async def list_points(
        self, scope: Scope, times: TimeRange, newest_first: bool, page: PageRequest
    ) -> list[RelationPoint]:
        """By point_id (order of arrival); page key (point_id,)."""
        ...
