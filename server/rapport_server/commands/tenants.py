"""Tenants: made, read, changed."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rapport_server.commands.tenant_directory import TenantDirectory
from rapport_server.commands.ticket import Ticket
from rapport_server.domain.audit import AuditEventKind, AuditRecord
from rapport_server.domain.memories import Store
from rapport_server.domain.storage import Database, PageRequest
from rapport_server.domain.tenants import Caller, MetadataField, StoreStatus, Tenant
from rapport_server.errors import AlreadyExists, FailedPrecondition, NotFound


class Tenants:
    """A tenant's settings; its deletion is a command of its own."""

    def __init__(self, database: Database, directory: TenantDirectory) -> None:
        self._database = database
        self._directory = directory

    async def create(self, caller: Caller, tenant: Tenant, ticket: Ticket) -> Tenant:
        """Raises AlreadyExists."""
        async with self._database.transaction() as tx:
            if await ticket.begin(tx) is None:
                if not await tx.tenants.insert(tenant):
                    raise AlreadyExists("tenant")
                await ticket.finish(tx, {})
                await tx.audit.append(
                    tenant.tenant_id,
                    AuditRecord(
                        AuditEventKind.TENANT_CREATED,
                        caller.key_id,
                        details={"plan": tenant.plan.value},
                    ),
                )
            stored = await tx.tenants.get(tenant.tenant_id)
        if stored is None:
            raise NotFound("tenant")
        return stored

    async def update(
        self, caller: Caller, tenant_id: str, changes: Mapping[str, Any], ticket: Ticket
    ) -> Tenant:
        """Change the given fields. A declared metadata field keeps its type: FailedPrecondition."""
        async with self._database.transaction() as tx:
            tenant = await tx.tenants.lock(tenant_id)
            if tenant is None:
                raise NotFound("tenant")
            if await ticket.begin(tx) is None:
                changed = replace(tenant, **changes)
                _keep_types(tenant.metadata_schema, changed.metadata_schema)
                tenant = await tx.tenants.update(changed)
                await ticket.finish(tx, {})
                await tx.audit.append(
                    tenant_id,
                    AuditRecord(
                        AuditEventKind.TENANT_UPDATED,
                        caller.key_id,
                        details={"fields": ",".join(sorted(changes))},
                    ),
                )
        self._directory.forget(tenant_id)
        return tenant

    async def get(self, tenant_id: str) -> tuple[Tenant, dict[Store, StoreStatus]]:
        """With what each of its stores holds. Raises NotFound."""
        async with self._database.session() as session:
            tenant = await session.tenants.get(tenant_id)
            if tenant is None:
                raise NotFound("tenant")
            status = {store: await session.tenants.status(tenant_id, store) for store in Store}
        return tenant, status

    async def page(self, page: PageRequest) -> list[Tenant]:
        """By tenant_id."""
        async with self._database.session() as session:
            return await session.tenants.page(page)


def _keep_types(before: tuple[MetadataField, ...], after: tuple[MetadataField, ...]) -> None:
    types = {field.name: field.type for field in before}
    for field in after:
        if types.get(field.name, field.type) is not field.type:
            raise FailedPrecondition(
                "metadata_schema: the type of a declared field cannot change", field=field.name
            )
