"""The one source of both clients: request ids, tenants, deadlines, retries, paging, streams.

Everything here is written as coroutines over a Transport. AsyncClient awaits them; Client runs them to
their end at once, because its transport blocks instead of suspending.
"""

import itertools
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

# A dropped connection heals within the first attempts; a server that restarts, which takes seconds to load
# its model, is found again within BACKOFF_MAX_S of being ready.
BACKOFF_FIRST_S = 0.2
BACKOFF_FACTOR = 3.0
BACKOFF_MAX_S = 2.0
# A language model that is overloaded is asked less and less often: each request costs its owner something.
LLM_BACKOFF_FIRST_S = 2.0
LLM_BACKOFF_FACTOR = 2.0
LLM_BACKOFF_MAX_S = 30.0
# The jitter takes away up to half, so that clients that failed together do not come back together.
JITTER = 0.5


@dataclass(frozen=True, slots=True)
class Settings:
    """What all calls of a client share.

    timeout_s: seconds for a call, its retries included. max_attempts: the first attempt included; None =
    as many as the time allows. tenant_id: for calls that name none.
    """

    timeout_s: float
    max_attempts: int | None
    tenant_id: str

    def __post_init__(self) -> None:
        check_timeout(self.timeout_s)
        if self.max_attempts is not None and self.max_attempts < 1:
            raise ValueError("max_attempts must be at least 1")


class Deadline:
    """A moment after which a call is given up; math.inf = never."""

    def __init__(self, timeout_s: float) -> None:
        check_timeout(timeout_s)
        self.timeout_s = timeout_s
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
    """Whether the same call may be sent again, as nothing was written or its request_id guards it, and
    may succeed: what a hint is for does not change by itself.
    """
    if error.hint:
        return False
    if error.reason == "LLM_FAILED":
        # The server names no time where its endpoint would refuse again.
        return error.retry_after is not None
    if error.code == "UNAVAILABLE":
        return True
    return mutating and error.code == "ABORTED" and error.reason == "CONFLICT"


def backoff_s(attempt: int, error: RapportError) -> float:
    """Seconds to wait after that attempt (from 1) failed; at least what the server asked for."""
    first, factor, most = BACKOFF_FIRST_S, BACKOFF_FACTOR, BACKOFF_MAX_S
    if error.reason == "LLM_FAILED":
        first, factor, most = LLM_BACKOFF_FIRST_S, LLM_BACKOFF_FACTOR, LLM_BACKOFF_MAX_S
    # The exponent is bounded because a float is, and a call without a limit has any number of attempts.
    full = min(most, first * factor ** min(attempt - 1, 64))
    jittered = full * (1 - JITTER * random.random())  # noqa: S311 - spreads load, guards nothing
    return max(jittered, error.retry_after or 0.0)


class Calls:
    """Makes calls through a transport; `hint` says what about the connection causes an error, or nothing."""

    def __init__(
        self, transport: Transport, settings: Settings, hint: Callable[[RapportError], str]
    ) -> None:
        self._transport = transport
        self._settings = settings
        self._hint = hint

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
            request.request_id if rpc.mutating else "",
        )

    async def upload(
        self,
        rpc: Rpc[RequestT, ResponseT],
        fields: Mapping[str, object],
        items: Iterable[object] | AsyncIterable[object],
        timeout: float | None,
    ) -> ResponseT:
        """A header and many items, one answer. Retried only if the items can be read again.

        Without a timeout it may last as long as it likes, but is begun again only within the client's.
        """
        header = self._completed(rpc, fields)
        first = build(rpc.request, {"header": header})
        return await self._retried(
            lambda left: self._transport.upload(rpc, first, items, _encoder(rpc), left),
            Deadline(math.inf if timeout is None else timeout),
            str(header.get("request_id", "")),
            begin_within_s=self._settings.timeout_s if timeout is None else None,
            repeatable=isinstance(items, Sequence),
        )

    def stream(
        self, rpc: Rpc[RequestT, ResponseT], fields: Mapping[str, object], timeout: float | None
    ) -> "StreamCall[ResponseT]":
        """One request, many answers. A watch or export has no deadline unless one is given."""
        request: Any = build(rpc.request, self._completed(rpc, fields))
        default = self._settings.timeout_s if rpc.mutating else math.inf
        limit = default if timeout is None else timeout
        check_timeout(limit)
        begin_within_s = self._settings.timeout_s if timeout is None else limit
        request_id = request.request_id if rpc.mutating else ""
        return StreamCall(self, rpc, request, limit, begin_within_s, request_id)

    def pages(
        self, rpc: Rpc[RequestT, ResponseT], fields: Mapping[str, object], timeout: float | None
    ) -> "PagesCall[ResponseT]":
        """The pages of a list, each asked when it is needed; the deadline holds for each."""
        return PagesCall(self, rpc, fields, timeout)

    async def open(
        self,
        rpc: Rpc[Any, ResponseT],
        request: Message,
        limit_s: float,
        begin_within_s: float,
        request_id: str,
    ) -> tuple[Responses[ResponseT], ResponseT | None]:
        """A running stream and its first answer; retried until that has come."""

        async def start(left: float | None) -> tuple[Responses[ResponseT], ResponseT | None]:
            responses = self._transport.stream(rpc, request, left)
            return responses, await responses.next()

        return await self._retried(
            start, Deadline(limit_s), request_id, begin_within_s=begin_within_s
        )

    def complete(self, error: RapportError, limit_s: float, request_id: str) -> None:
        """Add to an error what this side knows of the call."""
        error.retry_request_id = request_id
        error.hint = self._hint(error)
        # The server's own ones bear its request id.
        if error.code == "DEADLINE_EXCEEDED" and not error.request_id:
            error.message = f"not done within {limit_s:g} s"

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
        request_id: str,
        *,
        begin_within_s: float | None = None,
        repeatable: bool = True,
    ) -> T:
        """Make attempts until one succeeds, fails for good, or another would come too late."""
        until = deadline if begin_within_s is None else Deadline(begin_within_s)
        attempts_max = self._settings.max_attempts if repeatable else 1
        for number in itertools.count(1):
            try:
                return await attempt(deadline.remaining())
            except RapportError as error:
                self.complete(error, deadline.timeout_s, request_id)
                delay = backoff_s(number, error)
                last = number == attempts_max or not until.allows(delay)
                if last or not is_retryable(error, mutating=bool(request_id)):
                    raise
            await self._transport.sleep(delay)
        raise AssertionError("attempts end by an answer or an error")


class StreamCall(Generic[ResponseT]):
    """One stream; the call begins when the first answer is asked for."""

    def __init__(
        self,
        calls: Calls,
        rpc: Rpc[Any, ResponseT],
        request: Message,
        limit_s: float,
        begin_within_s: float,
        request_id: str,
    ) -> None:
        self._calls = calls
        self._rpc = rpc
        self._request = request
        self._limit_s = limit_s
        self._begin_within_s = begin_within_s
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
                    self._rpc,
                    self._request,
                    self._limit_s,
                    self._begin_within_s,
                    self._request_id,
                )
            else:
                answer = await self._responses.next()
        except RapportError as error:
            self._calls.complete(error, self._limit_s, self._request_id)
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
