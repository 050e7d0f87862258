"""Lets one transaction per person at a time ask for a connection."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class PersonGate:
    """Callers of one busy person queue here, not on the row lock with a pooled connection each.

    Only fairness between persons depends on it; correctness rests on the row lock. Holds an entry per person in use.
    """

    def __init__(self) -> None:
        self._locks: dict[bytes, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def hold(self, subject_hash: bytes) -> AsyncIterator[None]:
        """Wait for one's turn with this person."""
        lock, users = self._locks.get(subject_hash, (asyncio.Lock(), 0))
        self._locks[subject_hash] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            lock, users = self._locks.pop(subject_hash)
            if users > 1:
                self._locks[subject_hash] = (lock, users - 1)
