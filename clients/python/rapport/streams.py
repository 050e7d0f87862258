"""What list and stream methods return: lazy iterators over items, pages and streamed answers."""

from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping
from typing import Any, Generic, Self, TypeVar

from google.protobuf.message import Message

from rapport.calls import Calls, PagesCall
from rapport.rpc import Rpc

ItemT = TypeVar("ItemT")
PageT = TypeVar("PageT", bound=Message)
T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never suspends, as all do over the blocking transport."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    coroutine.close()
    raise AssertionError("a blocking call suspended")


class AsyncPager(Generic[ItemT, PageT]):
    """The items of a list: `async for item in pager`. Each loop asks from the start, page by page."""

    def __init__(
        self,
        calls: Calls,
        rpc: Rpc[Any, PageT],
        fields: Mapping[str, object],
        items: Callable[[PageT], Iterable[ItemT]],
        timeout: float | None,
    ) -> None:
        self._start: Callable[[], PagesCall[PageT]] = lambda: calls.pages(rpc, fields, timeout)
        self._items = items

    async def __aiter__(self) -> AsyncIterator[ItemT]:
        async for page in self.pages():
            for item in self._items(page):
                yield item

    async def pages(self) -> AsyncIterator[PageT]:
        """The answers themselves; each holds the next_page_token that a later call can start with."""
        call = self._start()
        while (page := await call.next()) is not None:
            yield page


class Pager(Generic[ItemT, PageT]):
    """The items of a list: `for item in pager`. Each loop asks from the start, page by page."""

    def __init__(
        self,
        calls: Calls,
        rpc: Rpc[Any, PageT],
        fields: Mapping[str, object],
        items: Callable[[PageT], Iterable[ItemT]],
        timeout: float | None,
    ) -> None:
        self._start: Callable[[], PagesCall[PageT]] = lambda: calls.pages(rpc, fields, timeout)
        self._items = items

    def __iter__(self) -> Iterator[ItemT]:
        for page in self.pages():
            yield from self._items(page)

    def pages(self) -> Iterator[PageT]:
        """The answers themselves; each holds the next_page_token that a later call can start with."""
        call = self._start()
        while (page := run(call.next())) is not None:
            yield page


class AsyncStream(Generic[PageT]):
    """Answers as they come: `async for answer in stream`. The call begins with the first of them.

    Leave a stream early by `await stream.aclose()` or with `async with stream:`.
    """

    def __init__(
        self,
        calls: Calls,
        rpc: Rpc[Any, PageT],
        fields: Mapping[str, object],
        timeout: float | None,
    ) -> None:
        self._call = calls.stream(rpc, fields, timeout)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> PageT:
        answer = await self._call.next()
        if answer is None:
            raise StopAsyncIteration
        return answer

    async def aclose(self) -> None:
        """End the call; further answers are not delivered."""
        self._call.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()


class Stream(Generic[PageT]):
    """Answers as they come: `for answer in stream`. The call begins with the first of them.

    Leave a stream early by `stream.close()` or with `with stream:`; any thread may do it.
    """

    def __init__(
        self,
        calls: Calls,
        rpc: Rpc[Any, PageT],
        fields: Mapping[str, object],
        timeout: float | None,
    ) -> None:
        self._call = calls.stream(rpc, fields, timeout)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> PageT:
        answer = run(self._call.next())
        if answer is None:
            raise StopIteration
        return answer

    def close(self) -> None:
        """End the call; further answers are not delivered."""
        self._call.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
