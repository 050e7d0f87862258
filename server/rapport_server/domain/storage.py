"""The storage port: one transaction, and on it one Protocol per table group.

Every method works inside the caller's transaction; the caller owns order and commit. Order of locks, the same everywhere: person
(sorted) → rows → audit head → shard heads (sorted), so that no two transactions can wait for each other.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from rapport_server.domain.analysis import Analysis
from rapport_server.domain.audit import AuditEvent, AuditEventKind, AuditRecord, ChainVerdict
from rapport_server.domain.erasure import ErasureCounts, PendingErasure, Receipt
from rapport_server.domain.filters import Filter
from rapport_server.domain.memories import (
    ChunkDraft,
    Claimed,
    FoundChunk,
    Memory,
    MemoryDraft,
    MemoryKind,
    ProcessingStatus,
    QueueItem,
    Scope,
    Store,
)
from rapport_server.domain.people import Arrival, Message, MessageRole, Person
from rapport_server.domain.ports import Position, ShardKey
from rapport_server.domain.relation import RelationPoint
from rapport_server.domain.tenants import ApiKey, ApiKeyRole, Plan, StoreStatus, Tenant


@dataclass(frozen=True, slots=True)
class TimeRange:
    """start ≤ t < end; None is open."""

    start: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Keyset paging: at most `size` rows after the row whose key is `after` (None: from the start)."""

    size: int
    after: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a person's vectors live, and where that shard's log ends; None fields: the person is not stored."""

    person_no: int
    shard_id: int
    head: Position


@dataclass(frozen=True, slots=True)
class Installation:
    """What this database was set up with; None until it is."""

    secrets_fingerprint: str | None
    model_name: str | None
    model_fingerprint: str | None
    dimension: int | None


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """A request_id seen before. `erased`: the person it was about is gone."""

    body_hash: bytes
    result: dict[str, Any]
    erased: bool


class Installations(Protocol):
    """Table installation, one row."""

    async def get(self) -> Installation:
        """The row."""
        ...

    async def lock(self) -> None:
        """Lock the row until the transaction ends: one first start at a time."""
        ...

    async def set_secrets_fingerprint(self, fingerprint: str) -> Installation:
        """Fill it if it is empty; the row as it stands then."""
        ...

    async def set_model(self, name: str, fingerprint: str, dimension: int) -> Installation:
        """Fill all three if they are empty; the row as it stands then."""
        ...


class Tenants(Protocol):
    """Table tenant."""

    async def insert(self, tenant: Tenant) -> bool:
        """False when the id exists. create_time and update_time are the database's."""
        ...

    async def get(self, tenant_id: str) -> Tenant | None:
        """The tenant, None when it does not exist."""
        ...

    async def lock(self, tenant_id: str) -> Tenant | None:
        """The row, locked until the transaction ends."""
        ...

    async def closed(self) -> list[str]:
        """Tenants that were closed and not yet deleted."""
        ...

    async def close(self, tenant_id: str) -> bool:
        """From the commit on nobody sees the tenant and no new person can begin; False when it does not exist."""
        ...

    async def update(self, tenant: Tenant) -> Tenant:
        """Write the settings; raises NotFound when the tenant is gone."""
        ...

    async def delete(self, tenant_id: str) -> bool:
        """The tenant's row, keys (not operators'), shard heads and changes; people must have been erased before. False when it is gone."""
        ...

    async def page(self, page: PageRequest) -> list[Tenant]:
        """By tenant_id; page key (tenant_id,)."""
        ...

    async def status(self, tenant_id: str, store: Store) -> StoreStatus:
        """What the store holds now."""
        ...


class Keys(Protocol):
    """Table api_key."""

    async def insert(
        self,
        tenant_id: str,
        key_id: str,
        role: ApiKeyRole,
        secret_hash: bytes,
        expire_time: datetime | None,
    ) -> ApiKey:
        """Store a key's hash; the key."""
        ...

    async def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        """By id alone, with the hash of its secret."""
        ...

    async def revoke(self, tenant_id: str, key_id: str) -> ApiKey | None:
        """None when the tenant has no such key; revoking twice is fine. Notifies every process."""
        ...

    async def page(self, tenant_id: str, page: PageRequest) -> list[ApiKey]:
        """By key_id; page key (key_id,)."""
        ...

    async def any(self) -> bool:
        """Whether any key was ever made."""
        ...


