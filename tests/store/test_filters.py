"""Filters in SQL against a plain reading of the same grammar."""

import operator
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import sql
from psycopg.types.json import Jsonb

from rapport_server.domain.analysis import Emotion, Intent
from rapport_server.domain.filters import (
    Condition,
    Filter,
    Operator,
    Source,
    parse_filter,
)
from rapport_server.domain.memories import MemoryDraft, MemoryKind
from rapport_server.domain.storage import PageRequest, TimeRange
from rapport_server.domain.tenants import MetadataField, MetadataType
from rapport_server.store.database import PostgresDatabase
from rapport_server.store.filters import filter_sql
from tests.fix_postgres import Database
from tests.store.house import MAYA, NOON, STRANGE_IDS, complete

SCHEMA = (
    MetadataField("ward", MetadataType.STRING, True),
    MetadataField("score", MetadataType.NUMBER, True),
    MetadataField("urgent", MetadataType.BOOL, True),
    MetadataField("due", MetadataType.TIMESTAMP, True),
)

STRINGS = ["", "*", "%", "_", "a", "A", "a%", "ä", "'", '"', "\\", "null", "true", "1", "語", "$ne"]
NUMBERS: list[float] = [-1, 0, 0.5, 1, 1.0, 2, 1e20, 1e300, -1e-300]
TIMES = [NOON + timedelta(hours=hours) for hours in range(4)]
LABELS = ["joy", "anger", "Joy", "neu%"]

# ---- the plain reading


@dataclass(frozen=True)
class Row:
    channel: str
    session_id: str
    intent: str
    kind: str
    occurred_at: datetime
    labels: tuple[str, ...]
    metadata: dict[str, Any]
    additional_metadata: dict[str, Any]


