"""Tables message and relation_point: what was said, and how the relation stood after it."""

from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from rapport_server.domain.analysis import Analysis, AnalysisOrigin, Emotion, Intent
from rapport_server.domain.memories import Scope
from rapport_server.domain.people import Message, MessageRole
from rapport_server.domain.relation import RelationEventKind, RelationPoint, RelationState
from rapport_server.domain.storage import PageRequest, TimeRange
from rapport_server.store.memory_rows import person_values
from rapport_server.store.query import Connection, every, first
from rapport_server.store.sqlfile import load

_SQL = load("message")
_ID_MAX = 2**63 - 1
# Keys beyond every row, so that the first page is asked for in the same way as the others.
_NEWEST = ("infinity", _ID_MAX)
_OLDEST = ("-infinity", 0)


class MessageTable:
    """Messages and history points of one person at a time."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    async def insert(
        self,
        scope: Scope,
        interaction_id: UUID,
        role: MessageRole,
        text: str,
        channel: str,
        session_id: str,
        occurred_at: datetime,
        analysis: Analysis,
    ) -> None:
        """Store one message; an interaction has at most one of each role (else Conflict)."""
        values = {
            **person_values(scope),
            "interaction_id": interaction_id,
            "role": role.value,
            "text": text,
            "channel": channel,
            "session_id": session_id,
            "occurred_at": occurred_at,
            "analysis": None if analysis == Analysis() else Jsonb(asdict(analysis)),
        }
        await self._conn.execute(_SQL.insert, values)

    async def of_interaction(self, scope: Scope, interaction_id: UUID) -> list[Message]:
        """In the order of their arrival."""
        values = {**person_values(scope), "interaction_id": interaction_id}
        return await every(self._conn, _message, _SQL.of_interaction, values)

    async def page(
        self,
        scope: Scope,
        newest_first: bool,
        channel: str,
        session_id: str,
        times: TimeRange,
        page: PageRequest,
    ) -> list[Message]:
        """By (occurred_at, message_id); page key the same two. An empty channel or session_id means any."""
        after_time, after_id = page.after or (_NEWEST if newest_first else _OLDEST)
        values = {
            **person_values(scope),
            **_times(times),
            "channel": channel,
            "session_id": session_id,
            "after_time": after_time,
            "after_id": after_id,
            "size": page.size,
        }
        query = _SQL.newest if newest_first else _SQL.oldest
        return await every(self._conn, _message, query, values)

    async def insert_point(self, scope: Scope, point: RelationPoint) -> None:
        """point_id is made by the database."""
        values = {
            **person_values(scope),
            "interaction_id": point.interaction_id,
            "event_kind": point.event_kind.value if point.event_kind else None,
            "note": point.note,
            "mood_delta": point.mood_delta,
            "occurred_at": point.occurred_at,
            "trust": point.state.trust,
            "sentiment": point.state.sentiment,
            "grudge": point.state.grudge,
            "familiarity": point.state.familiarity,
            "state_time": point.state.time,
        }
        await self._conn.execute(_SQL.insert_point, values)

    async def point_of_interaction(
        self, scope: Scope, interaction_id: UUID
    ) -> RelationPoint | None:
        """The point after the message itself, not those of the events beside it."""
        values = {**person_values(scope), "interaction_id": interaction_id}
        return await first(self._conn, _point, _SQL.point_of_interaction, values)

    async def list_points(
        self, scope: Scope, times: TimeRange, newest_first: bool, page: PageRequest
    ) -> list[RelationPoint]:
        """By point_id (order of arrival); page key (point_id,)."""
        start = _ID_MAX if newest_first else 0
        values = {
            **person_values(scope),
            **_times(times),
            "after_id": page.after[0] if page.after else start,
            "size": page.size,
        }
        query = _SQL.newest_points if newest_first else _SQL.oldest_points
        return await every(self._conn, _point, query, values)


def _times(times: TimeRange) -> dict[str, Any]:
    return {"start": times.start, "end": times.end}


def _message(*, role: str, analysis: dict[str, Any] | None, **columns: Any) -> Message:
    return Message(role=MessageRole(role), analysis=_analysis(analysis), **columns)


def _analysis(stored: dict[str, Any] | None) -> Analysis:
    if stored is None:
        return Analysis()
    given = {
        "detected_emotions": tuple(Emotion(**emotion) for emotion in stored["detected_emotions"]),
        "intent": Intent(stored["intent"]) if stored["intent"] else None,
        "origin": AnalysisOrigin(stored["origin"]),
        "field_origins": {
            name: AnalysisOrigin(origin) for name, origin in stored["field_origins"].items()
        },
    }
    return Analysis(**(stored | given))


def _point(
    *,
    trust: float,
    sentiment: float,
    grudge: float,
    familiarity: float,
    state_time: datetime,
    event_kind: str | None,
    **columns: Any,
) -> RelationPoint:
    state = RelationState(trust, sentiment, grudge, familiarity, state_time)
    kind = RelationEventKind(event_kind) if event_kind else None
    return RelationPoint(state=state, event_kind=kind, **columns)