class People(Protocol):
    """Tables person_epoch and end_user."""

    async def arrival(self, tenant_id: str, subject_hash: bytes) -> Arrival:
        """The person's epoch (0 when never seen) without a lock."""
        ...

    async def lock(self, tenant_id: str, subject_hash: bytes, epoch: int) -> datetime:
        """Lock the person for this transaction (making the lock row if needed); the database's clock after that.

        Raises Erased when the epoch is no longer the given one.
        """
        ...

    async def lock_many(self, subjects: Sequence[tuple[str, bytes]]) -> None:
        """Lock several persons (tenant_id, subject_hash) in sorted order, whatever their epochs."""
        ...

    async def bump(self, tenant_id: str, subject_hash: bytes) -> int:
        """Lock the person and raise the epoch; the new one."""
        ...

    async def get(self, tenant_id: str, end_user_id: str) -> Person | None:
        """The person's row, None for a stranger."""
        ...

    async def begin(
        self, tenant_id: str, end_user_id: str, initial_trust: float, at: datetime
    ) -> Person:
        """The person's row, made (and placed in a shard with room) if it is missing; call after `lock`.

        Raises NotFound when the tenant is gone.
        """
        ...

    async def save(
        self,
        person: Person,
    ) -> None:
        """Write state, counts, times, user_name and time_zone back."""
        ...

    async def placed(self, tenant_id: str, end_user_id: str) -> Placed | None:
        """One cheap query for Recall."""
        ...

    async def page(
        self, tenant_id: str, assignment: str, page: PageRequest
    ) -> list[tuple[Person, int]]:
        """With each person's number of stored memories, by end_user_id; page key (end_user_id,)."""
        ...

    async def ids(self, tenant_id: str, limit: int) -> list[str]:
        """Some end_user_ids, for a tenant's deletion."""
        ...


class Messages(Protocol):
    """Tables message and relation_point."""

    async def insert(
        self,
        scope: Scope,
        interaction_id: UUID,
        role: MessageRole,
        text: str,
        channel: str,
        session_id: str,
        occurred_at: datetime,
        analysis: Analysis,
    ) -> None:
        """Store one message; `analysis` counts only for the person's own."""
        ...

    async def of_interaction(self, scope: Scope, interaction_id: UUID) -> list[Message]:
        """The one or two messages of an interaction, the person's first."""
        ...

    async def page(
        self,
        scope: Scope,
        newest_first: bool,
        channel: str,
        session_id: str,
        times: TimeRange,
        page: PageRequest,
    ) -> list[Message]:
        """By (occurred_at, message_id); page key the same two."""
        ...

    async def insert_point(self, scope: Scope, point: RelationPoint) -> None:
        """point_id is made by the database."""
        ...

    async def point_of_interaction(
        self, scope: Scope, interaction_id: UUID
    ) -> RelationPoint | None:
        """The state right after an interaction, None when it is not stored."""
        ...

    async def list_points(
        self, scope: Scope, times: TimeRange, newest_first: bool, page: PageRequest
    ) -> list[RelationPoint]:
        """By point_id (order of arrival); page key (point_id,)."""
        ...


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

    async def cut(self, scope: Scope, kind: MemoryKind, keep: int, limit: int) -> list[int]:
        """Delete up to `limit` unpinned COMPLETED memories of the kind beyond the newest `keep`, oldest first; the chunk ids."""
        ...

    async def over_plan(
        self, keep: Mapping[Plan, int], limit: int
    ) -> list[tuple[Scope, MemoryKind, int]]:
        """Scopes and kinds with more memories than their tenant's plan keeps, and how many it keeps."""
        ...

    async def expired(self, limit: int) -> list[tuple[Scope, str]]:
        """Some memories of any tenant with an expired version, longest expired first, for the sweep."""
        ...

    async def count(self, scope: Scope) -> int:
        """Memories stored (each source_id once), expired ones left out."""
        ...

    async def allowed_chunks(self, scope: Scope, filter: Filter) -> NDArray[np.int64]:
        """Ids of the chunks whose memory passes the filter, for a filtered search."""
        ...

    async def fetch_chunks(self, scope: Scope, chunk_ids: Sequence[int]) -> dict[int, FoundChunk]:
        """Those of the chunks that are in the scope, COMPLETED, neither deleted nor expired.

        The memory beside a chunk has the chunk's text for its own, and no pairs: a thousand chunks may share one long text.
        """
        ...

    async def status(self, scope: Scope, source_ids: Sequence[str]) -> dict[str, ProcessingStatus]:
        """Of the newest version of each id that is stored."""
        ...


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


class Shards(Protocol):
    """Tables shard_head and shard_change."""

    async def append(
        self,
        tenant_id: str,
        shard_id: int,
        added: Sequence[int] = (),
        removed: Sequence[int] = (),
        dropped: Sequence[int] = (),
        dropped_vectors: int = 0,
    ) -> Position:
        """The last statement of a writing transaction: take the next number under the head's row lock and log the change.

        `dropped` are person numbers whose whole list goes, with `dropped_vectors` vectors in it. Raises Conflict when the
        tenant's shard is gone.
        """
        ...

    async def create(self, tenant_id: str, shard_id: int) -> bool:
        """Make an empty shard whose log starts with change 0; False when it exists."""
        ...

    async def prune(self, keep: int) -> int:
        """Forget some changes more than `keep` numbers behind their head; how many."""
        ...

    async def keys(self) -> list[ShardKey]:
        """Every shard of every tenant."""
        ...

    async def ids(self, tenant_id: str) -> list[int]:
        """The tenant's shards."""
        ...