def _type(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return type(value).__name__


def _same(one: Any, other: Any) -> bool:
    return _type(one) == _type(other) and bool(one == other)


def _key(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


_ORDER = {
    Operator.GT: operator.gt,
    Operator.GTE: operator.ge,
    Operator.LT: operator.lt,
    Operator.LTE: operator.le,
}


def _value(row: Row, condition: Condition) -> Any:
    """None when absent."""
    if condition.source is Source.RESERVED:
        return getattr(row, condition.key)
    stored = getattr(row, condition.source.value).get(condition.key)
    if condition.type is MetadataType.TIMESTAMP:
        try:
            return datetime.fromisoformat(stored) if "T" in stored else None
        except (TypeError, ValueError):
            return None
    return stored


def holds(row: Row, condition: Condition) -> bool:
    wanted: Any = condition.operand
    if condition.key == "detected_emotions" and condition.source is Source.RESERVED:
        wanted_labels = wanted if isinstance(wanted, tuple) else (wanted,)
        found = any(label in row.labels for label in wanted_labels)
        match condition.operator:
            case Operator.EXISTS:
                return bool(row.labels) is wanted
            case Operator.NE | Operator.NIN:
                return not found
            case _:
                return found
    value = _value(row, condition)
    present = value is not None and not (condition.source is Source.RESERVED and value == "")
    match condition.operator:
        case Operator.EXISTS:
            return present is wanted
        case Operator.EQ:
            return _same(value, wanted)
        case Operator.NE:
            return not _same(value, wanted)
        case Operator.IN:
            return any(_same(value, one) for one in wanted)
        case Operator.NIN:
            return not any(_same(value, one) for one in wanted)
        case order:
            return (
                present
                and _type(value) == _type(wanted)
                and bool(_ORDER[order](_key(value), _key(wanted)))
            )


# ---- what is drawn

free_values = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from(NUMBERS),
    st.sampled_from(STRINGS),
    st.just([1, "a"]),
    st.just({"a": 1}),
)
times = st.sampled_from(TIMES)
rows = st.builds(
    Row,
    channel=st.sampled_from(["", "a", "A", "a%", "*"]),
    session_id=st.sampled_from(["", "a", "ä"]),
    intent=st.sampled_from(["", "GREETING", "CRISIS"]),
    kind=st.sampled_from([kind.value for kind in MemoryKind]),
    occurred_at=times,
    labels=st.lists(st.sampled_from(LABELS), max_size=3).map(tuple),
    metadata=st.fixed_dictionaries(
        {},
        optional={
            "ward": st.one_of(st.sampled_from(STRINGS), st.none(), st.just(1)),
            "score": st.one_of(st.sampled_from(NUMBERS), st.just("1"), st.booleans()),
            "urgent": st.one_of(st.booleans(), st.just("true")),
            "due": st.one_of(
                times.map(datetime.isoformat),
                st.sampled_from(["now", "infinity", "", "2025-99-01T00:00:00Z", "tomorrow"]),
                st.just(3),
                st.none(),
            ),
        },
    ),
    additional_metadata=st.dictionaries(st.sampled_from(["a", "A", "a.b", "%", "é'"]), free_values),
)


def operands(scalars: st.SearchStrategy[Any], ordered: bool = True) -> st.SearchStrategy[Any]:
    lists = st.lists(scalars, min_size=1, max_size=4)
    optional: dict[str, st.SearchStrategy[Any]] = {
        "$ne": scalars,
        "$in": lists,
        "$nin": lists,
        "$exists": st.booleans(),
    }
    if ordered:
        optional |= dict.fromkeys(("$gt", "$gte", "$lt", "$lte"), scalars)
    objects = st.fixed_dictionaries({}, optional=optional).filter(bool)
    return st.one_of(scalars, lists, objects)


stamps = times.map(datetime.isoformat)
free_scalars = st.one_of(st.sampled_from(NUMBERS), st.sampled_from(STRINGS))
filters = st.fixed_dictionaries(
    {},
    optional={
        "channel": operands(st.sampled_from(["", "a", "A", "a%", "*"])),
        "session_id": operands(st.sampled_from(["", "a", "ä"])),
        "intent": operands(st.sampled_from(["GREETING", "INTENT_CRISIS"]), ordered=False),
        "kind": operands(st.sampled_from(["ADDED", "MEMORY_KIND_DERIVED"]), ordered=False),
        "occurred_at": operands(stamps),
        "detected_emotions": operands(st.sampled_from(LABELS), ordered=False),
        "ward": operands(st.sampled_from(STRINGS)),
        "score": operands(st.sampled_from(NUMBERS)),
        "urgent": operands(st.booleans(), ordered=False),
        "due": operands(stamps),
        "additional_metadata": st.dictionaries(
            st.sampled_from(["a", "A", "a.b", "%", "é'"]),
            st.one_of(operands(free_scalars), operands(st.booleans(), ordered=False)),
            min_size=1,
            max_size=2,
        ),
    },
).map(lambda raw: dict(list(raw.items())[:2]))


@pytest.fixture
def table(database: Database) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(database.app_dsn) as conn:
        conn.execute("SET timezone = 'UTC'")
        yield conn


INSERT = """
INSERT INTO memory (tenant_id, store, end_user_id, source_id, kind, status, person_no, shard_id, text, channel, session_id,
                    metadata, additional_metadata, intent, detected_emotions, occurred_at)
VALUES ('acme', 'MEMORIES', 'maya', %s, %s, 'COMPLETED', 1, 0, '', %s, %s, %s, %s, %s, %s, %s)
"""


def matched(conn: psycopg.Connection[Any], wanted: Filter) -> set[int]:
    condition, values = filter_sql(wanted)
    query = sql.SQL("SELECT source_id::int FROM memory m WHERE {}").format(condition)
    return {row[0] for row in conn.execute(query, values).fetchall()}


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    stored=st.lists(rows, min_size=1, max_size=6), raws=st.lists(filters, min_size=8, max_size=8)
)
def test_sql_finds_exactly_what_the_plain_reading_finds(
    table: psycopg.Connection[Any], stored: list[Row], raws: list[dict[str, Any]]
) -> None:
    with table.transaction(force_rollback=True):
        for number, row in enumerate(stored):
            emotions = [{"label": label, "score": 0.5} for label in row.labels]
            values = (
                str(number),
                row.kind,
                row.channel,
                row.session_id,
                Jsonb(row.metadata),
                Jsonb(row.additional_metadata),
                row.intent,
                Jsonb(emotions),
                row.occurred_at,
            )
            table.execute(INSERT, values)
        for raw in raws:
            wanted = parse_filter(raw, SCHEMA)
            expected = {
                number
                for number, row in enumerate(stored)
                if all(holds(row, condition) for condition in wanted.conditions)
            }
            assert matched(table, wanted) == expected, raw


# ---- the same through the store


async def found(store: PostgresDatabase, raw: dict[str, Any]) -> str:
    async with store.session() as session:
        memories = await session.memories.page(
            MAYA, None, "", "", TimeRange(), parse_filter(raw, SCHEMA), PageRequest(100)
        )
    return "".join(sorted(memory.source_id for memory in memories))


