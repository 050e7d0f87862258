"""Table tenant."""

from dataclasses import asdict
from typing import Any

from psycopg.types.json import Jsonb

from rapport_server.domain.memories import Store
from rapport_server.domain.storage import PageRequest
from rapport_server.domain.tenants import MetadataField, MetadataType, Plan, StoreStatus, Tenant
from rapport_server.errors import NotFound
from rapport_server.store.query import Connection, column, every, first, one
from rapport_server.store.sqlfile import load

_SQL = load("tenant")
# Heads before changes: with its head gone nobody logs another change.
_WITH_THE_TENANT = (
    _SQL.delete_keys,
    _SQL.delete_heads,
    _SQL.delete_changes,
    _SQL.delete_turn,
    _SQL.notify,
)


class TenantTable:
    """Tenants and what hangs on them alone."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    async def insert(self, tenant: Tenant) -> bool:
        """False when the id exists. create_time and update_time are the database's."""
        cursor = await self._conn.execute(_SQL.insert, _settings(tenant))
        return cursor.rowcount == 1

    async def get(self, tenant_id: str) -> Tenant | None:
        """None when there is no such tenant."""
        return await first(self._conn, _tenant, _SQL.get, (tenant_id,))

    async def lock(self, tenant_id: str) -> Tenant | None:
        """The row, locked until the transaction ends; new people wait."""
        return await first(self._conn, _tenant, _SQL.lock, (tenant_id,))

    async def close(self, tenant_id: str) -> bool:
        """From the commit on nobody sees the tenant and no new person can begin; False when it does not exist."""
        closed = (await self._conn.execute(_SQL.close, (tenant_id,))).rowcount == 1
        await self._conn.execute(_SQL.notify, (tenant_id,))
        return closed

    async def update(self, tenant: Tenant) -> Tenant:
        """Write the settings, with the notice {"kind": "tenant", "tenant_id": …} at commit; raises NotFound when it is gone."""
        written = await first(self._conn, _tenant, _SQL.update, _settings(tenant))
        if written is None:
            raise NotFound("tenant")
        await self._conn.execute(_SQL.notify, (tenant.tenant_id,))
        return written

    async def closed(self) -> list[str]:
        """Tenants that were closed and not yet deleted."""
        return await column(self._conn, _SQL.closed)

    async def delete(self, tenant_id: str) -> bool:
        """The tenant's row, keys (not operators'), shard heads and changes; people must have been erased before."""
        existed = (await self._conn.execute(_SQL.delete, (tenant_id,))).rowcount == 1
        for statement in _WITH_THE_TENANT:
            await self._conn.execute(statement, (tenant_id,))
        return existed

    async def page(self, page: PageRequest) -> list[Tenant]:
        """By tenant_id; page key (tenant_id,)."""
        values = {"after": page.after[0] if page.after else "", "size": page.size}
        return await every(self._conn, _tenant, _SQL.page, values)

    async def status(self, tenant_id: str, store: Store) -> StoreStatus:
        """Counts of one store; bytes are those of texts and vectors."""
        values = {"tenant_id": tenant_id, "store": store.value}
        return await one(self._conn, StoreStatus, _SQL.status, values)


def _settings(tenant: Tenant) -> dict[str, Any]:
    return {
        "tenant_id": tenant.tenant_id,
        "plan": tenant.plan.value,
        "metadata_schema": Jsonb([asdict(field) for field in tenant.metadata_schema]),
        "default_end_user_id": tenant.default_end_user_id,
        "initial_trust": tenant.initial_trust,
        "infer_default": tenant.infer_default,
        "allow_llm": tenant.allow_llm,
    }


def _tenant(*, plan: str, metadata_schema: list[dict[str, Any]], **columns: Any) -> Tenant:
    schema = (
        MetadataField(field["name"], MetadataType(field["type"]), field["enable_match"])
        for field in metadata_schema
    )
    return Tenant(plan=Plan(plan), metadata_schema=tuple(schema), **columns)
