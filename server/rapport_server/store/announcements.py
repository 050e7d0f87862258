"""Telling every process which persons were changed, right after the commit."""

import asyncio
import json
from collections.abc import Iterable

PAUSE_S = 0.02  # between two rounds of notices: what was changed meanwhile goes out together
_PERSONS_MAX = 10_000  # more only pile up while the database is away
_NOTICE_PERSONS = 100  # a notice must stay under 8,000 bytes


class Announcements:
    """Collects subject hashes until somebody takes them.

    The transactions themselves do not notify: of those that do, Postgres commits one at a time in the whole cluster. What a
    killed process had not told yet is found by those who watch when they look again by themselves.
    """

    def __init__(self) -> None:
        self._subjects: set[bytes] = set()
        self._some = asyncio.Event()

    def add(self, subjects: Iterable[bytes]) -> None:
        """These persons were changed."""
        if len(self._subjects) < _PERSONS_MAX:
            self._subjects.update(subjects)
        if self._subjects:
            self._some.set()

    async def wait(self) -> None:
        """Return as soon as there is something to tell."""
        await self._some.wait()

    def take(self) -> list[str]:
        """The notices for all that was collected: {"kind": "people", "subjects": [hexadecimal hashes]}."""
        names = [subject.hex() for subject in self._subjects]
        self._subjects.clear()
        self._some.clear()
        return [
            json.dumps({"kind": "people", "subjects": names[start : start + _NOTICE_PERSONS]})
            for start in range(0, len(names), _NOTICE_PERSONS)
        ]
