"""Tables memory and chunk."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from psycopg import sql
from psycopg.rows import args_row

from rapport_server.domain.filters import Filter
from rapport_server.domain.limits import REPLY_BYTES_MAX
from rapport_server.domain.memories import (
    ChunkDraft,
    FoundChunk,
    Memory,
    MemoryDraft,
    MemoryKind,
    MemoryProgress,
    ProcessingStatus,
    Scope,
)
from rapport_server.domain.people import Person
from rapport_server.domain.retention import CUT_BYTES_MAX, CUT_KINDS, Surplus
from rapport_server.domain.storage import PageRequest, TimeRange
from rapport_server.domain.tenants import Plan
from rapport_server.errors import NotFound
from rapport_server.store.filters import filter_sql
from rapport_server.store.memory_rows import (
    as_jsonb,
    draft_parameters,
    draft_values,
    expired_of,
    found_chunk_of,
    memory_of,
    memory_progress_of,
    processing_status_of,
    scope_values,
    surplus_of,
)
from rapport_server.store.query import Connection, column, every, first, one, scalar
from rapport_server.store.sqlfile import load

_SQL = load("memory")
_CHUNK_SQL = load("chunk")
_VERSION_MAX = 2**63 - 1


class MemoryTable:
    """Memories with their versions, and their chunks."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    async def existing(self, scope: Scope, source_ids: Sequence[str]) -> set[str]:
        """Which of the ids are stored (any version, not expired)."""
        return set(await column(self._conn, _SQL.existing, _of_ids(scope, source_ids)))

    async def enqueue(self, scope: Scope, person: Person, drafts: Sequence[MemoryDraft]) -> None:
        """Store drafts as new QUEUED versions; older versions that are not COMPLETED go, a COMPLETED one stays served.

        Of several drafts with one source_id the last is stored. Call it with the person locked.
        """
        last = {draft.source_id: draft for draft in drafts}
        values = {
            **scope_values(scope),
            "person_no": person.person_no,
            "shard_id": person.shard_id,
            "drafts": as_jsonb([draft_values(draft) for draft in last.values()]),
        }
        await self._conn.execute(_SQL.enqueue, values)

    async def insert_completed(
        self, scope: Scope, person: Person, draft: MemoryDraft, chunks: Sequence[ChunkDraft]
    ) -> list[int]:
        """Store a memory with its chunks, recallable at commit; the chunk ids, in the order of chunk_index.

        For a source_id that has no version yet.
        """
        values = {
            **scope_values(scope),
            **draft_parameters(draft),
            "person_no": person.person_no,
            "shard_id": person.shard_id,
            "chunk_indexes": [chunk.chunk_index for chunk in chunks],
            "chunk_texts": [chunk.text for chunk in chunks],
            "vectors": [chunk.vector for chunk in chunks],
        }
        return await column(self._conn, _SQL.insert_completed, values)

    async def get(self, scope: Scope, source_id: str) -> Memory | None:
        """The served version, else the newest; None when missing or expired."""
        return (await self.get_many(scope, [source_id])).get(source_id)

    async def get_many(self, scope: Scope, source_ids: Sequence[str]) -> dict[str, Memory]:
        """Those of the ids that are stored, each as `get` gives it."""
        values = _of_ids(scope, source_ids)
        found = await every(self._conn, memory_of, _SQL.get_many, values)
        return {memory.source_id: memory for memory in found}

    async def by_interaction(self, scope: Scope, interaction_id: UUID) -> Memory | None:
        """The interaction's own memory; None when it was deleted or has expired."""
        values = {**scope_values(scope), "interaction_id": interaction_id}
        return await first(self._conn, memory_of, _SQL.by_interaction, values)

    async def page(
        self,
        scope: Scope,
        kind: MemoryKind | None,
        channel: str,
        session_id: str,
        times: TimeRange,
        filter: Filter | None,
        page: PageRequest,
    ) -> list[Memory]:
        """Newest first by version; page key (version,). One row per source_id: the served version, else the newest.

        Stops early at the row whose text takes the sum over REPLY_BYTES_MAX. An empty channel or session_id means any.
        """
        condition, operands = filter_sql(filter)
        values = {
            **scope_values(scope),
            **operands,
            "kind": kind.value if kind else "",
            "channel": channel,
            "session_id": session_id,
            "start": times.start,
            "end": times.end,
            "after": page.after[0] if page.after else _VERSION_MAX,
            "size": page.size,
            "bytes_max": REPLY_BYTES_MAX,
        }
        query = _SQL.page.format(filter=condition)
        return await every(self._conn, memory_of, query, values)

    async def update(self, memory: Memory) -> Memory:
        """Write title, text, pairs, metadata, additional_metadata and pinned of exactly this version, vectors untouched.

        Raises NotFound when the version is gone or expired.
        """
        values = {
            **scope_values(memory.scope),
            "source_id": memory.source_id,
            "version": memory.version,
            "title": memory.title,
            "text": memory.text,
            "pairs": as_jsonb([{"user": p.user, "assistant": p.assistant} for p in memory.pairs]),
            "metadata": as_jsonb(memory.metadata),
            "additional_metadata": as_jsonb(memory.additional_metadata),
            "pinned": memory.pinned,
        }
        written = await first(self._conn, memory_of, _SQL.update, values)
        if written is None:
            raise NotFound("memory")
        return written

    async def delete(self, scope: Scope, source_ids: Sequence[str]) -> tuple[int, list[int]]:
        """All versions, with the messages of an interaction; (number of source_ids that existed, chunk ids removed).

        A source_id all of whose versions have expired is removed but not counted.
        """
        return await self._removed(_SQL.delete, _of_ids(scope, source_ids))

    async def delete_expired(
        self, scope: Scope, source_ids: Sequence[str]
    ) -> tuple[int, list[int]]:
        """Only the versions that have expired, for the sweep; (source_ids that lost one, chunk ids removed)."""
        return await self._removed(_SQL.delete_expired, _of_ids(scope, source_ids))

    async def oldest_beyond(
        self, scope: Scope, kind: MemoryKind, keep: int, limit: int
    ) -> list[str]:
        """Up to `limit` source_ids, oldest first, of unpinned COMPLETED memories of the kind beyond the newest `keep`.

        The newest are those with the latest occurred_at, of equal ones the last accepted. Fewer than `limit` when their texts sum up
        to CUT_BYTES_MAX, but at least one.
        """
        values = {
            **scope_values(scope),
            "kind": kind.value,
            "keep": keep,
            "limit": limit,
            "bytes_max": CUT_BYTES_MAX,
        }
        return await column(self._conn, _SQL.oldest_beyond, values)

    async def cut(
        self, scope: Scope, kind: MemoryKind, keep: int, limit: int
    ) -> tuple[int, list[int]]:
        """Delete what `oldest_beyond` finds; (how many memories, the removed chunk ids)."""
        surplus = await self.oldest_beyond(scope, kind, keep, limit)
        return len(surplus), (await self.delete(scope, surplus))[1] if surplus else []

    async def over_plan(
        self, keep: Mapping[Plan, int], tenant_id: str, after: tuple[str, str], limit: int
    ) -> list[Surplus]:
        """The next `limit` people of tenants with these plans (or of that one tenant), by (tenant_id, end_user_id)."""
        after_tenant, after_user = after
        values = {
            "plans": [plan.value for plan in keep],
            "keeps": list(keep.values()),
            "kinds": [kind.value for kind in CUT_KINDS],
            "tenant_id": tenant_id,
            "after_tenant": after_tenant,
            "after_user": after_user,
            "limit": limit,
        }
        return await every(self._conn, surplus_of, _SQL.over_plan, values)

    async def expired(self, tenant_id: str, limit: int) -> list[tuple[Scope, str]]:
        """Some memories of that tenant ('': of any) with an expired version, longest expired first, for the sweep."""
        query = _SQL.expired_of_tenant if tenant_id else _SQL.expired
        values = {"tenant_id": tenant_id, "limit": limit}
        return await every(self._conn, expired_of, query, values)

    async def count(self, scope: Scope) -> int:
        """The person's memories (each source_id once), expired ones left out; reads a counter, not the memories."""
        return int(await scalar(self._conn, _SQL.count, scope_values(scope)))

    async def allowed_chunks(
        self,
        scope: Scope,
        filter: Filter,
    ) -> NDArray[np.int64]:
        """Ids of the chunks whose memory passes the filter, ascending, for a filtered search."""
        condition, operands = filter_sql(filter)
        query = _CHUNK_SQL.allowed.format(filter=condition)
        cursor = self._conn.cursor(binary=True)
        await cursor.execute(query, {**scope_values(scope), **operands})
        row = await cursor.fetchone()
        packed = row[0] if row and row[0] else b""
        return np.frombuffer(packed, dtype=">i8").astype(np.int64)

    async def fetch_chunks(
        self, wanted: Mapping[Scope, Collection[int]]
    ) -> dict[tuple[Scope, int], FoundChunk]:
        """Those of each scope's chunks that are in it, COMPLETED, neither deleted nor expired.

        The memory beside a chunk has the chunk's text for its own, and no pairs: a thousand chunks may share one long text.
        """
        values = {
            "tenant_ids": [scope.tenant_id for scope in wanted],
            "stores": [scope.store.value for scope in wanted],
            "end_user_ids": [scope.end_user_id for scope in wanted],
            # The driver takes long over lists of numbers.
            "chunk_lists": [",".join(map(str, chunk_ids)) for chunk_ids in wanted.values()],
        }
        cursor = self._conn.cursor(row_factory=args_row(found_chunk_of))
        await cursor.execute(_CHUNK_SQL.fetch, values)
        found = await cursor.fetchall()
        return {(chunk.memory.scope, chunk.chunk_id): chunk for chunk in found}

    async def status(self, scope: Scope, source_ids: Sequence[str]) -> dict[str, ProcessingStatus]:
        """Of the newest version of each id that is stored."""
        values = _of_ids(scope, source_ids)
        found = await every(self._conn, processing_status_of, _SQL.status, values)
        return {status.source_id: status for status in found}

    async def newest_version(self, scope: Scope) -> int:
        """The highest version in the scope, 0 when there is none."""
        return int(await scalar(self._conn, _SQL.newest_version, scope_values(scope)))

    async def unfinished(self, scope: Scope, limit: int) -> list[MemoryProgress]:
        """The oldest versions that are not COMPLETED."""
        values = {**scope_values(scope), "limit": limit}
        return await every(self._conn, memory_progress_of, _SQL.unfinished, values)

    async def progress(
        self, scope: Scope, versions: Sequence[int], after: int, limit: int
    ) -> list[MemoryProgress]:
        """How far these versions are that are still there, and up to `limit` newer than `after`; by version."""
        values = {**scope_values(scope), "versions": list(versions), "after": after, "limit": limit}
        return await every(self._conn, memory_progress_of, _SQL.progress, values)

    async def _removed(self, query: sql.SQL, values: dict[str, Any]) -> tuple[int, list[int]]:
        count, chunk_ids = await one(self._conn, _counted, query, values)
        return int(count), list(chunk_ids)


def _of_ids(scope: Scope, source_ids: Sequence[str]) -> dict[str, Any]:
    return {**scope_values(scope), "source_ids": list(source_ids)}


def _counted(*, count: int, chunk_ids: Sequence[int]) -> tuple[int, Sequence[int]]:
    return count, chunk_ids
