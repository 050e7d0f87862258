"""Waking those who wait for the status of an item to change."""

import asyncio
import time
from contextlib import suppress

# A caller reads a status and then waits; a change between the two must not cost it the whole timeout.
_JUST_NOW_S = 0.025
# Each waiter asks the database when it is woken: many of them take turns at about 250 questions a second.
_TURN_S = 0.004
_TURN_S_MAX = 1.0


class Progress:
    """A bell that any number of tasks may wait for."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()
        self._last = float("-inf")
        self._waiting = 0

    def ring(self) -> None:
        """Some item changed its status."""
        self._last = time.monotonic()
        self._rung.set()
        self._rung = asyncio.Event()

    async def wait(self, timeout_s: float) -> None:
        """Return at the next ring, after the timeout, or shortly when the last ring was a moment ago."""
        entered = time.monotonic()
        recent = self._last + _JUST_NOW_S - entered
        if recent > 0:
            timeout_s = min(timeout_s, recent)
        self._waiting += 1
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(timeout_s):
                    await self._rung.wait()
            turn_s = min(_TURN_S_MAX, self._waiting * _TURN_S)
            await asyncio.sleep(max(0.0, entered + turn_s - time.monotonic()))
        finally:
            self._waiting -= 1