async def test_each_operator_finds_what_it_says(store: PostgresDatabase) -> None:
    await complete(store, MemoryDraft("a", "x", additional_metadata={"n": 1, "s": "x", "b": True}))
    await complete(store, MemoryDraft("b", "x", additional_metadata={"n": "1", "s": None}))
    await complete(store, MemoryDraft("c", "x", additional_metadata={"n": 2.5, "b": 1}))
    await complete(
        store,
        MemoryDraft(
            "d",
            "x",
            kind=MemoryKind.INTERACTION,
            intent=Intent.CRISIS,
            detected_emotions=(Emotion("joy", 0.1), Emotion("fear", 0.9)),
            occurred_at=datetime(2020, 1, 1, tzinfo=UTC),
            metadata={"due": "2025-03-01T13:00:00+01:00"},
        ),
    )

    async def free(operand: Any, key: str = "n") -> str:
        return await found(store, {"additional_metadata": {key: operand}})

    assert await free(1) == "a"
    assert await free("1") == "b"
    assert await free(True, "b") == "a"
    assert await free(1, "b") == "c"
    assert await free([1, 2.5]) == "ac"
    assert await free({"$ne": 1}) == "bcd"
    assert await free({"$nin": [1, "1"]}) == "cd"
    assert await free({"$gt": 0}) == "ac"
    assert await free({"$gte": 1, "$lt": 2.5}) == "a"
    assert await free({"$gt": ""}) == "b"
    assert await free({"$exists": True}) == "abc"
    assert await free({"$exists": False}, "s") == "bcd"
    assert await free("*") == ""
    assert await found(store, {"kind": "INTERACTION"}) == "d"
    assert await found(store, {"intent": {"$ne": "CRISIS"}}) == "abc"
    assert await found(store, {"intent": {"$exists": True}}) == "d"
    assert await found(store, {"detected_emotions": "fear"}) == "d"
    assert await found(store, {"detected_emotions": {"$nin": ["fear", "anger"]}}) == "abc"
    assert await found(store, {"detected_emotions": {"$exists": False}}) == "abc"
    assert await found(store, {"occurred_at": {"$lt": "2021-01-01T00:00:00Z"}}) == "d"
    assert await found(store, {"due": "2025-03-01T12:00:00Z"}) == "d"
    assert await found(store, {}) == "abcd"


@pytest.mark.parametrize("stored", ["2025-99-01T00:00:00Z", "tomorrow", "infinity", "", 3, None])
async def test_what_is_stored_as_no_time_counts_as_absent(
    store: PostgresDatabase, stored: Any
) -> None:
    await complete(store, MemoryDraft("a", "x", metadata={"due": stored}))
    assert await found(store, {"due": {"$gt": "1000-01-01T00:00:00Z"}}) == ""
    assert await found(store, {"due": {"$ne": "2025-03-01T12:00:00Z"}}) == "a"
    assert await found(store, {"due": {"$exists": False}}) == "a"


async def test_a_filter_without_a_match_finds_nothing(store: PostgresDatabase) -> None:
    await complete(store, MemoryDraft("a", "x"))
    wanted = parse_filter({"channel": "nowhere"}, SCHEMA)
    async with store.session() as session:
        assert (await session.memories.allowed_chunks(MAYA, wanted)).tolist() == []
    assert await found(store, {"channel": "nowhere"}) == ""


@pytest.mark.parametrize("text", [*STRANGE_IDS, "*", "' OR true --", "%(tenant_id)s", "{}", "\\"])
async def test_a_value_is_only_ever_itself(store: PostgresDatabase, text: str) -> None:
    await complete(store, MemoryDraft("a", "x", channel=text, additional_metadata={text: text}))
    await complete(store, MemoryDraft("b", "x", channel="zz", additional_metadata={"zz": "zz"}))
    assert await found(store, {"channel": text}) == "a"
    assert await found(store, {"additional_metadata": {text: {"$in": [text]}}}) == "a"
    assert await found(store, {"additional_metadata": {text: {"$exists": False}}}) == "b"


async def test_no_text_of_a_caller_is_part_of_the_statement(store: PostgresDatabase) -> None:
    raw = {"channel": ["SECRET"], "additional_metadata": {"SECRET": {"$ne": "SECRET"}}}
    condition, values = filter_sql(parse_filter(raw, SCHEMA))
    assert "SECRET" not in condition.as_string(None)
    assert len(values) == 3
