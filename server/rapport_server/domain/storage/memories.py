"""Memories and their chunks."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from rapport_server.domain.filters import Filter
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
from rapport_server.domain.retention import Surplus
from rapport_server.domain.storage.ranges import PageRequest, TimeRange
from rapport_server.domain.tenants import Plan


class Memories(Protocol):
    """Tables memory and chunk."""

    async def existing(self, scope: Scope, source_ids: Sequence[str]) -> set[str]:
        """Which of the ids are stored (any version, not expired)."""
        ...

    async def enqueue(self, scope: Scope, person: Person, drafts: Sequence[MemoryDraft]) -> None:
        """Store drafts as new QUEUED versions; older versions that are not COMPLETED go, a COMPLETED one stays served."""
        ...

    async def insert_completed(
        self, scope: Scope, person: Person, draft: MemoryDraft, chunks: Sequence[ChunkDraft]
    ) -> list[int]:
        """Store a memory with its chunks, recallable at commit; the chunk ids."""
        ...

    async def get(self, scope: Scope, source_id: str) -> Memory | None:
        """The served version, else the newest; None when missing or expired."""
        ...

    async def get_many(self, scope: Scope, source_ids: Sequence[str]) -> dict[str, Memory]:
        """`get` for many ids; those that are stored."""
        ...

    async def by_interaction(self, scope: Scope, interaction_id: UUID) -> Memory | None:
        """The memory of an interaction, None when it is not stored."""
        ...

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

        Stops early at the row whose text takes the sum over REPLY_BYTES_MAX, so that a page costs bounded memory: a reply that is cut
        at that size, with a token made from the last row it holds, leaves nothing out.
        """
        ...

    async def update(self, memory: Memory) -> Memory:
        """Write title, text, pairs, metadata, additional_metadata and pinned of exactly this version, vectors untouched.

        Raises NotFound when the version is gone or expired.
        """
        ...

    async def delete(self, scope: Scope, source_ids: Sequence[str]) -> tuple[int, list[int]]:
        """All versions, with the messages of an interaction; (number of source_ids that existed, chunk ids removed).

        A source_id all of whose versions have expired is removed but not counted.
        """
        ...

    async def delete_expired(
        self, scope: Scope, source_ids: Sequence[str]
    ) -> tuple[int, list[int]]:
        """Only the versions that have expired, for the sweep; (source_ids that lost one, chunk ids removed)."""
        ...

    async def cut(
        self, scope: Scope, kind: MemoryKind, keep: int, limit: int
    ) -> tuple[int, list[int]]:
        """Delete unpinned COMPLETED memories of the kind beyond the newest `keep`, oldest first; (how many, the chunk ids).

        The newest are those with the latest occurred_at, of equal ones the last accepted. At most `limit`, and none once the texts
        of those before sum up to CUT_BYTES_MAX.
        """
        ...

    async def over_plan(
        self, keep: Mapping[Plan, int], tenant_id: str, after: tuple[str, str], limit: int
    ) -> list[Surplus]:
        """The next `limit` people of tenants with these plans (or of that one tenant), by (tenant_id, end_user_id)."""
        ...

    async def expired(self, tenant_id: str, limit: int) -> list[tuple[Scope, str]]:
        """Some memories of that tenant ('': of any) with an expired version, longest expired first, for the sweep."""
        ...

    async def count(self, scope: Scope) -> int:
        """The person's memories (each source_id once), expired ones left out."""
        ...

    async def allowed_chunks(self, scope: Scope, filter: Filter) -> NDArray[np.int64]:
        """Ids of the chunks whose memory passes the filter, for a filtered search."""
        ...

    async def fetch_chunks(
        self, wanted: Mapping[Scope, Collection[int]]
    ) -> dict[tuple[Scope, int], FoundChunk]:
        """Those of each scope's chunks that are in it, COMPLETED, neither deleted nor expired.

        The memory beside a chunk has the chunk's text for its own, and no pairs: a thousand chunks may share one long text.
        """
        ...

    async def status(self, scope: Scope, source_ids: Sequence[str]) -> dict[str, ProcessingStatus]:
        """Of the newest version of each id that is stored."""
        ...

    async def newest_version(self, scope: Scope) -> int:
        """The highest version in the scope, 0 when there is none."""
        ...

    async def unfinished(self, scope: Scope, limit: int) -> list[MemoryProgress]:
        """The oldest versions that are not COMPLETED."""
        ...

    async def progress(
        self, scope: Scope, versions: Sequence[int], after: int, limit: int
    ) -> list[MemoryProgress]:
        """How far these versions are that are still there, and up to `limit` newer than `after`; by version."""
        ...
