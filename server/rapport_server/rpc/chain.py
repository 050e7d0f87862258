"""What all interceptors share: one way to wrap a method, whatever its kind.

Every behaviour in the chain is a coroutine function of (request or request iterator, context). One that streams its
answer writes to the context and returns None, so that an interceptor surrounds the body of a stream as it surrounds a
single answer.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import grpc
import grpc.aio

PREFIX = "/rapport."

# Generic for the type checker only.
if TYPE_CHECKING:
    Context = grpc.aio.ServicerContext[Any, Any]
    Handler = grpc.RpcMethodHandler[Any, Any]
else:
    Context = grpc.aio.ServicerContext
    Handler = grpc.RpcMethodHandler
Behaviour = Callable[[Any, Context], Awaitable[Any]]
Continuation = Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]]

_MAKERS: dict[tuple[bool, bool], Callable[..., Handler]] = {
    (False, False): grpc.unary_unary_rpc_method_handler,
    (False, True): grpc.unary_stream_rpc_method_handler,
    (True, False): grpc.stream_unary_rpc_method_handler,
    (True, True): grpc.stream_stream_rpc_method_handler,
}


@dataclass(frozen=True, slots=True)
class Method:
    """An RPC: its full path, its bare name and its kind."""

    path: str
    rpc: str
    request_streaming: bool
    response_streaming: bool

    @classmethod
    def of(cls, path: str, handler: Handler) -> "Method":
        """The method behind a path of the wire, `/rapport.v1.MemoryService/Recall`."""
        return cls(
            path, path.rpartition("/")[2], handler.request_streaming, handler.response_streaming
        )


class Interceptor(ABC):
    """One part of the chain."""

    @abstractmethod
    def around(self, method: Method, inner: Behaviour) -> Behaviour:
        """The behaviour of `inner` with this interceptor's part around it."""


class Codec(Protocol):
    """The innermost part: from a servicer's handler to a behaviour of raw bytes."""

    def behaviour(self, method: Method, handler: Handler) -> Behaviour:
        """What serves the method."""
        ...


class Chain(grpc.aio.ServerInterceptor):
    """All interceptors as one, the outermost first: each method of ours is wrapped once, at its first call.

    grpc itself would walk through its interceptors anew for every call. Health and reflection pass untouched. A chain
    serves one server; what it wrapped is kept by path, bounded by the number of methods.
    """

    def __init__(self, interceptors: Sequence[Interceptor], codec: Codec) -> None:
        self._interceptors = interceptors
        self._codec = codec
        self._wrapped: dict[str, Handler] = {}

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler | None:
        """The handler that serves a path, wrapped; None when there is none."""
        path = handler_call_details.method
        wrapped = self._wrapped.get(path)
        if wrapped is None:
            handler = await continuation(handler_call_details)
            if handler is None or not path.startswith(PREFIX):
                return handler
            wrapped = self._wrapped[path] = self._wrap(Method.of(path, handler), handler)
        return wrapped

    def _wrap(self, method: Method, handler: Handler) -> Handler:
        behaviour = self._codec.behaviour(method, handler)
        for interceptor in reversed(self._interceptors):
            behaviour = interceptor.around(method, behaviour)
        return _MAKERS[method.request_streaming, method.response_streaming](behaviour)


def behaviour_of(handler: Handler) -> Any:
    """The function behind a handler of any kind."""
    return (
        handler.unary_unary or handler.unary_stream or handler.stream_unary or handler.stream_stream
    )
