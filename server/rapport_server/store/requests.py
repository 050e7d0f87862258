"""What each request_id did, kept for a day."""

from collections.abc import Mapping
from typing import Any

from psycopg.types.json import Jsonb

from rapport_server.domain.storage import RequestRecord
from rapport_server.errors import Conflict
from rapport_server.store.query import Connection
from rapport_server.store.sqlfile import load

_SQL = load("request")
# The record can vanish between the two statements only when the sweep removes it at that moment.
_TRIES_MAX = 5


class RequestTable:
    """Implements `domain.storage.requests.Requests` on one connection."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    async def begin(
        self, tenant_id: str, request_hash: bytes, body_hash: bytes, subject_hash: bytes
    ) -> RequestRecord | None:
        """Claim the id for this transaction, waiting for one that holds it; the earlier record if it is already used.

        A record with an empty `subject_hash` is nobody's: erasing a person leaves it alone.
        """
        values = {
            "tenant": tenant_id,
            "request": request_hash,
            "body": body_hash,
            "subject": subject_hash,
        }
        for _ in range(_TRIES_MAX):
            if await (await self._conn.execute(_SQL.insert, values)).fetchone() is not None:
                return None
            if (record := await self.get(tenant_id, request_hash)) is not None:
                return record
        raise Conflict

    async def finish(self, tenant_id: str, request_hash: bytes, result: Mapping[str, Any]) -> None:
        """Keep what the call answered: ids and numbers."""
        values = {"tenant": tenant_id, "request": request_hash, "result": Jsonb(dict(result))}
        await self._conn.execute(_SQL.finish, values)

    async def get(self, tenant_id: str, request_hash: bytes) -> RequestRecord | None:
        """The record of an id that was used."""
        cursor = await self._conn.execute(_SQL.get, {"tenant": tenant_id, "request": request_hash})
        row = await cursor.fetchone()
        return None if row is None else RequestRecord(bytes(row[0]), row[1], row[2])

    async def reduce(self, tenant_id: str, subject_hash: bytes) -> int:
        """Erase everything but the keyed hash of the id from a person's records; how many."""
        values = {"tenant": tenant_id, "subject": subject_hash}
        return (await self._conn.execute(_SQL.reduce, values)).rowcount

    async def expire(self, hours: int, limit: int) -> int:
        """Delete up to `limit` records older than `hours`; how many."""
        values = {"hours": hours, "limit": limit}
        return (await self._conn.execute(_SQL.expire, values, prepare=False)).rowcount
