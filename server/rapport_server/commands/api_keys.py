"""API keys: made with a secret shown once, listed without, revoked for good."""

import secrets
from collections.abc import Callable
from datetime import datetime

from rapport_server.commands.authenticate import Authenticate
from rapport_server.commands.ticket import Ticket
from rapport_server.domain.audit import AuditEventKind, AuditRecord
from rapport_server.domain.storage import Database, PageRequest, Transaction
from rapport_server.domain.tenants import ApiKey, ApiKeyRole, Caller
from rapport_server.errors import NotFound

SecretHash = Callable[[str], bytes]


class ApiKeys:
    """Keys of one tenant; an operator key opens every tenant and is listed where it was made."""

    def __init__(
        self, database: Database, secret_hash: SecretHash, authenticate: Authenticate
    ) -> None:
        self._database = database
        self._secret_hash = secret_hash
        self._authenticate = authenticate

    async def create(
        self,
        caller: Caller,
        tenant_id: str,
        role: ApiKeyRole,
        expire_time: datetime | None,
        ticket: Ticket,
    ) -> tuple[ApiKey, str]:
        """The key and its secret; a replay answers the key with an empty secret."""
        async with self._database.transaction() as tx:
            if (replay := await ticket.begin(tx)) is not None:
                found = await tx.keys.find(str(replay["key_id"]))
                if found is None:
                    raise NotFound("api_key")
                return found[0], ""
            if await tx.tenants.lock(tenant_id) is None:
                raise NotFound("tenant")
            key, secret = await new_key(
                tx, tenant_id, role, expire_time, self._secret_hash, caller.key_id
            )
            await ticket.finish(tx, {"key_id": key.key_id})
            return key, secret

    async def page(self, tenant_id: str, page: PageRequest) -> list[ApiKey]:
        """By key_id."""
        async with self._database.session() as session:
            return await session.keys.page(tenant_id, page)

    async def revoke(self, caller: Caller, tenant_id: str, key_id: str, ticket: Ticket) -> ApiKey:
        """The key does not open anything from now on. Raises NotFound."""
        async with self._database.transaction() as tx:
            replay = await ticket.begin(tx)
            key = await tx.keys.revoke(tenant_id, key_id)
            if key is None:
                raise NotFound("api_key")
            if replay is None:
                await ticket.finish(tx, {"key_id": key_id})
                await tx.audit.append(
                    tenant_id,
                    AuditRecord(
                        AuditEventKind.API_KEY_REVOKED, caller.key_id, details={"key_id": key_id}
                    ),
                )
        self._authenticate.forget(key_id)
        return key


async def new_key(
    tx: Transaction,
    tenant_id: str,
    role: ApiKeyRole,
    expire_time: datetime | None,
    secret_hash: SecretHash,
    actor_key_id: str,
) -> tuple[ApiKey, str]:
    """Make and audit a key in the given transaction; its whole secret is `rap_<key_id>_<256 bits>`."""
    key_id = secrets.token_hex(6)
    secret = f"rap_{key_id}_{secrets.token_urlsafe(32)}"
    key = await tx.keys.insert(tenant_id, key_id, role, secret_hash(secret), expire_time)
    await tx.audit.append(
        tenant_id,
        AuditRecord(
            AuditEventKind.API_KEY_CREATED,
            actor_key_id,
            details={"key_id": key_id, "role": role.value},
        ),
    )
    return key, secret
