"""Each shard's head and the log of its changes."""

from collections.abc import Sequence
from typing import Protocol

from rapport_server.domain.ports import Position, ShardKey


class Shards(Protocol):
    """Tables shard_head and shard_change."""

    async def append(
        self,
        tenant_id: str,
        shard_id: int,
        added: Sequence[int] = (),
        removed: Sequence[int] = (),
        dropped: Sequence[int] = (),
        dropped_vectors: int = 0,
    ) -> Position:
        """The last statement of a writing transaction: take the next number under the head's row lock and log the change.

        `dropped` are person numbers whose whole list goes, with `dropped_vectors` vectors in it. Raises Conflict when the
        tenant's shard is gone.
        """
        ...

    async def create(self, tenant_id: str, shard_id: int) -> bool:
        """Make an empty shard whose log starts with change 0; False when it exists."""
        ...

    async def prune(self, keep: int) -> int:
        """Forget some changes more than `keep` numbers behind their head; how many."""
        ...

    async def keys(self) -> list[ShardKey]:
        """Every shard of every tenant."""
        ...

    async def ids(self, tenant_id: str) -> list[int]:
        """The tenant's shards."""
        ...
