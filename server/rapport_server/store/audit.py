"""The audit chain in Postgres: append-only rows, each hashed over the one before."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from psycopg.types.json import Json

from rapport_server.domain.audit import (
    GENESIS,
    AuditEvent,
    AuditEventKind,
    AuditRecord,
    ChainVerdict,
    chain_hash,
)
from rapport_server.domain.storage import PageRequest, TimeRange
from rapport_server.store.query import Connection
from rapport_server.store.sqlfile import load

_SQL = load("audit")
# Rows hashed in one go, about 10 ms of a thread.
_BATCH_ROWS = 1_000
_KINDS = frozenset(AuditEventKind)


class AuditTable:
    """Implements `domain.storage.audit.Audit` on one connection."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    async def append(self, tenant_id: str, record: AuditRecord) -> AuditEvent:
        """Continue the tenant's chain; its head stays locked until the transaction ends."""
        cursor = await self._conn.execute(
            _SQL.take_number, {"tenant": tenant_id, "genesis": GENESIS}
        )
        row = await cursor.fetchone()
        assert row is not None
        sequence, previous, time = row
        own = chain_hash(tenant_id, sequence, time, record, previous)
        details = record.details or {}
        await self._conn.execute(
            _SQL.append,
            {
                "tenant": tenant_id,
                "sequence": sequence,
                "time": time,
                "kind": record.kind.value,
                "actor": record.actor_key_id,
                "subject": record.subject_hash,
                "details": Json(details),
                "previous": previous,
                "hash": own,
            },
        )
        return AuditEvent(
            sequence,
            time,
            record.kind,
            record.actor_key_id,
            record.subject_hash,
            details,
            previous,
            own,
        )

    async def page(
        self,
        tenant_id: str,
        kind: AuditEventKind | None,
        times: TimeRange,
        newest_first: bool,
        page: PageRequest,
    ) -> list[AuditEvent]:
        """By sequence; page key (sequence,)."""
        cursor = await self._conn.execute(
            _SQL.page_newest_first if newest_first else _SQL.page_oldest_first,
            {
                "tenant": tenant_id,
                "after": page.after[0] if page.after else None,
                "kind": kind.value if kind else None,
                "start": times.start,
                "end": times.end,
                "size": page.size,
            },
        )
        return [
            AuditEvent(sequence, time, AuditEventKind(name), actor, subject, details, previous, own)
            for sequence, time, name, actor, subject, details, previous, own in await cursor.fetchall()
        ]

    async def verify(self, tenant_id: str) -> ChainVerdict:
        """Recompute the whole chain in one snapshot against the stored hashes and the head, off the event loop."""
        chain = _Chain(tenant_id)
        loop = asyncio.get_running_loop()
        async with (
            self._conn.transaction(),
            self._conn.cursor("audit_chain", binary=True) as cursor,
        ):
            await cursor.execute(_SQL.chain, {"tenant": tenant_id})
            with ThreadPoolExecutor(1, thread_name_prefix="audit-verify") as executor:
                while chain.first_bad == 0 and (rows := await cursor.fetchmany(_BATCH_ROWS)):
                    await loop.run_in_executor(executor, chain.follow, rows)
        return chain.verdict()


@dataclass(slots=True)
class _Chain:
    """How far a chain has been followed, and what its head says."""

    tenant_id: str
    sequence: int = 0
    hash: bytes = GENESIS
    head_sequence: int = 0
    head_hash: bytes = GENESIS
    checked: int = 0
    first_bad: int = 0

    def follow(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Check rows of the query `chain` until one does not fit."""
        for head_sequence, head_hash, *event in rows:
            if head_sequence is not None:
                self.head_sequence, self.head_hash = head_sequence, head_hash
            if event[0] is None:
                return
            self.checked += 1
            expected = self.sequence + 1
            if expected > self.head_sequence or not self._fits(expected, event):
                self.first_bad = expected
                return
            self.sequence, self.hash = expected, event[-1]

    def verdict(self) -> ChainVerdict:
        """After the last row: whether the chain ends where the head says."""
        first_bad = self.first_bad
        if first_bad == 0 and self.sequence < self.head_sequence:
            first_bad = self.sequence + 1
        if first_bad == 0 and self.hash != self.head_hash:
            first_bad = max(self.sequence, 1)
        return ChainVerdict(first_bad == 0, self.checked, first_bad, self.head_hash)

    def _fits(self, expected: int, event: Sequence[Any]) -> bool:
        sequence, time, kind, actor, subject, details, previous, own = event
        if sequence != expected or previous != self.hash or kind not in _KINDS:
            return False
        record = AuditRecord(AuditEventKind(kind), actor, subject, details)
        return bytes(own) == chain_hash(self.tenant_id, sequence, time, record, previous)
