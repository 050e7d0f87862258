"""The memories that nobody has read for other people and things to come back to yet."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from rapport_server.domain.memories import Scope, Unread


class Reading(Protocol):
    """What was stored and is not yet read. A lost turn costs work that is done twice and stored once."""

    async def take_turn(self, after_tenant: str, token: UUID, lease_s: float) -> str:
        """The first tenant after `after_tenant` (round robin) with something to read that nobody else is at; empty: none.

        It is the token's for `lease_s` seconds, or until given back.
        """
        ...

    async def give_back(self, token: UUID) -> None:
        """End the token's turns."""
        ...

    async def unread(self, tenant_id: str, limit: int) -> list[Unread]:
        """Up to `limit` memories, and READ_BYTES_MAX of text or one, that are served and not read, the oldest version first."""
        ...

    async def still_unread(self, scope: Scope, versions: Sequence[int]) -> set[int]:
        """Those that are still there, served, not expired and not read, locked until the transaction ends.

        Call it with the person locked.
        """
        ...

    async def mark_read(self, tenant_id: str, versions: Sequence[int]) -> None:
        """They are not read again; those that another transaction is at are left as they are."""
        ...
