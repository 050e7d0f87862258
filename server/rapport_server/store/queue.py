"""The memory rows that wait to be indexed: claimed under a lease, completed under its fencing token."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from psycopg import AsyncCursor
from psycopg.sql import SQL

from rapport_server.domain import limits
from rapport_server.domain.memories import (
    ChunkDraft,
    Claimed,
    IndexingStatus,
    MemoryKind,
    QueueItem,
    Scope,
    Store,
)
from rapport_server.domain.storage import PageRequest
from rapport_server.store.query import Connection
from rapport_server.store.sqlfile import load

_SQL = load("queue")
_LOST = "the worker that held it went away, each time it was tried"


class QueueTable:
    """Implements `domain.storage.queue.Queue` on one connection."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    async def claim(
        self, after_tenant: str, limit: int, lease_s: float, *, long: bool = False
    ) -> list[Claimed]:
        """Take up to `limit` items, of at most about CLAIM_BYTES_MAX bytes, of the next tenant that has any."""
        token = uuid4()
        cursor = await self._plan_anew(
            _SQL.claim,
            {
                "after_tenant": after_tenant,
                "limit": limit,
                "lease_s": lease_s,
                "long": long,
                "long_bytes": limits.LONG_TEXT_BYTES,
                "bytes_max": limits.CLAIM_BYTES_MAX,
                "attempts_max": limits.ATTEMPTS_MAX,
                "token": token,
            },
        )
        claimed = [
            Claimed(
                scope=Scope(tenant, end_user, Store(store)),
                source_id=source,
                version=version,
                lease_token=token,
                attempts=attempts,
                text=text,
                kind=MemoryKind(kind),
                person_no=person_no,
                shard_id=shard_id,
            )
            for tenant, store, end_user, source, version, attempts, text, kind, person_no, shard_id in await cursor.fetchall()
        ]
        return sorted(claimed, key=lambda item: item.version)

    async def renew(self, items: Sequence[Claimed], lease_s: float) -> None:
        """Prolong the leases that are still ours."""
        await self._plan_anew(_SQL.renew, {**_leases(items), "lease_s": lease_s})

    async def release(self, items: Sequence[Claimed]) -> None:
        """Give items back as if they had not been claimed."""
        await self._plan_anew(_SQL.release, _leases(items))

    async def owned(self, items: Sequence[Claimed]) -> set[int]:
        """Versions that still carry our lease token and are PROCESSING, locked until the transaction ends."""
        cursor = await self._plan_anew(_SQL.lock_owned, _leases(items))
        return {version for (version,) in await cursor.fetchall()}

    async def complete(
        self, item: Claimed, chunks: Sequence[ChunkDraft]
    ) -> tuple[list[int], list[int]]:
        """`complete_many` of one item; (added chunk ids, removed chunk ids)."""
        changes = await self.complete_many([(item, chunks)])
        # Versions of one source_id share a shard for as long as their person lives.
        return changes.get(item.shard_id, ([], []))

    async def complete_many(
        self, items: Sequence[tuple[Claimed, Sequence[ChunkDraft]]]
    ) -> dict[int, tuple[list[int], list[int]]]:
        """Store chunks, mark COMPLETED and delete older versions, all in one statement; per shard (added, removed)."""
        if not items:
            return {}
        claimed = [item for item, _ in items]
        pieces = [
            (number, chunk) for number, (_, chunks) in enumerate(items, 1) for chunk in chunks
        ]
        cursor = await self._plan_anew(
            _SQL.complete_many,
            {
                "tenant": claimed[0].scope.tenant_id,
                "stores": [item.scope.store.value for item in claimed],
                "end_users": [item.scope.end_user_id for item in claimed],
                "sources": [item.source_id for item in claimed],
                "versions": [item.version for item in claimed],
                "persons": [item.person_no for item in claimed],
                "shards": [item.shard_id for item in claimed],
                "piece_numbers": [number for number, _ in pieces],
                "piece_indexes": [chunk.chunk_index for _, chunk in pieces],
                "piece_texts": [chunk.text for _, chunk in pieces],
                "piece_vectors": [chunk.vector for _, chunk in pieces],
            },
        )
        changes: dict[int, tuple[list[int], list[int]]] = {}
        for shard_id, chunk_id, is_added in await cursor.fetchall():
            added, removed = changes.setdefault(shard_id, ([], []))
            (added if is_added else removed).append(chunk_id)
        return changes

    async def fail(self, item: Claimed, reason: str, message: str, final: bool) -> None:
        """Back to QUEUED for another attempt after a pause, or ERRORED when final; a no-op when the lease is lost."""
        await self._plan_anew(
            _SQL.fail,
            {
                "tenant": item.scope.tenant_id,
                "store": item.scope.store.value,
                "end_user": item.scope.end_user_id,
                "source": item.source_id,
                "version": item.version,
                "token": item.lease_token,
                "reason": reason,
                "message": message,
                "final": final,
                "wait_s": limits.RETRY_WAIT_S,
            },
        )

    async def bury_lost(self, attempts_max: int, limit: int) -> int:
        """Mark items ERRORED (WORKER_LOST) whose lease ran out with no attempts left; how many."""
        values = {"attempts_max": attempts_max, "limit": limit, "message": _LOST}
        return (await self._plan_anew(_SQL.bury_lost, values)).rowcount

    async def retry(self, scope: Scope, source_ids: Sequence[str]) -> list[str]:
        """ERRORED items back to QUEUED with attempts 0; the ids it changed."""
        cursor = await self._plan_anew(
            _SQL.retry,
            {
                "tenant": scope.tenant_id,
                "store": scope.store.value,
                "end_user": scope.end_user_id,
                "sources": list(source_ids),
            },
        )
        return [source_id for (source_id,) in await cursor.fetchall()]

    async def page(self, tenant_id: str, page: PageRequest) -> list[QueueItem]:
        """Everything not COMPLETED, by version; page key (version,)."""
        after = page.after[0] if page.after else 0
        values = {"tenant": tenant_id, "after": after, "size": page.size}
        cursor = await self._plan_anew(_SQL.list_unfinished, values)
        return [
            QueueItem(
                source, end_user, version, IndexingStatus(status), attempts, age_s, reason, message
            )
            for source, end_user, version, status, attempts, age_s, reason, message in await cursor.fetchall()
        ]

    async def depth(self) -> tuple[int, float]:
        """Unfinished items of all tenants and the age of the oldest in seconds."""
        row = await (await self._conn.execute(_SQL.measure_depth)).fetchone()
        assert row is not None
        return row[0], row[1]

    async def _plan_anew(self, query: SQL, values: Mapping[str, Any]) -> AsyncCursor[Any]:
        # A plan kept from when the queue was empty scans the whole table once it is full; planning costs under a
        # millisecond, once per batch.
        return await self._conn.execute(query, values, prepare=False)


def _leases(items: Sequence[Claimed]) -> dict[str, list[Any]]:
    return {
        "tenants": [item.scope.tenant_id for item in items],
        "versions": [item.version for item in items],
        "tokens": [item.lease_token for item in items],
    }
