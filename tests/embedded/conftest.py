"""Directories and child processes for the tests of the embedded Postgres."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from rapport_server.embedded import DataDir, EmbeddedPostgres, leftovers
from tests.fix_postgres import open_directory

PROGRAM = Path(__file__).with_name("server.py")


@dataclass
class Child:
    """A process of `server.py` and what it said it started."""

    process: subprocess.Popen[str]
    pid: int
    owner_dsn: str


def gone(pid: int, seconds: float = 15) -> bool:
    """Whether the process ends within the time; a zombie nobody reaps has ended."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.05)
    return False


@pytest.fixture(scope="session")
def made() -> Iterator[Path]:
    """A data directory whose cluster was made and stopped once, to be copied: making one takes more than a second."""
    parent = open_directory()
    loop = asyncio.new_event_loop()
    with DataDir.open(parent / "data"):
        server = EmbeddedPostgres(parent / "data")
        loop.run_until_complete(server.start())
        loop.run_until_complete(server.stop())
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()
    yield parent / "data"
    shutil.rmtree(parent)


@pytest.fixture
def new_dir() -> Iterator[Path]:
    """A path where nothing is yet, for every account to reach; nothing runs below it when the test is over."""
    parent = open_directory()
    yield parent / "data"
    for pgdata in parent.rglob("postgres"):
        assert not leftovers.processes_in(pgdata)
    shutil.rmtree(parent)


@pytest.fixture
def data_dir(made: Path, new_dir: Path) -> Path:
    """A data directory with a cluster in it that was stopped cleanly."""
    subprocess.run(["cp", "-a", made, new_dir], check=True)
    return new_dir


@pytest.fixture
def spawn() -> Iterator[Callable[..., Child]]:
    """Starts `server.py` on a data directory, by a command prefix if given; ended after the test."""
    children: list[subprocess.Popen[str]] = []

    def start(data_dir: Path, *prefix: str) -> Child:
        process = subprocess.Popen(
            [*prefix, sys.executable, str(PROGRAM), str(data_dir)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        )
        children.append(process)
        assert process.stdout is not None
        while line := process.stdout.readline():
            if line.startswith("{"):
                return Child(process, **json.loads(line))
        pytest.fail(f"the child did not start: {process.communicate()[1]}")

    yield start
    for process in children:
        process.communicate(timeout=30)
