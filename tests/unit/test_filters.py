"""The grammar of metadata filters: what is understood, and that nothing else is."""

from datetime import UTC, datetime
from typing import Any

import pytest

from rapport_server.domain.filters import (
    CONDITIONS_MAX,
    LIST_MAX,
    Condition,
    Filter,
    Operator,
    Source,
    parse_filter,
)
from rapport_server.domain.tenants import MetadataField, MetadataType
from rapport_server.errors import InvalidArgument

SCHEMA = (
    MetadataField("ward", MetadataType.STRING, True),
    MetadataField("score", MetadataType.NUMBER, True),
    MetadataField("urgent", MetadataType.BOOL, True),
    MetadataField("due", MetadataType.TIMESTAMP, True),
    MetadataField("hidden", MetadataType.STRING, False),
    MetadataField("channel", MetadataType.NUMBER, True),
)


def conditions(raw: dict[str, Any]) -> list[tuple[str, Operator, Any]]:
    return [(c.key, c.operator, c.operand) for c in parse_filter(raw, SCHEMA).conditions]


def test_an_empty_filter_has_no_condition() -> None:
    assert parse_filter({}, SCHEMA) == Filter(())


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"ward": "3"}, Condition(Source.METADATA, "ward", MetadataType.STRING, Operator.EQ, "3")),
        ({"ward": "*"}, Condition(Source.METADATA, "ward", MetadataType.STRING, Operator.EQ, "*")),
        (
            {"score": [1, 2.5]},
            Condition(Source.METADATA, "score", MetadataType.NUMBER, Operator.IN, (1, 2.5)),
        ),
        (
            {"urgent": {"$ne": True}},
            Condition(Source.METADATA, "urgent", MetadataType.BOOL, Operator.NE, True),
        ),
        (
            {"due": {"$lt": "2025-03-01T13:00:00.5+01:00"}},
            Condition(
                Source.METADATA,
                "due",
                MetadataType.TIMESTAMP,
                Operator.LT,
                datetime(2025, 3, 1, 12, 0, 0, 500_000, tzinfo=UTC),
            ),
        ),
        (
            {"occurred_at": "2025-03-01t12:00:00z"},
            Condition(
                Source.RESERVED,
                "occurred_at",
                MetadataType.TIMESTAMP,
                Operator.EQ,
                datetime(2025, 3, 1, 12, tzinfo=UTC),
            ),
        ),
        (
            {"channel": {"$exists": False}},
            Condition(Source.RESERVED, "channel", MetadataType.STRING, Operator.EXISTS, False),
        ),
        (
            {"detected_emotions": {"$nin": ["joy"]}},
            Condition(
                Source.RESERVED, "detected_emotions", MetadataType.STRING, Operator.NIN, ("joy",)
            ),
        ),
        (
            {"additional_metadata": {"a.b": False}},
            Condition(Source.ADDITIONAL, "a.b", None, Operator.EQ, False),
        ),
        (
            {"document_metadata": {"x": {"$gte": 3}}},
            Condition(Source.ADDITIONAL, "x", None, Operator.GTE, 3),
        ),
        (
            {"additional_metadata": {"channel": "x"}},
            Condition(Source.ADDITIONAL, "channel", None, Operator.EQ, "x"),
        ),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_a_key_and_its_operand_become_one_condition(
    raw: dict[str, Any], expected: Condition
) -> None:
    assert parse_filter(raw, SCHEMA).conditions == (expected,)


def test_every_entry_and_every_operator_must_hold() -> None:
    raw = {
        "score": {"$gte": 1, "$lt": 5, "$ne": 3},
        "additional_metadata": {"a": 1},
        "document_metadata": {"a": {"$exists": True}},
        "ward": ["x"],
    }
    assert conditions(raw) == [
        ("score", Operator.GTE, 1),
        ("score", Operator.LT, 5),
        ("score", Operator.NE, 3),
        ("a", Operator.EQ, 1),
        ("a", Operator.EXISTS, True),
        ("ward", Operator.IN, ("x",)),
    ]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"kind": "ADDED"}, "ADDED"),
        ({"kind": "MEMORY_KIND_ADDED"}, "ADDED"),
        ({"intent": "INTENT_SMALL_TALK"}, "SMALL_TALK"),
        ({"intent": {"$ne": "CRISIS"}}, "CRISIS"),
    ],
)
def test_enum_names_are_taken_with_and_without_their_prefix(
    given: dict[str, Any], name: str
) -> None:
    assert conditions(given)[0][2] == name


