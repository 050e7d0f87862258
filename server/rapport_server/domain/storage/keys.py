"""API keys, stored as hashes."""

from datetime import datetime
from typing import Protocol

from rapport_server.domain.storage.ranges import PageRequest
from rapport_server.domain.tenants import ApiKey, ApiKeyRole


class Keys(Protocol):
    """Table api_key."""

    async def insert(
        self,
        tenant_id: str,
        key_id: str,
        role: ApiKeyRole,
        secret_hash: bytes,
        expire_time: datetime | None,
    ) -> ApiKey:
        """Store a key's hash; the key."""
        ...

    async def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        """By id alone, with the hash of its secret."""
        ...

    async def revoke(self, tenant_id: str, key_id: str) -> ApiKey | None:
        """None when the tenant has no such key; revoking twice is fine. Notifies every process."""
        ...

    async def page(self, tenant_id: str, page: PageRequest) -> list[ApiKey]:
        """By key_id; page key (key_id,)."""
        ...

    async def any(self) -> bool:
        """Whether any key was ever made."""
        ...
