"""One process' part in every erasure: drop the person from its shards and files, look again, confirm."""

import asyncio
import logging

from rapport_server.domain.audit import AuditEventKind, AuditRecord
from rapport_server.domain.erasure import PendingErasure
from rapport_server.domain.ports import ChangeFeed, ShardKey, VectorIndex
from rapport_server.domain.storage import Database

POLL_S = 1.0  # a lost notification is made good within this time
HEARTBEAT_S = 10.0
log = logging.getLogger(__name__)


class Replica:
    """Confirms erasures for this process, wherever they were asked for."""

    def __init__(
        self, database: Database, index: VectorIndex, feed: ChangeFeed, process_id: str
    ) -> None:
        self._database = database
        self._index = index
        self._feed = feed
        self._process_id = process_id
        self._news = asyncio.Event()

    async def join(self) -> None:
        """Become known, then drop everybody who was erased while this process was down; call before serving."""
        async with self._database.transaction() as tx:
            await tx.erasures.register(self._process_id)
        await self.settle()

    def notice(self) -> None:
        """Another process erased somebody."""
        self._news.set()

    async def run(self) -> None:
        """Settle what is pending, on notice and every second, until cancelled."""
        beat = 0.0
        while True:
            try:
                await asyncio.wait_for(self._news.wait(), POLL_S)
            except TimeoutError:
                beat += POLL_S
            self._news.clear()
            try:
                await self.settle()
                if beat >= HEARTBEAT_S:
                    beat = 0.0
                    async with self._database.transaction() as tx:
                        await tx.erasures.register(self._process_id)
            except Exception:
                log.exception("erasures of other processes are not yet confirmed; trying again")

    async def settle(self) -> None:
        """Drop and confirm every erasure that waits for this process."""
        async with self._database.session() as session:
            pending = await session.erasures.pending_of(self._process_id)
        for erasure in pending:
            await self.drop(erasure, None)

    async def drop(self, erasure: PendingErasure, end_user_id: str | None) -> None:
        """Drop one person here, look again, and confirm it if nothing is found any more.

        Only the process that was asked knows the `end_user_id`.
        """
        if await self._dropped_from_index(erasure) and not await self._rows_left(
            erasure, end_user_id
        ):
            await self.confirm(erasure)

    async def confirm(self, erasure: PendingErasure) -> None:
        """This process has nothing left; the last one to say so completes the receipt."""
        async with self._database.transaction() as tx:
            last = await tx.erasures.confirm(
                self._process_id, erasure.tenant_id, erasure.receipt_id
            )
            if last:
                await tx.erasures.set_verified(erasure.tenant_id, erasure.receipt_id)
                await tx.audit.append(
                    erasure.tenant_id,
                    AuditRecord(
                        AuditEventKind.ERASURE_COMPLETED,
                        "",
                        erasure.subject_hash,
                        {"receipt_id": erasure.receipt_id},
                    ),
                )

    async def _dropped_from_index(self, erasure: PendingErasure) -> bool:
        if erasure.person_no == 0:
            return True
        key = ShardKey(erasure.tenant_id, erasure.shard_id)
        head = await self._feed.head(key)
        if head is None:
            await self._index.drop_shard(key)
            return True
        await self._index.catch_up(key, head)
        presence = await self._index.purge(key, erasure.person_no)
        if presence.memory or presence.files:
            log.error(
                "erased vectors are still found: memory %d, files %d",
                presence.memory,
                presence.files,
            )
            return False
        return True

    async def _rows_left(self, erasure: PendingErasure, end_user_id: str | None) -> bool:
        async with self._database.session() as session:
            left = await session.erasures.remaining_of_number(
                erasure.tenant_id, erasure.person_no, end_user_id
            )
        if left:
            log.error("erased rows are still found: %d", left)
        return left > 0
