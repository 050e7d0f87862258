"""The database's side of the shards: where their logs end, what changed since, and whole images."""

from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from rapport_server.domain.ports import Change, Position, ShardImage, ShardKey
from rapport_server.store.database import PostgresDatabase
from rapport_server.store.query import Connection
from rapport_server.store.sqlfile import load

_SQL = load("shard")
# About 1.6 MB of vectors at 384 dimensions: few enough round trips, and a short moment of the event loop to receive them.
_SCAN_ROWS = 2_048

Vectors = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float16]]


class PostgresFeed:
    """Implements `domain.ports.ChangeFeed`; `dimension` is that of every stored vector."""

    def __init__(self, database: PostgresDatabase, dimension: int) -> None:
        self._database = database
        self._dimension = dimension

    async def head(self, key: ShardKey) -> Position | None:
        """Where the shard's log ends; None when the database has no such shard."""
        async with self._database.session() as session:
            return await _head(session.conn, key)

    async def since(self, key: ShardKey, seq: int, limit: int) -> list[Change]:
        """At most `limit` changes numbered `seq` and above, in order; empty when the log no longer reaches back to `seq`.

        A vector added by one of them and gone meanwhile is left out; the change that removed it follows.
        """
        async with self._database.session() as session:
            conn = session.conn
            values = {"tenant": key.tenant_id, "shard": key.shard_id, "seq": seq, "limit": limit}
            rows = await (await conn.execute(_SQL.changes_since, values)).fetchall()
            if not rows or rows[0][0] != seq:
                return []
            wanted = sorted({chunk_id for row in rows for chunk_id in row[2]})
            stored = await self._vectors(conn, key, wanted)
        return [_change(row, stored) for row in rows]

    async def scan(self, key: ShardKey) -> AsyncIterator[ShardImage]:
        """The whole shard in batches of one snapshot; the first may be empty but always comes, if there is the shard.

        Holds a connection until it is read to the end or closed: leave it early only through `contextlib.aclosing`.
        """
        async with self._database.transaction() as tx:
            await tx.conn.execute(_SQL.freeze)
            position = await _head(tx.conn, key)
            if position is None:
                return
            after = 0
            while True:
                ids, persons, vectors = await self._batch(tx.conn, key, after)
                if len(ids) or not after:
                    yield ShardImage(position, ids, persons, vectors)
                if len(ids) < _SCAN_ROWS:
                    return
                after = int(ids[-1])

    async def _batch(self, conn: Connection, key: ShardKey, after: int) -> Vectors:
        return await self._fetch(
            conn,
            _SQL.scan,
            {"tenant": key.tenant_id, "shard": key.shard_id, "after": after, "limit": _SCAN_ROWS},
        )

    async def _vectors(self, conn: Connection, key: ShardKey, ids: Sequence[int]) -> Vectors:
        if not ids:
            return self._decode((None, None, None))
        return await self._fetch(conn, _SQL.vectors_of, {"tenant": key.tenant_id, "ids": ids})

    async def _fetch(self, conn: Connection, query: Any, values: dict[str, Any]) -> Vectors:
        # Planned each time: a plan kept from when the shard was small would scan the whole table.
        cursor = await conn.cursor(binary=True).execute(query, values, prepare=False)
        row = await cursor.fetchone()
        assert row is not None
        return self._decode(row)

    def _decode(self, row: Sequence[bytes | None]) -> Vectors:
        ids, persons, vectors = (part or b"" for part in row)
        return (
            np.frombuffer(ids, ">i8").astype(np.int64),
            np.frombuffer(persons, ">i8").astype(np.int64),
            np.frombuffer(vectors, "<f2").reshape(-1, self._dimension),
        )


async def _head(conn: Connection, key: ShardKey) -> Position | None:
    values = {"tenant": key.tenant_id, "shard": key.shard_id}
    row = await (await conn.execute(_SQL.head, values)).fetchone()
    return None if row is None else Position(*row)


def _change(row: tuple[int, UUID, list[int], list[int], list[int]], stored: Vectors) -> Change:
    seq, token, added, removed, dropped = row
    ids, persons, vectors = stored
    wanted = np.sort(np.asarray(added, np.int64))
    places = np.searchsorted(ids, wanted)
    places = places[places < len(ids)]
    places = places[ids[places] == wanted[: len(places)]]
    return Change(
        position=Position(seq, token),
        added=ids[places],
        persons=persons[places],
        vectors=vectors[places],
        removed=np.asarray(removed, np.int64),
        dropped=np.asarray(dropped, np.int64),
    )
