"""Bytes to messages and back, inside the chain, so that bad bytes and too large answers end as any other error."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

from google.protobuf.message import DecodeError, Message

from rapport_server.domain.limits import REPLY_BYTES_MAX
from rapport_server.errors import InvalidArgument, ReplyTooLarge, Unimplemented
from rapport_server.rpc.call import CALL
from rapport_server.rpc.chain import Behaviour, Context, Handler, Method, behaviour_of

GENERATED = "rapport.v1."

Parse = Callable[[bytes], Message]
Serialise = Callable[[Message], bytes]


class MessageCodec:
    """The innermost part of the chain: what stands behind it is the servicer's own method."""

    def behaviour(self, method: Method, handler: Handler) -> Behaviour:
        """A behaviour that takes and gives bytes."""
        servicer = behaviour_of(handler)
        if servicer.__module__.startswith(GENERATED):
            return _absent(method)
        parse = _guarded_parse(handler.request_deserializer)
        serialise = _guarded_serialise(handler.response_serializer)
        call = _reading(method, parse, servicer)
        write = _streamed if method.response_streaming else _single
        return write(call, serialise)


def _absent(method: Method) -> Behaviour:
    """An RPC of the contract that no servicer has: the generated base class would answer."""

    async def absent(request: Any, context: Context) -> Any:
        raise Unimplemented(method.rpc)

    return absent


def _guarded_parse(deserialise: Callable[[bytes], Any] | None) -> Parse:
    assert deserialise is not None

    def parse(raw: bytes) -> Message:
        try:
            message: Message = deserialise(raw)
        except DecodeError:
            raise InvalidArgument("request", "is damaged or holds text that is not UTF-8") from None
        return message

    return parse


def _guarded_serialise(serializer: Callable[[Any], bytes] | None) -> Serialise:
    assert serializer is not None

    def serialise(message: Message) -> bytes:
        raw = serializer(message)
        if len(raw) > REPLY_BYTES_MAX:
            raise ReplyTooLarge
        return raw

    return serialise


def _reading(method: Method, parse: Parse, servicer: Any) -> Callable[[Any, Context], Any]:
    """The servicer's method, called with messages."""

    async def parsed(raws: AsyncIterator[bytes]) -> AsyncIterator[Message]:
        async for raw in raws:
            yield parse(raw)

    def from_stream(request: Any, context: Context) -> Any:
        return servicer(parsed(request), context)

    def from_single(request: Any, context: Context) -> Any:
        message = CALL.get().request = parse(request)
        return servicer(message, context)

    return from_stream if method.request_streaming else from_single


def _single(call: Callable[[Any, Context], Awaitable[Message]], serialise: Serialise) -> Behaviour:
    async def single(request: Any, context: Context) -> bytes:
        return serialise(await call(request, context))

    return single


def _streamed(call: Callable[[Any, Context], Any], serialise: Serialise) -> Behaviour:
    async def streamed(request: Any, context: Context) -> None:
        async with aclosing(call(request, context)) as replies:
            async for reply in replies:
                await context.write(serialise(reply))

    return streamed
