"""Start, stop, and every way to die in between."""

# Nothing but the test runs in these loops, so looking at files may block them.
# ruff: noqa: ASYNC220, ASYNC240

import asyncio
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from rapport_server.embedded import DataDir, EmbeddedPostgres, EmbeddedPostgresError, leftovers
from rapport_server.embedded.account import Account
from tests.embedded.conftest import PROGRAM, Child, gone


async def one(dsn: str, query: str) -> object:
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as conn:
        cursor = await conn.execute(query.encode())
        row = await cursor.fetchone() if cursor.description else None
        return row[0] if row else None


async def fill(dsn: str) -> None:
    await one(dsn, "CREATE SCHEMA rapport")
    await one(dsn, "CREATE TABLE t (n int)")
    await one(dsn, "INSERT INTO t VALUES (7)")


async def test_data_survives_a_clean_stop_and_nothing_is_left_running(data_dir: Path) -> None:
    with DataDir.open(data_dir):
        async with EmbeddedPostgres(data_dir) as server:
            await fill(server.owner_dsn)
            pid, socket_dir = server.pid, data_dir / "socket"
            assert pid is not None
            assert socket_dir.is_dir()
        await server.stop()
        assert gone(pid, 0.1)
        assert server.pid is None
        assert not socket_dir.exists()
        async with EmbeddedPostgres(data_dir) as again:
            assert await one(again.owner_dsn, "SELECT n FROM t") == 7


async def test_settings_are_durable_private_and_utf8(data_dir: Path) -> None:
    expected = {
        "fsync": "on",
        "synchronous_commit": "on",
        "full_page_writes": "on",
        "listen_addresses": "",
        "server_encoding": "UTF8",
        "TimeZone": "UTC",
        "log_statement": "none",
        "log_min_error_statement": "panic",
        "log_error_verbosity": "terse",
        "log_parameter_max_length_on_error": "0",
    }
    with DataDir.open(data_dir):
        async with EmbeddedPostgres(data_dir) as server:
            found = {name: await one(server.app_dsn, f"SHOW {name}") for name in expected}
            assert found == expected
            collation = "SELECT datcollate FROM pg_database WHERE datname = 'rapport'"
            assert await one(server.app_dsn, collation) == "C"
            assert await one(server.app_dsn, "SELECT lower('ÄÉ')") == "äé"
            assert not list(psutil.Process(server.pid).net_connections("inet"))


async def test_text_of_a_failing_statement_never_reaches_the_log(data_dir: Path) -> None:
    secret = "zebra-violin-4711"
    with DataDir.open(data_dir):
        async with (
            EmbeddedPostgres(data_dir, durable=False) as server,
            await psycopg.AsyncConnection.connect(server.owner_dsn, autocommit=True) as conn,
        ):
            for query in (
                f"SELECT '{secret}'::int",
                f'SELECT 1/0 AS "{secret}"',
                f"DO $$ BEGIN RAISE EXCEPTION '{secret}'; END $$",
                f"DO $$ BEGIN RAISE WARNING '{secret}'; END $$",
            ):
                try:
                    await conn.execute(query.encode())
                except psycopg.Error:
                    continue
            with pytest.raises(psycopg.Error):
                await conn.execute("SELECT %s::int", (secret,))
            await conn.execute("CREATE TEMP TABLE u (t text UNIQUE)")
            await conn.execute("INSERT INTO u VALUES (%s)", (secret,))
            with pytest.raises(psycopg.errors.UniqueViolation):
                await conn.execute("INSERT INTO u VALUES (%s)", (secret,))
            with pytest.raises(psycopg.Error):
                await conn.execute(
                    f"SELECT pg_terminate_backend(pg_backend_pid()) -- {secret}".encode()
                )
            # The head reports which statement a backend was running when it was killed.
            doomed = asyncio.create_task(one(server.owner_dsn, f"SELECT pg_sleep(30) -- {secret}"))
            find = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'"
            while not isinstance(pid := await one(server.admin_dsn, find), int):
                await asyncio.sleep(0.02)
            os.kill(pid, signal.SIGKILL)
            with pytest.raises(psycopg.OperationalError):
                await doomed
        log = (data_dir / "postgres.log").read_text()
        assert "was terminated by signal 9" in log
        assert secret not in log


