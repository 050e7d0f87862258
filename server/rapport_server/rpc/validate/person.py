"""Whom a request is about."""

from typing import Protocol

from rapport_server.domain.memories import Scope, Store
from rapport_server.domain.tenants import Tenant
from rapport_server.rpc.convert.enums import STORE, AnyStore
from rapport_server.rpc.validate.check import Check


class Stored(Protocol):
    """A request about things of one store."""

    end_user_id: str

    @property
    def store(self) -> int:
        """The enum's number."""
        ...


def person(check: Check, end_user_id: str, tenant: Tenant) -> str:
    """The person, or the tenant's default one."""
    if not end_user_id and tenant.default_end_user_id:
        return tenant.default_end_user_id
    return named_person(check, end_user_id)


def named_person(check: Check, end_user_id: str) -> str:
    """The person, who must be named: erasing or deleting never falls back on a default."""
    return check.identifier("end_user_id", end_user_id)


def scope(check: Check, end_user_id: str, tenant: Tenant) -> Scope:
    """A person's own memories."""
    return Scope(tenant.tenant_id, person(check, end_user_id, tenant))


def named_scope(check: Check, end_user_id: str, tenant: Tenant) -> Scope:
    """The same of a person who must be named."""
    return Scope(tenant.tenant_id, named_person(check, end_user_id))


def stored_scope(
    check: Check, request: Stored, tenant: Tenant, *, all_stores: bool = False
) -> Scope:
    """The scope of a request that names a store."""
    store = STORE.of(check, "store", request.store)
    if store is AnyStore.KNOWLEDGE:
        if request.end_user_id:
            check.bad("end_user_id", "must be empty for store KNOWLEDGE")
        check.not_yet("store", True)
        return Scope(tenant.tenant_id, "", Store.KNOWLEDGE)
    if store is AnyStore.ALL:
        if all_stores:
            check.not_yet("store", True)
        else:
            check.bad("store", "must be one store here")
    return scope(check, request.end_user_id, tenant)
