"""The one source of both clients: request ids, tenants, deadlines, retries, paging, streams.

Everything here is written as coroutines over a Transport. AsyncClient awaits them; Client runs them to
their end at once, because its transport blocks instead of suspending.
"""

import math
import random
import time
import uuid
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from google.protobuf.message import Message

from rapport.errors import RapportError
from rapport.requests import build, set_message
from rapport.rpc import RequestT, Responses, ResponseT, Rpc, Transport

T = TypeVar("T")

# Four attempts then span 2.6 s at most: a dropped connection or a rolling restart behind a balancer heals
# in that time, and a server that stays away is reported while a person still waits.
BACKOFF_FIRST_S = 0.2
BACKOFF_FACTOR = 3.0
# The jitter takes away up to half, so that clients that failed together do not come back together.
JITTER = 0.5


@dataclass(frozen=True, slots=True)
class Settings:
    """What all calls of a client share.

    timeout_s: seconds for a call, its retries included. max_attempts: the first attempt included.
    tenant_id: for calls that name none.
    """

    timeout_s: float
    max_attempts: int
    tenant_id: str

    def __post_init__(self) -> None:
        check_timeout(self.timeout_s)
        if self.max_attempts < 1:
            raise ValueError("max_attempts must be at least 1")


class Deadline:
    """A moment after which a call is given up; math.inf = never."""

    def __init__(self, timeout_s: float) -> None:
        check_timeout(timeout_s)
        self._end = time.monotonic() + timeout_s

    def remaining(self) -> float | None:
        """Seconds left, never negative; None when there is no end."""
        return None if self._end == math.inf else max(0.0, self._end - time.monotonic())

    def allows(self, delay_s: float) -> bool:
        """Whether something can still be tried after that many seconds."""
        left = self.remaining()
        return left is None or delay_s < left


def check_timeout(timeout_s: float) -> None:
    """Refuse what is no positive number of seconds."""
    if not timeout_s > 0:
        raise ValueError(f"timeout must be above 0 seconds, not {timeout_s!r}; math.inf = no limit")


def is_retryable(error: RapportError, mutating: bool) -> bool:
    """Whether the same call may be sent again: nothing was written, or its request_id guards it."""
    if error.code == "UNAVAILABLE":
        return True
    return mutating and error.code == "ABORTED" and error.reason == "CONFLICT"


def backoff_s(attempt: int, retry_after_s: float | None) -> float:
    """Seconds to wait after that attempt (from 1) failed; at least what the server asked for."""
    full = BACKOFF_FIRST_S * BACKOFF_FACTOR ** (attempt - 1)
    jittered = full * (1 - JITTER * random.random())  # noqa: S311 - spreads load, guards nothing
    return max(jittered, retry_after_s or 0.0)


