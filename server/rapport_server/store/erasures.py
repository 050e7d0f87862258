"""Deleting a person, looking whether anything is left, and the receipts that say so."""

from dataclasses import asdict
from typing import Any
from uuid import UUID

from psycopg.rows import kwargs_row
from psycopg.sql import SQL, Composed, Identifier, Placeholder
from psycopg.types.json import Jsonb

from rapport_server.domain.erasure import ErasureCounts, ErasureReason, PendingErasure, Receipt
from rapport_server.domain.memories import Store
from rapport_server.domain.people import Person
from rapport_server.domain.relation import RelationState
from rapport_server.store.query import Connection
from rapport_server.store.requests import RequestTable
from rapport_server.store.sqlfile import load

_SQL = load("erasure")
# These outlive the person on purpose and hold nothing but the keyed hash or the number.
_MAY_STAY = frozenset({"person_epoch", "audit_event", "erasure"})
# The column by which a table's rows are found, the best indexed first.
_IDENTITIES = ("end_user_id", "subject_hash", "person_no")
_STORES = [store.value for store in Store]


class ErasureTable:
    """Implements `domain.storage.erasures.Erasures` on one connection."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    async def count(self, tenant_id: str, end_user_id: str, subject_hash: bytes) -> ErasureCounts:
        """What `delete_person` would delete; touches nothing."""
        values = {**_person(tenant_id, end_user_id), "subject": subject_hash}
        cursor = self._conn.cursor(row_factory=kwargs_row(ErasureCounts))
        await cursor.execute(_SQL.count, values, prepare=False)
        counts = await cursor.fetchone()
        assert counts is not None
        return counts

    async def delete_person(
        self, tenant_id: str, end_user_id: str, subject_hash: bytes
    ) -> tuple[ErasureCounts, Person | None]:
        """Delete every row of the person, however many; counts and the row that was there."""
        values = _person(tenant_id, end_user_id)
        messages = await self._delete(_SQL.delete_messages, values)
        cursor = await self._conn.execute(_SQL.delete_memories, values, prepare=False)
        row = await cursor.fetchone()
        assert row is not None
        memories, queued = row
        chunks = await self._delete(_SQL.delete_chunks, values)
        points = await self._delete(_SQL.delete_points, values)
        relations = await self._delete(_SQL.delete_person_relations, values)
        cursor = await self._conn.execute(_SQL.delete_triggers, values, prepare=False)
        row = await cursor.fetchone()
        assert row is not None
        (triggers,) = row
        cursor = await self._conn.execute(_SQL.delete_person, values, prepare=False)
        found = await cursor.fetchone()
        person = None if found is None else _as_person(found)
        requests = await RequestTable(self._conn).reduce(tenant_id, subject_hash)
        counts = ErasureCounts(
            messages=messages,
            memories=memories,
            chunks=chunks,
            vectors=chunks,
            person_relations=relations,
            relation_state=points + (person is not None),
            triggers=triggers,
            queued_items=queued,
            idempotency_records=requests,
        )
        return counts, person

    async def remaining(
        self, tenant_id: str, end_user_id: str, subject_hash: bytes, person_no: int
    ) -> int:
        """Rows of the person left in any table of the schema, whichever there are; 0 when nothing is left.

        Call it with the person locked: the same id may come back at any moment after.
        """
        identities = {
            "end_user_id": end_user_id,
            "subject_hash": subject_hash,
            "person_no": person_no,
        }
        return sum(
            [
                await self._rows(tenant_id, table, {name: identities[name]}, has_store)
                for table, columns, has_store in await self._person_tables()
                for name in [next(name for name in _IDENTITIES if name in columns)]
            ]
        )

    async def remaining_of_number(
        self, tenant_id: str, person_no: int, end_user_id: str | None
    ) -> int:
        """Rows left under a number, which is never used twice, so that one who came back is not counted.

        The end_user_id only makes it faster.
        """
        known: dict[str, Any] = {"person_no": person_no}
        if end_user_id is not None:
            known["end_user_id"] = end_user_id
        return sum(
            [
                await self._rows(
                    tenant_id, table, {c: v for c, v in known.items() if c in columns}, has_store
                )
                for table, columns, has_store in await self._person_tables()
                if "person_no" in columns
            ]
        )

    async def _person_tables(self) -> list[tuple[str, list[str], bool]]:
        tables = await (await self._conn.execute(_SQL.person_tables)).fetchall()
        return [table for table in tables if table[0] not in _MAY_STAY]

    async def _rows(
        self, tenant_id: str, table: str, identities: dict[str, Any], has_store: bool
    ) -> int:
        query = _count_rows(table, list(identities), has_store)
        values = {"tenant_id": tenant_id, "stores": _STORES, **identities}
        row = await (await self._conn.execute(query, values, prepare=False)).fetchone()
        assert row is not None
        return int(row[0])

    async def insert(self, receipt: Receipt, person_no: int, shard_id: int) -> tuple[str, ...]:
        """Store the receipt and one pending row per known process, notify them; their ids."""
        values: dict[str, Any] = {
            **_key(receipt.tenant_id, receipt.receipt_id),
            "subject": receipt.subject_hash,
            "person_no": person_no,
            "shard": shard_id,
            "counts": Jsonb(asdict(receipt.counts)),
            "verified": receipt.verified,
            "erased_at": receipt.erased_at,
            "audit_sequence": receipt.audit_sequence,
            "audit_hash": receipt.audit_hash,
            "reason": receipt.reason.value,
            "ticket": receipt.ticket,
        }
        await self._conn.execute(_SQL.insert, values)
        row = await (await self._conn.execute(_SQL.insert_replicas, values)).fetchone()
        assert row is not None
        await self._conn.execute(_SQL.notify)
        return tuple(row[0])

    async def get(self, tenant_id: str, receipt_id: str) -> Receipt | None:
        """As it stands now; verified only when nobody is pending. None for an id that is no receipt of the tenant."""
        try:
            values = _key(tenant_id, receipt_id)
        except ValueError:
            return None
        row = await (await self._conn.execute(_SQL.get, values)).fetchone()
        if row is None:
            return None
        receipt, tenant, subject, counts, verified, pending, *rest = row
        erased_at, audit_sequence, audit_hash, reason, ticket = rest
        return Receipt(
            receipt_id=str(receipt),
            tenant_id=tenant,
            subject_hash=subject,
            counts=ErasureCounts(**counts),
            verified=verified and not pending,
            replicas_pending=tuple(pending),
            erased_at=erased_at,
            audit_sequence=audit_sequence,
            audit_hash=audit_hash,
            reason=ErasureReason(reason),
            ticket=ticket,
        )

    async def set_verified(self, tenant_id: str, receipt_id: str) -> None:
        """The verification pass found nothing."""
        await self._conn.execute(_SQL.set_verified, _key(tenant_id, receipt_id))

    async def pending_of(self, process_id: str) -> list[PendingErasure]:
        """What this process has still to drop, oldest first."""
        cursor = await self._conn.execute(_SQL.pending_of, {"process": process_id})
        return [
            PendingErasure(tenant, str(receipt), subject, shard_id, person_no)
            for tenant, receipt, subject, shard_id, person_no in await cursor.fetchall()
        ]

    async def confirm(self, process_id: str, tenant_id: str, receipt_id: str) -> bool:
        """This process has dropped the person; True when it was the last one pending."""
        values = {**_key(tenant_id, receipt_id), "process": process_id}
        # The lock makes two processes that confirm at once take turns, so that one of them sees that it is the last.
        async with self._conn.transaction():
            await self._conn.execute(_SQL.lock, values)
            confirmed = (await self._conn.execute(_SQL.confirm, values)).rowcount
            row = await (await self._conn.execute(_SQL.any_pending, values)).fetchone()
        assert row is not None
        return confirmed == 1 and not row[0]

    async def register(self, process_id: str) -> None:
        """Make this process known, or refresh its heartbeat."""
        await self._conn.execute(_SQL.register, {"process": process_id})

    async def _delete(self, query: SQL, values: dict[str, Any]) -> int:
        return (await self._conn.execute(query, values, prepare=False)).rowcount


def _person(tenant_id: str, end_user_id: str) -> dict[str, Any]:
    return {"tenant": tenant_id, "end_user": end_user_id, "stores": _STORES}


def _key(tenant_id: str, receipt_id: str) -> dict[str, Any]:
    return {"tenant": tenant_id, "receipt": UUID(receipt_id)}


def _count_rows(table: str, identities: list[str], has_store: bool) -> Composed:
    query = SQL("SELECT count(*) FROM {} WHERE tenant_id = {}").format(
        Identifier(table), Placeholder("tenant_id")
    )
    for name in identities:
        query += SQL(" AND {} = {}").format(Identifier(name), Placeholder(name))
    if has_store:
        # The column stands before the person in the keys of these tables.
        query += SQL(" AND store = ANY({})").format(Placeholder("stores"))
    if table == "request_record":
        query += SQL(" AND NOT erased")
    return query


def _as_person(row: tuple[Any, ...]) -> Person:
    tenant, end_user, person_no, shard, trust, sentiment, grudge, familiarity, state_time, *rest = (
        row
    )
    interactions, known_since, last_seen, update_time, user_name, time_zone, assignments = rest
    return Person(
        tenant_id=tenant,
        end_user_id=end_user,
        person_no=person_no,
        shard_id=shard,
        state=RelationState(trust, sentiment, grudge, familiarity, state_time),
        interaction_count=interactions,
        known_since=known_since,
        last_seen=last_seen,
        update_time=update_time,
        user_name=user_name,
        time_zone=time_zone,
        assignments=tuple(assignments),
    )
