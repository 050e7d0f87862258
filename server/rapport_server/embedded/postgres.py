"""The life of the embedded Postgres: start, supervise, stop."""

import asyncio
import os
import signal
import subprocess
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import psycopg
import structlog
from psycopg.conninfo import make_conninfo

from rapport_server.embedded import account as accounts
from rapport_server.embedded import binaries, leftovers, socketdir
from rapport_server.embedded.cluster import SUPERUSER, Cluster, environment
from rapport_server.embedded.errors import EmbeddedPostgresError
from rapport_server.embedded.logfile import LogFile
from rapport_server.store import role
from rapport_server.store.conninfo import PORT, Conninfo

DATABASE = "rapport"

# Crash recovery replays at most `max_wal_size`, which takes seconds; a slow disk gets a minute.
_START_SECONDS_MAX = 60.0
_RESTARTS_PER_MINUTE_MAX = 5
_BACKOFF_SECONDS_MAX = 5.0
_IMMEDIATE_SECONDS_MAX = 5.0
_POLL_SECONDS = 0.05
_LOG_CHECK_SECONDS = 30.0
_CONNECT_SECONDS_MAX = 5

_log = structlog.get_logger(__name__)


class EmbeddedPostgres:
    """A Postgres of our own under a data directory, reached by a Unix socket only.

    The data directory has to be locked (`DataDir.open`) by this process. The server ends when this process ends, even by
    SIGKILL; what remains of an earlier life is stopped before a start. If the server dies by itself it is started again,
    at most five times a minute; then `failure` returns.
    """

    def __init__(
        self, data_dir: Path, *, bin_dir: Path | None = None, durable: bool = True
    ) -> None:
        """`bin_dir` replaces the packaged programs; `durable=False` gives up all safety for speed: for tests."""
        self.data_dir = data_dir.resolve()
        self.pgdata = self.data_dir / "postgres"
        self._bin_dir = bin_dir
        self._durable = durable
        self._logfile = LogFile(self.data_dir / "postgres.log")
        self._cluster: Cluster | None = None
        self._socket_dir: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._supervisor: asyncio.Task[None] | None = None
        self._failed = asyncio.Event()
        self._failure: EmbeddedPostgresError | None = None

    @property
    def pid(self) -> int | None:
        """The process number of the running server."""
        return (
            self._process.pid
            if self._process is not None and self._process.poll() is None
            else None
        )

    @property
    def conninfo(self) -> Conninfo:
        """How the owner and the app reach the database `rapport`."""
        return Conninfo.from_socket(self._socket(), DATABASE)

    @property
    def owner_dsn(self) -> str:
        """The connection string of the role that owns the tables and migrates them."""
        return self.conninfo.owner

    @property
    def app_dsn(self) -> str:
        """The connection string of the role that serves."""
        return self.conninfo.app

    @property
    def admin_dsn(self) -> str:
        """The superuser's connection string; only for making roles and databases."""
        return make_conninfo(host=str(self._socket()), port=PORT, user=SUPERUSER, dbname="postgres")

    async def start(self) -> None:
        """Start the server, wait until it answers, make sure of its roles and database; from the main thread.

        Raises EmbeddedPostgresError, with the end of the server's log where that says why.
        """
        try:
            await asyncio.to_thread(self._prepare)
            self._spawn()
            await self._wait_until_ready()
            await role.ensure_database(self.admin_dsn, DATABASE)
        except BaseException:
            await self.stop()
            raise
        self._supervisor = asyncio.create_task(self._supervise(), name="embedded-postgres")

    async def stop(self, clean_seconds: float = 10.0) -> None:
        """Stop the server: cleanly within `clean_seconds`, else at once, which the next start repairs. Idempotent."""
        if self._supervisor is not None and not self._supervisor.done():
            self._supervisor.cancel()
            await asyncio.wait([self._supervisor])
        self._supervisor = None
        await self._end_process(clean_seconds)
        if self._socket_dir is not None and not await asyncio.to_thread(
            leftovers.processes_in, self.pgdata
        ):
            socketdir.remove(self._socket_dir)
            self._socket_dir = None

    async def failure(self) -> EmbeddedPostgresError:
        """Wait until the server is given up, and say why."""
        await self._failed.wait()
        return self._failure or EmbeddedPostgresError("the embedded Postgres failed")

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.stop()

    def _socket(self) -> Path:
        if self._socket_dir is None:
            raise EmbeddedPostgresError("the embedded Postgres is not running")
        return self._socket_dir

    def _prepare(self) -> None:
        programs = binaries.find(self._bin_dir)
        reached = (self.data_dir, programs.directory)
        account = accounts.choose(self.pgdata, reached)
        if count := leftovers.stop_all(self.pgdata):
            _log.warning("stopped Postgres processes that were left behind", processes=count)
        self._cluster = Cluster(self.pgdata, programs, account, durable=self._durable)
        self._cluster.ensure()
        self._socket_dir = socketdir.open_directory(self.data_dir, account)
        socketdir.clear(self._socket_dir)

    def _spawn(self) -> None:
        if self._cluster is None:
            raise EmbeddedPostgresError("the embedded Postgres is not prepared")
        self._logfile.bound()
        stderr = self._logfile.open()
        try:
            # A session of its own, so that Ctrl-C in our terminal does not stop it before we have drained.
            self._process = subprocess.Popen(
                self._cluster.command(self._socket()),
                stdin=subprocess.DEVNULL,
                stdout=stderr,
                stderr=stderr,
                env=environment(),
                cwd="/",
                start_new_session=True,
            )
        finally:
            os.close(stderr)

    async def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + _START_SECONDS_MAX
        while time.monotonic() < deadline:
            if self.pid is None:
                raise EmbeddedPostgresError(
                    f"Postgres ended while starting:\n{self._logfile.tail()}"
                )
            # In a thread, since a cancelled AsyncConnection.connect() may leave an open connection behind.
            if await asyncio.to_thread(_answers, self.admin_dsn):
                return
            await asyncio.sleep(_POLL_SECONDS)
        raise EmbeddedPostgresError(
            f"Postgres did not answer within {_START_SECONDS_MAX:.0f} s:\n{self._logfile.tail()}"
        )

    async def _supervise(self) -> None:
        ends: deque[float] = deque(maxlen=_RESTARTS_PER_MINUTE_MAX + 1)
        try:
            while True:
                await self._wait_until_ended()
                ends.append(time.monotonic())
                _log.error(
                    "the embedded Postgres ended by itself",
                    end=self._ended(),
                    log=self._logfile.tail(),
                )
                if len(ends) == ends.maxlen and ends[-1] - ends[0] < 60:
                    raise EmbeddedPostgresError(
                        f"the embedded Postgres ended {len(ends)} times within a minute:\n{self._logfile.tail()}"
                    )
                recent = sum(1 for end in ends if ends[-1] - end < 60)
                await asyncio.sleep(min(_BACKOFF_SECONDS_MAX, 0.1 * 2**recent))
                await self._restart()
        except Exception as error:
            self._failure = (
                error
                if isinstance(error, EmbeddedPostgresError)
                else EmbeddedPostgresError(
                    f"the embedded Postgres cannot be started again: {error}"
                )
            )
            _log.critical("the embedded Postgres is given up", error=str(self._failure))
            self._failed.set()

    async def _wait_until_ended(self) -> None:
        checked = time.monotonic()
        while self.pid is not None:
            await asyncio.sleep(_POLL_SECONDS)
            if time.monotonic() - checked > _LOG_CHECK_SECONDS:
                self._logfile.bound()
                checked = time.monotonic()

    async def _restart(self) -> None:
        await asyncio.to_thread(self._prepare)
        self._spawn()
        try:
            await self._wait_until_ready()
        except EmbeddedPostgresError as error:
            # Counted as one more end by the supervisor, which then tries again or gives up.
            _log.error("the embedded Postgres did not come back", error=str(error))
            await self._end_process(clean_seconds=1.0)
        else:
            _log.warning("the embedded Postgres runs again", pid=self.pid)

    async def _end_process(self, clean_seconds: float) -> None:
        steps = (
            (signal.SIGINT, clean_seconds),
            (signal.SIGQUIT, _IMMEDIATE_SECONDS_MAX),
            (signal.SIGKILL, _IMMEDIATE_SECONDS_MAX),
        )
        for sign, seconds in steps:
            if self._process is None or self.pid is None:
                return
            self._process.send_signal(sign)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wait_until_ended(), seconds)

    def _ended(self) -> str:
        code = self._process.poll() if self._process is not None else None
        return f"signal {-code}" if code is not None and code < 0 else f"exit {code}"


def _answers(dsn: str) -> bool:
    try:
        with psycopg.connect(dsn, connect_timeout=_CONNECT_SECONDS_MAX):
            return True
    except psycopg.OperationalError:
        return False
