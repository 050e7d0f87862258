"""Carries the calls of Client over a blocking gRPC channel. Its coroutines never suspend."""

import threading
import time
from collections.abc import AsyncIterable, Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from google.protobuf.message import Message

from rapport.channel import Connection
from rapport.errors import CallCancelledError, from_status
from rapport.rpc import Responses, ResponseT, Rpc

if TYPE_CHECKING:
    import grpc

T = TypeVar("T")


class BlockingTransport:
    """One channel, opened by the first call; any number of threads may use it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._channel: grpc.Channel | None = None
        self._closed = False

    async def unary(
        self, rpc: Rpc[Any, ResponseT], request: Message, timeout_s: float | None
    ) -> ResponseT:
        """See Transport.unary."""
        call = self._open().unary_unary(
            rpc.path, rpc.request.SerializeToString, rpc.response.FromString
        )
        metadata = self._connection.metadata
        return self._answer(lambda: call(request, timeout=timeout_s, metadata=metadata))

    def stream(
        self, rpc: Rpc[Any, ResponseT], request: Message, timeout_s: float | None
    ) -> Responses[ResponseT]:
        """See Transport.stream."""
        call = self._open().unary_stream(
            rpc.path, rpc.request.SerializeToString, rpc.response.FromString
        )
        metadata = self._connection.metadata
        answers = self._answer(lambda: call(request, timeout=timeout_s, metadata=metadata))
        return BlockingResponses(answers, self._answer)

    async def upload(
        self,
        rpc: Rpc[Any, ResponseT],
        header: Message,
        items: Iterable[object] | AsyncIterable[object],
        encode: Callable[[object], Message],
        timeout_s: float | None,
    ) -> ResponseT:
        """See Transport.upload. gRPC reads the items in a thread of its own."""
        if not isinstance(items, Iterable):
            raise TypeError("memories: an iterable is needed")
        open_call = self._open().stream_unary(
            rpc.path, rpc.request.SerializeToString, rpc.response.FromString
        )
        requests = UploadRequests(header, items, encode)
        call = self._answer(
            lambda: open_call.future(
                requests.read(), timeout=timeout_s, metadata=self._connection.metadata
            )
        )
        requests.started(call.cancel)
        try:
            return self._answer(call.result)
        except CallCancelledError:
            if requests.failure is not None:
                raise requests.failure from None
            raise
        finally:
            call.cancel()

    async def sleep(self, seconds: float) -> None:
        """See Transport.sleep."""
        time.sleep(seconds)  # noqa: ASYNC251 - blocking is what this transport is for

    async def close(self) -> None:
        """See Transport.close."""
        with self._lock:
            self._closed = True
            channel = self._channel
        if channel is not None:
            channel.close()

    def _open(self) -> "grpc.Channel":
        with self._lock:
            if self._closed:
                raise CallCancelledError("the client is closed")
            if self._channel is None:
                import grpc

                to = self._connection
                self._channel = (
                    grpc.insecure_channel(to.target, to.options)
                    if to.credentials is None
                    else grpc.secure_channel(to.target, to.credentials, to.options)
                )
            return self._channel

    def _answer(self, call: Callable[[], T]) -> T:
        """What a call answers, its failure as a RapportError without gRPC's exception behind it."""
        import grpc

        try:
            return call()
        except grpc.RpcError as failure:
            told: Any = failure
            error = from_status(told.code().name, told.details() or "", told.trailing_metadata())
        except grpc.FutureCancelledError:
            error = CallCancelledError("the call was cancelled")
        except ValueError:
            # gRPC's answer to a call on a channel that another thread has just closed.
            if not self._closed:
                raise
            error = CallCancelledError("the client is closed")
        raise error


class BlockingResponses(Generic[ResponseT]):
    """See Responses."""

    def __init__(self, call: Any, answer: Callable[[Callable[[], Any]], Any]) -> None:
        self._call = call
        self._answer = answer

    async def next(self) -> ResponseT | None:
        """See Responses.next."""
        answer: ResponseT | None = self._answer(lambda: next(self._call, None))
        return answer

    def cancel(self) -> None:
        """See Responses.cancel."""
        self._call.cancel()


class UploadRequests:
    """The messages of one upload. What reading an item raises is kept, and cancels the call.

    If it were let through to gRPC's thread, it would be logged there; if the reading just ended, the
    server would take a part of the items for all of them.
    """

    def __init__(
        self, header: Message, items: Iterable[object], encode: Callable[[object], Message]
    ) -> None:
        self.failure: BaseException | None = None
        self._header = header
        self._items = items
        self._encode = encode
        self._call_known = threading.Event()
        self._cancel: Callable[[], object] = lambda: None

    def started(self, cancel: Callable[[], object]) -> None:
        """Tell how the call is cancelled."""
        self._cancel = cancel
        self._call_known.set()

    def read(self) -> Iterator[Message]:
        """The header, then each item."""
        yield self._header
        try:
            for item in self._items:
                yield self._encode(item)
        except Exception as failure:
            self.failure = failure
            self._call_known.wait()
            self._cancel()
