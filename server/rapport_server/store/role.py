"""The roles and the database that must exist before the first migration."""

from contextlib import suppress

import psycopg
from psycopg import sql

from rapport_server.startup import StartupError
from rapport_server.store.conninfo import APP, OWNER
from rapport_server.store.sqlfile import load

_Q = load("role")
_CONNECT_SECONDS_MAX = 10
_SERVER_VERSION_MIN = 160_000  # pg_input_is_valid, by which filters tell a time from other text


async def ensure_database(admin: str, name: str, *, template: str | None = None) -> None:
    """Make owner role, app role and the database `name` where they are missing; `admin` is a superuser's conninfo.

    With a template the new database is a copy of that one, which nobody may be connected to.
    """
    database = sql.Identifier(name)
    async with await psycopg.AsyncConnection.connect(admin, autocommit=True) as conn:
        for role in (OWNER, APP):
            if not await _exists(conn, _Q.role_exists, role):
                await conn.execute(_Q.create_login_role.format(role=sql.Identifier(role)))
        if not await _exists(conn, _Q.database_exists, name):
            create = _Q.create_database if template is None else _Q.clone_database
            names = {"database": database, "owner": sql.Identifier(OWNER)}
            if template is not None:
                names["template"] = sql.Identifier(template)
            await conn.execute(create.format(**names))
        await conn.execute(_Q.close_database.format(database=database))
        await conn.execute(_Q.open_database.format(database=database, app=sql.Identifier(APP)))


async def ensure_app_role(owner: str) -> None:
    """On a server of the operator's: make the app role and let the owner's sessions take it.

    Raises StartupError with the two statements an administrator has to run, when the owner may not.
    """
    app = sql.Identifier(APP)
    async with await connect(owner) as conn:
        try:
            if not await _exists(conn, _Q.role_exists, APP):
                # Another server may make it in the meantime.
                with suppress(psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
                    await conn.execute(_Q.create_group_role.format(role=app))
            if not await _exists(conn, _Q.may_become, APP, APP):
                await conn.execute(_Q.grant_app.format(app=app))
        except psycopg.errors.InsufficientPrivilege as error:
            user = sql.Identifier(conn.info.user).as_string(conn)
            raise StartupError(
                f"the database user {user} may not make the role that serves. Let an administrator run:\n"
                f"  CREATE ROLE {APP} NOLOGIN;\n"
                f"  GRANT {APP} TO {user};"
            ) from error


async def connect(conninfo: str) -> psycopg.AsyncConnection:
    """A connection in autocommit mode. Raises StartupError, without the password, when there is none to be had."""
    try:
        conn = await psycopg.AsyncConnection.connect(
            conninfo, autocommit=True, connect_timeout=_CONNECT_SECONDS_MAX
        )
    except psycopg.OperationalError as error:
        raise StartupError(f"cannot connect to the database: {str(error).strip()}") from error
    if (version := conn.info.server_version) < _SERVER_VERSION_MIN:
        await conn.close()
        raise StartupError(
            f"this Postgres is {version // 10_000}.{version % 10_000}; Rapport needs 16 or newer"
        )
    return conn


async def _exists(conn: psycopg.AsyncConnection, query: sql.SQL, *values: str) -> bool:
    row = await (await conn.execute(query, values)).fetchone()
    return row is not None and bool(row[0])
