"""The pool of connections: transactions, notices, and what the driver's errors mean."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import Any, Self

import psycopg
import structlog
from psycopg import errors as pg
from psycopg_pool import AsyncConnectionPool

from rapport_server.domain.ports import ShardKey
from rapport_server.errors import Conflict, DeadlineExceeded, Internal, RapportError, Unavailable
from rapport_server.store.announcements import PAUSE_S, Announcements
from rapport_server.store.audit import AuditTable
from rapport_server.store.erasures import ErasureTable
from rapport_server.store.installation import InstallationTable
from rapport_server.store.keys import KeyTable
from rapport_server.store.memories import MemoryTable
from rapport_server.store.messages import MessageTable
from rapport_server.store.people import PeopleTable
from rapport_server.store.person_relations import PersonRelationTable
from rapport_server.store.query import Connection
from rapport_server.store.queue import QueueTable
from rapport_server.store.reading import ReadingTable
from rapport_server.store.requests import RequestTable
from rapport_server.store.shards import ShardTable
from rapport_server.store.sqlfile import load
from rapport_server.store.tenants import TenantTable
from rapport_server.store.triggers import TriggerTable

POOL_SIZE = 16  # on a few cores more connections only wait for each other inside Postgres
_WAITING_MAX = (
    1_024  # callers that wait for a connection; beyond it waiting would outlast their deadlines
)
_WAIT_S = 10.0  # how long one waits for a connection
_CONNECT_S = 10
_STATEMENT_S = 60  # an erase of a person with 100,000 memories takes seconds; beyond a minute something is stuck
_IDLE_S = 60  # a transaction that says nothing for so long has lost its process
_PREPARE_AFTER = (
    0  # at once: statements repeat endlessly, and only prepared ones have generic plans
)
_PREPARED_MAX = 256  # all of ours and the commonest filters
_RECONNECT_S = (0.1, 5.0)  # wait after the first failure to listen, and the longest

_SQL = load("database")
_log = structlog.get_logger(__name__)


class PostgresTransaction:
    """One transaction, or one autocommitting session for reads."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn
        self._placements: Counter[ShardKey] = Counter()
        self.touched: set[bytes] = set()

    @property
    def conn(self) -> Connection:
        """The connection itself, for the other modules of the store."""
        return self._conn

    @property
    def installation(self) -> InstallationTable:
        """What the database was set up with."""
        return InstallationTable(self._conn)

    @property
    def tenants(self) -> TenantTable:
        """Tenants."""
        return TenantTable(self._conn)

    @property
    def keys(self) -> KeyTable:
        """API keys."""
        return KeyTable(self._conn)

    @property
    def people(self) -> PeopleTable:
        """People."""
        return PeopleTable(self._conn, self._placements, self.touched)

    @property
    def person_relations(self) -> PersonRelationTable:
        """The other people in a person's life."""
        return PersonRelationTable(self._conn)

    @property
    def triggers(self) -> TriggerTable:
        """What is to be brought up with a person."""
        return TriggerTable(self._conn)

    @property
    def messages(self) -> MessageTable:
        """Messages and history points."""
        return MessageTable(self._conn)

    @property
    def memories(self) -> MemoryTable:
        """Memories and chunks."""
        return MemoryTable(self._conn)

    @property
    def queue(self) -> QueueTable:
        """Memories that wait to be indexed."""
        return QueueTable(self._conn)

    @property
    def reading(self) -> ReadingTable:
        """Memories that nobody has read yet."""
        return ReadingTable(self._conn)

    @property
    def shards(self) -> ShardTable:
        """The change log of the shards."""
        return ShardTable(self._conn)

    @property
    def requests(self) -> RequestTable:
        """Request ids seen before."""
        return RequestTable(self._conn)

    @property
    def audit(self) -> AuditTable:
        """The audit chain."""
        return AuditTable(self._conn)

    @property
    def erasures(self) -> ErasureTable:
        """Receipts, processes and the deletion of a person."""
        return ErasureTable(self._conn)


