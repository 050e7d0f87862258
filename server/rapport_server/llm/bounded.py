"""A bound on what the HTTP client reads of one answer: neither a line without an end nor an endless error page fills the memory."""

from collections.abc import AsyncIterator

import httpx2

# A reply of 32 KiB may come letter by letter, each with some 300 bytes around it.
RESPONSE_BYTES_MAX = 16 * 1024 * 1024


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        bytes_left = RESPONSE_BYTES_MAX
        async for part in self._inner:
            bytes_left -= len(part)
            if bytes_left < 0:
                raise httpx2.ReadError("the answer is too long")
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()


def bounded(client: httpx2.AsyncClient) -> httpx2.AsyncClient:
    """The client, which now breaks off an answer of more than RESPONSE_BYTES_MAX and asks for none to be compressed."""

    async def bound(response: httpx2.Response) -> None:
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _BoundedStream(response.stream)

    client.headers["accept-encoding"] = "identity"
    client.event_hooks = {"response": [bound]}
    return client
