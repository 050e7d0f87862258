"""What is to be brought up with a person."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Protocol

from rapport_server.domain.limits import DUE_TRIGGERS_MAX
from rapport_server.domain.memories import Scope
from rapport_server.domain.storage.ranges import PageRequest
from rapport_server.domain.triggers import Trigger


class Triggers(Protocol):
    """Table person_trigger; write with the person locked.

    Whatever deletes a memory deletes the triggers with its source_id in the same statement. A new version that takes an older
    one's place deletes those that a reader found and no caller touched since.
    """

    async def page(self, scope: Scope, page: PageRequest) -> list[Trigger]:
        """Done ones included, by (due_at, trigger_id); page key the same two."""
        ...

    async def get(self, scope: Scope, trigger_id: str) -> Trigger | None:
        """None when it is not stored."""
        ...

    async def due(
        self, scope: Scope, at: datetime, limit: int = DUE_TRIGGERS_MAX
    ) -> Callable[[], Awaitable[list[Trigger]]]:
        """Ask for those that are due at `at` and not done, the longest due first; call the answer to read them.

        Of more than `limit` those that became due last.
        In a pipelined transaction they come with the next statement's rows, without a round trip of their own.
        """
        ...

    async def upsert(self, scope: Scope, trigger: Trigger) -> bool:
        """As a caller gives it, whole; False, and nothing is stored, when it would be one over TRIGGERS_MAX."""
        ...

    async def found(self, scope: Scope, triggers: Sequence[Trigger]) -> None:
        """As a reader of texts finds them (`triggers.found_id`); one that was there before stays as it is, or deleted.

        Above TRIGGERS_MAX the oldest done ones make room; what there is no room for is not stored.
        """
        ...

    async def delete(self, scope: Scope, trigger_id: str) -> bool:
        """Whether it was there. One with a source_id is not found again for as long as that memory stays."""
        ...