BAD = {
    "an unknown key": ({"wards": "x"}, ".wards"),
    "a field without enable_match": ({"hidden": "x"}, ".hidden"),
    "an operator at the top": ({"$or": []}, ".$or"),
    "an unknown operator": ({"ward": {"$regex": "x"}}, ".ward.$regex"),
    "a written equality": ({"ward": {"$eq": "x"}}, ".ward.$eq"),
    "an operator in another case": ({"ward": {"$NE": "x"}}, ".ward.$NE"),
    "an unknown operator of a free key": (
        {"additional_metadata": {"x": {"$foo": 1}}},
        ".additional_metadata.x.$foo",
    ),
    "an operator for a free key": ({"additional_metadata": {"$gt": 1}}, ".additional_metadata.$gt"),
    "an operator beside a good one": ({"score": {"$gt": 1, "x": 2}}, ".score.x"),
    "an object as a free value": (
        {"document_metadata": {"x": {"y": 1}}},
        ".document_metadata.x.y",
    ),
    "no object for free keys": ({"additional_metadata": "x"}, ".additional_metadata"),
    "a list for free keys": ({"additional_metadata": [1]}, ".additional_metadata"),
    "an empty object for free keys": ({"additional_metadata": {}}, ".additional_metadata"),
    "an empty list": ({"ward": []}, ".ward"),
    "an empty object": ({"ward": {}}, ".ward"),
    "an empty list of a free key": (
        {"additional_metadata": {"x": []}},
        ".additional_metadata.x",
    ),
    "an empty list of an operator": ({"ward": {"$in": []}}, ".ward.$in"),
    "a value where a list must be": ({"ward": {"$nin": "x"}}, ".ward.$nin"),
    "a list where a value must be": ({"ward": {"$ne": ["x"]}}, ".ward.$ne"),
    "an object in a list": ({"ward": ["x", {"$ne": "y"}]}, ".ward[1]"),
    "a list in a list": ({"ward": {"$in": ["x", ["y"]]}}, ".ward.$in[1]"),
    "null": ({"ward": None}, ".ward"),
    "null of a free key": ({"additional_metadata": {"x": None}}, ".additional_metadata.x"),
    "null in a list": ({"ward": ["x", None]}, ".ward[1]"),
    "null of an operator": ({"ward": {"$ne": None}}, ".ward.$ne"),
    "a number for a string": ({"ward": 3}, ".ward"),
    "a string for a number": ({"score": "3"}, ".score"),
    "a boolean for a number": ({"score": True}, ".score"),
    "a number for a boolean": ({"urgent": 1}, ".urgent"),
    "a boolean in a list of numbers": ({"score": [1, False]}, ".score[1]"),
    "an order of booleans": ({"urgent": {"$gt": False}}, ".urgent.$gt"),
    "an order of free booleans": (
        {"additional_metadata": {"x": {"$lte": True}}},
        ".additional_metadata.x.$lte",
    ),
    "an order of kinds": ({"kind": {"$gt": "ADDED"}}, ".kind.$gt"),
    "an order of emotions": ({"detected_emotions": {"$lt": "joy"}}, ".detected_emotions.$lt"),
    "an unknown kind": ({"kind": "ADD"}, ".kind"),
    "a kind in small letters": ({"kind": "added"}, ".kind"),
    "an unspecified intent": ({"intent": ["INTENT_UNSPECIFIED"]}, ".intent[0]"),
    "an existence that is no boolean": ({"ward": {"$exists": 1}}, ".ward.$exists"),
    "not a number": ({"score": float("nan")}, ".score"),
    "infinity of a free key": (
        {"additional_metadata": {"x": {"$gt": float("inf")}}},
        ".additional_metadata.x.$gt",
    ),
    "a number for a time": ({"due": 1}, ".due"),
    "a date for a time": ({"due": "2025-03-01"}, ".due"),
    "a time without a zone": ({"occurred_at": "2025-03-01T12:00:00"}, ".occurred_at"),
    "a time that does not exist": ({"due": {"$gt": "2025-02-30T12:00:00Z"}}, ".due.$gt"),
    "a time before all times": ({"due": "0001-01-01T00:00:00+10:00"}, ".due"),
    "a text that cannot be stored": ({"ward": "a\0b"}, ".ward"),
    "a key that cannot be stored": ({"additional_metadata": {"\0": 1}}, ".additional_metadata.\0"),
    "a list that is too long": ({"score": {"$in": list(range(LIST_MAX + 1))}}, ".score.$in"),
    "too many conditions": (
        {"additional_metadata": {f"k{n}": n for n in range(CONDITIONS_MAX + 1)}},
        "",
    ),
}


@pytest.mark.parametrize(("raw", "path"), BAD.values(), ids=BAD.keys())
def test_what_is_not_understood_is_an_error_that_names_its_path(
    raw: dict[str, Any], path: str
) -> None:
    with pytest.raises(InvalidArgument) as caught:
        parse_filter(raw, SCHEMA)
    assert [violation.field for violation in caught.value.violations] == [f"metadata_filters{path}"]


def test_the_bounds_themselves_are_allowed() -> None:
    assert len(
        conditions({"additional_metadata": {f"k{n}": n for n in range(CONDITIONS_MAX)}})
    ) == (CONDITIONS_MAX)
    ((_, _, operand),) = conditions({"score": list(range(LIST_MAX))})
    assert len(operand) == LIST_MAX
