"""DeleteTenant: everybody is erased, then the tenant goes; receipts and audit rows stay."""

from collections.abc import Callable

from rapport_server.commands.authenticate import OPEN_CALLER, Authenticate
from rapport_server.commands.erase import Erase
from rapport_server.commands.tenant_directory import TenantDirectory
from rapport_server.commands.ticket import Ticket
from rapport_server.domain.audit import AuditEventKind, AuditRecord
from rapport_server.domain.erasure import ErasureReason, PendingErasure
from rapport_server.domain.ports import ShardKey, SubjectHasher, VectorIndex
from rapport_server.domain.storage import Database
from rapport_server.domain.tenants import Caller
from rapport_server.errors import NotFound
from rapport_server.privacy.replica import Replica

BATCH = 100


class DeleteTenant:
    """Person by person, so that no transaction grows with the tenant.

    The tenant is closed first: nobody new can begin, so that it ends however busy its writers are. A deletion that was
    broken off goes on when it is asked for again.
    """

    def __init__(
        self,
        database: Database,
        index: VectorIndex,
        hasher: SubjectHasher,
        erase: Erase,
        replica: Replica,
        directory: TenantDirectory,
        authenticate: Authenticate,
        vacuum: Callable[[], None],
    ) -> None:
        self._database = database
        self._index = index
        self._hasher = hasher
        self._erase = erase
        self._replica = replica
        self._directory = directory
        self._authenticate = authenticate
        self._vacuum = vacuum

    async def __call__(
        self, caller: Caller, tenant_id: str, allow_missing: bool, ticket: Ticket
    ) -> tuple[int, int]:
        """(tenants deleted, people erased). Raises NotFound unless `allow_missing`."""
        async with self._database.transaction() as tx:
            if (replay := await ticket.earlier(tx)) is not None:
                return int(replay["deleted"]), int(replay["erased"])
            if not await tx.tenants.close(tenant_id) and not allow_missing:
                raise NotFound("tenant")
            shard_ids = await tx.shards.ids(tenant_id)
        self._directory.forget(tenant_id)
        pending: list[PendingErasure] = []
        while end_user_ids := await self._some_people(tenant_id):
            for end_user_id in end_user_ids:
                pending += await self._erase_rows(caller, tenant_id, end_user_id)
        done = await self._delete(caller, tenant_id, len(pending), allow_missing, ticket)
        self._authenticate.forget_tenant(tenant_id)
        self._vacuum()
        for shard_id in shard_ids:
            await self._index.drop_shard(ShardKey(tenant_id, shard_id))
        for erasure in pending:
            await self._replica.confirm(erasure)
        return done

    async def resume(self) -> None:
        """Finish the deletions that a killed server left half done."""
        async with self._database.session() as session:
            closed = await session.tenants.closed()
        for tenant_id in closed:
            await self(OPEN_CALLER, tenant_id, True, Ticket(tenant_id, None, b""))

    async def _some_people(self, tenant_id: str) -> list[str]:
        async with self._database.session() as session:
            return await session.people.ids(tenant_id, BATCH)

    async def _erase_rows(
        self, caller: Caller, tenant_id: str, end_user_id: str
    ) -> list[PendingErasure]:
        """Nothing when somebody else erased the person meanwhile."""
        subject = self._hasher.subject_hash(tenant_id, end_user_id)
        async with self._database.transaction() as tx:
            await tx.people.lock_many([(tenant_id, subject)])
            if await tx.people.get(tenant_id, end_user_id) is None:
                return []
            return [
                await self._erase.delete_rows(
                    tx, caller, tenant_id, end_user_id, ErasureReason.OTHER, "tenant-deleted"
                )
            ]

    async def _delete(
        self, caller: Caller, tenant_id: str, erased: int, allow_missing: bool, ticket: Ticket
    ) -> tuple[int, int]:
        async with self._database.transaction() as tx:
            if (replay := await ticket.begin(tx)) is not None:
                return int(replay["deleted"]), int(replay["erased"])
            deleted = int(await tx.tenants.delete(tenant_id))
            if not deleted and not allow_missing:
                raise NotFound("tenant")
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
