"""Bounds on what the HTTP client reads of one answer: neither a line without an end nor an endless error page fills the memory or holds the loop."""

from collections.abc import AsyncIterator

import httpx2

EVENT_STREAM = "text/event-stream"
# A reply of 32 KiB may come letter by letter, each with some 300 bytes around it.
RESPONSE_BYTES_MAX = 16 * 1024 * 1024
# What the SDK parses in one go, and nothing else runs meanwhile; a reply of 32 KiB fits, be it escaped to three times its size.
ANSWER_BYTES_MAX = 128 * 1024
_EVENT_ENDS = (b"\n\n", b"\r\n\r\n", b"\r\r")
_TAIL_BYTES = max(map(len, _EVENT_ENDS)) - 1


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, at_once_max: int, *, events: bool) -> None:
        self._inner = inner
        self._at_once_max = at_once_max
        self._events = events

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = size_at_once = 0
        tail = b""
        async for part in self._inner:
            size += len(part)
            seen = tail + part  # an event's end may come in two parts
            ended = max(seen.rfind(end) for end in _EVENT_ENDS) if self._events else -1
            size_at_once = len(seen) - ended if ended >= 0 else size_at_once + len(part)
            tail = seen[-_TAIL_BYTES:]
            if size > RESPONSE_BYTES_MAX or size_at_once > self._at_once_max:
                raise httpx2.ReadError("the answer is too long")
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()


def bounded(client: httpx2.AsyncClient) -> httpx2.AsyncClient:
    """The client, which now breaks off an answer that is too long or compressed: its bounds hold for what is sent.

    Bounds: ANSWER_BYTES_MAX, or that for each event and RESPONSE_BYTES_MAX for all when an event stream was asked for;
    RESPONSE_BYTES_MAX for what is not asked anything, such as a list of models.
    """

    async def bound(response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise httpx2.DecodingError("the answer is compressed")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        asked = response.request
        at_once_max = ANSWER_BYTES_MAX if asked.method == "POST" else RESPONSE_BYTES_MAX
        events = response.is_success and asked.headers.get("accept") == EVENT_STREAM
        response.stream = _BoundedStream(response.stream, at_once_max, events=events)

    client.headers["accept-encoding"] = "identity"
    client.event_hooks = {"response": [bound]}
    return client