class Calls:
    """Makes calls through a transport."""

    def __init__(self, transport: Transport, settings: Settings) -> None:
        self._transport = transport
        self._settings = settings

    async def unary(
        self, rpc: Rpc[RequestT, ResponseT], fields: Mapping[str, object], timeout: float | None
    ) -> ResponseT:
        """One request, one answer. The default deadline grows by the request's `wait`."""
        request: Any = build(rpc.request, self._completed(rpc, fields))
        limit = self._settings.timeout_s if timeout is None else timeout
        if rpc.waits and timeout is None:
            limit += request.wait.ToTimedelta().total_seconds()
        return await self._retried(
            lambda left: self._transport.unary(rpc, request, left),
            Deadline(limit),
            self._settings.max_attempts,
            request.request_id if rpc.mutating else "",
        )

    async def upload(
        self,
        rpc: Rpc[RequestT, ResponseT],
        fields: Mapping[str, object],
        items: Iterable[object] | AsyncIterable[object],
        timeout: float | None,
    ) -> ResponseT:
        """A header and many items, one answer. Retried only if the items can be read again."""
        header = self._completed(rpc, fields)
        first = build(rpc.request, {"header": header})
        return await self._retried(
            lambda left: self._transport.upload(rpc, first, items, _encoder(rpc), left),
            Deadline(math.inf if timeout is None else timeout),
            self._settings.max_attempts if isinstance(items, Sequence) else 1,
            str(header.get("request_id", "")),
        )

    def stream(
        self, rpc: Rpc[RequestT, ResponseT], fields: Mapping[str, object], timeout: float | None
    ) -> "StreamCall[ResponseT]":
        """One request, many answers. A watch or export has no deadline unless one is given."""
        request: Any = build(rpc.request, self._completed(rpc, fields))
        default = self._settings.timeout_s if rpc.mutating else math.inf
        limit = default if timeout is None else timeout
        check_timeout(limit)
        return StreamCall(self, rpc, request, limit, request.request_id if rpc.mutating else "")

    def pages(
        self, rpc: Rpc[RequestT, ResponseT], fields: Mapping[str, object], timeout: float | None
    ) -> "PagesCall[ResponseT]":
        """The pages of a list, each asked when it is needed; the deadline holds for each."""
        return PagesCall(self, rpc, fields, timeout)

    async def open(
        self, rpc: Rpc[Any, ResponseT], request: Message, limit_s: float, request_id: str
    ) -> tuple[Responses[ResponseT], ResponseT | None]:
        """A running stream and its first answer; retried until that has come."""

        async def start(left: float | None) -> tuple[Responses[ResponseT], ResponseT | None]:
            responses = self._transport.stream(rpc, request, left)
            return responses, await responses.next()

        attempts = self._settings.max_attempts
        return await self._retried(start, Deadline(limit_s), attempts, request_id)

    def _completed(self, rpc: Rpc[Any, Any], fields: Mapping[str, object]) -> dict[str, object]:
        """The fields, with the client's tenant and a new request_id where none is given."""
        completed = dict(fields)
        if rpc.scoped and not completed.get("tenant_id"):
            completed["tenant_id"] = self._settings.tenant_id
        if rpc.mutating and not completed.get("request_id"):
            completed["request_id"] = str(uuid.uuid4())
        return completed

    async def _retried(
        self,
        attempt: Callable[[float | None], Awaitable[T]],
        deadline: Deadline,
        attempts_max: int,
        request_id: str,
    ) -> T:
        """Make attempts until one succeeds, fails for good, or another would come too late."""
        for number in range(1, attempts_max + 1):
            try:
                return await attempt(deadline.remaining())
            except RapportError as error:
                delay = backoff_s(number, error.retry_after)
                last = number == attempts_max or not deadline.allows(delay)
                if last or not is_retryable(error, mutating=bool(request_id)):
                    error.retry_request_id = request_id
                    raise
            await self._transport.sleep(delay)
        raise AssertionError("the last attempt returns or raises")


class StreamCall(Generic[ResponseT]):
    """One stream; the call begins when the first answer is asked for."""

    def __init__(
        self,
        calls: Calls,
        rpc: Rpc[Any, ResponseT],
        request: Message,
        limit_s: float,
        request_id: str,
    ) -> None:
        self._calls = calls
        self._rpc = rpc
        self._request = request
        self._limit_s = limit_s
        self._request_id = request_id
        self._responses: Responses[ResponseT] | None = None
        self._over = False
        self._closed = False

    async def next(self) -> ResponseT | None:
        """The next answer, or None after the last and after close()."""
        if self._over:
            return None
        answer: ResponseT | None = None
        try:
            if self._responses is None:
                self._responses, answer = await self._calls.open(
                    self._rpc, self._request, self._limit_s, self._request_id
                )
            else:
                answer = await self._responses.next()
        except RapportError as error:
            error.retry_request_id = self._request_id
            # What close() cancelled, from another thread or task, is an end and no failure.
            if not self._closed:
                raise
        finally:
            self._over = self._closed or answer is None
        if self._closed and self._responses is not None:
            self._responses.cancel()
        return None if self._over else answer

    def close(self) -> None:
        """End the call."""
        self._closed = self._over = True
        if self._responses is not None:
            self._responses.cancel()


class PagesCall(Generic[ResponseT]):
    """The pages of one list."""

    def __init__(
        self,
        calls: Calls,
        rpc: Rpc[Any, ResponseT],
        fields: Mapping[str, object],
        timeout: float | None,
    ) -> None:
        self._calls = calls
        self._rpc = rpc
        self._fields = dict(fields)
        self._timeout = timeout
        self._over = False

    async def next(self) -> ResponseT | None:
        """The next page, or None after the last."""
        if self._over:
            return None
        page: Any = await self._calls.unary(self._rpc, self._fields, self._timeout)
        self._fields["page_token"] = page.next_page_token
        self._over = not page.next_page_token
        answer: ResponseT = page
        return answer


def _encoder(rpc: Rpc[Any, Any]) -> Callable[[object], Message]:
    """Turns one item of an upload into its request message."""

    def encode(item: object) -> Message:
        request = rpc.request()
        set_message(request.memory, item, "memories")
        message: Message = request
        return message

    return encode
