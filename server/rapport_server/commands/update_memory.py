"""UpdateMemory: a memory changes under its id; a new text is indexed before it takes the old one's place."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rapport_server.commands.change import Change
from rapport_server.commands.ticket import Ticket
from rapport_server.domain.audit import AuditEventKind
from rapport_server.domain.memories import IndexingStatus, Memory, MemoryDraft, MemoryKind, Scope
from rapport_server.domain.ports import IngestQueue
from rapport_server.domain.storage import Transaction
from rapport_server.domain.tenants import Caller
from rapport_server.errors import Conflict, InvalidArgument, NotFound


@dataclass(frozen=True, slots=True)
class Changes:
    """New values by field; only the fields that the update_mask names are in it."""

    fields: Mapping[str, Any]  # title, text, metadata, additional_metadata, pinned


class UpdateMemory:
    """Vectors are touched only when the text changes."""

    def __init__(self, change: Change, ingest: IngestQueue) -> None:
        self._change = change
        self._ingest = ingest

    async def __call__(
        self, caller: Caller, scope: Scope, source_id: str, changes: Changes, ticket: Ticket
    ) -> Memory:
        """The memory as it will be served; status QUEUED when its new text waits to be indexed.

        Raises Conflict while an earlier new text is still being indexed.
        """
        async with self._change(caller, scope, ticket) as change:
            tx = change.tx
            memory = await tx.memories.get(scope, source_id)
            if memory is None:
                raise NotFound("memory")
            if change.replay is not None:
                return memory
            if memory.status is IndexingStatus.COMPLETED and await _newer_waits(tx, memory):
                raise Conflict
            changed = replace(memory, **changes.fields)
            reindex = changed.text != memory.text
            if reindex:
                changed = await self._enqueue(tx, scope, memory, changed)
            else:
                changed = await tx.memories.update(changed)
            await change.finish(
                {"source_id": source_id},
                AuditEventKind.MEMORY_UPDATED,
                {"fields": len(changes.fields), "reindexed": reindex},
            )
        if reindex:
            self._ingest.wake()
        return changed

    async def _enqueue(
        self, tx: Transaction, scope: Scope, memory: Memory, changed: Memory
    ) -> Memory:
        if memory.kind is MemoryKind.INTERACTION:
            raise InvalidArgument(
                "text", "of an interaction is a record of what was said and cannot change"
            )
        person = await tx.people.get(scope.tenant_id, scope.end_user_id)
        if person is None:
            raise NotFound("memory")
        await tx.memories.enqueue(scope, person, [_draft(changed)])
        return replace(changed, pairs=(), status=IndexingStatus.QUEUED)


async def _newer_waits(tx: Transaction, memory: Memory) -> bool:
    """Whether a version is on its way that would take the change's place and undo it."""
    newest = (await tx.memories.status(memory.scope, [memory.source_id]))[memory.source_id]
    return newest.status in (IndexingStatus.QUEUED, IndexingStatus.PROCESSING)


def _draft(memory: Memory) -> MemoryDraft:
    return MemoryDraft(
        source_id=memory.source_id,
        text=memory.text,
        title=memory.title,
        user_name=memory.user_name,
        speaker=memory.speaker,
        channel=memory.channel,
        session_id=memory.session_id,
        time_zone=memory.time_zone,
        metadata=memory.metadata,
        additional_metadata=memory.additional_metadata,
        pinned=memory.pinned,
        infer=memory.infer,
        occurred_at=memory.occurred_at,
        expires_at=memory.expires_at,
        kind=memory.kind,
    )
