"""Waking those who wait for the status of an item to change."""

import asyncio
import time

# A caller reads a status and then waits; a change between the two must not cost it the whole timeout.
_JUST_NOW_S = 0.025


class Progress:
    """A bell that any number of tasks may wait for."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()
        self._last = float("-inf")

    def ring(self) -> None:
        """Some item changed its status."""
        self._last = time.monotonic()
        self._rung.set()
        self._rung = asyncio.Event()

    async def wait(self, timeout_s: float) -> None:
        """Return at the next ring, after the timeout, or shortly when the last ring was a moment ago."""
        recent = self._last + _JUST_NOW_S - time.monotonic()
        if recent > 0:
            timeout_s = min(timeout_s, recent)
        try:
            async with asyncio.timeout(timeout_s):
                await self._rung.wait()
        except TimeoutError:
            return
