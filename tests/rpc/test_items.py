"""AddMemory: each item becomes a draft, or the fault that refuses it alone."""

import time
import uuid
from typing import Any

import grpc.aio
import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.struct_pb2 import Struct
from google.protobuf.timestamp_pb2 import Timestamp

from rapport.v1.errors_pb2 import ErrorReason
from rapport.v1.memory_pb2 import IndexingStatus as Status
from rapport.v1.memory_pb2 import MemoryItem, MemoryRelations, UserAssistantPair
from rapport_server.commands.add_memory import ItemResult
from rapport_server.domain.memories import IndexingStatus, Pair, ProcessingStatus
from tests.fix_server import Script
from tests.rpc.wire import ask, request_of

MIB = 1024 * 1024


def struct(**values: Any) -> Struct:
    made = Struct()
    made.update(values)
    return made


def pair(user: str, assistant: str = "") -> UserAssistantPair:
    return UserAssistantPair(user=user, assistant=assistant)


def results(caller, tenant, scope, items, upsert, wait_s, ticket) -> list[ItemResult]:
    """What the command answers for items that all fare well."""
    states = (IndexingStatus.QUEUED, IndexingStatus.ERRORED)
    return [
        ItemResult(i.source_id, ProcessingStatus(i.source_id, states[i.fault is not None]), i.fault)
        for i in items
    ]


@pytest.mark.parametrize(
    ("item", "reason", "field"),
    [
        ({}, "INVALID_ARGUMENT", "text"),
        ({"text": " \n"}, "INVALID_ARGUMENT", "text"),
        ({"text": "a\0"}, "INVALID_ARGUMENT", "text"),
        ({"text": "a" * (MIB + 1)}, "INVALID_ARGUMENT", "text"),
        ({"text": "a", "user_assistant_pairs": [pair("a")]}, "INVALID_ARGUMENT", "text"),
        (
            {"user_assistant_pairs": [pair("a"), pair(" ")]},
            "INVALID_ARGUMENT",
            "user_assistant_pairs[1].user",
        ),
        ({"user_assistant_pairs": [pair("a")] * 1001}, "INVALID_ARGUMENT", "user_assistant_pairs"),
        (
            {"user_assistant_pairs": [pair("a" * 600_000)] * 2},
            "INVALID_ARGUMENT",
            "user_assistant_pairs",
        ),
        ({"text": "a", "source_id": "a\n"}, "INVALID_ARGUMENT", "source_id"),
        ({"text": "a", "source_id": "a" * 257}, "INVALID_ARGUMENT", "source_id"),
        ({"text": "a", "title": "t" * 513}, "INVALID_ARGUMENT", "title"),
        ({"text": "a", "speaker": "s\0"}, "INVALID_ARGUMENT", "speaker"),
        ({"text": "a", "expiry_time": -1}, "INVALID_ARGUMENT", "expiry_time"),
        ({"text": "a", "expiry_time": 10**12}, "INVALID_ARGUMENT", "expiry_time"),
        ({"text": "a", "custom_instructions": "x"}, "INVALID_ARGUMENT", "custom_instructions"),
        ({"text": "a", "metadata": struct(nope=1)}, "INVALID_ARGUMENT", "metadata.nope"),
        ({"text": "a", "metadata": struct(score=True)}, "INVALID_ARGUMENT", "metadata.score"),
        (
            {"text": "a", "metadata": struct(visit="2026-13-01T00:00:00Z")},
            "INVALID_ARGUMENT",
            "metadata.visit",
        ),
        (
            {"text": "a", "additional_metadata": struct(a="x" * 17 * 1024)},
            "INVALID_ARGUMENT",
            "additional_metadata.a",
        ),
        (
            {"text": "a", "occurred_at": Timestamp(seconds=int(time.time()) + 86_400)},
            "INVALID_ARGUMENT",
            "occurred_at",
        ),
        ({"text": "a", "time_zone": "Nowhere"}, "INVALID_ARGUMENT", "time_zone"),
        ({"text": "a", "infer": True}, "UNIMPLEMENTED", "infer"),
        ({"text": "a", "infer": True, "custom_instructions": "x"}, "UNIMPLEMENTED", "infer"),
        ({"text": "a", "is_markdown": True}, "UNIMPLEMENTED", "is_markdown"),
        (
            {"text": "a", "relations": MemoryRelations(source_ids=["b"])},
            "UNIMPLEMENTED",
            "relations",
        ),
    ],
)
async def test_a_bad_item_fails_alone_and_says_where(
    item: dict[str, Any], reason: str, field: str, script: Script, grpc_channel: grpc.aio.Channel
):
    script.answers["add_memory"] = results
    good = MemoryItem(source_id="good", text="fine", title="T")
    request = request_of("AddMemory", end_user_id="m", memories=[good, MemoryItem(**item)])
    reply = await ask(grpc_channel, "AddMemory", request)
    assert (reply.success_count, reply.failed_count) == (1, 1)
    first, second = reply.results
    assert (first.source_id, first.title, first.status) == (
        "good",
        "T",
        Status.INDEXING_STATUS_QUEUED,
    )
    assert not first.HasField("error")
    assert second.status == Status.INDEXING_STATUS_ERRORED
    assert ErrorReason.Name(second.error.reason) == f"ERROR_REASON_{reason}"
    assert second.error.field == f"memories[1].{field}"
    assert second.source_id == ""