class PostgresDatabase:
    """A pool of at most `size` connections as the app role; `owner` is used for vacuuming alone."""

    def __init__(self, app: str, owner: str, *, size: int = POOL_SIZE) -> None:
        self._app = app
        self._owner = owner
        self._pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            app,
            min_size=min(2, size),
            max_size=size,
            max_waiting=_WAITING_MAX,
            timeout=_WAIT_S,
            kwargs={
                "autocommit": True,
                "connect_timeout": _CONNECT_S,
                "prepare_threshold": _PREPARE_AFTER,
            },
            configure=_configure,
            open=False,
            name="rapport",
        )
        self._announcements = Announcements()
        self._check: asyncio.Task[None] | None = None
        self._vacuum = asyncio.Lock()
        self._vacuums_begun = 0
        self._last_vacuum = 0

    async def open(self) -> None:
        """Connect. Raises Unavailable when there is no database within ten seconds."""
        with translated():
            await self._pool.open(wait=True, timeout=_WAIT_S)

    async def close(self) -> None:
        """Close every connection; those in use at their next return."""
        if self._check is not None:
            self._check.cancel()
            await asyncio.wait([self._check])
        await self._announce()
        await self._pool.close()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @asynccontextmanager
    async def transaction(self, *, pipelined: bool = False) -> AsyncIterator[PostgresTransaction]:
        """Commits on success, rolls back on any exception; psycopg errors leave as leaves of the error tree.

        Pipelined, a statement whose rows nobody reads does not wait for its answer: half the round trips for a call that
        writes much. Counts of affected rows are unknown then.
        """
        with self._watched(), translated():
            async with self._pool.connection() as conn, AsyncExitStack() as stack:
                if pipelined:
                    await stack.enter_async_context(conn.pipeline())
                await stack.enter_async_context(conn.transaction())
                transaction = PostgresTransaction(conn)
                yield transaction
                await transaction.people.count_placements()
        self._announcements.add(transaction.touched)

    @asynccontextmanager
    async def session(self) -> AsyncIterator[PostgresTransaction]:
        """For reads: every statement commits by itself, no BEGIN round trip."""
        with self._watched(), translated():
            async with self._pool.connection() as conn:
                transaction = PostgresTransaction(conn)
                yield transaction
        self._announcements.add(transaction.touched)

    async def announce(self) -> None:
        """Tell every process, without end, which persons were changed through this one."""
        while True:
            await self._announcements.wait()
            await self._announce()
            await asyncio.sleep(PAUSE_S)

    async def listen(self) -> AsyncIterator[dict[str, Any]]:
        """Notices of every process, without end: {"kind": …, …}.

        {"kind": "listening"} comes first and again after every reconnection: notices before it may have been missed.
        """
        wait_s = _RECONNECT_S[0]
        while True:
            try:
                async with await self._connect(self._app) as conn:
                    await conn.execute(_SQL.listen)
                    wait_s = _RECONNECT_S[0]
                    yield {"kind": "listening"}
                    async for notice in conn.notifies():
                        yield json.loads(notice.payload)
            except psycopg.OperationalError as error:
                _log.warning("listening_interrupted", error=type(error).__name__, retry_s=wait_s)
            await asyncio.sleep(wait_s)
            wait_s = min(wait_s * 2, _RECONNECT_S[1])

    async def vacuum_person_tables(self) -> None:
        """Reclaim the dead rows of what was just erased, as the owner.

        Callers that come while one vacuum runs share the next one.
        """
        begun_before = self._vacuums_begun
        async with self._vacuum:
            if self._last_vacuum > begun_before:
                return
            self._vacuums_begun += 1
            with translated():
                async with await self._connect(self._owner) as conn:
                    await conn.execute(_SQL.vacuum)
            self._last_vacuum = self._vacuums_begun

    async def _announce(self) -> None:
        notices = self._announcements.take()
        if not notices:
            return
        try:
            async with self.session() as session:
                await session.conn.execute(_SQL.announce, (notices,))
        except RapportError as error:
            _log.warning("changes_not_announced", reason=error.reason)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Where one connection was lost the idle ones are dead too: they are found before somebody else takes them."""
        try:
            yield
        except Unavailable:
            if self._check is None and not self._pool.closed:
                self._check = asyncio.create_task(self._check_idle())
            raise

    async def _check_idle(self) -> None:
        try:
            await self._pool.check()
        except psycopg.Error as error:
            _log.warning("connections_unchecked", error=type(error).__name__)
        finally:
            self._check = None

    async def _connect(self, conninfo: str) -> Connection:
        return await psycopg.AsyncConnection.connect(
            conninfo, autocommit=True, connect_timeout=_CONNECT_S
        )


async def _configure(conn: Connection) -> None:
    conn.prepared_max = _PREPARED_MAX
    values = {"statement": f"{_STATEMENT_S}s", "idle": f"{_IDLE_S}s"}
    await conn.execute(_SQL.configure, values)


@contextmanager
def translated() -> Iterator[None]:
    """Turns the driver's errors into leaves of the error tree, with the cause chained and no driver text in the message."""
    try:
        yield
    except psycopg.Error as error:
        raise _leaf(error) from error


def _leaf(error: psycopg.Error) -> RapportError:
    match error:
        case pg.QueryCanceled():
            return DeadlineExceeded()
        case (
            pg.SerializationFailure()
            | pg.DeadlockDetected()
            | pg.LockNotAvailable()
            | pg.UniqueViolation()
        ):
            return Conflict()
        # Lost connections, no free one in the pool, a server that starts, stops, is full or only reads.
        case psycopg.OperationalError() | pg.ReadOnlySqlTransaction():
            return Unavailable()
        case _:
            return Internal()
