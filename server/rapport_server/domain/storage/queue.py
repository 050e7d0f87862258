"""The memories that wait to be indexed."""

from collections.abc import Sequence
from typing import Protocol

from rapport_server.domain.memories import ChunkDraft, Claimed, QueueItem, Scope
from rapport_server.domain.storage.ranges import PageRequest


class Queue(Protocol):
    """The memory rows that wait to be indexed."""

    async def claim(
        self, after_tenant: str, limit: int, lease_s: float, *, long: bool = False
    ) -> list[Claimed]:
        """Take up to `limit` items of one tenant, the first one after `after_tenant` (round robin) that has any.

        An item whose lease ran out counts as waiting again; skips rows that others hold. Short texts and `long` ones
        (over LONG_TEXT_BYTES) are claimed apart, so that a book never stands in front of a sentence.
        """
        ...

    async def release(self, items: Sequence[Claimed]) -> None:
        """Give items back as if they had not been claimed; those whose lease is lost stay as they are."""
        ...

    async def renew(self, items: Sequence[Claimed], lease_s: float) -> None:
        """Extend the leases that are still ours."""
        ...

    async def owned(self, items: Sequence[Claimed]) -> set[int]:
        """Versions that still carry our lease token and are PROCESSING, locked until the transaction ends."""
        ...

    async def complete(
        self, item: Claimed, chunks: Sequence[ChunkDraft]
    ) -> tuple[list[int], list[int]]:
        """Store chunks, mark COMPLETED, delete older versions; (added chunk ids, removed chunk ids)."""
        ...

    async def complete_many(
        self, items: Sequence[tuple[Claimed, Sequence[ChunkDraft]]]
    ) -> dict[int, tuple[list[int], list[int]]]:
        """`complete` for a batch of one tenant in a handful of statements; per shard_id (added, removed)."""
        ...

    async def fail(self, item: Claimed, reason: str, message: str, final: bool) -> None:
        """Back to QUEUED for another attempt, or ERRORED when final; a no-op when the lease is lost."""
        ...

    async def bury_lost(self, attempts_max: int, limit: int) -> int:
        """Mark items ERRORED (WORKER_LOST) whose lease ran out with no attempts left; how many."""
        ...

    async def retry(self, scope: Scope, source_ids: Sequence[str]) -> list[str]:
        """ERRORED items back to QUEUED with attempts 0; the ids it changed."""
        ...

    async def page(self, tenant_id: str, page: PageRequest) -> list[QueueItem]:
        """Everything not COMPLETED, by version; page key (version,)."""
        ...

    async def depth(self) -> tuple[int, float]:
        """Waiting items of all tenants and the age of the oldest in seconds."""
        ...
