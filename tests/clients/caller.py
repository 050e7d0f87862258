"""Drives either client from one test: AsyncClient in the loop, Client in a thread."""

import asyncio
from collections.abc import Callable
from typing import Any

from rapport import AsyncClient, Client


class Caller:
    """Makes the same calls with the client of its kind."""

    def __init__(self, kind: str, target: str, **settings: Any) -> None:
        self.kind = kind
        self.client: Any = (AsyncClient if kind == "async" else Client)(target, **settings)

    async def call(self, make: Callable[[Any], Any]) -> Any:
        """The answer of one call."""
        if self.kind == "async":
            return await make(self.client)
        return await asyncio.to_thread(make, self.client)

    async def collect(self, make: Callable[[Any], Any]) -> list[Any]:
        """All that an iterator gives."""
        if self.kind == "async":
            return [item async for item in make(self.client)]
        return await asyncio.to_thread(lambda: list(make(self.client)))

    async def next(self, iterator: Any) -> Any:
        """The next of an iterator."""
        if self.kind == "async":
            return await anext(iterator)
        return await asyncio.to_thread(next, iterator)

    async def leave(self, stream: Any) -> None:
        """End a stream early."""
        await stream.aclose() if self.kind == "async" else stream.close()

    async def close(self) -> None:
        """Close the client."""
        if self.kind == "async":
            await self.client.close()
        else:
            await asyncio.to_thread(self.client.close)
