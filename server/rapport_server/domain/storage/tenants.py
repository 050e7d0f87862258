"""Tenants, their settings and what they hold."""

from typing import Protocol

from rapport_server.domain.memories import Store
from rapport_server.domain.storage.ranges import PageRequest
from rapport_server.domain.tenants import StoreStatus, Tenant


class Tenants(Protocol):
    """Table tenant."""

    async def insert(self, tenant: Tenant) -> bool:
        """False when the id exists. create_time and update_time are the database's."""
        ...

    async def get(self, tenant_id: str) -> Tenant | None:
        """The tenant, None when it does not exist."""
        ...

    async def lock(self, tenant_id: str) -> Tenant | None:
        """The row, locked until the transaction ends."""
        ...

    async def closed(self) -> list[str]:
        """Tenants that were closed and not yet deleted."""
        ...

    async def close(self, tenant_id: str) -> bool:
        """From the commit on nobody sees the tenant and no new person can begin; False when it does not exist."""
        ...

    async def update(self, tenant: Tenant) -> Tenant:
        """Write the settings; raises NotFound when the tenant is gone."""
        ...

    async def delete(self, tenant_id: str) -> bool:
        """The tenant's row, keys (not operators'), shard heads and changes; people must have been erased before. False when it is gone."""
        ...

    async def page(self, page: PageRequest) -> list[Tenant]:
        """By tenant_id; page key (tenant_id,)."""
        ...

    async def status(self, tenant_id: str, store: Store) -> StoreStatus:
        """What the store holds now."""
        ...
