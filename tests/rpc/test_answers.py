"""What the commands find, as it stands on the wire."""

import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import grpc.aio
import pytest
from google.protobuf.json_format import MessageToDict
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st

from rapport.v1 import (
    analysis_pb2,
    audit_pb2,
    lists_pb2,
    memory_pb2,
    message_pb2,
    recall_pb2,
    relation_pb2,
    tenant_pb2,
)
from rapport_server.commands.process import Processed, Relevant
from rapport_server.commands.recall import Recalled
from rapport_server.domain.analysis import Analysis, AnalysisOrigin, Emotion, Intent
from rapport_server.domain.audit import GENESIS, AuditEvent, AuditEventKind
from rapport_server.domain.erasure import ErasureCounts, ErasureReason, Receipt
from rapport_server.domain.memories import (
    FoundChunk,
    IndexingStatus,
    Memory,
    MemoryKind,
    ProcessingStatus,
    Scope,
    Store,
)
from rapport_server.domain.people import MessageRole, Person, Turn
from rapport_server.domain.ranking import Hit
from rapport_server.domain.relation import RelationEventKind, RelationPoint, RelationState
from rapport_server.domain.tenants import ApiKey, ApiKeyRole, StoreStatus
from rapport_server.domain.triggers import Trigger
from rapport_server.errors import NotFound
from rapport_server.rpc.convert import enums
from rapport_server.rpc.convert.structs import to_struct
from rapport_server.rpc.convert.times import TIME_MAX, TIME_MIN, from_timestamp, to_timestamp
from rapport_server.rpc.validate import json
from rapport_server.rpc.validate.check import Check
from tests.fix_server import NOW, TENANT, Script, key_of
from tests.rpc.wire import METHODS, ask, refused, request_of

STATE = RelationState(0.5, 0.6, 0.45, 0.2, NOW)
INTERACTION = uuid.UUID("8c0b7c1e-7f0b-4b0e-9f43-0a8a3b0f8a10")
EARLIER = NOW - timedelta(days=2)
MEMORY = Memory(
    Scope("clinic", "maya"), "note-17", 3, MemoryKind.INTERACTION, IndexingStatus.COMPLETED,
    "User: my knee hurts", (), "Knee", "Maya", "", "phone", "s1", "Europe/Rome", {"topic": "knee"},
    {"ward": 7}, True, False, EARLIER, NOW, NOW, NOW, INTERACTION, Intent.COMPLAINT,
    (Emotion("fear", 0.9),),
)  # fmt: skip
PERSON = Person(
    "clinic", "maya", 1, 0, STATE, 4, EARLIER, NOW, NOW, "Maya", "Europe/Rome", ("b", "a"),
)  # fmt: skip


def plain(message: Any) -> dict[str, Any]:
    return MessageToDict(message, preserving_proto_field_name=True)


async def test_process_hands_over_all_fields_and_answers_all_parts(
    script: Script, grpc_channel: grpc.aio.Channel
):
    reading = Analysis((Emotion("fear", 0.9),), Intent.COMPLAINT, -0.5, True, True, "die", AnalysisOrigin.CALLER, {"crisis": AnalysisOrigin.CALLER})  # fmt: skip
    script.answers["process"] = Processed(
        INTERACTION, "note-18", PERSON, NOW, None, NOW,
        [Relevant(MEMORY, "a piece of it", 1.0000001)], 9, reading,
        [Trigger("t", "Ask.", NOW, AnalysisOrigin.LOCAL, "note-17")], "prompt",
    )  # fmt: skip
    request = request_of(
        "Process",
        end_user_id="maya",
        message="I could die",
        session_id="s1",
        recall={"top_k": 0, "min_similarity": -1},
        signals={"crisis": True, "crisis_phrase": "die", "intent": 12, "shouting": False},
        events=[{"kind": 1, "note": "forgot the call"}],
        occurred_at=Timestamp(seconds=1_700_000_000),
    )
    reply = await ask(grpc_channel, "Process", request)
    _, tenant, interaction, ticket = script.arguments("process")
    assert tenant.tenant_id == "clinic"
    assert (interaction.top_k, interaction.min_similarity) == (0, -1)
    assert interaction.signals.crisis is True
    assert interaction.signals.shouting is False
    assert interaction.signals.mood_delta is None
    assert interaction.signals.intent is Intent.CRISIS
    assert interaction.events[0].kind is RelationEventKind.BROKEN_PROMISE
    assert interaction.occurred_at == datetime.fromtimestamp(1_700_000_000, UTC)
    assert len(ticket.subject_hash) == 32
    answer = plain(reply)
    assert answer["interaction_id"] == str(INTERACTION)
    assert answer["user"] == {
        "trust": 0.5, "sentiment": 0.6, "grudge": 0.45, "familiarity": 0.2, "interaction_count": 4,
        "known_since": "2026-01-29T09:30:00Z", "last_seen": "2026-01-31T09:30:00Z",
        "update_time": "2026-01-31T09:30:00Z",
    }  # fmt: skip
    assert answer["context"] == {
        "system_prompt": "prompt",
        "relation_bias": 0.1,
        "tone_grudge_modifier": "cautious",
    }
    assert "last_seen" not in answer["memory"]
    (relevant,) = answer["memory"]["relevant_memories"]
    assert (relevant["text"], relevant["similarity"]) == ("a piece of it", 1)
    assert relevant["metadata"] == {"topic": "knee", "ward": 7}
    assert answer["analysis"]["field_origins"] == {"crisis": "ANALYSIS_ORIGIN_CALLER"}
    assert answer["triggers"] == [
        {
            "trigger_id": "t",
            "description": "Ask.",
            "due_at": "2026-01-31T09:30:00Z",
            "origin": "ANALYSIS_ORIGIN_LOCAL",
            "source_id": "note-17",
        }
    ]


