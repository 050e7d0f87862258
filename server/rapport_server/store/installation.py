"""Table installation: what the database was set up with."""

from rapport_server.domain.storage import Installation
from rapport_server.store.query import Connection, one
from rapport_server.store.sqlfile import load

_SQL = load("installation")


class InstallationTable:
    """The one row that tells which secrets and which model the database belongs to."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    async def get(self) -> Installation:
        """The row."""
        return await one(self._conn, Installation, _SQL.get)

    async def lock(self) -> None:
        """Lock the row until the transaction ends: one first start at a time."""
        await self._conn.execute(_SQL.lock)

    async def set_secrets_fingerprint(self, fingerprint: str) -> Installation:
        """Fill it if it is empty; the row as it stands then."""
        given = {"fingerprint": fingerprint}
        return await one(self._conn, Installation, _SQL.set_secrets_fingerprint, given)

    async def set_model(self, name: str, fingerprint: str, dimension: int) -> Installation:
        """Fill all three if they are empty; the row as it stands then."""
        given = {"name": name, "fingerprint": fingerprint, "dimension": dimension}
        return await one(self._conn, Installation, _SQL.set_model, given)
