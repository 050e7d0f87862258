"""One real Postgres for the whole run, and a fresh migrated database for each test that asks for one."""

import asyncio
import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from rapport_server.embedded import DataDir, EmbeddedPostgres
from rapport_server.store import role
from rapport_server.store.conninfo import OWNER, Conninfo
from rapport_server.store.migrate import migrate
from rapport_server.store.sqlfile import load

TEMPLATE = "rapport_template"


_MEMORY = Path("/dev/shm")
_MEMORY_BYTES_MIN = 4 << 30


def open_directory() -> Path:
    """A new directory every account may pass through, for the caller to remove.

    Not below pytest's own: that is closed to the account root's Postgres runs under, and in a container root may be unable to
    pass on the right to enter it. In memory where there is plenty: a database is hundreds of files, and making them is most
    of what a test of this kind waits for.
    """
    roomy = _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _MEMORY_BYTES_MIN
    directory = Path(tempfile.mkdtemp(prefix="rapport-test-", dir=_MEMORY if roomy else None))
    directory.chmod(0o711)
    return directory


@dataclass(frozen=True)
class Database:
    """A database of one test, dropped after it."""

    name: str
    conninfo: Conninfo
    admin_dsn: str

    @property
    def owner_dsn(self) -> str:
        return self.conninfo.owner

    @property
    def app_dsn(self) -> str:
        return self.conninfo.app


@pytest.fixture(scope="session")
def postgres() -> Iterator[EmbeddedPostgres]:
    """The server of this run, with a migrated template database that nobody is connected to."""
    directory = open_directory()
    bin_dir = os.environ.get("PG_BIN")
    # A loop of its own that only runs at both ends, so that the loops of the tests are left alone.
    loop = asyncio.new_event_loop()
    try:
        with DataDir.open(directory):
            server = EmbeddedPostgres(
                directory, bin_dir=Path(bin_dir) if bin_dir else None, durable=False
            )
            loop.run_until_complete(server.start())
            try:
                loop.run_until_complete(role.ensure_database(server.admin_dsn, TEMPLATE))
                loop.run_until_complete(migrate(_conninfo(server, TEMPLATE).owner))
                yield server
            finally:
                loop.run_until_complete(server.stop(clean_seconds=2))
    finally:
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
        shutil.rmtree(directory)


@pytest.fixture
def make_database(postgres: EmbeddedPostgres) -> Iterator[Callable[..., Database]]:
    """Makes databases, migrated ones or (`migrated=False`) empty ones, and drops them after the test."""
    names: list[str] = []
    queries = load("role")

    def make(*, migrated: bool = True) -> Database:
        name = f"test_{uuid.uuid4().hex[:12]}"
        create = queries.clone_database if migrated else queries.create_database
        parts = {"database": name, "owner": OWNER} | ({"template": TEMPLATE} if migrated else {})
        with psycopg.connect(postgres.admin_dsn, autocommit=True) as conn:
            conn.execute(
                create.format(**{key: sql.Identifier(value) for key, value in parts.items()})
            )
        names.append(name)
        admin = make_conninfo(postgres.admin_dsn, dbname=name)
        return Database(name, _conninfo(postgres, name), admin)

    yield make
    with psycopg.connect(postgres.admin_dsn, autocommit=True) as conn:
        for name in names:
            conn.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def database(make_database: Callable[..., Database]) -> Database:
    """A fresh, migrated, empty database."""
    return make_database()


def _conninfo(server: EmbeddedPostgres, name: str) -> Conninfo:
    return Conninfo(
        make_conninfo(server.owner_dsn, dbname=name), make_conninfo(server.app_dsn, dbname=name)
    )