async def test_process_defaults_are_the_contracts(script: Script, grpc_channel: grpc.aio.Channel):
    script.answers["process"] = Processed(
        INTERACTION, "n", PERSON, NOW, None, NOW, [], 1, Analysis(), []
    )
    await ask(grpc_channel, "Process", request_of("Process", end_user_id="m", message="hi"))
    interaction = script.arguments("process")[2]
    assert (interaction.top_k, interaction.min_similarity) == (3, 0.3)


async def test_a_reply_is_asked_for_with_the_turns_before_it(
    script: Script, grpc_channel: grpc.aio.Channel
):
    processed = Processed(INTERACTION, "n", PERSON, NOW, None, NOW, [], 1, Analysis(), [])
    script.answers["reply"] = replace(processed, reply="Hello")
    request = request_of(
        "Process",
        end_user_id="m",
        message="hi",
        generate_reply=True,
        conversation_history=[{"role": 2, "content": "Where were we?"}],
    )
    assert (await ask(grpc_channel, "Process", request)).reply == "Hello"
    interaction = script.arguments("reply")[2]
    assert interaction.generate_reply
    assert interaction.history == (Turn(MessageRole.ASSISTANT, "Where were we?"),)


def test_a_stream_is_asked_for_as_a_single_answer_is():
    one, many = (METHODS[rpc].input_type.fields_by_name for rpc in ("Process", "ProcessStream"))
    assert [(f.name, f.number, f.type) for f in one.values()] == [
        (f.name, f.number, f.type) for f in many.values()
    ]


async def test_recall_shows_each_hit_with_its_scores(
    script: Script, grpc_channel: grpc.aio.Channel
):
    hit = Hit(FoundChunk(5, 1, "my knee hurts", MEMORY), 0.7, ("note-9",))
    script.answers["recall"] = Recalled([hit], 1.5, 0.5, 0.25, 2.5)
    reply = await ask(
        grpc_channel, "Recall", request_of("Recall", end_user_id="maya", query="knee")
    )
    answer = plain(reply.results[0])
    assert answer["source_id"] == "note-17"
    assert answer["end_user_id"] == "maya"
    assert (answer["similarity"], answer["score"]) == (0.7, 0.7)
    assert answer["score_parts"] == {"semantic": 0.7}
    assert answer["match_strength"] == "MATCH_STRENGTH_STRONG"
    assert answer["match_reasons"]
    assert answer["duplicate_source_ids"] == ["note-9"]
    assert answer["store"] == "STORE_MEMORIES"
    assert reply.timing.total_ms == 2.5


async def test_get_memory_shows_what_is_stored(script: Script, grpc_channel: grpc.aio.Channel):
    script.answers["reads.memory"] = MEMORY
    request = request_of("GetMemory", end_user_id="maya", source_id="note-17")
    answer = plain((await ask(grpc_channel, "GetMemory", request)).memory)
    assert answer["kind"] == "MEMORY_KIND_INTERACTION"
    assert answer["indexing_status"] == "INDEXING_STATUS_COMPLETED"
    assert answer["interaction_id"] == str(INTERACTION)
    assert answer["additional_metadata"] == {"ward": 7}
    assert answer["occurred_at"] == "2026-01-29T09:30:00Z"
    assert answer["intent"] == "INTENT_COMPLAINT"


