"""Table api_key."""

from datetime import datetime
from typing import Any

from rapport_server.domain.storage import PageRequest
from rapport_server.domain.tenants import ApiKey, ApiKeyRole
from rapport_server.store.query import Connection, every, first, one, scalar
from rapport_server.store.sqlfile import load

_SQL = load("api_key")


class KeyTable:
    """API keys, by the hash of their secret."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    async def insert(
        self,
        tenant_id: str,
        key_id: str,
        role: ApiKeyRole,
        secret_hash: bytes,
        expire_time: datetime | None,
    ) -> ApiKey:
        """Store a new key."""
        values = {
            "tenant_id": tenant_id,
            "key_id": key_id,
            "role": role.value,
            "secret_hash": secret_hash,
            "expire_time": expire_time,
        }
        return await one(self._conn, _key, _SQL.insert, values)

    async def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        """By id alone, with the hash of its secret."""
        return await first(self._conn, _key_and_hash, _SQL.find, (key_id,))

    async def revoke(self, tenant_id: str, key_id: str) -> ApiKey | None:
        """None when the tenant has no such key; revoking twice is fine.

        At commit every process gets the notice {"kind": "key", "key_id": …}.
        """
        values = {"tenant_id": tenant_id, "key_id": key_id}
        return await first(self._conn, _key, _SQL.revoke, values)

    async def page(self, tenant_id: str, page: PageRequest) -> list[ApiKey]:
        """By key_id; page key (key_id,)."""
        after = page.after[0] if page.after else ""
        values = {"tenant_id": tenant_id, "after": after, "size": page.size}
        return await every(self._conn, _key, _SQL.page, values)

    async def any(self) -> bool:
        """Whether any key was ever made."""
        return bool(await scalar(self._conn, _SQL.any))


def _key(*, role: str, revoke_time: datetime | None, **columns: Any) -> ApiKey:
    return ApiKey(role=ApiKeyRole(role), revoked=revoke_time is not None, **columns)


def _key_and_hash(*, secret_hash: bytes, **columns: Any) -> tuple[ApiKey, bytes]:
    return _key(**columns), secret_hash
