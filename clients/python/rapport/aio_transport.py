"""Carries the calls of AsyncClient over grpc.aio."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from google.protobuf.message import Message

from rapport.channel import Connection
from rapport.errors import CallCancelledError, from_status
from rapport.rpc import Responses, ResponseT, Rpc

if TYPE_CHECKING:
    import grpc.aio

T = TypeVar("T")


class AioTransport:
    """One channel, opened by the first call and bound to the event loop of that call."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._channel: grpc.aio.Channel | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    async def unary(
        self, rpc: Rpc[Any, ResponseT], request: Message, timeout_s: float | None
    ) -> ResponseT:
        """See Transport.unary."""
        call = self._open().unary_unary(
            rpc.path, rpc.request.SerializeToString, rpc.response.FromString
        )
        return await _answer(call(request, timeout=timeout_s, metadata=self._connection.metadata))

    def stream(
        self, rpc: Rpc[Any, ResponseT], request: Message, timeout_s: float | None
    ) -> Responses[ResponseT]:
        """See Transport.stream."""
        call = self._open().unary_stream(
            rpc.path, rpc.request.SerializeToString, rpc.response.FromString
        )
        metadata = self._connection.metadata
        return AioResponses(call(request, timeout=timeout_s, metadata=metadata))

    async def upload(
        self,
        rpc: Rpc[Any, ResponseT],
        header: Message,
        items: Iterable[object] | AsyncIterable[object],
        encode: Callable[[object], Message],
        timeout_s: float | None,
    ) -> ResponseT:
        """See Transport.upload."""
        open_call = self._open().stream_unary(
            rpc.path, rpc.request.SerializeToString, rpc.response.FromString
        )
        call = open_call(timeout=timeout_s, metadata=self._connection.metadata)
        try:
            if await _written(call, header):
                async for item in _each(items):
                    if not await _written(call, encode(item)):
                        break
            if not call.done():
                await call.done_writing()
        except BaseException:
            # The server must not take a part of the items for all of them.
            call.cancel()
            raise
        return await _answer(call)

    async def sleep(self, seconds: float) -> None:
        """See Transport.sleep."""
        await asyncio.sleep(seconds)

    async def close(self) -> None:
        """See Transport.close."""
        self._closed = True
        if self._channel is not None:
            await self._channel.close()

    def _open(self) -> "grpc.aio.Channel":
        if self._closed:
            raise CallCancelledError("the client is closed")
        if self._channel is None:
            import grpc.aio

            self._loop = asyncio.get_running_loop()
            to = self._connection
            self._channel = (
                grpc.aio.insecure_channel(to.target, to.options)
                if to.credentials is None
                else grpc.aio.secure_channel(to.target, to.credentials, to.options)
            )
        elif self._loop is not asyncio.get_running_loop():
            raise RuntimeError("an AsyncClient stays in the event loop of its first call")
        return self._channel


class AioResponses(Generic[ResponseT]):
    """See Responses."""

    def __init__(self, call: "grpc.aio.UnaryStreamCall[Any, ResponseT]") -> None:
        self._call = call

    async def next(self) -> ResponseT | None:
        """See Responses.next."""
        import grpc.aio

        answer: Any = await _answer(self._call.read())
        return None if answer is grpc.aio.EOF else answer

    def cancel(self) -> None:
        """See Responses.cancel."""
        self._call.cancel()


async def _answer(call: Awaitable[T]) -> T:
    """What a call answers, its failure as a RapportError without gRPC's exception behind it."""
    import grpc.aio

    try:
        return await call
    except grpc.aio.AioRpcError as failure:
        error = from_status(
            failure.code().name, failure.details() or "", failure.trailing_metadata()
        )
    except asyncio.CancelledError:
        # gRPC says this too when the channel or the call is closed under a task that nobody cancelled.
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        error = CallCancelledError("the call was closed")
    raise error


async def _written(call: "grpc.aio.StreamUnaryCall[Any, Any]", message: Message) -> bool:
    """Send one message; False when the server has ended the call, whose answer says why."""
    import grpc.aio

    if call.done():
        return False
    try:
        await call.write(message)
    except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
        return False
    return True


async def _each(items: Iterable[object] | AsyncIterable[object]) -> AsyncIterator[object]:
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item
