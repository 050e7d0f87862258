"""What `rapport doctor` asks the database; sessions that cannot write."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from rapport_server.domain.ports import Position, ShardKey
from rapport_server.store import migrate
from rapport_server.store.query import Connection, scalar
from rapport_server.store.sqlfile import load

_SQL = load("inspection")


@dataclass(frozen=True, slots=True)
class Role:
    """Who serves: the role, the login behind it, and what either may."""

    name: str
    login: str
    superuser: bool
    login_superuser: bool
    administers: bool
    changes_audit: bool
    owns_tables: bool


@dataclass(frozen=True, slots=True)
class Migrations:
    """The schema against this program's files: names not yet applied, applied ones it does not have, changed ones."""

    missing: tuple[str, ...]
    unknown: tuple[str, ...]
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Process:
    """A server process: seconds since its last sign of life, and erasures it has not confirmed."""

    process_id: str
    silent_s: float
    pending: int


def read_only(conninfo: str) -> str:
    """The same connection, unable to write."""
    options = str(conninfo_to_dict(conninfo).get("options") or "")
    return make_conninfo(conninfo, options=f"{options} -c default_transaction_read_only=on".strip())


async def server(conn: Connection) -> tuple[str, int]:
    """Version of the server, bytes of the database."""
    row = await (await conn.execute(_SQL.server)).fetchone()
    assert row is not None
    return str(row[0]), int(row[1])


async def migrations(conn: Connection, directory: Path = migrate.MIGRATIONS) -> Migrations:
    """Compare what was applied with the files of this program."""
    ours = {m.version: (m.name, m.checksum) for m in migrate.read(directory)}
    applied: dict[int, tuple[str, str]] = {}
    if await scalar(conn, _SQL.migrated):
        rows = await (await conn.execute(_SQL.migrations)).fetchall()
        applied = {version: (name, checksum) for version, name, checksum in rows}
    return Migrations(
        missing=tuple(name for version, (name, _) in ours.items() if version not in applied),
        unknown=tuple(name for version, (name, _) in applied.items() if version not in ours),
        changed=tuple(
            name
            for version, (name, checksum) in applied.items()
            if version in ours and ours[version] != (name, checksum)
        ),
    )


async def role(conn: Connection) -> Role:
    """The role of this session."""
    row = await (await conn.execute(_SQL.role)).fetchone()
    assert row is not None
    return Role(*row)


async def errored(conn: Connection) -> list[tuple[str, int]]:
    """Memories that could not be indexed: reason and count, the commonest first."""
    rows = await (await conn.execute(_SQL.errored)).fetchall()
    return [(str(reason), int(count)) for reason, count in rows]


async def processes(conn: Connection) -> list[Process]:
    """All known processes, the liveliest first."""
    rows = await (await conn.execute(_SQL.processes)).fetchall()
    return [Process(*row) for row in rows]


async def unverified(conn: Connection) -> int:
    """Receipts that are not verified although no known process has still to confirm."""
    return int(await scalar(conn, _SQL.unverified))


async def heads(conn: Connection, limit: int) -> dict[ShardKey, Position]:
    """Where the logs of at most `limit` shards end."""
    rows = await (await conn.execute(_SQL.heads, {"limit": limit})).fetchall()
    return {ShardKey(tenant, shard): Position(seq, token) for tenant, shard, seq, token in rows}


async def token_at(conn: Connection, key: ShardKey, seq: int) -> UUID | None:
    """The token of one change; None when the log does not reach back to it or was never there."""
    values = {"tenant": key.tenant_id, "shard": key.shard_id, "seq": seq}
    token: UUID | None = await scalar(conn, _SQL.token_at, values)
    return token


async def chains(conn: Connection, limit: int) -> Sequence[tuple[str, int]]:
    """Audit chains with their lengths, at most `limit`, the shortest first."""
    return await (await conn.execute(_SQL.chains, {"limit": limit})).fetchall()
