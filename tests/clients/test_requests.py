"""Python values become the contract's messages, and what does not fit is refused by name."""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

from rapport import MemoryItem, Relation
from rapport.requests import build
from rapport.v1 import memory_service_pb2 as pb

ROME = timezone(timedelta(hours=2))


def as_dict(kind: Any, **fields: object) -> dict[str, Any]:
    return MessageToDict(build(kind, fields), preserving_proto_field_name=True)


def test_datetimes_of_any_zone_become_the_same_instant() -> None:
    local = datetime(2026, 3, 1, 11, 30, 0, 250000, tzinfo=ROME)
    assert as_dict(pb.ProcessRequest, occurred_at=local) == {
        "occurred_at": "2026-03-01T09:30:00.250Z"
    }


def test_a_naive_datetime_is_refused() -> None:
    with pytest.raises(ValueError, match=r"occurred_at: the datetime has no time zone"):
        build(pb.ProcessRequest, {"occurred_at": datetime(2026, 3, 1)})


@pytest.mark.parametrize("wait", [1.5, timedelta(seconds=1.5)])
def test_seconds_and_timedeltas_become_durations(wait: object) -> None:
    assert as_dict(pb.AddMemoryRequest, wait=wait) == {"wait": "1.500s"}


@pytest.mark.parametrize("wait", [float("nan"), float("inf"), "3", True])
def test_what_is_no_duration_is_refused(wait: object) -> None:
    with pytest.raises(TypeError, match="wait"):
        build(pb.AddMemoryRequest, {"wait": wait})


def test_dicts_become_structs_with_nested_values_and_times() -> None:
    filters = {
        "channel": ["app", "phone"],
        "occurred_at": {"$gte": datetime(2026, 1, 1, tzinfo=UTC)},
        "additional_metadata": {"ward": None, "floor": 3, "open": True},
    }
    sent = as_dict(pb.RecallRequest, metadata_filters=filters)["metadata_filters"]
    assert sent == filters | {"occurred_at": {"$gte": "2026-01-01T00:00:00Z"}}


def test_an_integer_that_a_json_number_cannot_hold_is_refused() -> None:
    with pytest.raises(ValueError, match=r"metadata\.number: 9007199254740993 is too large"):
        build(pb.ProcessRequest, {"metadata": {"number": 2**53 + 1}})


@pytest.mark.parametrize("value", [{1, 2}, b"x", object()])
def test_what_json_does_not_have_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match=r"metadata\.a\[0\]"):
        build(pb.ProcessRequest, {"metadata": {"a": [value]}})


def test_memories_may_be_strings_dicts_and_messages() -> None:
    given = ["tea", {"text": "milk", "metadata": {"n": 1}}, MemoryItem(text="water")]
    assert as_dict(pb.AddMemoryRequest, memories=given)["memories"] == [
        {"text": "tea"},
        {"text": "milk", "metadata": {"n": 1.0}},
        {"text": "water"},
    ]


@pytest.mark.parametrize("name", ["STORE_KNOWLEDGE", "KNOWLEDGE", "knowledge", 2])
def test_enums_by_full_or_short_name_or_value(name: object) -> None:
    assert build(pb.RecallRequest, {"store": name}).store == 2


def test_an_unknown_enum_name_lists_the_names() -> None:
    with pytest.raises(ValueError, match=r"store: 'ATTIC' is not one of MEMORIES, KNOWLEDGE, ALL"):
        build(pb.RecallRequest, {"store": "ATTIC"})


def test_nested_dicts_keep_the_difference_between_unset_and_false() -> None:
    signals = build(
        pb.ProcessRequest, {"signals": {"crisis": False, "intent": "COMPLAINT"}}
    ).signals
    assert signals.HasField("crisis")
    assert not signals.HasField("shouting")
    assert signals.intent == 7


def test_an_empty_dict_sets_its_field() -> None:
    assert build(pb.UpdateMemoryRequest, {"metadata": {}}).HasField("metadata")
    assert not build(pb.UpdateMemoryRequest, {"metadata": None}).HasField("metadata")


def test_a_list_of_paths_becomes_a_field_mask() -> None:
    assert as_dict(pb.UpdateMemoryRequest, update_mask=["title", "pinned"]) == {
        "update_mask": "title,pinned"
    }


def test_values_of_another_type_are_refused_naming_the_type_that_is_needed() -> None:
    for kind, fields, words in (
        (pb.ProcessRequest, {"message": 42}, "message: a str is needed, not int"),
        (pb.ProcessRequest, {"infer": "yes"}, "infer: a bool is needed, not str"),
        (pb.RecallRequest, {"max_results": "3"}, "max_results: an int is needed, not str"),
        (pb.RecallRequest, {"store": 1.5}, "store: a name or number of the enum is needed"),
        (pb.ProcessRequest, {"signals": {"mood_delta": "low"}}, "signals.mood_delta: a number is"),
        (pb.VerifyProcessingRequest, {"source_ids": ["a", 1]}, r"source_ids[1]: a str is needed"),
    ):
        with pytest.raises(TypeError, match=f"^{re.escape(words)}"):
            build(kind, fields)


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"memories": [{"txt": "x"}]}, r"memories\[0\]\.txt: MemoryItem has no such field"),
        ({"memories": "one text"}, "memories: a list is needed"),
        ({"memories": [Relation()]}, r"memories\[0\]: MemoryItem is needed, not Relation"),
        ({"memories": [{"expiry_time": "soon"}]}, r"memories\[0\]\.expiry_time"),
        ({"memories": [{"expiry_time": 2**70}]}, r"memories\[0\]\.expiry_time"),
        ({"end_user_id": 7}, "^end_user_id: a str is needed, not int$"),
        ({"wait": "3"}, "^wait: seconds"),
        ({"memories": [{"source_id": b"x\xff"}]}, r"^memories\[0\]\.source_id"),
        ({"end_user_id": "\ud800"}, "^end_user_id: .*surrogates"),
        (
            {"memories": [{"metadata": {"a": ["\ud800"]}}]},
            r"^memories\[0\]\.metadata: .*surrogates",
        ),
    ],
)
def test_what_does_not_fit_is_refused_by_path(fields: dict[str, object], place: str) -> None:
    with pytest.raises((TypeError, ValueError), match=place):
        build(pb.AddMemoryRequest, fields)
