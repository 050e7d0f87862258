"""What tests of the store put into it."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from rapport_server.domain.memories import ChunkDraft, FoundChunk, Memory, MemoryDraft, Scope
from rapport_server.domain.people import Person
from rapport_server.domain.storage import PageRequest, TimeRange, Transaction
from rapport_server.domain.tenants import Plan, Tenant
from rapport_server.store.database import PostgresDatabase, PostgresTransaction

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
MAYA = Scope("acme", "maya")
# Ids that a prefix, a pattern, a path or a fold of case would take for one another.
STRANGE_IDS = (
    "a",
    "A",
    "a-b",
    "a/b",
    "a%",
    "a_",
    "../a",
    "a ",
    "ä",
    "a\u0308",
    "'; --",
    "{a}",
    "%s",
    "語" * 85 + "x",
)


def make_tenant(tenant_id: str, **fields: Any) -> Tenant:
    settings: dict[str, Any] = {
        "plan": Plan.ENTERPRISE,
        "metadata_schema": (),
        "default_end_user_id": "",
        "initial_trust": 0.0,
        "infer_default": False,
        "allow_llm": False,
        "create_time": NOON,
        "update_time": NOON,
    }
    return Tenant(tenant_id=tenant_id, **(settings | fields))


def subject(scope: Scope) -> bytes:
    return hashlib.sha256(f"{scope.tenant_id}\0{scope.end_user_id}".encode()).digest()


async def begin(tx: Transaction, scope: Scope = MAYA) -> Person:
    """The person, locked and there."""
    arrival = await tx.people.arrival(scope.tenant_id, subject(scope))
    await tx.people.lock(scope.tenant_id, subject(scope), arrival.epoch)
    return await tx.people.begin(scope.tenant_id, scope.end_user_id, 0.0, NOON)


def vector(seed: int = 0, dimension: int = 8) -> bytes:
    return np.random.default_rng(seed).normal(size=dimension).astype(np.float16).tobytes()


async def enqueue(store: PostgresDatabase, *drafts: MemoryDraft, scope: Scope = MAYA) -> None:
    async with store.transaction() as tx:
        await tx.memories.enqueue(scope, await begin(tx, scope), drafts)


async def complete(
    store: PostgresDatabase, draft: MemoryDraft, *, scope: Scope = MAYA, pieces: int = 1
) -> list[int]:
    """Store a COMPLETED memory; its chunk ids."""
    texts: Sequence[str | None] = [None] if pieces == 1 else [f"piece {i}" for i in range(pieces)]
    chunks = [ChunkDraft(i, text, vector(i)) for i, text in enumerate(texts)]
    async with store.transaction() as tx:
        person = await begin(tx, scope)
        ids = await tx.memories.insert_completed(scope, person, draft, chunks)
        await tx.shards.append(scope.tenant_id, person.shard_id, added=ids)
        return ids


async def finish_queue(store: PostgresDatabase, dimension: int = 8) -> None:
    """Do the worker's work on everything that waits, with one chunk for each memory."""
    while True:
        async with store.session() as session:
            claimed = await session.queue.claim("", 256, 30.0)
        if not claimed:
            return
        work = [(item, [ChunkDraft(0, None, vector(item.version, dimension))]) for item in claimed]
        async with store.transaction() as tx:
            for shard_id, (added, removed) in (await tx.queue.complete_many(work)).items():
                await tx.shards.append(claimed[0].scope.tenant_id, shard_id, added, removed)


async def page(
    store: PostgresDatabase, scope: Scope = MAYA, size: int = 100, after: int | None = None
) -> list[Memory]:
    request = PageRequest(size, None if after is None else (after,))
    async with store.session() as session:
        return await session.memories.page(scope, None, "", "", TimeRange(), None, request)


async def fetch(
    tx: PostgresTransaction, scope: Scope, chunk_ids: Sequence[int]
) -> dict[int, FoundChunk]:
    """The scope's living chunks of these ids."""
    found = await tx.memories.fetch_chunks({scope: chunk_ids})
    assert {of for of, _ in found} <= {scope}
    return {chunk_id: chunk for (_, chunk_id), chunk in found.items()}
