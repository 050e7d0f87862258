"""Erase: one person, everywhere, with a receipt that says only what was seen."""

import asyncio
import logging
import time
import uuid
from collections.abc import Callable
from dataclasses import asdict

from rapport_server.commands.ticket import Ticket
from rapport_server.domain.audit import AuditEventKind, AuditRecord
from rapport_server.domain.erasure import ErasureReason, PendingErasure, Receipt, signed
from rapport_server.domain.ports import Signer, SubjectHasher
from rapport_server.domain.storage import Database, Transaction
from rapport_server.domain.tenants import Caller
from rapport_server.errors import Internal, RapportError
from rapport_server.privacy.replica import Replica

REPLICAS_WAIT_S = 5.0
POLL_S = 0.05
log = logging.getLogger(__name__)


class Erase:
    """Delete rows in one transaction, drop vectors here, wait for the other processes, then read the receipt."""

    def __init__(
        self,
        database: Database,
        hasher: SubjectHasher,
        signer: Signer,
        replica: Replica,
        vacuum: Callable[[], None],
    ) -> None:
        self._database = database
        self._hasher = hasher
        self._signer = signer
        self._replica = replica
        self._vacuum = vacuum

    async def preview(
        self, tenant_id: str, end_user_id: str, reason: ErasureReason, note: str
    ) -> Receipt:
        """What would be deleted; nothing is touched and nothing signed."""
        subject = self._hasher.subject_hash(tenant_id, end_user_id)
        async with self._database.session() as session:
            counts = await session.erasures.count(tenant_id, end_user_id, subject)
            arrival = await session.people.arrival(tenant_id, subject)
        return Receipt("", tenant_id, subject, counts, False, (), arrival.now, 0, b"", reason, note)

    async def __call__(
        self,
        caller: Caller,
        tenant_id: str,
        end_user_id: str,
        reason: ErasureReason,
        note: str,
        ticket: Ticket,
    ) -> Receipt:
        """The signed receipt; an unknown person gets one with zero counts."""
        async with self._database.transaction() as tx:
            replay = await ticket.begin(tx)
            if replay is None:
                pending = await self.delete_rows(tx, caller, tenant_id, end_user_id, reason, note)
                await ticket.finish(tx, {"receipt_id": pending.receipt_id})
        if replay is not None:
            return await self._receipt(tenant_id, str(replay["receipt_id"]))
        self._vacuum()
        try:
            await self._replica.drop(pending, end_user_id)
        except RapportError:
            # The rows are gone for good; the receipt says that this process is pending, and it tries on.
            log.exception("the vectors of an erased person are not yet dropped")
        return await self._settled_receipt(tenant_id, pending.receipt_id)

    async def delete_rows(
        self,
        tx: Transaction,
        caller: Caller,
        tenant_id: str,
        end_user_id: str,
        reason: ErasureReason,
        note: str,
    ) -> PendingErasure:
        """All rows go, work in flight is fenced off, and every process is asked to drop the vectors.

        Looks into every table before the commit, under the person's lock. Raises Internal, and nothing is deleted, when
        a row is left.
        """
        subject = self._hasher.subject_hash(tenant_id, end_user_id)
        await tx.people.bump(tenant_id, subject)
        counts, person = await tx.erasures.delete_person(tenant_id, end_user_id, subject)
        person_no, shard_id = (person.person_no, person.shard_id) if person else (0, 0)
        if await tx.erasures.remaining(tenant_id, end_user_id, subject, person_no):
            raise Internal
        receipt_id = str(uuid.uuid4())
        details = {name: n for name, n in asdict(counts).items() if n}
        event = await tx.audit.append(
            tenant_id,
            AuditRecord(
                AuditEventKind.END_USER_ERASED,
                caller.key_id,
                subject,
                {"receipt_id": receipt_id, "reason": reason.value, **details},
            ),
        )
        receipt = Receipt(
            receipt_id,
            tenant_id,
            subject,
            counts,
            False,
            (),
            event.time,
            event.sequence,
            event.hash,
            reason,
            note,
        )
        await tx.erasures.insert(receipt, person_no, shard_id)
        if person is not None:
            await tx.shards.append(
                tenant_id, shard_id, dropped=[person_no], dropped_vectors=counts.vectors
            )
        return PendingErasure(tenant_id, receipt_id, subject, shard_id, person_no)

    async def _settled_receipt(self, tenant_id: str, receipt_id: str) -> Receipt:
        """Give the other processes a few seconds; who has not confirmed by then is in `replicas_pending`."""
        deadline = time.monotonic() + REPLICAS_WAIT_S
        receipt = await self._receipt(tenant_id, receipt_id)
        while receipt.replicas_pending and time.monotonic() < deadline:
            await asyncio.sleep(POLL_S)
            receipt = await self._receipt(tenant_id, receipt_id)
        return receipt

    async def _receipt(self, tenant_id: str, receipt_id: str) -> Receipt:
        async with self._database.session() as session:
            receipt = await session.erasures.get(tenant_id, receipt_id)
        if receipt is None:
            raise Internal
        return signed(receipt, self._signer)
