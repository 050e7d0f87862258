"""The two clients."""

from typing import TYPE_CHECKING, Self

from rapport.aio_transport import AioTransport
from rapport.async_methods import AsyncMethods
from rapport.blocking_transport import BlockingTransport
from rapport.calls import Calls, Settings
from rapport.channel import connection
from rapport.streams import run
from rapport.sync_methods import Methods

if TYPE_CHECKING:
    import grpc

# Long enough for the largest AddMemory on a busy server, short enough that a person sees the error.
TIMEOUT_S = 30.0


class AsyncClient(AsyncMethods):
    """Rapport for asyncio: one coroutine method per RPC, async iterators for lists and streams.

    target: "HOST:PORT"; unset = RAPPORT_TARGET, else 127.0.0.1:50051.
    api_key: unset = RAPPORT_API_KEY; none at all suits a server that runs with --insecure.
    tenant_id: for calls that name none; empty = the key's own tenant. An operator key must name one.
    timeout: seconds for a call with its retries; each call can give its own, math.inf = no limit.
        The `wait` of add_memory is added. Watches, exports and imports may last longer, and are tried
        for that time when they cannot begin.
    max_attempts: unset = an unavailable server is tried again until the timeout, and so is work that
        collided with another's; 1 = nothing is tried again. Writes keep their request_id, so they are
        done once.
    plaintext: unset = without TLS to this machine only, TLS to any other. True = never TLS: the key and
        all text can then be read on the way.
    credentials: gRPC channel credentials, for an own certificate authority or client certificates.

    Every method raises RapportError and its subclasses, TypeError or ValueError for arguments that do not
    fit the contract's types, and nothing of gRPC. Close it, or use it as a context manager.
    """

    def __init__(
        self,
        target: str | None = None,
        api_key: str | None = None,
        *,
        tenant_id: str = "",
        timeout: float = TIMEOUT_S,
        max_attempts: int | None = None,
        plaintext: bool | None = None,
        credentials: "grpc.ChannelCredentials | None" = None,
    ) -> None:
        to = connection(target, api_key, plaintext, credentials)
        self._transport = AioTransport(to)
        self._calls = Calls(self._transport, Settings(timeout, max_attempts, tenant_id), to.hint)

    async def close(self) -> None:
        """End what is under way, which then raises CallCancelledError, and the connection."""
        await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()


class Client(Methods):
    """Rapport for blocking code: one method per RPC, iterators for lists and streams.

    The arguments are AsyncClient's. Any number of threads may share one client.
    """

    def __init__(
        self,
        target: str | None = None,
        api_key: str | None = None,
        *,
        tenant_id: str = "",
        timeout: float = TIMEOUT_S,
        max_attempts: int | None = None,
        plaintext: bool | None = None,
        credentials: "grpc.ChannelCredentials | None" = None,
    ) -> None:
        to = connection(target, api_key, plaintext, credentials)
        self._transport = BlockingTransport(to)
        self._calls = Calls(self._transport, Settings(timeout, max_attempts, tenant_id), to.hint)

    def close(self) -> None:
        """End what is under way, which then raises CallCancelledError, and the connection."""
        run(self._transport.close())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
