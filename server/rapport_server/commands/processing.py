"""VerifyProcessing, WatchProcessing, RetryProcessing: how far indexing is."""

from collections.abc import AsyncIterator, Sequence

from rapport_server.commands.change import Change
from rapport_server.commands.ticket import Ticket
from rapport_server.domain.audit import AuditEventKind
from rapport_server.domain.memories import IndexingStatus, ProcessingStatus, Scope
from rapport_server.domain.ports import IngestQueue
from rapport_server.domain.storage import Database
from rapport_server.domain.tenants import Caller

POLL_S = 0.1


class Processing:
    """Reads the state of the queue, which is the memory rows themselves."""

    def __init__(self, database: Database, change: Change, ingest: IngestQueue) -> None:
        self._database = database
        self._change = change
        self._ingest = ingest

    async def verify(self, scope: Scope, source_ids: Sequence[str]) -> list[ProcessingStatus]:
        """One status per id, in the order asked; NOT_FOUND for an id that is not stored."""
        async with self._database.session() as session:
            known = await session.memories.status(scope, source_ids)
        return [
            known.get(source_id, ProcessingStatus(source_id, IndexingStatus.NOT_FOUND))
            for source_id in source_ids
        ]

    async def watch(
        self, scope: Scope, source_ids: Sequence[str]
    ) -> AsyncIterator[ProcessingStatus]:
        """Each id's status now, then each change once; ends when all are terminal."""
        ids = list(dict.fromkeys(source_ids))
        told: dict[str, tuple[IndexingStatus, int]] = {}
        while True:
            statuses = await self.verify(scope, ids)
            for status in statuses:
                if told.get(status.source_id) != (status.status, status.attempts):
                    told[status.source_id] = (status.status, status.attempts)
                    yield status
            if all(status.status.terminal for status in statuses):
                return
            await self._ingest.progress(POLL_S)

    async def retry(
        self, caller: Caller, scope: Scope, source_ids: Sequence[str], ticket: Ticket
    ) -> list[ProcessingStatus]:
        """ERRORED items are queued again with a fresh count of attempts; others keep their state."""
        async with self._change(caller, scope, ticket) as change:
            if change.replay is None:
                count = len(await change.tx.queue.retry(scope, source_ids))
                kind = AuditEventKind.MEMORIES_RETRIED
                await change.finish({"retried": count}, kind, {"count": count})
        self._ingest.wake()
        return await self.verify(scope, source_ids)
