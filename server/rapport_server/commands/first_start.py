"""The first start on a database: bind it to this installation's secrets and model, make the first keys."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from rapport_server.commands.api_keys import SecretHash, new_key
from rapport_server.domain.audit import AuditEventKind, AuditRecord
from rapport_server.domain.ports import Encoder
from rapport_server.domain.storage import Database
from rapport_server.domain.tenants import ApiKeyRole, Plan, Tenant
from rapport_server.errors import FailedPrecondition

DEFAULT_TENANT = "default"


@dataclass(frozen=True, slots=True)
class FirstKeys:
    """The secrets of the first operator key and of the default tenant's writer key."""

    operator: str
    writer: str


async def bind_secrets(database: Database, fingerprint: str) -> None:
    """Raises FailedPrecondition when the database belongs to other secrets: its hashes would match nothing."""
    async with database.transaction() as tx:
        installation = await tx.installation.set_secrets_fingerprint(fingerprint)
    if installation.secrets_fingerprint != fingerprint:
        raise FailedPrecondition(
            f"this database belongs to other secrets (fingerprint {installation.secrets_fingerprint}), the secrets "
            f"directory holds {fingerprint}; give the right --secrets-dir"
        )


async def bind_model(database: Database, encoder: Encoder) -> None:
    """Raises FailedPrecondition when the stored vectors were made by another model: recall would be silently wrong."""
    async with database.transaction() as tx:
        bound = await tx.installation.set_model(
            encoder.model_name, encoder.fingerprint, encoder.dimension
        )
    if bound.model_fingerprint != encoder.fingerprint:
        raise FailedPrecondition(
            f"this database's vectors were made by {bound.model_name} (fingerprint {bound.model_fingerprint}), the "
            f"configured model is {encoder.model_name} (fingerprint {encoder.fingerprint}); give --embedding-model "
            "(RAPPORT_EMBEDDING_MODEL) the directory or Hugging Face id of the former, or start with another database"
        )


async def make_first_keys(
    database: Database, secret_hash: SecretHash, show: Callable[[FirstKeys], None]
) -> None:
    """Once per database: the tenant `default` and two keys, shown before they are committed, so that none is lost."""
    async with database.transaction() as tx:
        await tx.installation.lock()
        if await tx.keys.any():
            return
        now = datetime.now(UTC)
        tenant = Tenant(DEFAULT_TENANT, Plan.ENTERPRISE, (), "", 0.0, False, False, now, now)
        if await tx.tenants.insert(tenant):
            await tx.audit.append(
                DEFAULT_TENANT,
                AuditRecord(AuditEventKind.TENANT_CREATED, "", details={"plan": tenant.plan.value}),
            )
        secrets = [
            (await new_key(tx, DEFAULT_TENANT, role, None, secret_hash, ""))[1]
            for role in (ApiKeyRole.OPERATOR, ApiKeyRole.WRITER)
        ]
        show(FirstKeys(*secrets))
