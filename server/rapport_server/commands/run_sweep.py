"""RunSweep: what of a tenant has expired, or is more than its plan keeps, goes now."""

from dataclasses import asdict, dataclass

from rapport_server.commands.ticket import Ticket
from rapport_server.domain.audit import AuditEventKind, AuditRecord
from rapport_server.domain.storage import Database
from rapport_server.domain.tenants import Caller, Tenant
from rapport_server.ingest.retention import START, Retention


@dataclass(frozen=True, slots=True)
class Swept:
    """How many memories this call removed."""

    expired: int
    cut: int


class RunSweep:
    """Many short transactions. A call that is broken off keeps what it has done; the next one goes on and counts its own."""

    def __init__(self, database: Database, retention: Retention) -> None:
        self._database = database
        self._retention = retention

    async def __call__(self, caller: Caller, tenant: Tenant, ticket: Ticket) -> Swept:
        """What a replay answers is what the first call did."""
        async with self._database.session() as session:
            if (replay := await ticket.earlier(session)) is not None:
                return Swept(**replay)
        swept = Swept(
            await self._expire(tenant.tenant_id, caller.key_id),
            await self._cut(tenant.tenant_id, caller.key_id),
        )
        await self._retention.renew_shards(tenant.tenant_id)
        async with self._database.transaction() as tx:
            if (replay := await ticket.begin(tx)) is not None:
                return Swept(**replay)
            await ticket.finish(tx, asdict(swept))
            await tx.audit.append(
                tenant.tenant_id,
                AuditRecord(
                    AuditEventKind.RETENTION_SWEPT,
                    caller.key_id,
                    details={"expired_count": swept.expired, "retention_count": swept.cut},
                ),
            )
        return swept

    async def _expire(self, tenant_id: str, actor: str) -> int:
        total, more = 0, True
        while more:
            count, more = await self._retention.expire(tenant_id, actor)
            total += count
        return total

    async def _cut(self, tenant_id: str, actor: str) -> int:
        total = 0
        after: tuple[str, str] | None = START
        while after is not None:
            count, after = await self._retention.cut(after, tenant_id, actor)
            total += count
        return total
