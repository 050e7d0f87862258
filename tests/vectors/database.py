"""A change feed in memory that keeps to what Postgres does: numbers, tokens, pruning, restores, snapshots."""

import asyncio
import copy
import uuid
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rapport_server.domain.ports import Change, Position, ShardImage, ShardKey

D = 16


@dataclass
class Entry:
    position: Position
    added: list[int]
    removed: list[int]
    dropped: list[int]


@dataclass
class Table:
    """One shard's rows (id → person, vector), its head and its log."""

    head: Position = field(default_factory=lambda: Position(0, uuid.uuid4()))
    rows: dict[int, tuple[int, NDArray[np.float16]]] = field(default_factory=dict)
    log: list[Entry] = field(default_factory=list)


class Database:
    """Implements ChangeFeed; `calls` counts what was asked, `hold` makes scans wait, `scanning` is set by one, `failure` is raised once."""

    def __init__(self, dimension: int = D) -> None:
        self.dimension = dimension
        self.tables: dict[ShardKey, Table] = {}
        self.calls = {"head": 0, "since": 0, "scan": 0}
        self.hold: asyncio.Event | None = None
        self.scanning = asyncio.Event()
        self.failure: Exception | None = None
        self.next_id = 1
        self.scan_rows = 50

    def create(self, key: ShardKey) -> None:
        self.tables[key] = Table()

    def commit(
        self,
        key: ShardKey,
        add: Mapping[int, NDArray[np.float16]] | None = None,
        remove: Iterable[int] = (),
        drop: Iterable[int] = (),
    ) -> list[int]:
        """One transaction: per person the vectors (n, dimension) to add; returns the new ids."""
        table = self.tables.setdefault(key, Table())
        removed, dropped, ids = list(remove), list(drop), []
        for chunk_id in removed:
            table.rows.pop(chunk_id, None)
        for person_no in dropped:
            for chunk_id in [i for i, (owner, _) in table.rows.items() if owner == person_no]:
                del table.rows[chunk_id]
        for person_no, vectors in (add or {}).items():
            for vector in vectors:
                table.rows[self.next_id] = (person_no, vector)
                ids.append(self.next_id)
                self.next_id += 1
        table.head = Position(table.head.seq + 1, uuid.uuid4())
        table.log.append(Entry(table.head, ids, removed, dropped))
        return ids

    def prune(self, key: ShardKey, keep: int) -> None:
        log = self.tables[key].log
        del log[: max(0, len(log) - keep)]

    def backup(self) -> dict[ShardKey, Table]:
        return copy.deepcopy(self.tables)

    def restore(self, saved: dict[ShardKey, Table]) -> None:
        self.tables = copy.deepcopy(saved)

    def head_of(self, key: ShardKey) -> Position:
        return self.tables[key].head

    async def head(self, key: ShardKey) -> Position | None:
        self.calls["head"] += 1
        await asyncio.sleep(0)
        table = self.tables.get(key)
        return table.head if table else None

    async def since(self, key: ShardKey, seq: int, limit: int) -> list[Change]:
        self.calls["since"] += 1
        await asyncio.sleep(0)
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure
        table = self.tables.get(key)
        if table is None or not table.log or table.log[0].position.seq > seq:
            return []
        entries = [entry for entry in table.log if entry.position.seq >= seq][:limit]
        return [self._change(table, entry) for entry in entries]

    async def scan(self, key: ShardKey) -> AsyncIterator[ShardImage]:
        self.calls["scan"] += 1
        self.scanning.set()
        table = copy.deepcopy(self.tables.get(key))
        if self.hold is not None:
            await self.hold.wait()
        if table is None:
            return
        ids = list(table.rows)
        for start in range(0, max(len(ids), 1), self.scan_rows):
            await asyncio.sleep(0)
            some = ids[start : start + self.scan_rows]
            yield ShardImage(
                table.head,
                _int64(some),
                _int64(table.rows[i][0] for i in some),
                self._vectors(table, some),
            )

    def _change(self, table: Table, entry: Entry) -> Change:
        live = [chunk_id for chunk_id in entry.added if chunk_id in table.rows]
        return Change(
            entry.position,
            _int64(live),
            _int64(table.rows[i][0] for i in live),
            self._vectors(table, live),
            _int64(entry.removed),
            _int64(entry.dropped),
        )

    def _vectors(self, table: Table, ids: list[int]) -> NDArray[np.float16]:
        if not ids:
            return np.empty((0, self.dimension), dtype=np.float16)
        return np.stack([table.rows[i][1] for i in ids])


def plain_scores(
    table: Table, person_no: int, query: NDArray[np.float32], allowed: Iterable[int] | None = None
) -> dict[int, float]:
    """Every score that a search may draw from, computed from the rows without any index."""
    wanted = None if allowed is None else set(allowed)
    return {
        chunk_id: float(vector.astype(np.float64) @ query.astype(np.float64))
        for chunk_id, (owner, vector) in table.rows.items()
        if owner == person_no and (wanted is None or chunk_id in wanted)
    }


def _int64(values: Iterable[int]) -> NDArray[np.int64]:
    return np.array(list(values), dtype=np.int64)


def unit(rng: np.random.Generator, count: int, dimension: int = D) -> NDArray[np.float16]:
    """Random vectors of length 1, float16 (count, dimension)."""
    vectors = rng.standard_normal((count, dimension))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors.astype(np.float16)
