"""The migration runner, against a real database."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from rapport_server.store.migrate import MIGRATIONS, MigrationError, migrate, read
from tests.fix_postgres import Database

FIRST = "CREATE TABLE a (n int); INSERT INTO a VALUES (1); -- 100 % plain\n"
SECOND = "ALTER TABLE a ADD COLUMN m int; UPDATE a SET m = n + 1;\n"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "0001_create_a.sql").write_text(FIRST)
    (tmp_path / "0002_extend_a.sql").write_text(SECOND)
    return tmp_path


@pytest.fixture
def empty(make_database: Callable[..., Database]) -> Database:
    return make_database(migrated=False)


def rows(database: Database, query: str) -> list[tuple[object, ...]]:
    with psycopg.connect(database.owner_dsn) as conn:
        return conn.execute(query.encode()).fetchall()


async def test_the_shipped_files_apply_once(empty: Database) -> None:
    names = tuple(migration.name for migration in read(MIGRATIONS))
    assert await migrate(empty.owner_dsn) == names
    assert await migrate(empty.owner_dsn) == ()
    assert rows(empty, "SELECT name FROM schema_migration ORDER BY version") == [
        (n,) for n in names
    ]


async def test_files_apply_in_order_as_the_owner(empty: Database, directory: Path) -> None:
    assert await migrate(empty.owner_dsn, directory) == ("0001_create_a", "0002_extend_a")
    assert rows(empty, "SELECT n, m FROM rapport.a") == [(1, 2)]
    owner = "SELECT tableowner FROM pg_tables WHERE schemaname = 'rapport' AND tablename = 'a'"
    assert rows(empty, owner) == [("rapport_owner",)]


async def test_a_failing_file_leaves_the_database_at_the_file_before(
    empty: Database, directory: Path
) -> None:
    bad = directory / "0002_extend_a.sql"
    bad.write_text("UPDATE a SET n = 99; SELECT nonsense;")
    with pytest.raises(MigrationError, match=r"0002_extend_a failed.*nonsense"):
        await migrate(empty.owner_dsn, directory)
    assert rows(empty, "SELECT n FROM a") == [(1,)]
    bad.write_text(SECOND)
    assert await migrate(empty.owner_dsn, directory) == ("0002_extend_a",)


async def test_a_changed_file_is_refused(empty: Database, directory: Path) -> None:
    await migrate(empty.owner_dsn, directory)
    (directory / "0001_create_a.sql").write_text(FIRST + "\n")
    with pytest.raises(MigrationError, match="another text of migration 0001_create_a"):
        await migrate(empty.owner_dsn, directory)


async def test_a_database_newer_than_the_program_is_refused(
    empty: Database, directory: Path
) -> None:
    await migrate(empty.owner_dsn, directory)
    (directory / "0002_extend_a.sql").unlink()
    with pytest.raises(MigrationError, match=r"newer than this program \(it has 0002_extend_a"):
        await migrate(empty.owner_dsn, directory)


async def test_processes_that_start_at_once_apply_each_file_once(
    empty: Database, directory: Path
) -> None:
    (directory / "0001_create_a.sql").write_text("SELECT pg_sleep(0.2);" + FIRST)
    done = await asyncio.gather(*(migrate(empty.owner_dsn, directory) for _ in range(6)))
    assert sorted(name for names in done for name in names) == ["0001_create_a", "0002_extend_a"]
    assert rows(empty, "SELECT n, m FROM a") == [(1, 2)]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["0001_create_a.sql", "0003_create_c.sql"], "gap"),
        (["0001_create_a.sql", "0001_create_b.sql"], "double"),
        (["1_create_a.sql"], "NNNN_verb_object"),
        (["0001_create.sql"], "NNNN_verb_object"),
    ],
)
def test_misnamed_files_are_refused(tmp_path: Path, names: list[str], message: str) -> None:
    for name in names:
        (tmp_path / name).write_text("SELECT 1;")
    with pytest.raises(MigrationError, match=message):
        read(tmp_path)


def test_each_database_of_a_test_is_fresh_and_migrated(
    make_database: Callable[..., Database],
) -> None:
    one, other = make_database(), make_database()
    with psycopg.connect(one.owner_dsn) as conn:
        conn.execute("CREATE TABLE only_here (n int)")
    query = "SELECT count(*) FROM pg_tables WHERE tablename = 'only_here'"
    assert rows(one, query) == [(1,)]
    assert rows(other, query) == [(0,)]
    with psycopg.connect(other.app_dsn) as conn:
        assert conn.execute("SELECT current_user").fetchone() == ("rapport_app",)
