"""Root drops to an account, a plain user stays itself, and closed directories are passed or named."""

# Nothing but the test runs in these loops, so looking at files may block them.
# ruff: noqa: ASYNC240

import os
import pwd
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import psycopg
import pytest

from rapport_server.embedded import DataDir, EmbeddedPostgres, EmbeddedPostgresError, launch
from rapport_server.embedded import account as accounts
from tests.embedded.conftest import Child

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another account")


def nobody() -> pwd.struct_passwd:
    return pwd.getpwnam("nobody")


def as_nobody(keep_search: bool) -> list[str]:
    # The interpreter of the tests may itself lie in a directory closed to `nobody`.
    user = nobody()
    switches = [str(os.getpid()), str(user.pw_uid), str(user.pw_gid), str(int(keep_search))]
    return [sys.executable, "-I", "-S", launch.__file__, *switches]


@root_only
async def test_root_drops_to_an_account_with_no_power(
    data_dir: Path, request: pytest.FixtureRequest
) -> None:
    groups = os.getgroups()
    request.addfinalizer(lambda: os.setgroups(groups))
    os.setgroups([0, 1])
    with DataDir.open(data_dir):
        async with EmbeddedPostgres(data_dir, durable=False) as server:
            process = psutil.Process(server.pid)
            assert process.uids().effective != 0
            assert process.gids().effective != 0
            status = Path(f"/proc/{server.pid}/status").read_text()
            assert "Groups:\t \n" in status
            assert data_dir.stat().st_uid == 0
            assert (data_dir / "postgres").stat().st_mode & 0o777 == 0o700


@root_only
async def test_root_in_a_closed_directory_keeps_only_the_right_to_pass(new_dir: Path) -> None:
    closed = new_dir / "closed"
    closed.mkdir(parents=True)
    closed.chmod(0o700)
    inner = closed / "data"
    with DataDir.open(inner):
        async with EmbeddedPostgres(inner, durable=False) as server:
            status = Path(f"/proc/{server.pid}/status").read_text()
            assert f"CapEff:\t{1 << launch.CAP_DAC_READ_SEARCH:016x}" in status
            with psycopg.connect(server.app_dsn) as conn:
                assert conn.execute("SELECT 1").fetchone() == (1,)


@root_only
async def test_a_closed_directory_is_named_when_the_right_cannot_be_passed_on(
    new_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = new_dir / "closed"
    closed.mkdir(parents=True)
    closed.chmod(0o700)
    # What a container without that capability reports; it cannot be given up for one test only.
    monkeypatch.setattr(accounts, "_holds_search_capability", lambda: False)
    with DataDir.open(closed / "data"), pytest.raises(EmbeddedPostgresError) as caught:
        await EmbeddedPostgres(closed / "data").start()
    assert str(closed) in str(caught.value)
    assert "--data-dir" in str(caught.value)


@root_only
async def test_the_owner_of_an_existing_cluster_is_kept(new_dir: Path) -> None:
    user = nobody()
    with DataDir.open(new_dir):
        (new_dir / "postgres").mkdir(mode=0o700)
        os.chown(new_dir / "postgres", user.pw_uid, user.pw_gid)
        async with EmbeddedPostgres(new_dir, durable=False) as server:
            assert psutil.Process(server.pid).uids().effective == user.pw_uid


@root_only
def test_a_plain_user_runs_its_own(new_dir: Path, spawn: Callable[..., Child]) -> None:
    user = nobody()
    new_dir.mkdir()
    os.chown(new_dir, user.pw_uid, user.pw_gid)
    child = spawn(new_dir, *as_nobody(keep_search=True))
    assert psutil.Process(child.process.pid).uids().effective == user.pw_uid
    assert psutil.Process(child.pid).uids().effective == user.pw_uid
    with psycopg.connect(child.owner_dsn) as conn:
        assert conn.execute("SELECT current_user").fetchone() == ("rapport_owner",)
    assert (new_dir / "socket").stat().st_mode & 0o777 == 0o700


@root_only
def test_another_account_cannot_connect(data_dir: Path, spawn: Callable[..., Child]) -> None:
    child = spawn(data_dir)
    if psutil.Process(child.pid).uids().effective == nobody().pw_uid:
        pytest.skip("the server itself runs as nobody")
    # `test` needs no interpreter that `nobody` could read here; who cannot reach the socket's name cannot connect to it.
    look = ["/usr/bin/test", "-e", str(data_dir / "socket" / ".s.PGSQL.5432")]
    assert subprocess.run(look).returncode == 0
    assert subprocess.run([*as_nobody(keep_search=False), *look]).returncode == 1


@root_only
def test_a_plain_user_is_told_whose_cluster_it_is(
    new_dir: Path, spawn: Callable[..., Child]
) -> None:
    user = nobody()
    (new_dir / "postgres").mkdir(parents=True)
    os.chown(new_dir, user.pw_uid, user.pw_gid)
    done = subprocess.run(
        [
            *as_nobody(keep_search=True),
            sys.executable,
            Path(__file__).with_name("server.py"),
            new_dir,
        ],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 1
    assert f"{new_dir / 'postgres'} belongs to uid 0" in done.stderr
