"""AddMemory: items are acknowledged in one transaction, then indexed by the worker."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rapport_server.commands.ticket import Ticket
from rapport_server.domain.audit import AuditEventKind, AuditRecord
from rapport_server.domain.memories import IndexingStatus, MemoryDraft, ProcessingStatus, Scope
from rapport_server.domain.ports import IngestQueue
from rapport_server.domain.storage import Database, Transaction
from rapport_server.domain.tenants import Caller, Tenant

POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class ItemFault:
    """Why one item was refused: an ErrorReason name, a message without any of its text, the field's path."""

    reason: str
    message: str
    field: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """One item as validated: a draft, or the fault that refuses it."""

    source_id: str
    draft: MemoryDraft | None = None
    fault: ItemFault | None = None


@dataclass(frozen=True, slots=True)
class ItemResult:
    """What became of one item, in the order asked."""

    source_id: str
    status: ProcessingStatus
    fault: ItemFault | None


EXISTS = "ALREADY_EXISTS"
SUPERSEDED = "SUPERSEDED_IN_CALL"
_TOLD = {
    EXISTS: "is stored already, and upsert is false",
    SUPERSEDED: "is that of a later item of the same call, which wins",
}


class AddMemory:
    """Stores the good items; a bad one fails alone."""

    def __init__(self, database: Database, ingest: IngestQueue) -> None:
        self._database = database
        self._ingest = ingest

    async def __call__(
        self,
        caller: Caller,
        tenant: Tenant,
        scope: Scope,
        items: Sequence[Item],
        upsert: bool,
        wait_s: float,
        ticket: Ticket,
    ) -> list[ItemResult]:
        """Store, then wait up to `wait_s` seconds for all items to end."""
        deadline = time.monotonic() + wait_s
        async with self._database.session() as session:
            arrival = await session.people.arrival(scope.tenant_id, ticket.subject_hash)
        async with self._database.transaction() as tx:
            clock = await tx.people.lock(scope.tenant_id, ticket.subject_hash, arrival.epoch)
            replay = await ticket.begin(tx)
            if replay is not None:
                items = _replayed(items, replay["source_ids"], replay["existed"])
            else:
                items = _last_of_each(items)
                if not upsert:
                    items = await _refuse_existing(tx, scope, items)
                drafts = [item.draft for item in items if item.draft]
                if drafts:
                    times = [draft.occurred_at for draft in drafts if draft.occurred_at]
                    first = min([clock, *times])
                    person = await tx.people.begin(
                        scope.tenant_id, scope.end_user_id, tenant.initial_trust, first
                    )
                    if first < person.known_since:
                        await tx.people.save(replace(person, known_since=first))
                    await tx.memories.enqueue(scope, person, drafts)
                await ticket.finish(
                    tx,
                    {
                        "source_ids": [item.source_id for item in items],
                        "existed": [
                            i
                            for i, item in enumerate(items)
                            if item.fault and item.fault.reason == EXISTS
                        ],
                    },
                )
                await tx.audit.append(
                    scope.tenant_id,
                    AuditRecord(
                        AuditEventKind.MEMORIES_ADDED,
                        caller.key_id,
                        ticket.subject_hash,
                        {"success_count": len(drafts), "failed_count": len(items) - len(drafts)},
                    ),
                )
        self._ingest.wake()
        statuses = await self._statuses(scope, items, deadline)
        return [_result(item, statuses) for item in items]

    async def _statuses(
        self, scope: Scope, items: Sequence[Item], deadline: float
    ) -> Mapping[str, ProcessingStatus]:
        ids = [item.source_id for item in items if item.draft]
        while True:
            async with self._database.session() as session:
                statuses = await session.memories.status(scope, ids) if ids else {}
            left_s = deadline - time.monotonic()
            if left_s <= 0 or all(s.status.terminal for s in statuses.values()):
                return statuses
            await self._ingest.progress(min(POLL_S, left_s))
            await asyncio.sleep(0)


async def _refuse_existing(tx: Transaction, scope: Scope, items: Sequence[Item]) -> list[Item]:
    stored = await tx.memories.existing(scope, [item.source_id for item in items if item.draft])
    return [
        _refused(index, item, EXISTS) if item.draft and item.source_id in stored else item
        for index, item in enumerate(items)
    ]


def _last_of_each(items: Sequence[Item]) -> list[Item]:
    """Of good items with one source_id in a call, the last wins; the others say so."""
    last = {item.source_id: index for index, item in enumerate(items) if item.draft}
    return [
        _refused(index, item, SUPERSEDED) if item.draft and last[item.source_id] != index else item
        for index, item in enumerate(items)
    ]


def _replayed(
    items: Sequence[Item], source_ids: Sequence[str], existed: Sequence[int]
) -> list[Item]:
    """The same items under the ids that the first call gave them, with its refusals."""
    named = [
        Item(source_id, item.draft, item.fault)
        for item, source_id in zip(items, source_ids, strict=True)
    ]
    refused = set(existed)
    return [
        _refused(index, item, EXISTS) if index in refused else item
        for index, item in enumerate(_last_of_each(named))
    ]


def _refused(index: int, item: Item, reason: str) -> Item:
    field = f"memories[{index}].source_id"
    return Item(item.source_id, fault=ItemFault(reason, f"{field} {_TOLD[reason]}", field))


def _result(item: Item, statuses: Mapping[str, ProcessingStatus]) -> ItemResult:
    if item.fault:
        status = ProcessingStatus(item.source_id, IndexingStatus.ERRORED)
    else:
        status = statuses.get(
            item.source_id, ProcessingStatus(item.source_id, IndexingStatus.NOT_FOUND)
        )
    return ItemResult(item.source_id, status, item.fault)
