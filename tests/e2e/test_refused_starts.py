"""How a start ends that is refused, or stopped while the embedding model is still loading.

The model of these tests never loads: one of its files is a pipe that nobody writes to. A process that waited for it would not
end at all.
"""

import errno
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from rapport_server.embedded.leftovers import processes_in
from rapport_server.privacy.secrets import Secrets
from tests.fix_postgres import Database
from tests.fix_rapport import START_S_MAX, RapportProcess


class EndlessModel:
    """A model's directory whose first file is never read to its end."""

    def __init__(self, path: Path) -> None:
        path.mkdir()
        self.flags = ("--embedding-model", str(path))
        self._pipe = path / "modules.json"
        os.mkfifo(self._pipe)
        self._writer: int | None = None

    def wait_until_it_is_read(self, server: RapportProcess) -> None:
        """From now on the load is under way and cannot end by itself."""

        def is_open() -> bool:
            # Without a reader on the other end there is nothing to open.
            with suppress(OSError):
                self._writer = os.open(self._pipe, os.O_WRONLY | os.O_NONBLOCK)
            return self._writer is not None

        wait_for(is_open, server)

    def close(self) -> None:
        if self._writer is not None:
            os.close(self._writer)


def wait_for(condition: Callable[[], bool], server: RapportProcess) -> None:
    deadline = time.monotonic() + START_S_MAX
    while not condition():
        assert server.process is not None
        assert server.process.poll() is None, server.log_text()
        assert time.monotonic() < deadline, server.log_text()
        time.sleep(0.05)


@pytest.fixture
def endless(tmp_path: Path) -> Iterator[EndlessModel]:
    model = EndlessModel(tmp_path / "endless")
    yield model
    model.close()


@pytest.fixture
def server(make_rapport: Callable[..., RapportProcess], endless: EndlessModel) -> RapportProcess:
    server: RapportProcess = make_rapport(*endless.flags, start=False)
    return server


def assert_nothing_runs(server: RapportProcess) -> None:
    postgres = server.data_dir / "postgres"
    assert processes_in(postgres) == []
    assert not (postgres / "postmaster.pid").exists(), "it was not stopped cleanly"
    assert (server.data_dir / "rapport.lock").read_bytes() == b""


def refusal(server: RapportProcess) -> str:
    code = server.exit_code()
    said = server.log_text()
    assert code == 1, said
    assert "loading the embedding model" in said
    assert "Traceback" not in said
    return said


def test_a_stop_while_the_model_loads_ends_everything_and_keeps_what_was_made(
    server: RapportProcess, endless: EndlessModel, tmp_path: Path
):
    server.launch()
    endless.wait_until_it_is_read(server)
    wait_for(lambda: "writer key" in server.log_text(), server)
    assert processes_in(server.data_dir / "postgres")
    code = server.stop()
    said = server.log_text()
    assert code == 0, said
    assert said.rstrip().endswith("stopped before it served")
    assert "Traceback" not in said
    assert_nothing_runs(server)

    # The database is there and has its secrets: with others it is refused, and again nothing is left.
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    for secret in (server.data_dir / "secrets").iterdir():
        (other / secret.name).write_bytes(secrets.token_bytes(secret.stat().st_size))
        (other / secret.name).chmod(0o600)
    server.launch("--secrets-dir", str(other))
    assert refusal(server).rstrip().endswith("give the right --secrets-dir")
    assert_nothing_runs(server)


def test_a_refusal_while_the_model_loads_does_not_wait_for_it(
    server: RapportProcess, endless: EndlessModel, database: Database, tmp_path: Path
):
    own = tmp_path / "own"
    Secrets.create(own)
    with psycopg.connect(database.admin_dsn) as conn:
        conn.execute("UPDATE rapport.installation SET secrets_fingerprint = 'those of others'")
        conn.commit()
        # Whoever starts has to look at the migrations first, and waits for us there.
        conn.execute("LOCK TABLE rapport.schema_migration")
        server.launch("--database-url", database.admin_dsn, "--secrets-dir", str(own))
        endless.wait_until_it_is_read(server)
        conn.rollback()
        said = refusal(server)
    assert "this database belongs to other secrets (fingerprint those of others)" in said


def test_a_database_that_cannot_be_reached_is_a_refusal_before_the_model_is_loaded(
    server: RapportProcess,
):
    server.launch("--database-url", "postgresql://rapport@127.0.0.1:1/rapport")
    assert "cannot connect to the database" in refusal(server)
    assert (server.data_dir / "rapport.lock").read_bytes() == b""


def test_a_disk_that_takes_no_more_ends_the_start_with_one_line(tmp_path: Path):
    data_dir = tmp_path / "data"
    program = [sys.executable, "-m", "rapport_server", "serve", "--data-dir", str(data_dir)]
    program += ["--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0"]
    # Every byte that a file is to grow by is refused, as on a full disk, but root too.
    ended = subprocess.run(
        ["sh", "-c", 'ulimit -f 0 && exec "$@"', "sh", *program], capture_output=True, text=True
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == f"Error: {os.strerror(errno.EFBIG)} (data directory {data_dir})\n"
