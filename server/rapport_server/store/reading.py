"""The memory rows that nobody has read yet, and whose turn it is to read a tenant's."""

from collections.abc import Sequence
from uuid import UUID

from rapport_server.domain import limits
from rapport_server.domain.memories import MemoryKind, Scope, Unread
from rapport_server.store.memory_rows import scope_values
from rapport_server.store.query import Connection, column
from rapport_server.store.sqlfile import load

_SQL = load("reading")


class ReadingTable:
    """Implements `domain.storage.reading.Reading` on one connection."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    async def take_turn(self, after_tenant: str, token: UUID, lease_s: float) -> str:
        """The first tenant after `after_tenant` (round robin) with something to read that nobody else is at; empty: none."""
        values = {"after": after_tenant, "token": token, "lease_s": lease_s}
        # Planned anew: a plan from when little was unread reads the whole table once much is.
        row = await (await self._conn.execute(_SQL.take_turn, values, prepare=False)).fetchone()
        return "" if row is None else str(row[0])

    async def give_back(self, token: UUID) -> None:
        """End the token's turns."""
        await self._conn.execute(_SQL.give_back, {"token": token})

    async def unread(self, tenant_id: str, limit: int) -> list[Unread]:
        """Up to `limit` memories, and READ_BYTES_MAX of text or one, that are served and not read, the oldest version first."""
        values = {"tenant_id": tenant_id, "limit": limit, "chars": limits.READ_CHARS_MAX}
        values["bytes_max"] = limits.READ_BYTES_MAX
        cursor = await self._conn.execute(_SQL.unread, values, prepare=False)
        return [
            Unread(Scope(tenant_id, end_user), source, version, MemoryKind(kind), *others)
            for end_user, source, version, kind, *others in await cursor.fetchall()
        ]

    async def still_unread(self, scope: Scope, versions: Sequence[int]) -> set[int]:
        """Those that are still there, served, not expired and not read, locked until the transaction ends."""
        values = {**scope_values(scope), "versions": list(versions)}
        return set(await column(self._conn, _SQL.lock_unread, values))

    async def mark_read(self, tenant_id: str, versions: Sequence[int]) -> None:
        """They are not read again; those that another transaction is at are left as they are."""
        if not versions:
            return
        values = {"tenant_id": tenant_id, "versions": list(versions)}
        await self._conn.execute(_SQL.mark_read, values, prepare=False)