async def test_watch_streams_each_change(script: Script, grpc_channel: grpc.aio.Channel):
    async def watch():
        yield ProcessingStatus("a", IndexingStatus.QUEUED)
        yield ProcessingStatus("a", IndexingStatus.ERRORED, 3, "WORKER_LOST", "lost", 0, NOW)

    script.answers["processing.watch"] = watch()
    request = request_of("WatchProcessing", end_user_id="m", source_ids=["a"])
    first, last = [plain(r.status) for r in await ask(grpc_channel, "WatchProcessing", request)]
    assert first == {"source_id": "a", "indexing_status": "INDEXING_STATUS_QUEUED"}
    assert last["error"] == {"reason": "ERROR_REASON_WORKER_LOST", "message": "lost"}
    assert last["attempts"] == 3


async def test_an_unknown_persons_relation_is_a_strangers(
    script: Script, grpc_channel: grpc.aio.Channel
):
    script.answers["reads.person"] = NotFound("end_user")
    request = request_of("GetRelation", end_user_id="nobody")
    answer = plain((await ask(grpc_channel, "GetRelation", request)).relation)
    assert answer == {"sentiment": 0.5}


async def test_history_tells_interactions_from_events(
    script: Script, grpc_channel: grpc.aio.Channel
):
    script.answers["reads.history"] = [
        RelationPoint(2, STATE, NOW, INTERACTION, mood_delta=0.0),
        RelationPoint(1, STATE, NOW, event_kind=RelationEventKind.KEPT_PROMISE, note="x"),
    ]
    request = request_of("ListRelationHistory", end_user_id="maya")
    spoken, event = (await ask(grpc_channel, "ListRelationHistory", request)).points
    assert spoken.HasField("mood_delta")
    assert spoken.interaction_id == str(INTERACTION)
    assert not event.HasField("mood_delta")
    assert event.event_kind == 2


async def test_erase_and_its_preview(script: Script, grpc_channel: grpc.aio.Channel):
    receipt = Receipt(
        str(INTERACTION), "clinic", b"\x01" * 32, ErasureCounts(messages=2), True, ("p1",), NOW, 7,
        b"\x02" * 32, ErasureReason.LEGAL, "T-1", b"sig", "k1",
    )  # fmt: skip
    script.answers["erase"] = receipt
    script.answers["erase.preview"] = replace(
        receipt, receipt_id="", audit_sequence=0, audit_hash=b""
    )
    request = request_of(
        "Erase", end_user_id="maya", reason=3, ticket="T-1", request_id=str(INTERACTION)
    )
    answer = plain((await ask(grpc_channel, "Erase", request)).receipt)
    assert answer["counts"] == {"messages": 2}
    assert (answer["subject_hash"], answer["audit_hash"]) == ("01" * 32, "02" * 32)
    assert answer["erased_at"] == "2026-01-31T09:30:00Z"
    assert answer["reason"] == "ERASURE_REASON_LEGAL"
    _, tenant_id, end_user_id, reason, note, ticket = script.arguments("erase")
    assert (tenant_id, end_user_id, reason, note) == ("clinic", "maya", ErasureReason.LEGAL, "T-1")
    assert ticket.subject_hash == b""
    assert ticket.request_hash
    request.validate_only = True
    answer = plain((await ask(grpc_channel, "Erase", request)).receipt)
    assert "erased_at" not in answer
    assert len(script.arguments("erase.preview")) == 4


async def test_updates_name_only_the_masked_fields(script: Script, grpc_channel: grpc.aio.Channel):
    script.answers["update_memory"] = MEMORY
    for fields, changes in (
        ({"title": "t", "pinned": False}, {"title": "t", "pinned": False}),
        (
            {"title": "t", "update_mask": {"paths": ["pinned", "metadata"]}},
            {"pinned": False, "metadata": {}},
        ),
    ):
        request = request_of("UpdateMemory", end_user_id="m", source_id="a", **fields)
        await ask(grpc_channel, "UpdateMemory", request)
        assert script.calls.pop()[1][3].fields == changes


async def test_tenants_keys_queue_and_people(script: Script, grpc_channel: grpc.aio.Channel):
    operator = key_of("OPERATOR")
    script.answers["tenants.get"] = (TENANT, dict.fromkeys(Store, StoreStatus(3, 4, 5, 6)))
    answer = plain(
        (
            await ask(
                grpc_channel, "GetTenant", request_of("GetTenant", tenant_id="clinic"), operator
            )
        ).tenant
    )
    assert [status["store"] for status in answer["vectorstore_status"]] == [
        "STORE_MEMORIES",
        "STORE_KNOWLEDGE",
    ]
    assert answer["vectorstore_status"][0]["bytes"] == "5"
    assert answer["metadata_schema"][1] == {
        "name": "score",
        "type": "METADATA_TYPE_NUMBER",
        "enable_match": True,
    }
    script.answers["api_keys.create"] = (
        ApiKey("clinic", "k", ApiKeyRole.READER, NOW, None, False),
        "rap_x",
    )
    request = request_of("CreateApiKey", tenant_id="clinic", role=3)
    made = await ask(grpc_channel, "CreateApiKey", request, operator)
    assert (made.secret, made.api_key.key_id, made.api_key.tenant_id) == ("rap_x", "k", "clinic")
    assert not made.api_key.HasField("expire_time")
    script.answers["reads.people"] = [(PERSON, 12)]
    people = await ask(grpc_channel, "ListEndUsers", request_of("ListEndUsers"), key_of("READER"))
    assert people.end_users[0].total_stored == 12
    assert list(people.end_users[0].assignments) == ["a", "b"]


