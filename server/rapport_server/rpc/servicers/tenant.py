"""TenantService."""

# ruff: noqa: N802 - the RPCs have the contract's names.

from typing import Any

from rapport.v1 import tenant_service_pb2 as pb
from rapport.v1.tenant_service_pb2_grpc import TenantServiceServicer
from rapport_server.errors import NotFound
from rapport_server.rpc import listings
from rapport_server.rpc.call import CALL
from rapport_server.rpc.convert import relation, tenants
from rapport_server.rpc.convert.enums import API_KEY_ROLE
from rapport_server.rpc.desk import AtDesk
from rapport_server.rpc.validate.changes import tenant_changes
from rapport_server.rpc.validate.check import Check, utc_now
from rapport_server.rpc.validate.tenants import expire_time, new_tenant

Context = Any


class TenantRpcs(AtDesk, TenantServiceServicer):
    """Tenants, their people, keys and queue."""

    async def CreateTenant(
        self, request: pb.CreateTenantRequest, context: Context
    ) -> pb.CreateTenantResponse:
        """Make a tenant."""
        check = Check()
        given = new_tenant(check, request, utc_now())
        check.raise_any()
        tenant_id = self._desk.tenant_id(given.tenant_id)
        ticket = await self._desk.ticket(check, request, tenant_id)
        made = await self._do.tenants.create(CALL.get().caller, given, ticket)
        return pb.CreateTenantResponse(tenant=tenants.tenant(made))

    async def GetTenant(
        self, request: pb.GetTenantRequest, context: Context
    ) -> pb.GetTenantResponse:
        """A tenant with the state of its stores."""
        tenant_id = self._desk.tenant_id(request.tenant_id)
        found, status = await self._do.tenants.get(tenant_id)
        return pb.GetTenantResponse(tenant=tenants.tenant(found, status))

    async def ListTenants(
        self, request: pb.ListTenantsRequest, context: Context
    ) -> pb.ListTenantsResponse:
        """One page of tenants, or the one that is named."""
        check = Check()
        check.identifier("tenant_id", request.tenant_id, required=False)
        if request.tenant_id and not request.page_token:
            check.raise_any()
            return await self._one_tenant(request.tenant_id)
        listed, token = await self._desk.page(
            check, request, (), listings.TENANTS, self._do.tenants.page, tenants.tenant
        )
        return pb.ListTenantsResponse(tenants=listed, next_page_token=token)

    async def _one_tenant(self, tenant_id: str) -> pb.ListTenantsResponse:
        try:
            found, _ = await self._do.tenants.get(tenant_id)
        except NotFound:
            return pb.ListTenantsResponse()
        return pb.ListTenantsResponse(tenants=[tenants.tenant(found)])

    async def UpdateTenant(
        self, request: pb.UpdateTenantRequest, context: Context
    ) -> pb.UpdateTenantResponse:
        """Change a tenant's settings."""
        tenant_id = self._desk.tenant_id(request.tenant_id)
        check = Check()
        changes = tenant_changes(check, request)
        ticket = await self._desk.ticket(check, request, tenant_id)
        changed = await self._do.tenants.update(CALL.get().caller, tenant_id, changes, ticket)
        return pb.UpdateTenantResponse(tenant=tenants.tenant(changed))

    async def DeleteTenant(
        self, request: pb.DeleteTenantRequest, context: Context
    ) -> pb.DeleteTenantResponse:
        """Erase everybody and the tenant."""
        tenant_id = self._desk.tenant_id(request.tenant_id)
        ticket = await self._desk.ticket(Check(), request, tenant_id)
        deleted, erased = await self._do.delete_tenant(
            CALL.get().caller, tenant_id, request.allow_missing, ticket
        )
        return pb.DeleteTenantResponse(deleted_count=deleted, end_users_erased=erased)

    async def ListEndUsers(
        self, request: pb.ListEndUsersRequest, context: Context
    ) -> pb.ListEndUsersResponse:
        """One page of people."""
        tenant_id = self._desk.tenant_id(request.tenant_id)
        check = Check()
        check.identifier("assignment", request.assignment, required=False)
        people, token = await self._desk.page(
            check,
            request,
            (tenant_id,),
            listings.PEOPLE,
            lambda page: self._do.reads.people(tenant_id, request.assignment, page),
            relation.end_user,
        )
        return pb.ListEndUsersResponse(end_users=people, next_page_token=token)

    async def CreateApiKey(
        self, request: pb.CreateApiKeyRequest, context: Context
    ) -> pb.CreateApiKeyResponse:
        """Make a key; its secret is shown this once."""
        tenant_id = self._desk.tenant_id(request.tenant_id)
        check = Check()
        role = API_KEY_ROLE.of(check, "role", request.role)
        expires = None
        if request.HasField("expire_time"):
            expires = expire_time(check, request.expire_time, utc_now())
        ticket = await self._desk.ticket(check, request, tenant_id)
        key, secret = await self._do.api_keys.create(
            CALL.get().caller, tenant_id, role, expires, ticket
        )
        return pb.CreateApiKeyResponse(api_key=tenants.api_key(key), secret=secret)

    async def ListApiKeys(
        self, request: pb.ListApiKeysRequest, context: Context
    ) -> pb.ListApiKeysResponse:
        """One page of keys."""
        tenant_id = self._desk.tenant_id(request.tenant_id)
        keys, token = await self._desk.page(
            Check(),
            request,
            (tenant_id,),
            listings.API_KEYS,
            lambda page: self._do.api_keys.page(tenant_id, page),
            tenants.api_key,
        )
        return pb.ListApiKeysResponse(api_keys=keys, next_page_token=token)

    async def RevokeApiKey(
        self, request: pb.RevokeApiKeyRequest, context: Context
    ) -> pb.RevokeApiKeyResponse:
        """Revoke a key for ever."""
        tenant_id = self._desk.tenant_id(request.tenant_id)
        check = Check()
        check.identifier("key_id", request.key_id)
        ticket = await self._desk.ticket(check, request, tenant_id)
        key = await self._do.api_keys.revoke(CALL.get().caller, tenant_id, request.key_id, ticket)
        return pb.RevokeApiKeyResponse(api_key=tenants.api_key(key))

    async def ListQueue(
        self, request: pb.ListQueueRequest, context: Context
    ) -> pb.ListQueueResponse:
        """One page of what is not indexed."""
        tenant_id = self._desk.tenant_id(request.tenant_id)
        queue, token = await self._desk.page(
            Check(),
            request,
            (tenant_id,),
            listings.QUEUE,
            lambda page: self._do.audit.queue(tenant_id, page),
            tenants.queue_item,
        )
        return pb.ListQueueResponse(queue=queue, next_page_token=token)

    async def RunSweep(self, request: pb.RunSweepRequest, context: Context) -> pb.RunSweepResponse:
        """Remove now what is expired or over the plan."""
        tenant = await self._desk.tenant(request.tenant_id)
        ticket = await self._desk.ticket(Check(), request, tenant.tenant_id)
        swept = await self._do.run_sweep(CALL.get().caller, tenant, ticket)
        return pb.RunSweepResponse(expired_count=swept.expired, retention_count=swept.cut)
