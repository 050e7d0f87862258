"""What the tests of the store begin with: an open database, a tenant, a person, queued texts."""

import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import numpy as np

from rapport_server.domain.memories import ChunkDraft, Claimed, MemoryDraft, Scope
from rapport_server.domain.people import Person
from rapport_server.domain.tenants import Plan, Tenant
from rapport_server.store.database import PostgresDatabase
from tests.fix_postgres import Database

DIMENSION = 8
AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


@asynccontextmanager
async def opened(database: Database) -> AsyncIterator[PostgresDatabase]:
    """The pool on a test's database."""
    db = PostgresDatabase(database.app_dsn, database.owner_dsn)
    await db.open()
    try:
        yield db
    finally:
        await db.close()


def subject(tenant_id: str, end_user_id: str) -> bytes:
    return hashlib.sha256(f"{tenant_id}\0{end_user_id}".encode()).digest()


class Hasher:
    """The subject hash of the tests."""

    def subject_hash(self, tenant_id: str, end_user_id: str) -> bytes:
        return subject(tenant_id, end_user_id)


async def person(
    db: PostgresDatabase, tenant_id: str = "acme", end_user_id: str = "maya"
) -> Person:
    """The person, with tenant and shard, made when missing."""
    tenant = Tenant(tenant_id, Plan.ENTERPRISE, (), "", 0.0, False, False, AT, AT)
    async with db.transaction() as tx:
        await tx.tenants.insert(tenant)
        arrival = await tx.people.arrival(tenant_id, subject(tenant_id, end_user_id))
        await tx.people.lock(tenant_id, subject(tenant_id, end_user_id), arrival.epoch)
        return await tx.people.begin(tenant_id, end_user_id, 0.0, AT)


async def enqueue(
    db: PostgresDatabase, texts: Sequence[str], tenant_id: str = "acme", end_user_id: str = "maya"
) -> Scope:
    """Queue texts; each is its own source_id, or the part before a colon is."""
    scope = Scope(tenant_id, end_user_id)
    who = await person(db, tenant_id, end_user_id)
    drafts = [MemoryDraft(source_id=text.partition(":")[0][:200], text=text) for text in texts]
    async with db.transaction() as tx:
        await tx.people.lock_many([(tenant_id, subject(tenant_id, end_user_id))])
        await tx.memories.enqueue(scope, who, drafts)
    return scope


def chunks(*values: float) -> list[ChunkDraft]:
    """One chunk per value, its vector filled with it."""
    return [
        ChunkDraft(index, f"piece {index}", np.full(DIMENSION, value, np.float16).tobytes())
        for index, value in enumerate(values)
    ]


async def claim(db: PostgresDatabase, limit: int = 100, lease_s: float = 60.0) -> list[Claimed]:
    async with db.session() as session:
        return await session.queue.claim("", limit, lease_s)


async def index(db: PostgresDatabase, items: Sequence[Claimed], value: float = 1.0) -> None:
    """Complete items as the worker does, one chunk each."""
    async with db.transaction() as tx:
        owned = await tx.queue.owned(items)
        changes = await tx.queue.complete_many(
            [(item, chunks(value)) for item in items if item.version in owned]
        )
        for shard_id, (added, removed) in sorted(changes.items()):
            await tx.shards.append(items[0].scope.tenant_id, shard_id, added, removed)
