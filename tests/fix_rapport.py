"""A real `rapport serve` in a process of its own, and a tenant of one's own in it."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest
from psycopg.conninfo import make_conninfo

from rapport import AsyncClient, Client
from rapport_server.embedded.cluster import SUPERUSER
from rapport_server.embedded.postgres import DATABASE
from tests.fix_llm import LlmServer
from tests.fix_model import model_cache
from tests.fix_postgres import open_directory

# Loading torch on a busy machine is what takes this long; seconds on a quiet one.
START_S_MAX = 240.0
ADDRESS = re.compile(r"serves gRPC on (\S+), metrics on (\S+)")
LISTENS = re.compile(r"serving +listen=(\S+)")
OPERATOR = re.compile(r"operator key .*?(rap_\S+)")
LLM_KEY = "llm-key-of-the-tests"
WRITER = re.compile(r"writer key .*?(rap_\S+)")


@dataclass
class RapportProcess:
    """One server process; stopping and starting again keeps its data directory and keys."""

    data_dir: Path
    flags: tuple[str, ...] = ()
    operator_key: str = ""
    writer_key: str = ""
    address: str = ""
    metrics_url: str = ""
    process: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)
    _begin: int = 0

    @property
    def log(self) -> Path:
        return self.data_dir.with_name(self.data_dir.name + ".log")

    def log_text(self) -> str:
        """What the process has written since it was last started."""
        return self.log.read_bytes()[self._begin :].decode(errors="replace")

    def start(self, *flags: str, listen: str = "127.0.0.1:0") -> "RapportProcess":
        """Start and wait until it serves."""
        self.launch(*flags, listen=listen)
        self.wait_until_ready()
        return self

    def launch(self, *flags: str, listen: str = "127.0.0.1:0") -> None:
        """Start without waiting."""
        command = [
            sys.executable,
            "-m",
            "rapport_server",
            "serve",
            "--data-dir",
            str(self.data_dir),
        ]
        command += ["--listen", listen, "--metrics-listen", "127.0.0.1:0", *self.flags, *flags]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("RAPPORT_")}
        with self.log.open("ab") as out:
            self._begin = out.tell()
            self.process = subprocess.Popen(
                command,
                stdout=out,
                stderr=out,
                env=environment
                | {"PYTHONUNBUFFERED": "1", "RAPPORT_MODEL_CACHE_DIR": str(model_cache())},
            )

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_S_MAX
        while time.monotonic() < deadline:
            ended = self.process is None or self.process.poll() is not None
            text = self.log_text()
            if found := ADDRESS.search(text):
                self.address, self.metrics_url = found.groups()
                if operator := OPERATOR.search(text):
                    self.operator_key = operator[1]
                if writer := WRITER.search(text):
                    self.writer_key = writer[1]
                return
            if ended:
                raise RuntimeError(f"the server ended while starting:\n{text}")
            time.sleep(0.05)
        raise RuntimeError(f"the server did not start:\n{text}")

    def exit_code(self) -> int:
        """Wait for a process that ends by itself."""
        assert self.process is not None
        code = self.process.wait(START_S_MAX)
        self.process = None
        return code

    def stop(self) -> int:
        """SIGTERM; the exit code."""
        if self.process is None:
            return 0
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(60)
        finally:
            self.kill()

    def kill(self) -> None:
        """SIGKILL."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                self.process.kill()
            self.process.wait(30)
            self.process = None

    def restart(self) -> "RapportProcess":
        self.stop()
        return self.start()

    def postgres_pid(self) -> int:
        """That of the embedded Postgres."""
        return int(self._postmaster()[0])

    def superuser_dsn(self) -> str:
        """For looking at every row of the embedded Postgres, past the app's rights."""
        lines = self._postmaster()
        return make_conninfo(host=lines[4], port=lines[3], user=SUPERUSER, dbname=DATABASE)

    def _postmaster(self) -> list[str]:
        return (self.data_dir / "postgres" / "postmaster.pid").read_text().splitlines()

    def remove(self) -> None:
        """End it and remove its files, as soon as its Postgres has gone, too."""
        pid = 0
        with suppress(OSError, ValueError, IndexError):
            pid = self.postgres_pid()
        self.kill()
        deadline = time.monotonic() + 30
        while pid and psutil.pid_exists(pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        shutil.rmtree(self.data_dir, ignore_errors=True)

    def client(self, key: str, tenant_id: str = "", **settings: float) -> Client:
        return Client(self.address, api_key=key, tenant_id=tenant_id, timeout=120, **settings)

    def operator(self, tenant_id: str = "default") -> Client:
        return self.client(self.operator_key, tenant_id)

    def writer(self) -> Client:
        return self.client(self.writer_key)

    def async_writer(self, key: str = "", **settings: float) -> AsyncClient:
        return AsyncClient(self.address, api_key=key or self.writer_key, timeout=120, **settings)


@contextmanager
def rapport_process(
    directory: Path, *flags: str, name: str = "data", start: bool = True
) -> Iterator[RapportProcess]:
    """A server that is ended and removed at the end."""
    server = RapportProcess(directory / name, flags)
    try:
        yield server.start() if start else server
    finally:
        server.remove()


@contextmanager
def server_directory() -> Iterator[Path]:
    """A directory that the account of the embedded Postgres may enter."""
    directory = open_directory()
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


@dataclass(frozen=True)
class TenantHandle:
    """A fresh tenant with a writer's client and an operator's that names it."""

    tenant_id: str
    client: Client
    operator: Client
    key: str
    server: RapportProcess

    def new_key(self, role: str) -> str:
        return self.operator.create_api_key(role=role).secret

    def caller(self, role: str) -> Client:
        """A client with a new key of that role; close it."""
        return self.server.client(self.new_key(role))


@pytest.fixture(scope="session")
def rapport(llm_endpoint: LlmServer) -> Iterator[RapportProcess]:
    """One server for all tests that do not harm it; each takes a tenant of its own.

    It has a language model's endpoint, which only tenants with allow_llm may use.
    """
    flags = ["--llm-base-url", llm_endpoint.base_url, "--llm-model", "small"]
    flags += ["--llm-api-key", LLM_KEY, "--llm-reply-tokens-max", "16", "--llm-analysis", "true"]
    with server_directory() as directory, rapport_process(directory, *flags) as server:
        yield server
        code = server.stop()
        assert code == 0, server.log_text()[-4000:]


@pytest.fixture
def make_rapport() -> Iterator[Callable[..., RapportProcess]]:
    """Servers of one's own, to be killed and restarted; those of one test share a parent directory."""
    with ExitStack() as stack:
        directory = stack.enter_context(server_directory())

        def make(*flags: str, name: str = "data", start: bool = True) -> RapportProcess:
            return stack.enter_context(rapport_process(directory, *flags, name=name, start=start))

        yield make


@pytest.fixture
def make_tenant(rapport: RapportProcess) -> Iterator[Callable[..., TenantHandle]]:
    """Tenants in the shared server."""
    with ExitStack() as stack:

        def make(tenant_id: str = "", **settings: object) -> TenantHandle:
            tenant_id = tenant_id or f"t-{uuid.uuid4()}"
            operator = stack.enter_context(rapport.operator(tenant_id))
            operator.create_tenant(tenant_id=tenant_id, **settings)  # type: ignore[arg-type]
            key = operator.create_api_key(role="WRITER").secret
            client = stack.enter_context(rapport.client(key))
            return TenantHandle(tenant_id, client, operator, key, rapport)

        yield make


@pytest.fixture
def tenant(make_tenant: Callable[..., TenantHandle]) -> TenantHandle:
    """A fresh tenant in the shared server."""
    return make_tenant()
