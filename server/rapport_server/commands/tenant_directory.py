"""The tenants' settings, cached: every call needs them."""

import time

from rapport_server.domain.storage import Database
from rapport_server.domain.tenants import Tenant
from rapport_server.errors import NotFound

FRESH_S = 5.0  # a lost notification is made good within this time
TENANTS_MAX = 10_000


class TenantDirectory:
    """Settings by tenant_id; another process' change arrives by notification."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[str, tuple[float, Tenant]] = {}

    async def get(self, tenant_id: str) -> Tenant:
        """Raises NotFound for a tenant that does not exist."""
        now = time.monotonic()
        cached = self._known.get(tenant_id)
        if cached and now - cached[0] < FRESH_S:
            return cached[1]
        async with self._database.session() as session:
            tenant = await session.tenants.get(tenant_id)
        if tenant is None:
            self.forget(tenant_id)
            raise NotFound("tenant")
        if len(self._known) >= TENANTS_MAX:
            self._known.clear()
        self._known[tenant_id] = (now, tenant)
        return tenant

    def forget(self, tenant_id: str) -> None:
        """Read the tenant anew at the next call."""
        self._known.pop(tenant_id, None)

    def forget_all(self) -> None:
        """Read every tenant anew."""
        self._known.clear()