async def test_a_good_item_reaches_the_command_whole(
    script: Script, grpc_channel: grpc.aio.Channel
):
    script.answers["add_memory"] = results
    item = MemoryItem(
        user_assistant_pairs=[pair("My knee hurts", "I am sorry"), pair("Thanks")],
        title="call",
        expiry_time=60,
        metadata=struct(topic="knee", score=2, seen=False, visit="2026-01-31T09:30:00+01:00"),
        additional_metadata=struct(deep={"list": [1, 2.5, None, "x", True]}),
        pinned=True,
        occurred_at=Timestamp(seconds=1, nanos=1_999),
        channel="phone",
        session_id="s1",
        time_zone="Europe/Rome",
        user_name="Maya",
        speaker="Maya",
    )
    request = request_of("AddMemory", end_user_id="m", memories=[item], upsert=False)
    reply = await ask(grpc_channel, "AddMemory", request)
    _, _, scope, (given,), upsert, wait_s, ticket = script.arguments("add_memory")
    assert uuid.UUID(reply.results[0].source_id)
    assert given.source_id == given.draft.source_id == reply.results[0].source_id
    draft = given.draft
    assert draft.text == "User: My knee hurts\nAssistant: I am sorry\nUser: Thanks"
    assert draft.pairs == (Pair("My knee hurts", "I am sorry"), Pair("Thanks", ""))
    assert draft.metadata == {
        "topic": "knee",
        "score": 2,
        "seen": False,
        "visit": "2026-01-31T09:30:00+01:00",
    }
    assert draft.additional_metadata == {"deep": {"list": [1, 2.5, None, "x", True]}}
    assert draft.occurred_at.isoformat() == "1970-01-01T00:00:01.000001+00:00"
    assert (draft.expiry_s, draft.pinned, draft.time_zone) == (60, True, "Europe/Rome")
    assert (upsert, wait_s, scope.end_user_id) == (False, 0.0, "m")
    assert ticket.request_hash is None
    assert len(ticket.subject_hash) == 32


async def test_upsert_is_the_default(script: Script, grpc_channel: grpc.aio.Channel):
    script.answers["add_memory"] = results
    await ask(
        grpc_channel,
        "AddMemory",
        request_of("AddMemory", end_user_id="m", memories=[{"text": "a"}]),
    )
    assert script.arguments("add_memory")[4] is True


async def test_waiting_ends_in_time_to_answer(script: Script, grpc_channel: grpc.aio.Channel):
    script.answers["add_memory"] = results
    request = request_of(
        "AddMemory", end_user_id="m", memories=[{"text": "a"}], wait=Duration(seconds=60)
    )
    await ask(grpc_channel, "AddMemory", request, timeout=5)
    assert 3 < script.arguments("add_memory")[5] < 4.8


async def test_the_same_request_id_and_body_make_the_same_ticket(
    script: Script, grpc_channel: grpc.aio.Channel
):
    script.answers["add_memory"] = results
    for request_id, text in (
        ("8C0B7C1E-7F0B-4B0E-9F43-0A8A3B0F8A10", "a"),
        ("8c0b7c1e-7f0b-4b0e-9f43-0a8a3b0f8a10", "a"),
        ("8c0b7c1e-7f0b-4b0e-9f43-0a8a3b0f8a10", "b" * 100_000),
        ("00000000-0000-4000-8000-000000000000", "a"),
    ):
        request = request_of(
            "AddMemory", end_user_id="m", request_id=request_id, memories=[{"text": text}]
        )
        await ask(grpc_channel, "AddMemory", request)
    first, again, other_body, other_id = (arguments[6] for _, arguments in script.calls)
    assert first == again
    assert other_body.request_hash == first.request_hash
    assert other_body.body_hash != first.body_hash
    assert other_id.request_hash != first.request_hash
    assert other_id.body_hash == first.body_hash