class Requests(Protocol):
    """Table request_record."""

    async def begin(
        self, tenant_id: str, request_hash: bytes, body_hash: bytes, subject_hash: bytes
    ) -> RequestRecord | None:
        """Claim the id for this transaction, waiting for one that holds it; the earlier record if it is already used."""
        ...

    async def finish(self, tenant_id: str, request_hash: bytes, result: Mapping[str, Any]) -> None:
        """Keep what a replay needs; commits with the work."""
        ...

    async def get(self, tenant_id: str, request_hash: bytes) -> RequestRecord | None:
        """The record of an id, without claiming it; None when it is new."""
        ...

    async def reduce(self, tenant_id: str, subject_hash: bytes) -> int:
        """Erase everything but the keyed hash of the id from a person's records; how many."""
        ...

    async def expire(self, hours: int, limit: int) -> int:
        """Delete records older than so many hours, at most `limit`; how many."""
        ...


class Audit(Protocol):
    """Table audit_event, append-only."""

    async def append(self, tenant_id: str, record: AuditRecord) -> AuditEvent:
        """Add a row to the tenant's chain, in the transaction of what it records."""
        ...

    async def page(
        self,
        tenant_id: str,
        kind: AuditEventKind | None,
        times: TimeRange,
        newest_first: bool,
        page: PageRequest,
    ) -> list[AuditEvent]:
        """By sequence; page key (sequence,)."""
        ...

    async def verify(self, tenant_id: str) -> ChainVerdict:
        """Recompute the whole chain in one snapshot, in batches, against the stored hashes and the head."""
        ...


class Erasures(Protocol):
    """Tables erasure, erasure_replica and server_process, and the deletion itself."""

    async def count(self, tenant_id: str, end_user_id: str, subject_hash: bytes) -> ErasureCounts:
        """What `delete_person` would delete; nothing is touched."""
        ...

    async def delete_person(
        self, tenant_id: str, end_user_id: str, subject_hash: bytes
    ) -> tuple[ErasureCounts, Person | None]:
        """Delete every row of the person, however many; counts and the row that was there."""
        ...

    async def remaining(
        self, tenant_id: str, end_user_id: str, subject_hash: bytes, person_no: int
    ) -> int:
        """Rows of the person left in any table that can hold some; 0 when nothing is left.

        Call it with the person locked: the same id may come back at any moment after.
        """
        ...

    async def remaining_of_number(
        self, tenant_id: str, person_no: int, end_user_id: str | None
    ) -> int:
        """Rows left under a number, which is never used twice, so that one who came back is not counted.

        The end_user_id only makes it faster.
        """
        ...

    async def insert(self, receipt: Receipt, person_no: int, shard_id: int) -> tuple[str, ...]:
        """Store the receipt and one pending row per known process, notify them; their ids."""
        ...

    async def get(self, tenant_id: str, receipt_id: str) -> Receipt | None:
        """As it stands now: verified, and which processes are pending."""
        ...

    async def set_verified(self, tenant_id: str, receipt_id: str) -> None:
        """The verification pass found nothing."""
        ...

    async def pending_of(self, process_id: str) -> list[PendingErasure]:
        """What this process has still to drop, oldest first."""
        ...

    async def confirm(self, process_id: str, tenant_id: str, receipt_id: str) -> bool:
        """This process has dropped the person; True when it was the last one pending."""
        ...

    async def register(self, process_id: str) -> None:
        """Make this process known (or refresh its heartbeat)."""
        ...


class Transaction(Protocol):
    """One transaction, or one autocommitting session for reads."""

    @property
    def installation(self) -> Installations:
        """Table group installation."""
        ...

    @property
    def tenants(self) -> Tenants:
        """Table group tenants."""
        ...

    @property
    def keys(self) -> Keys:
        """Table group keys."""
        ...

    @property
    def people(self) -> People:
        """Table group people."""
        ...

    @property
    def messages(self) -> Messages:
        """Table group messages."""
        ...

    @property
    def memories(self) -> Memories:
        """Table group memories."""
        ...

    @property
    def queue(self) -> Queue:
        """Table group queue."""
        ...

    @property
    def shards(self) -> Shards:
        """Table group shards."""
        ...

    @property
    def requests(self) -> Requests:
        """Table group requests."""
        ...

    @property
    def audit(self) -> Audit:
        """Table group audit."""
        ...

    @property
    def erasures(self) -> Erasures:
        """Table group erasures."""
        ...


class Database(Protocol):
    """A pool of connections."""

    def transaction(self, *, pipelined: bool = False) -> AbstractAsyncContextManager[Transaction]:
        """Commits on success, rolls back on any exception; psycopg errors leave as leaves of the error tree.

        Pipelined, a statement whose rows nobody reads does not wait for its answer; counts of affected rows are unknown.
        """
        ...

    def session(self) -> AbstractAsyncContextManager[Transaction]:
        """For reads: every statement commits by itself, no BEGIN round trip."""
        ...

    def listen(self) -> AsyncIterator[dict[str, Any]]:
        """Notices of every process, without end: {"kind": …, …}.

        {"kind": "listening"} comes first and again after every reconnection: notices before it may have been missed.
        """
        ...

    async def vacuum_person_tables(self) -> None:
        """Reclaim the dead rows of what was just erased, as the owner."""
        ...
