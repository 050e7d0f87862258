"""Waking those who watch a person."""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from rapport_server.domain.limits import WATCHERS_MAX
from rapport_server.errors import ResourceExhausted

# Everybody who watches one person looks at the database when it rings: many of them take turns at about 250 looks a second.
_TURN_S = 0.004


class Bell:
    """What all the watchers of one person listen to."""

    def __init__(self) -> None:
        self.watchers = 0
        self.strokes = 0
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Something happened."""
        self.strokes += 1
        self._rung.set()
        self._rung = asyncio.Event()

    async def wait(self, heard: int, timeout_s: float) -> None:
        """Return in one's turn, when it has rung more than `heard` times or after the timeout."""
        await asyncio.sleep(self.watchers * _TURN_S)
        if self.strokes == heard:
            with suppress(TimeoutError):
                async with asyncio.timeout(timeout_s):
                    await self._rung.wait()


class Bells:
    """One bell for each person that is watched here. A missed ring costs a watcher nothing but time."""

    def __init__(self) -> None:
        self._bells: dict[bytes, Bell] = {}
        self._watchers = 0

    @contextmanager
    def hung(self, subject_hash: bytes) -> Iterator[Bell]:
        """The bell of a person, for one more watcher. Raises ResourceExhausted when there are too many."""
        if self._watchers >= WATCHERS_MAX:
            raise ResourceExhausted(
                "Too many watch people; call again.", limit="watchers", max=str(WATCHERS_MAX)
            )
        bell = self._bells.setdefault(subject_hash, Bell())
        self._watchers += 1
        bell.watchers += 1
        try:
            yield bell
        finally:
            self._watchers -= 1
            bell.watchers -= 1
            if not bell.watchers:
                del self._bells[subject_hash]

    def ring(self, subject_hashes: Iterable[bytes]) -> None:
        """These persons were changed."""
        for subject_hash in subject_hashes:
            if bell := self._bells.get(subject_hash):
                bell.ring()

    def ring_all(self) -> None:
        """Anybody may have been changed, or a key or tenant that somebody watches with."""
        for bell in self._bells.values():
            bell.ring()
