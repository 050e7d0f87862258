"""Table person_trigger."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from psycopg.rows import kwargs_row

from rapport_server.domain.analysis import AnalysisOrigin
from rapport_server.domain.limits import DUE_TRIGGERS_MAX, TRIGGERS_MAX
from rapport_server.domain.memories import Scope
from rapport_server.domain.storage import PageRequest
from rapport_server.domain.triggers import Trigger
from rapport_server.store.memory_rows import person_values
from rapport_server.store.query import Connection, column, every, first, scalar
from rapport_server.store.sqlfile import load

_SQL = load("trigger")
_EARLIEST = ("-infinity", "")


class TriggerTable:
    """Implements `domain.storage.triggers.Triggers` on one connection."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    async def page(self, scope: Scope, page: PageRequest) -> list[Trigger]:
        """Done ones included, by (due_at, trigger_id); page key the same two."""
        time, trigger_id = page.after or _EARLIEST
        values = {
            **person_values(scope),
            "after_time": time,
            "after_id": trigger_id,
            "size": page.size,
        }
        return await every(self._conn, _trigger, _SQL.page, values)

    async def get(self, scope: Scope, trigger_id: str) -> Trigger | None:
        """None when it is not stored."""
        values = {**person_values(scope), "trigger_id": trigger_id}
        return await first(self._conn, _trigger, _SQL.get, values)

    async def due(
        self, scope: Scope, at: datetime, limit: int = DUE_TRIGGERS_MAX
    ) -> Callable[[], Awaitable[list[Trigger]]]:
        """Ask for those that are due at `at` and not done, the longest due first; call the answer to read them.

        Of more than `limit` those that became due last.
        In a pipelined transaction they come with the next statement's rows, without a round trip of their own.
        """
        cursor = self._conn.cursor(row_factory=kwargs_row(_trigger))
        await cursor.execute(_SQL.due, {**person_values(scope), "at": at, "limit": limit})
        return cursor.fetchall

    async def upsert(self, scope: Scope, trigger: Trigger) -> bool:
        """As a caller gives it, whole; False, and nothing is stored, when it would be one over TRIGGERS_MAX."""
        values = {**person_values(scope), **asdict(trigger), "most": TRIGGERS_MAX}
        return (await self._conn.execute(_SQL.upsert, values)).rowcount == 1

    async def found(self, scope: Scope, triggers: Sequence[Trigger]) -> None:
        """As a reader of texts finds them; one that was there before stays as it is, or deleted.

        Above TRIGGERS_MAX the oldest done ones make room; what there is no room for is not stored.
        """
        if not triggers:
            return
        stored = int(await scalar(self._conn, _SQL.count, person_values(scope)))
        if (surplus := stored + len(triggers) - TRIGGERS_MAX) > 0:
            values = {**person_values(scope), "limit": surplus}
            await self._delete(scope, await column(self._conn, _SQL.oldest_done, values))
        values = {
            **person_values(scope),
            "ids": [trigger.trigger_id for trigger in triggers],
            "descriptions": [trigger.description for trigger in triggers],
            "times": [trigger.due_at for trigger in triggers],
            "origins": [trigger.origin for trigger in triggers],
            "sources": [trigger.source_id for trigger in triggers],
            "most": TRIGGERS_MAX,
        }
        await self._conn.execute(_SQL.insert_found, values)

    async def delete(self, scope: Scope, trigger_id: str) -> bool:
        """Whether it was there. One with a source_id is not found again for as long as that memory stays."""
        return await self._delete(scope, [trigger_id]) == 1

    async def _delete(self, scope: Scope, trigger_ids: Sequence[str]) -> int:
        values = {**person_values(scope), "ids": list(trigger_ids)}
        return int(await scalar(self._conn, _SQL.delete, values))


def _trigger(*, origin: str, **columns: Any) -> Trigger:
    return Trigger(origin=AnalysisOrigin(origin), **columns)
