"""The shards' heads and change logs, whose numbers are in the order of the commits."""

from collections.abc import Sequence

from rapport_server.domain.limits import SWEEP_ROWS_MAX
from rapport_server.domain.ports import Position, ShardKey
from rapport_server.errors import Conflict
from rapport_server.store.query import Connection
from rapport_server.store.sqlfile import load

_SQL = load("shard")


class ShardTable:
    """Implements `domain.storage.shards.Shards` on one connection."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    async def append(
        self,
        tenant_id: str,
        shard_id: int,
        added: Sequence[int] = (),
        removed: Sequence[int] = (),
        dropped: Sequence[int] = (),
        dropped_vectors: int = 0,
    ) -> Position:
        """Take the next number under the head's row lock, which holds until the commit, and log the change.

        Raises Conflict when the tenant's shard is gone.
        """
        cursor = await self._conn.execute(
            _SQL.append,
            {
                "tenant": tenant_id,
                "shard": shard_id,
                "added": list(added),
                "removed": list(removed),
                "dropped": list(dropped),
                "dropped_vectors": dropped_vectors,
            },
        )
        row = await cursor.fetchone()
        if row is None:
            raise Conflict
        return Position(*row)

    async def create(self, tenant_id: str, shard_id: int) -> bool:
        """Make an empty shard whose log starts with change 0; False when it exists."""
        cursor = await self._conn.execute(_SQL.create, {"tenant": tenant_id, "shard": shard_id})
        return await cursor.fetchone() is not None

    async def prune(self, keep: int) -> int:
        """Forget up to SWEEP_ROWS_MAX changes more than `keep` numbers behind their head; how many."""
        values = {"keep": keep, "limit": SWEEP_ROWS_MAX}
        return (await self._conn.execute(_SQL.prune, values, prepare=False)).rowcount

    async def keys(self) -> list[ShardKey]:
        """Every shard of every tenant."""
        cursor = await self._conn.execute(_SQL.keys)
        return [ShardKey(*row) for row in await cursor.fetchall()]

    async def ids(self, tenant_id: str) -> list[int]:
        """The tenant's shards."""
        cursor = await self._conn.execute(_SQL.ids, {"tenant": tenant_id})
        return [shard_id for (shard_id,) in await cursor.fetchall()]
