"""Running one statement and turning its rows into domain objects."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from psycopg import AsyncConnection, sql
from psycopg.rows import TupleRow, kwargs_row

T = TypeVar("T")
Connection = AsyncConnection[TupleRow]
Query = sql.SQL | sql.Composed
Values = Sequence[Any] | Mapping[str, Any] | None


async def every(
    conn: Connection, make: Callable[..., T], query: Query, values: Values = None
) -> list[T]:
    """All rows, each made by `make(**columns)`."""
    cursor = conn.cursor(row_factory=kwargs_row(make))
    await cursor.execute(query, values)
    return await cursor.fetchall()


async def first(
    conn: Connection, make: Callable[..., T], query: Query, values: Values = None
) -> T | None:
    """The first row, or None."""
    cursor = conn.cursor(row_factory=kwargs_row(make))
    await cursor.execute(query, values)
    return await cursor.fetchone()


async def one(conn: Connection, make: Callable[..., T], query: Query, values: Values = None) -> T:
    """The row of a statement that always gives one."""
    row = await first(conn, make, query, values)
    if row is None:
        raise LookupError("the statement gave no row")
    return row


async def scalar(conn: Connection, query: Query, values: Values = None) -> Any:
    """The first column of the first row; None when there is no row."""
    row = await (await conn.execute(query, values)).fetchone()
    return None if row is None else row[0]


async def column(conn: Connection, query: Query, values: Values = None) -> list[Any]:
    """The first column of every row."""
    return [row[0] for row in await (await conn.execute(query, values)).fetchall()]