async def test_roles_serve_and_own_but_are_no_superusers(data_dir: Path) -> None:
    with DataDir.open(data_dir):
        async with EmbeddedPostgres(data_dir, durable=False) as server:
            powers = (
                "SELECT current_user || ' ' || (rolsuper OR rolcreatedb OR rolcreaterole)::text "
                "FROM pg_roles WHERE rolname = current_user"
            )
            assert await one(server.owner_dsn, powers) == "rapport_owner false"
            assert await one(server.app_dsn, powers) == "rapport_app false"
            assert await one(server.app_dsn, "SHOW search_path") == "rapport"
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                await one(server.app_dsn, "CREATE SCHEMA mine")


async def test_a_killed_server_comes_back_with_what_was_committed(data_dir: Path) -> None:
    with DataDir.open(data_dir):
        async with EmbeddedPostgres(data_dir) as server:
            await fill(server.owner_dsn)
            first = server.pid
            assert first is not None
            # A backend that is busy does not notice the end of its head and must not block the restart.
            busy = asyncio.create_task(
                one(server.owner_dsn, "SELECT count(*) FROM generate_series(1, 1e12::bigint)")
            )
            await asyncio.sleep(0.3)
            os.kill(first, signal.SIGKILL)
            with pytest.raises(psycopg.OperationalError):
                await busy
            deadline = time.monotonic() + 20
            while time.monotonic() < deadline:
                try:
                    assert await one(server.owner_dsn, "SELECT n FROM t") == 7
                    break
                except psycopg.OperationalError:
                    await asyncio.sleep(0.05)
            assert server.pid not in (None, first)


async def test_a_stop_in_the_middle_of_a_restart_leaves_no_connection_open(data_dir: Path) -> None:
    with DataDir.open(data_dir):
        async with EmbeddedPostgres(data_dir, durable=False) as server:
            for steps in range(40):
                # What a restart waits for, given up after any number of turns of the loop.
                waiting = asyncio.create_task(server._wait_until_ready())
                for _ in range(steps % 5):
                    await asyncio.sleep(0.0005)
                waiting.cancel()
                with suppress(asyncio.CancelledError):
                    await waiting
            del waiting
            gc.collect()  # a connection left open warns when it is collected, and warnings are errors


async def test_a_server_that_keeps_dying_is_given_up_with_a_reason(data_dir: Path) -> None:
    with DataDir.open(data_dir):
        async with EmbeddedPostgres(data_dir, durable=False) as server:
            failure = asyncio.create_task(server.failure())
            # Every restart finds a cluster that cannot start.
            control = data_dir / "postgres" / "global" / "pg_control"
            control.rename(control.with_suffix(".away"))
            assert server.pid is not None
            os.kill(server.pid, signal.SIGKILL)
            error = await asyncio.wait_for(failure, 50)
            assert "times within a minute" in str(error)
            assert "pg_control" in str(error)
        control.with_suffix(".away").rename(control)
        async with EmbeddedPostgres(data_dir, durable=False) as repaired:
            assert await one(repaired.app_dsn, "SELECT 1") == 1


def test_the_server_ends_with_a_killed_parent(data_dir: Path, spawn: Callable[..., Child]) -> None:
    child = spawn(data_dir)
    child.process.kill()
    child.process.wait()
    assert gone(child.pid)


async def test_an_orphan_of_this_directory_is_stopped_at_the_next_start(
    data_dir: Path, spawn: Callable[..., Child]
) -> None:
    child = spawn(data_dir)
    await fill(child.owner_dsn)
    # A stopped process gets the parent's-death signal only when it goes on: an orphan for as long as we like.
    os.kill(child.pid, signal.SIGSTOP)
    child.process.kill()
    child.process.wait()
    assert leftovers.processes_in(data_dir / "postgres")
    asyncio.get_running_loop().call_later(1.0, os.kill, child.pid, signal.SIGCONT)
    with DataDir.open(data_dir):
        async with EmbeddedPostgres(data_dir, durable=False) as server:
            assert server.pid != child.pid
            assert gone(child.pid, 0.1)
            assert await one(server.owner_dsn, "SELECT n FROM t") == 7


async def test_a_lock_file_with_the_number_of_another_process_harms_nobody(data_dir: Path) -> None:
    pgdata = data_dir / "postgres"
    owner = pgdata.stat()
    with DataDir.open(data_dir):
        async with EmbeddedPostgres(data_dir, durable=False):
            lock = (pgdata / "postmaster.pid").read_text()
        # Of the same account, for only such a process makes Postgres itself refuse to start.
        account = Account(owner.st_uid, owner.st_gid, drops=os.geteuid() == 0)
        with subprocess.Popen(account.command("/bin/cat"), stdin=subprocess.PIPE) as other:
            (pgdata / "postmaster.pid").write_text(f"{other.pid}\n" + lock.partition("\n")[2])
            os.chown(pgdata / "postmaster.pid", owner.st_uid, owner.st_gid)
            async with EmbeddedPostgres(data_dir, durable=False) as server:
                assert await one(server.app_dsn, "SELECT 1") == 1
            assert other.poll() is None
            other.communicate()


