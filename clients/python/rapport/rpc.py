"""What a call is to the SDK: an RPC of the contract, and the transport that carries it."""

from collections.abc import AsyncIterable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from google.protobuf.message import Message

RequestT = TypeVar("RequestT", bound=Message)
ResponseT = TypeVar("ResponseT", bound=Message)
ResponseT_co = TypeVar("ResponseT_co", bound=Message, covariant=True)


@dataclass(frozen=True, slots=True)
class Rpc(Generic[RequestT, ResponseT]):
    """One RPC.

    mutating: it writes, so it is sent with a request_id. waits: it has a `wait` that its deadline must
    outlast. scoped: an empty tenant_id means the client's.
    """

    path: str
    request: type[RequestT]
    response: type[ResponseT]
    mutating: bool = False
    waits: bool = False
    scoped: bool = True


class Responses(Protocol[ResponseT_co]):
    """The answers of one running call."""

    async def next(self) -> ResponseT_co | None:
        """The next answer, or None after the last. Raises RapportError."""

    def cancel(self) -> None:
        """End the call; nothing happens if it is over."""


class Transport(Protocol):
    """Carries single attempts of calls; raises nothing but RapportError for what fails on the way.

    Its methods are coroutines for both clients. The blocking transport's never suspend, which is what
    lets one source of retries, paging and streaming serve both.
    """

    async def unary(
        self, rpc: Rpc[Any, ResponseT], request: Message, timeout_s: float | None
    ) -> ResponseT:
        """One request, one answer."""

    def stream(
        self, rpc: Rpc[Any, ResponseT], request: Message, timeout_s: float | None
    ) -> Responses[ResponseT]:
        """One request, many answers."""

    async def upload(
        self,
        rpc: Rpc[Any, ResponseT],
        header: Message,
        items: Iterable[object] | AsyncIterable[object],
        encode: Callable[[object], Message],
        timeout_s: float | None,
    ) -> ResponseT:
        """The header and then every item, encoded as it is read; one answer.

        What reading or encoding an item raises ends the call and is raised here.
        """

    async def sleep(self, seconds: float) -> None:
        """Let time pass."""

    async def close(self) -> None:
        """End all calls under way and the connection."""
