"""DeleteTenant: everybody is erased, then the tenant goes; receipts and audit rows stay."""

from collections.abc import Callable

from rapport_server.commands.authenticate import Authenticate
from rapport_server.commands.erase import Erase
from rapport_server.commands.tenant_directory import TenantDirectory
from rapport_server.commands.ticket import Ticket
from rapport_server.domain.audit import AuditEventKind, AuditRecord
from rapport_server.domain.erasure import ErasureReason, PendingErasure
from rapport_server.domain.ports import ShardKey, VectorIndex
from rapport_server.domain.storage import Database
from rapport_server.domain.tenants import Caller
from rapport_server.errors import NotFound
from rapport_server.privacy.replica import Replica

BATCH = 100


class DeleteTenant:
    """Person by person, so that no transaction grows with the tenant."""

    def __init__(
        self,
        database: Database,
        index: VectorIndex,
        erase: Erase,
        replica: Replica,
        directory: TenantDirectory,
        authenticate: Authenticate,
        vacuum: Callable[[], None],
    ) -> None:
        self._database = database
        self._index = index
        self._erase = erase
        self._replica = replica
        self._directory = directory
        self._authenticate = authenticate
        self._vacuum = vacuum

    async def __call__(
        self, caller: Caller, tenant_id: str, allow_missing: bool, ticket: Ticket
    ) -> tuple[int, int]:
        """(tenants deleted, people erased). Raises NotFound unless `allow_missing`."""
        async with self._database.session() as session:
            if (replay := await ticket.earlier(session)) is not None:
                return int(replay["deleted"]), int(replay["erased"])
            exists = await session.tenants.get(tenant_id) is not None
            shard_ids = await session.shards.ids(tenant_id)
        if not exists and not allow_missing:
            raise NotFound("tenant")
        pending: list[PendingErasure] = []
        while not (done := await self._finish(caller, tenant_id, len(pending), ticket)):
            pending += await self._erase_some(caller, tenant_id)
        self._directory.forget(tenant_id)
        self._authenticate.forget_tenant(tenant_id)
        self._vacuum()
        for shard_id in shard_ids:
            await self._index.drop_shard(ShardKey(tenant_id, shard_id))
        for erasure in pending:
            await self._replica.confirm(erasure)
        return done

    async def _erase_some(self, caller: Caller, tenant_id: str) -> list[PendingErasure]:
        async with self._database.session() as session:
            end_user_ids = await session.people.ids(tenant_id, BATCH)
        erased = []
        for end_user_id in end_user_ids:
            async with self._database.transaction() as tx:
                erased.append(
                    await self._erase.delete_rows(
                        tx, caller, tenant_id, end_user_id, ErasureReason.OTHER, "tenant-deleted"
                    )
                )
        return erased

    async def _finish(
        self, caller: Caller, tenant_id: str, erased: int, ticket: Ticket
    ) -> tuple[int, int] | None:
        """Delete the tenant if nobody is left; None when somebody still is (or came in meanwhile)."""
        async with self._database.transaction() as tx:
            tenant = await tx.tenants.lock(tenant_id)
            if await tx.people.ids(tenant_id, 1):
                return None
            if (replay := await ticket.begin(tx)) is not None:
                return int(replay["deleted"]), int(replay["erased"])
            deleted = 0 if tenant is None else 1
            await tx.tenants.delete(tenant_id)
            await ticket.finish(tx, {"deleted": deleted, "erased": erased})
            if deleted:
                await tx.audit.append(
                    tenant_id,
                    AuditRecord(
                        AuditEventKind.TENANT_DELETED,
                        caller.key_id,
                        details={"end_users_erased": erased},
                    ),
                )
            return deleted, erased