def test_a_postgres_of_another_directory_is_left_alone(
    data_dir: Path, spawn: Callable[..., Child]
) -> None:
    child = spawn(data_dir)
    elsewhere = data_dir.with_name("elsewhere")
    elsewhere.mkdir()
    (elsewhere / "postmaster.pid").write_text(f"{child.pid}\n")
    assert leftovers.stop_all(elsewhere) == 0
    assert not (elsewhere / "postmaster.pid").exists()
    assert psutil.Process(child.pid).is_running()
    with psycopg.connect(child.owner_dsn) as conn:
        assert conn.execute("SELECT 1").fetchone() == (1,)


def test_a_second_server_on_the_directory_is_refused_and_named(
    data_dir: Path, spawn: Callable[..., Child]
) -> None:
    child = spawn(data_dir)
    second = subprocess.run(
        [sys.executable, PROGRAM, data_dir],
        capture_output=True,
        text=True,
        timeout=30,
        stdin=subprocess.DEVNULL,
    )
    assert second.returncode == 1
    assert f"another rapport server (pid {child.process.pid}) uses {data_dir}" in second.stderr
    with psycopg.connect(child.owner_dsn) as conn:
        assert conn.execute("SELECT 1").fetchone() == (1,)


async def test_a_path_too_long_for_a_socket_gets_a_short_one_that_is_removed(new_dir: Path) -> None:
    long = new_dir / ("long-" * 20) / ("x" * 60)
    with DataDir.open(long):
        async with EmbeddedPostgres(long, durable=False) as server:
            socket_dir = Path(str(conninfo_to_dict(server.app_dsn)["host"]))
            assert len(str(socket_dir)) < 60
            status = socket_dir.stat()
            assert status.st_mode & 0o777 == 0o700
            assert status.st_uid == (long / "postgres").stat().st_uid
        assert not socket_dir.exists()


async def test_a_directory_name_with_odd_signs_works(new_dir: Path) -> None:
    odd = new_dir / 'a, b\' "c" %p ü'
    with DataDir.open(odd):
        async with EmbeddedPostgres(odd, durable=False) as server:
            assert await one(server.app_dsn, "SELECT 1") == 1


async def test_a_cluster_of_another_version_says_what_to_do(data_dir: Path) -> None:
    pgdata = data_dir / "postgres"
    with DataDir.open(data_dir):
        async with EmbeddedPostgres(data_dir, durable=False):
            pass
        (pgdata / "PG_VERSION").write_text("15\n")
        with pytest.raises(EmbeddedPostgresError, match=r"PostgreSQL 15.*PG_BIN.*pg_upgrade"):
            await EmbeddedPostgres(data_dir).start()


async def test_an_interrupted_first_start_is_made_good(new_dir: Path) -> None:
    half = new_dir / "postgres.new"
    with DataDir.open(new_dir):
        half.mkdir()
        (half / "PG_VERSION").write_text("18\n")
        async with EmbeddedPostgres(new_dir, durable=False) as server:
            assert await one(server.app_dsn, "SELECT 1") == 1
        assert not half.exists()


async def test_foreign_files_in_place_of_the_cluster_are_not_touched(new_dir: Path) -> None:
    with DataDir.open(new_dir):
        (new_dir / "postgres").mkdir()
        if os.geteuid() == 0:
            os.chown(new_dir / "postgres", 65534, 65534)
        (new_dir / "postgres" / "diary.txt").write_text("dear diary")
        with pytest.raises(EmbeddedPostgresError, match="not a Postgres cluster"):
            await EmbeddedPostgres(new_dir).start()
        assert (new_dir / "postgres" / "diary.txt").read_text() == "dear diary"


async def test_an_overgrown_log_is_cut_and_its_end_kept(data_dir: Path) -> None:
    with DataDir.open(data_dir):
        log = data_dir / "postgres.log"
        log.write_bytes(b"old line\n" * 600_000 + b"the last line\n")
        async with EmbeddedPostgres(data_dir, durable=False):
            assert log.stat().st_size < 100_000
        kept = (data_dir / "postgres.log.1").read_bytes()
        assert kept.endswith(b"the last line\n")
        assert len(kept) < 1_000_000
