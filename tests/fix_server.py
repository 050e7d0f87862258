"""A real gRPC server on a free port, with scripted commands behind it: what is tested is the room in front of them."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import grpc.aio
import pytest

from rapport_server.config import Address
from rapport_server.domain.tenants import (
    ApiKeyRole,
    Caller,
    MetadataField,
    MetadataType,
    Plan,
    Tenant,
)
from rapport_server.errors import NotFound, Unauthenticated
from rapport_server.obs.metrics import Metrics
from rapport_server.privacy.secrets import Secrets
from rapport_server.rpc.server import RpcServer

ANYWHERE = Address("127.0.0.1", 0)
NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
TENANT = Tenant(
    "clinic",
    Plan.ENTERPRISE,
    (
        MetadataField("topic", MetadataType.STRING, True),
        MetadataField("score", MetadataType.NUMBER, True),
        MetadataField("seen", MetadataType.BOOL, False),
        MetadataField("visit", MetadataType.TIMESTAMP, True),
    ),
    "",
    0.0,
    False,
    False,
    NOW,
    NOW,
)
TENANTS = {
    "clinic": TENANT,
    "shared": replace(TENANT, tenant_id="shared", default_end_user_id="team"),
}

HASHER = Secrets(b"h" * 32, b"s" * 32)


def key_of(role: str, tenant_id: str = "clinic") -> tuple[tuple[str, str], ...]:
    """Call metadata with the key of a role; the scripted authentication reads it back."""
    return (("authorization", f"Bearer {role}:{tenant_id}"),)


@dataclass
class Script:
    """Answers of the commands by name ("reads.memory"), and the arguments that each was called with.

    An answer is a value, an exception to raise, or a function of the arguments; a name without one fails the test.
    """

    answers: dict[str, Any] = field(default_factory=dict)
    calls: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)

    def arguments(self, name: str) -> tuple[Any, ...]:
        """Those of the only call of that name."""
        (found,) = [arguments for called, arguments in self.calls if called == name]
        return found


class _Command:
    def __init__(self, script: Script, name: str) -> None:
        self._script = script
        self._name = name

    def __getattr__(self, name: str) -> "_Command":
        return _Command(self._script, f"{self._name}.{name}")

    def __call__(self, *arguments: Any) -> Any:
        self._script.calls.append((self._name, arguments))
        answer = self._script.answers[self._name]
        if hasattr(answer, "__aiter__"):
            return answer
        return self._answered(answer, arguments)

    async def _answered(self, answer: Any, arguments: tuple[Any, ...]) -> Any:
        if isinstance(answer, BaseException):
            raise answer
        if not callable(answer):
            return answer
        result = answer(*arguments)
        return await result if hasattr(result, "__await__") else result


class _Commands:
    def __init__(self, script: Script) -> None:
        self._script = script
        self.tenant_directory = SimpleNamespace(get=_tenant)
        self.authenticate = _authenticate

    def __getattr__(self, name: str) -> _Command:
        return _Command(self._script, name)


async def _tenant(tenant_id: str) -> Tenant:
    if tenant_id not in TENANTS:
        raise NotFound("tenant")
    return TENANTS[tenant_id]


async def _authenticate(header: str | None) -> Caller:
    scheme, _, key = (header or "").partition(" ")
    role, _, tenant_id = key.partition(":")
    if scheme != "Bearer" or role not in ApiKeyRole.__members__:
        raise Unauthenticated
    return Caller(f"key-{role}", ApiKeyRole(role), "" if role == "OPERATOR" else tenant_id)


@pytest.fixture
def script() -> Script:
    """What the commands answer."""
    return Script()


@pytest.fixture
def rpc_metrics() -> Metrics:
    """The figures of the server under test."""
    return Metrics()


@pytest.fixture
def make_server(script: Script, rpc_metrics: Metrics) -> Callable[..., RpcServer]:
    """Makes servers that do not listen yet."""

    def make(listen: Address = ANYWHERE, insecure: bool = False) -> RpcServer:
        config = SimpleNamespace(listen=listen, insecure=insecure)
        return RpcServer(config, rpc_metrics)

    return make


@pytest.fixture
def commands(script: Script) -> Any:
    """The scripted commands."""
    return _Commands(script)


@pytest.fixture
async def grpc_server(
    make_server: Callable[..., RpcServer], commands: Any
) -> AsyncIterator[tuple[RpcServer, Address]]:
    """A server that serves, with its address; it wants keys."""
    server = make_server()
    address = await server.start()
    server.open(commands, HASHER)
    yield server, address
    await server.stop(0.1)


@pytest.fixture
def grpc_addr(grpc_server: tuple[RpcServer, Address]) -> str:
    """Where it listens."""
    return str(grpc_server[1])


@pytest.fixture
async def grpc_channel(grpc_addr: str) -> AsyncIterator[grpc.aio.Channel]:
    """A channel to it."""
    async with grpc.aio.insecure_channel(grpc_addr) as channel:
        yield channel
