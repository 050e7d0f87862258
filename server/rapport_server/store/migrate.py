"""Numbered SQL files, applied in order, each in one transaction, by one process at a time."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg
import structlog

from rapport_server.startup import StartupError
from rapport_server.store.role import connect
from rapport_server.store.sqlfile import load

MIGRATIONS = Path(__file__).parent / "migrations"

_Q = load("migrate")
_FILE_NAME = re.compile(r"(\d{4})_([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\.sql")
# Any number does that no other program on the same database takes: the bytes of "rapport".
_LOCK_KEY = int.from_bytes(b"rapport")
# Another process may be migrating a large table.
_LOCK_WAIT = "10min"

_log = structlog.get_logger(__name__)


class MigrationError(StartupError):
    """The database does not fit the migrations of this program, or one of them failed."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One file: its number, its name, and the SHA-256 of its bytes in hex."""

    version: int
    name: str
    checksum: str
    text: str


async def migrate(owner: str, directory: Path = MIGRATIONS) -> tuple[str, ...]:
    """Bring the database up to the newest file, as its owner; returns the names of those applied now.

    Safe to call from several processes at once: one works, the others wait and then find nothing to do. Raises
    MigrationError when an applied file has changed, the database is newer than the program, or a file fails, which leaves
    the database at the file before.
    """
    migrations = read(directory)
    done: list[str] = []
    async with await connect(owner) as conn:
        while (name := await _apply_next(conn, migrations)) is not None:
            _log.info("applied a migration", migration=name)
            done.append(name)
    return tuple(done)


def read(directory: Path) -> tuple[Migration, ...]:
    """The migrations in `directory`, numbered 1, 2, 3 … without a gap, else MigrationError."""
    found = []
    for path in sorted(directory.glob("*.sql")):
        match = _FILE_NAME.fullmatch(path.name)
        if match is None:
            raise MigrationError(f"{path.name} is not named NNNN_verb_object.sql")
        content = path.read_bytes()
        checksum = hashlib.sha256(content).hexdigest()
        found.append(Migration(int(match[1]), path.stem, checksum, content.decode("utf-8")))
    if [m.version for m in found] != list(range(1, len(found) + 1)):
        raise MigrationError(f"the numbers of the files in {directory} have a gap or a double")
    return tuple(found)


async def _apply_next(conn: psycopg.AsyncConnection, migrations: Sequence[Migration]) -> str | None:
    async with conn.transaction():
        await conn.execute(_Q.limit_wait, (_LOCK_WAIT,))
        try:
            await conn.execute(_Q.lock, (_LOCK_KEY,))
        except psycopg.errors.LockNotAvailable as error:
            raise MigrationError(
                f"another process has been migrating this database for {_LOCK_WAIT}"
            ) from error
        applied = await _applied(conn)
        _check(applied, migrations)
        if len(applied) == len(migrations):
            return None
        migration = migrations[len(applied)]
        try:
            # Our own file; without parameters, so that it may hold many statements.
            await conn.execute(migration.text.encode())
        except psycopg.Error as error:
            raise MigrationError(f"migration {migration.name} failed: {error}") from error
        await conn.execute(
            _Q.insert_applied, (migration.version, migration.name, migration.checksum)
        )
        return migration.name


async def _applied(conn: psycopg.AsyncConnection) -> list[tuple[int, str, str]]:
    try:
        if await (await conn.execute(_Q.schema_exists)).fetchone() is None:
            await conn.execute(_Q.create_schema)
        await conn.execute(_Q.create_table)
    except psycopg.errors.InsufficientPrivilege as error:
        user, database = conn.info.user, conn.info.dbname
        raise MigrationError(
            f'the user "{user}" may not make the schema "rapport" in the database "{database}". Let an administrator run:\n'
            f'  GRANT CREATE ON DATABASE "{database}" TO "{user}";'
        ) from error
    return await (await conn.execute(_Q.list_applied)).fetchall()


def _check(applied: Sequence[tuple[int, str, str]], migrations: Sequence[Migration]) -> None:
    if len(applied) > len(migrations):
        newest = applied[-1][1]
        raise MigrationError(
            f"the database is newer than this program (it has {newest}, this program ends at "
            f"{migrations[-1].name if migrations else 'nothing'}): install the newer Rapport"
        )
    for (version, name, checksum), migration in zip(applied, migrations, strict=False):
        if (version, name, checksum) != (migration.version, migration.name, migration.checksum):
            raise MigrationError(
                f"the database was made with another text of migration {name} than this program has "
                f"({migration.name}): use the Rapport it was made with, or another database"
            )