async def test_audit_events_show_hashes_and_the_first_has_none_before(
    script: Script, grpc_channel: grpc.aio.Channel
):
    first = AuditEvent(
        1, NOW, AuditEventKind.TENANT_CREATED, "", b"", {"plan": "CLINIC"}, GENESIS, b"\x01" * 32
    )
    second = AuditEvent(
        2,
        NOW,
        AuditEventKind.MEMORIES_ADDED,
        "k",
        b"\x03" * 32,
        {"accepted": 2},
        b"\x01" * 32,
        b"\x02" * 32,
    )
    script.answers["audit.events"] = [second, first]
    request = request_of("ListAuditEvents", kind=8)
    reply = await ask(grpc_channel, "ListAuditEvents", request, key_of("AUDITOR"))
    late, early = [plain(event) for event in reply.audit_events]
    assert late["previous_hash"] == early["hash"] == "01" * 32
    assert "previous_hash" not in early
    assert late["details"] == {"accepted": 2}
    assert script.arguments("audit.events")[1] is AuditEventKind.MEMORIES_ADDED


@pytest.mark.parametrize("receipt_id", ["nope", "'; DROP TABLE"])
async def test_a_receipt_id_that_is_none_of_ours_is_not_found(
    receipt_id: str, grpc_channel: grpc.aio.Channel
):
    request = request_of("GetErasureReceipt", receipt_id=receipt_id)
    refusal = await refused(grpc_channel, "GetErasureReceipt", request, key_of("AUDITOR"))
    assert dict(refusal.info.metadata) == {"resource": "receipt", "receipt_id": receipt_id}


@pytest.mark.parametrize(
    ("mapped", "enum"),
    [
        (enums.STORE, memory_pb2.Store),
        (enums.MEMORY_KIND, memory_pb2.MemoryKind),
        (enums.INDEXING_STATUS, memory_pb2.IndexingStatus),
        (enums.MATCH_STRENGTH, recall_pb2.MatchStrength),
        (enums.RECALL_MODE, recall_pb2.RecallMode),
        (enums.LIST_ORDER, lists_pb2.ListOrder),
        (enums.INTENT, analysis_pb2.Intent),
        (enums.ANALYSIS_ORIGIN, analysis_pb2.AnalysisOrigin),
        (enums.MESSAGE_ROLE, message_pb2.MessageRole),
        (enums.RELATION_EVENT_KIND, relation_pb2.RelationEventKind),
        (enums.PLAN, tenant_pb2.Plan),
        (enums.METADATA_TYPE, tenant_pb2.MetadataType),
        (enums.API_KEY_ROLE, tenant_pb2.ApiKeyRole),
        (enums.AUDIT_EVENT_KIND, audit_pb2.AuditEventKind),
        (enums.ERASURE_REASON, audit_pb2.ErasureReason),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_every_enum_value_of_the_contract_has_its_member(mapped: enums.Mapped, enum: Any):
    check = Check()
    for number in enum.values():
        if number:
            assert mapped.to(mapped.of(check, "field", number)) == number
    assert not check.violations
    mapped.of(check, "field", max(enum.values()) + 1)
    assert check.violations


def test_an_enum_reads_back_what_it_writes():
    for intent in Intent:
        number = enums.INTENT.to(intent)
        assert analysis_pb2.Intent.Name(number) == f"INTENT_{intent}"
        assert enums.INTENT.of(Check(), "intent", number) is intent


@given(
    st.datetimes(
        TIME_MIN.replace(tzinfo=None), TIME_MAX.replace(tzinfo=None), timezones=st.just(UTC)
    )
)
def test_times_keep_every_microsecond(time: datetime):
    stamp = to_timestamp(time)
    assert stamp is not None
    assert from_timestamp(stamp) == time


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("abcé\n"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("xyz"), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text("abc"), JSON, min_size=1, max_size=3))
def test_json_values_come_back_as_they_were(values: dict[str, Any]):
    struct = to_struct(values)
    assert struct is not None
    check = Check()
    assert json.plain(check, "metadata", struct) == values
    assert not check.violations
