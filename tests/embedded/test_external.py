"""A server of the operator's: the embedded one plays it, entered by a user of the operator's own."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from rapport_server.embedded import DataDir, EmbeddedPostgres
from rapport_server.startup import StartupError
from rapport_server.store import role
from rapport_server.store.conninfo import Conninfo
from rapport_server.store.migrate import migrate
from rapport_server.store.role import ensure_app_role
from tests.fix_postgres import Database


@pytest.fixture
async def admin(data_dir: Path) -> AsyncIterator[psycopg.AsyncConnection]:
    """A superuser's connection to a server that knows nothing of Rapport's roles."""
    with DataDir.open(data_dir):
        async with (
            EmbeddedPostgres(data_dir, durable=False) as server,
            await psycopg.AsyncConnection.connect(server.admin_dsn, autocommit=True) as conn,
        ):
            await conn.execute("DROP DATABASE rapport")
            await conn.execute("DROP ROLE rapport_app")
            await conn.execute("DROP ROLE rapport_owner")
            yield conn


async def url_of(admin: psycopg.AsyncConnection, user: str) -> str:
    await admin.execute(f"CREATE DATABASE theirs OWNER {user}".encode())
    socket = conninfo_to_dict(admin.info.dsn)["host"]
    return f"postgresql://{user}@/theirs?host={socket}&options=-c%20statement_timeout%3D9s"


async def assert_serves(conninfo: Conninfo) -> None:
    async with await psycopg.AsyncConnection.connect(conninfo.app) as conn:
        seen = await conn.execute(
            "SELECT current_user, current_setting('search_path'), current_setting('statement_timeout')"
        )
        assert await seen.fetchone() == ("rapport_app", "rapport", "9s")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await conn.execute("CREATE TABLE mine (n int)")


@pytest.mark.parametrize("power", ["CREATEROLE", "SUPERUSER"])
async def test_a_user_that_may_make_roles_needs_no_administrator(
    admin: psycopg.AsyncConnection, power: str
) -> None:
    await admin.execute(f"CREATE ROLE theirs LOGIN {power}".encode())
    conninfo = Conninfo.from_url(await url_of(admin, "theirs"))
    await ensure_app_role(conninfo.owner)
    await ensure_app_role(conninfo.owner)
    assert await migrate(conninfo.owner)
    await assert_serves(conninfo)


async def test_a_user_without_power_is_given_the_two_statements(
    admin: psycopg.AsyncConnection,
) -> None:
    await admin.execute('CREATE ROLE "the user" LOGIN')
    conninfo = Conninfo.from_url(
        (await url_of(admin, '"the user"')).replace('"the user"', "the%20user")
    )
    with pytest.raises(StartupError) as caught:
        await ensure_app_role(conninfo.owner)
    statements = [line.strip() for line in str(caught.value).splitlines()[1:]]
    assert statements == [
        "CREATE ROLE rapport_app NOLOGIN;",
        'GRANT rapport_app TO "the user";',
    ]
    for statement in statements:
        await admin.execute(statement.encode())
    await ensure_app_role(conninfo.owner)
    await migrate(conninfo.owner)
    await assert_serves(conninfo)


async def test_a_user_that_may_not_make_the_schema_is_told_so(
    admin: psycopg.AsyncConnection,
) -> None:
    await admin.execute("CREATE ROLE theirs LOGIN SUPERUSER")
    await admin.execute("CREATE ROLE guest LOGIN")
    url = (await url_of(admin, "theirs")).replace("theirs@", "guest@")
    with pytest.raises(StartupError, match='GRANT CREATE ON DATABASE "theirs" TO "guest"'):
        await migrate(Conninfo.from_url(url).owner)


async def test_a_server_that_is_not_there_is_named_without_the_password() -> None:
    url = "postgresql://someone:s3cret@127.0.0.1:1/x"
    with pytest.raises(StartupError, match=r"127\.0\.0\.1") as caught:
        await ensure_app_role(Conninfo.from_url(url).owner)
    assert "s3cret" not in str(caught.value)


async def test_a_postgres_too_old_is_refused_with_its_version_before_anything_is_made(
    make_database: Callable[..., Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(role, "_SERVER_VERSION_MIN", 990_000)
    dsn = make_database(migrated=False).owner_dsn
    async with await psycopg.AsyncConnection.connect(dsn) as conn:
        version = conn.info.server_version
        for reach in (ensure_app_role, migrate):
            with pytest.raises(StartupError, match="Rapport needs 16 or newer") as caught:
                await reach(dsn)
            assert f"is {version // 10_000}.{version % 10_000};" in str(caught.value)
        seen = await conn.execute("SELECT to_regnamespace('rapport')")
        assert await seen.fetchone() == (None,)


def test_what_is_no_connection_string_is_refused_without_showing_it() -> None:
    with pytest.raises(StartupError, match="RAPPORT_DATABASE_URL") as caught:
        Conninfo.from_url("postgresql://u:s3cret@h/x?nonsense=1")
    assert "s3cret" not in str(caught.value)
    assert "s3cret" not in repr(Conninfo.from_url("postgresql://u:s3cret@h/x"))
