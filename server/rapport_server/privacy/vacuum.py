"""Reclaims the rows of erased people soon after they were deleted."""

import asyncio
import logging

from rapport_server.domain.storage import Database
from rapport_server.errors import RapportError

log = logging.getLogger(__name__)


class Vacuum:
    """Runs one vacuum at a time; requests meanwhile share the next one."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._wanted = asyncio.Event()

    def request(self) -> None:
        """Somebody's rows were just deleted."""
        self._wanted.set()

    async def run(self) -> None:
        """Serve requests until cancelled."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            try:
                await self._database.vacuum_person_tables()
            except RapportError:
                log.exception("vacuum after an erasure failed; autovacuum will do it later")
