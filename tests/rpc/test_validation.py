"""What a request may hold: every violation is named by its path, and nothing is done."""

import time
from typing import Any

import grpc.aio
import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.struct_pb2 import ListValue, Struct, Value
from google.protobuf.timestamp_pb2 import Timestamp

from rapport.v1 import analysis_pb2, message_pb2, process_pb2, relation_pb2, tenant_pb2
from tests.fix_server import Script, key_of
from tests.rpc.wire import METHODS, ask, refused, request_of

KIB = 1024
NAN, INF = float("nan"), float("inf")
SOON = Timestamp(seconds=int(time.time()) + 3600)
NEVER = Timestamp(seconds=10**15)
UUID = "8c0b7c1e-7f0b-4b0e-9f43-0a8a3b0f8a10"


def struct(**values: Any) -> Struct:
    made = Struct()
    made.update(values)
    return made


def nested(depth: int) -> Struct:
    made = Struct()
    inner = made
    for _ in range(depth - 1):
        inner = inner.fields["a"].struct_value
    inner.fields["a"].bool_value = True
    return made


def signals(**fields: Any) -> analysis_pb2.Signals:
    return analysis_pb2.Signals(**fields)


def emotion(label: str, score: float) -> analysis_pb2.Signals:
    return signals(detected_emotions=[analysis_pb2.DetectedEmotion(label=label, score=score)])


def event(**fields: Any) -> relation_pb2.RelationEvent:
    return relation_pb2.RelationEvent(**{"kind": 1, **fields})


def turn(role: int, content: str) -> message_pb2.ConversationTurn:
    return message_pb2.ConversationTurn(role=role, content=content)


PROCESS = {"end_user_id": "maya", "message": "hello"}
RECALL = {"end_user_id": "maya", "query": "hello"}
VERIFY = {"end_user_id": "maya", "source_ids": ["a"]}
UPDATE = {"end_user_id": "maya", "source_id": "a", "title": "t"}
ERASE = {"end_user_id": "maya"}
# RPC, what is right, what is wrong, the paths that must be named.
BAD: list[tuple[str, dict[str, Any], dict[str, Any], list[str]]] = [
    ("Process", PROCESS, {"end_user_id": ""}, ["end_user_id"]),
    ("Process", PROCESS, {"end_user_id": "a" * 257}, ["end_user_id"]),
    ("Process", PROCESS, {"end_user_id": "é" * 129}, ["end_user_id"]),
    ("Process", PROCESS, {"end_user_id": "a\tb"}, ["end_user_id"]),
    ("Process", PROCESS, {"end_user_id": "a\x85b"}, ["end_user_id"]),
    ("Process", PROCESS, {"message": ""}, ["message"]),
    ("Process", PROCESS, {"message": " \n\t  "}, ["message"]),
    ("Process", PROCESS, {"message": "\u200b\ufeff\u2003"}, ["message"]),
    ("Process", PROCESS, {"message": "a" * (32 * KIB + 1)}, ["message"]),
    ("Process", PROCESS, {"message": "é" * (16 * KIB + 1)}, ["message"]),
    ("Process", PROCESS, {"message": "a\0b"}, ["message"]),
    ("Process", PROCESS, {"assistant_message": "a\0b"}, ["assistant_message"]),
    ("Process", PROCESS, {"channel": "c" * 257}, ["channel"]),
    ("Process", PROCESS, {"session_id": "s\0"}, ["session_id"]),
    ("Process", PROCESS, {"user_name": "n" * 257}, ["user_name"]),
    ("Process", PROCESS, {"time_zone": "Mars/Olympus"}, ["time_zone"]),
    ("Process", PROCESS, {"time_zone": "../../etc/passwd"}, ["time_zone"]),
    ("Process", PROCESS, {"request_id": "no-uuid"}, ["request_id"]),
    ("Process", PROCESS, {"request_id": UUID.replace("-", "")}, ["request_id"]),
    ("Process", PROCESS, {"occurred_at": SOON}, ["occurred_at"]),
    ("Process", PROCESS, {"occurred_at": NEVER}, ["occurred_at"]),
    ("Process", PROCESS, {"occurred_at": Timestamp(nanos=-1)}, ["occurred_at"]),
    ("Process", PROCESS, {"metadata": struct(a=NAN)}, ["metadata.a"]),
    ("Process", PROCESS, {"metadata": struct(a=[1, INF])}, ["metadata.a[1]"]),
    ("Process", PROCESS, {"metadata": struct(a={"b": "x\0"})}, ["metadata.a.b"]),
    (
        "Process",
        PROCESS,
        {"metadata": Struct(fields={"a\0": Value(bool_value=True)})},
        ["metadata"],
    ),
    ("Process", PROCESS, {"metadata": Struct(fields={"a": Value()})}, ["metadata.a"]),
    ("Process", PROCESS, {"metadata": struct(a="x" * 17 * KIB)}, ["metadata.a"]),
    ("Process", PROCESS, {"metadata": struct(a="x" * 9 * KIB, b="x" * 9 * KIB)}, ["metadata"]),
    ("Process", PROCESS, {"metadata": struct(a="x" * 1024 * KIB)}, ["metadata"]),
    ("Process", PROCESS, {"metadata": nested(20)}, ["metadata" + ".a" * 16]),
    ("Process", PROCESS, {"recall": process_pb2.RecallOptions(top_k=51)}, ["recall.top_k"]),
    ("Process", PROCESS, {"recall": process_pb2.RecallOptions(top_k=-1)}, ["recall.top_k"]),
    (
        "Process",
        PROCESS,
        {"recall": process_pb2.RecallOptions(min_similarity=NAN)},
        ["recall.min_similarity"],
    ),
    ("Process", PROCESS, {"recall": process_pb2.RecallOptions(mode=9)}, ["recall.mode"]),
    ("Process", PROCESS, {"signals": signals(mood_delta=1.5)}, ["signals.mood_delta"]),
    ("Process", PROCESS, {"signals": signals(intent=0)}, ["signals.intent"]),
    ("Process", PROCESS, {"signals": signals(intent=99)}, ["signals.intent"]),
    ("Process", PROCESS, {"signals": signals(crisis_phrase="end it")}, ["signals.crisis_phrase"]),
    ("Process", PROCESS, {"signals": emotion("", 0.5)}, ["signals.detected_emotions[0].label"]),
    (
        "Process",
        PROCESS,
        {"signals": emotion("x" * 65, 0.5)},
        ["signals.detected_emotions[0].label"],
    ),
    ("Process", PROCESS, {"signals": emotion("joy", 1.1)}, ["signals.detected_emotions[0].score"]),
    ("Process", PROCESS, {"signals": emotion("joy", NAN)}, ["signals.detected_emotions[0].score"]),
    (
        "Process",
        PROCESS,
        {"signals": signals(detected_emotions=[analysis_pb2.DetectedEmotion(label="a")] * 33)},
        ["signals.detected_emotions"],
    ),
    ("Process", PROCESS, {"events": [event(kind=0)]}, ["events[0].kind"]),
    ("Process", PROCESS, {"events": [event(), event(kind=7)]}, ["events[1].kind"]),
    ("Process", PROCESS, {"events": [event(note="n" * 2049)]}, ["events[0].note"]),
    ("Process", PROCESS, {"events": [event(occurred_at=SOON)]}, ["events[0].occurred_at"]),
    ("Process", PROCESS, {"events": [event()] * 33}, ["events"]),
    (
        "Process",
        PROCESS,
        {"generate_reply": True, "assistant_message": "hi"},
        ["assistant_message"],
    ),
    (
        "Process",
        PROCESS,
        {"conversation_history": [turn(0, "x"), turn(1, "")]},
        ["conversation_history[0].role", "conversation_history[1].content"],
    ),
    ("Process", PROCESS, {"conversation_history": [turn(1, "x")] * 21}, ["conversation_history"]),
    (
        "Process",
        PROCESS,
        {"conversation_history": [turn(2, "x" * 32_000)] * 5},
        ["conversation_history"],
    ),
    (
        "ProcessStream",
        PROCESS,
        {"message": " ", "conversation_history": [turn(1, "\0")], "events": [event(kind=0)]},
        ["message", "conversation_history[0].content", "events[0].kind"],
    ),
    (
        "Process",
        PROCESS,
        {"message": " ", "channel": "c" * 300, "time_zone": "x", "occurred_at": SOON},
        ["message", "channel", "time_zone", "occurred_at"],
    ),
    ("AttachReply", {"end_user_id": "m"}, {}, ["interaction_id", "assistant_message"]),
    ("AddMemory", {"end_user_id": "m"}, {}, ["memories"]),
    ("AddMemory", {"end_user_id": "m", "memories": [{}] * 1001}, {}, ["memories"]),
    ("AddMemory", {"end_user_id": "m", "memories": [{}]}, {"wait": Duration(seconds=61)}, ["wait"]),
    ("AddMemory", {"end_user_id": "m", "memories": [{}]}, {"wait": Duration(seconds=-1)}, ["wait"]),
    ("VerifyProcessing", VERIFY, {"source_ids": []}, ["source_ids"]),
    ("VerifyProcessing", VERIFY, {"source_ids": ["a"] * 1001}, ["source_ids"]),
    (
        "VerifyProcessing",
        VERIFY,
        {"source_ids": ["a", "", "b\0"]},
        ["source_ids[1]", "source_ids[2]"],
    ),
    ("VerifyProcessing", VERIFY, {"store": 3}, ["store"]),
    ("VerifyProcessing", VERIFY, {"store": 12}, ["store"]),
    ("VerifyProcessing", VERIFY, {"store": 2}, ["end_user_id"]),
    ("WatchProcessing", VERIFY, {"source_ids": []}, ["source_ids"]),
    ("RetryProcessing", VERIFY, {"request_id": "x"}, ["request_id"]),
    ("Recall", RECALL, {"query": ""}, ["query"]),
    ("Recall", RECALL, {"query": "  "}, ["query"]),
    ("Recall", RECALL, {"query": "a" * (8 * KIB + 1)}, ["query"]),
    ("Recall", RECALL, {"max_results": 1001}, ["max_results"]),
    ("Recall", RECALL, {"max_results": -1}, ["max_results"]),
    ("Recall", RECALL, {"mode": 5}, ["mode"]),
    ("Recall", RECALL, {"alpha": 1.01}, ["alpha"]),
    ("Recall", RECALL, {"alpha": NAN}, ["alpha"]),
    ("Recall", RECALL, {"recency_bias": -0.1}, ["recency_bias"]),
    ("Recall", RECALL, {"min_similarity": 2}, ["min_similarity"]),
    ("Recall", RECALL, {"additional_context": "a" * 2049}, ["additional_context"]),
    ("Recall", RECALL, {"as_of": NEVER}, ["as_of"]),
    ("Recall", RECALL, {"neighbors": 6}, ["neighbors"]),
    ("Recall", RECALL, {"metadata_filters": struct(nope="x")}, ["metadata_filters.nope"]),
    ("Recall", RECALL, {"metadata_filters": struct(seen=True)}, ["metadata_filters.seen"]),
    (
        "Recall",
        RECALL,
        {"metadata_filters": struct(topic={"$regex": "x"})},
        ["metadata_filters.topic.$regex"],
    ),
    ("Recall", RECALL, {"metadata_filters": struct(score="x")}, ["metadata_filters.score"]),
    ("Recall", RECALL, {"metadata_filters": struct(score=NAN)}, ["metadata_filters.score"]),
    (
        "Recall",
        RECALL,
        {"metadata_filters": Struct(fields={"topic": Value(list_value=ListValue())})},
        ["metadata_filters.topic"],
    ),
    ("Erase", ERASE, {"end_user_id": ""}, ["end_user_id"]),
    ("Erase", ERASE, {"ticket": "a b"}, ["ticket"]),
    ("Erase", ERASE, {"ticket": "a" * 65}, ["ticket"]),
    ("Erase", ERASE, {"ticket": "tïcket"}, ["ticket"]),
    ("Erase", ERASE, {"reason": 9}, ["reason"]),
    ("GetMemory", {"end_user_id": "m"}, {}, ["source_id"]),
    ("ListMemories", {"end_user_id": "m"}, {"page_size": -1}, ["page_size"]),
    ("ListMemories", {"end_user_id": "m"}, {"kind": 8}, ["kind"]),
    (
        "ListMemories",
        {"end_user_id": "m"},
        {"start_time": Timestamp(seconds=5), "end_time": Timestamp(seconds=5)},
        ["end_time"],
    ),
    (
        "ListMemories",
        {"end_user_id": "m"},
        {"metadata_filters": struct(x=1)},
        ["metadata_filters.x"],
    ),
    ("ListMessages", {"end_user_id": "m"}, {"order": 7}, ["order"]),
    ("UpdateMemory", UPDATE, {"title": "t" * 513}, ["title"]),
    ("UpdateMemory", UPDATE, {"text": " "}, ["text"]),
    ("UpdateMemory", UPDATE, {"text": "t" * (KIB * KIB + 1)}, ["text"]),
    ("UpdateMemory", UPDATE, {"metadata": struct(nope=1)}, ["metadata.nope"]),
    ("UpdateMemory", UPDATE, {"metadata": struct(score="x")}, ["metadata.score"]),
    ("UpdateMemory", UPDATE, {"metadata": struct(visit="yesterday")}, ["metadata.visit"]),
    (
        "UpdateMemory",
        UPDATE,
        {"update_mask": FieldMask(paths=["title", "metadata.topic", "source_id"])},
        ["update_mask.paths[1]", "update_mask.paths[2]"],
    ),
    ("UpdateMemory", {"end_user_id": "m", "source_id": "a"}, {}, ["update_mask"]),
    ("UpdateMemory", UPDATE, {"update_mask": FieldMask(paths=["text"])}, ["text"]),
    ("DeleteMemory", {"source_id": "a"}, {}, ["end_user_id"]),
    ("RecordEvent", {"end_user_id": "m"}, {}, ["event.kind"]),
    ("UpsertPersonRelation", {"end_user_id": "m"}, {}, ["person_relation"]),
    (
        "UpsertPersonRelation",
        {"end_user_id": "m"},
        {"person_relation": relation_pb2.PersonRelation()},
        ["person_relation.name"],
    ),
    (
        "UpsertPersonRelation",
        {"end_user_id": "m"},
        {
            "person_relation": relation_pb2.PersonRelation(
                person_relation_id="a\n",
                name="é" * 129,
                kind="k" * 65,
                sentiment=1.01,
                note="n" * 2049,
                last_mentioned=SOON,
            )
        },
        [
            f"person_relation.{field}"
            for field in (
                *("person_relation_id", "name", "kind", "sentiment", "note"),
                "last_mentioned",
            )
        ],
    ),
    (
        "UpsertPersonRelation",
        {},
        {"person_relation": relation_pb2.PersonRelation(name="A", sentiment=NAN)},
        ["end_user_id", "person_relation.sentiment"],
    ),
    ("ListPersonRelations", {}, {"page_size": -1}, ["end_user_id", "page_size"]),
    ("DeletePersonRelation", {"end_user_id": "m"}, {}, ["person_relation_id"]),
    ("UpsertTrigger", {"end_user_id": "m"}, {}, ["trigger"]),
    (
        "UpsertTrigger",
        {"end_user_id": "m"},
        {"trigger": relation_pb2.Trigger(description=" ", origin=1)},
        ["trigger.description", "trigger.due_at", "trigger.origin"],
    ),
    (
        "UpsertTrigger",
        {"end_user_id": "m"},
        {
            "trigger": relation_pb2.Trigger(
                trigger_id="t" * 257,
                description="d" * 2049,
                due_at=NEVER,
                origin=analysis_pb2.ANALYSIS_ORIGIN_MIXED,
                source_id="a\0",
            )
        },
        [
            f"trigger.{field}"
            for field in ("trigger_id", "description", "due_at", "origin", "source_id")
        ],
    ),
    (
        "UpsertTrigger",
        {"end_user_id": "m"},
        {"trigger": relation_pb2.Trigger(description="d", due_at=SOON, origin=77)},
        ["trigger.origin"],
    ),
    ("DeleteTrigger", {}, {}, ["end_user_id", "trigger_id"]),
    ("SetAssignments", {"end_user_id": "m"}, {"assignments": ["x"] * 101}, ["assignments"]),
    (
        "SetAssignments",
        {"end_user_id": "m"},
        {"assignments": ["x", "", "a" * 257]},
        ["assignments[1]", "assignments[2]"],
    ),
    ("ListEndUsers", {"tenant_id": "t"}, {"assignment": "a" * 257}, ["assignment"]),
    ("CreateTenant", {}, {"initial_trust": 1.5, "plan": 9}, ["tenant_id", "plan", "initial_trust"]),
    (
        "CreateTenant",
        {"tenant_id": "t"},
        {
            "metadata_schema": [
                tenant_pb2.MetadataField(name="a", type=1),
                tenant_pb2.MetadataField(name="a", type=1),
                tenant_pb2.MetadataField(name="kind", type=1),
                tenant_pb2.MetadataField(name="a-b", type=1),
                tenant_pb2.MetadataField(name="b"),
            ]
        },
        [
            "metadata_schema[1].name",
            "metadata_schema[2].name",
            "metadata_schema[3].name",
            "metadata_schema[4].type",
        ],
    ),
    ("UpdateTenant", {"tenant_id": "t"}, {}, ["update_mask"]),
    ("UpdateTenant", {"tenant_id": "t"}, {"initial_trust": NAN}, ["initial_trust"]),
    ("DeleteTenant", {}, {}, ["tenant_id"]),
    (
        "CreateApiKey",
        {"tenant_id": "t"},
        {"expire_time": Timestamp(seconds=5)},
        ["role", "expire_time"],
    ),
    ("RevokeApiKey", {"tenant_id": "t"}, {}, ["key_id"]),
    ("ListAuditEvents", {"tenant_id": "t"}, {"kind": 99, "page_size": -5}, ["kind", "page_size"]),
    ("GetErasureReceipt", {"tenant_id": "t"}, {}, ["receipt_id"]),
]
OPERATORS = {"TenantService", "AuditService"}


@pytest.mark.parametrize(
    ("rpc", "right", "wrong", "paths"), BAD, ids=lambda v: v if isinstance(v, str) else None
)
async def test_each_bad_field_is_named_and_nothing_is_done(
    rpc: str,
    right: dict[str, Any],
    wrong: dict[str, Any],
    paths: list[str],
    script: Script,
    grpc_channel: grpc.aio.Channel,
):
    role = "OPERATOR" if METHODS[rpc].containing_service.name in OPERATORS else "WRITER"
    refusal = await refused(grpc_channel, rpc, request_of(rpc, **{**right, **wrong}), key_of(role))
    assert (refusal.code, refusal.info.reason) == ("INVALID_ARGUMENT", "INVALID_ARGUMENT")
    assert sorted(refusal.violations) == sorted(paths)
    assert refusal.info.metadata["field"] in paths
    assert not script.calls


@pytest.mark.parametrize(
    ("rpc", "right", "wrong", "field"),
    [
        ("Process", PROCESS, {"infer": True}, "infer"),
        ("ProcessStream", PROCESS, {"infer": True}, "infer"),
        ("Process", PROCESS, {"recall": process_pb2.RecallOptions(mode=2)}, "recall.mode"),
        ("Recall", RECALL, {"mode": 2}, "mode"),
        ("Recall", RECALL, {"alpha": 0.0}, "alpha"),
        ("Recall", RECALL, {"alpha": 0.99}, "alpha"),
        ("Recall", RECALL, {"recency_bias": 0.1}, "recency_bias"),
        ("Recall", RECALL, {"graph_context": True}, "graph_context"),
        ("Recall", RECALL, {"additional_context": "hint"}, "additional_context"),
        ("Recall", RECALL, {"as_of": Timestamp(seconds=1)}, "as_of"),
        ("Recall", RECALL, {"neighbors": 1}, "neighbors"),
        ("Recall", RECALL, {"store": 3}, "store"),
        ("Recall", {"query": "x"}, {"store": 2}, "store"),
        ("VerifyProcessing", {"source_ids": ["a"]}, {"store": 2}, "store"),
        ("GetMemory", {"source_id": "a"}, {"store": 2}, "store"),
        ("ListMemories", {}, {"store": 2}, "store"),
        ("CreateTenant", {"tenant_id": "t"}, {"infer_default": True}, "infer_default"),
        ("UpdateTenant", {"tenant_id": "t"}, {"infer_default": True}, "infer_default"),
    ],
    ids=lambda v: v if isinstance(v, str) else None,
)
async def test_a_set_field_without_its_function_is_unimplemented(
    rpc: str,
    right: dict[str, Any],
    wrong: dict[str, Any],
    field: str,
    script: Script,
    grpc_channel: grpc.aio.Channel,
):
    request = request_of(rpc, **{**right, **wrong})
    refusal = await refused(
        grpc_channel, rpc, request, key_of("OPERATOR") if "tenant_id" in right else key_of("WRITER")
    )
    assert (refusal.code, refusal.info.reason) == ("UNIMPLEMENTED", "UNIMPLEMENTED")
    assert dict(refusal.info.metadata) == {"field": field}
    assert not script.calls


async def test_default_values_of_absent_functions_pass(
    script: Script, grpc_channel: grpc.aio.Channel
):
    from rapport_server.commands.recall import Recalled

    script.answers["recall"] = Recalled([], 0, 0, 0, 0)
    request = request_of(
        "Recall",
        **RECALL,
        alpha=1.0,
        mode=1,
        store=1,
        search_forceful_relations=True,
        metadata_filters=struct(topic="knee", additional_metadata={"a": 1}),
    )
    await ask(grpc_channel, "Recall", request)
    (query,) = script.arguments("recall")
    assert query.max_results == 10
    assert query.min_similarity is None
    assert len(query.filter.conditions) == 2


async def test_text_that_is_not_utf8_is_invalid(script: Script, grpc_channel: grpc.aio.Channel):
    good = request_of("Recall", **RECALL).SerializeToString()
    bad = good.replace(b"hello", b"h\xffllo")
    for raw in (bad, b"\x0a\xff"):
        refusal = await refused(grpc_channel, "Recall", raw)
        assert (refusal.code, refusal.info.reason) == ("INVALID_ARGUMENT", "INVALID_ARGUMENT")
    request = request_of("WatchProcessing", **VERIFY).SerializeToString()
    refusal = await refused(
        grpc_channel, "WatchProcessing", request.replace(b"maya", b"ma\xfe\xff")
    )
    assert refusal.code == "INVALID_ARGUMENT"
    assert not script.calls


async def test_emoji_and_signs_of_any_script_are_not_blank(
    script: Script, grpc_channel: grpc.aio.Channel
):
    from rapport_server.commands.recall import Recalled

    script.answers["recall"] = Recalled([], 0, 0, 0, 0)
    for query in ("🙂", "膝", "?", " x "):
        await ask(grpc_channel, "Recall", request_of("Recall", end_user_id="a/b%", query=query))
    assert [arguments[0].query for _, arguments in script.calls] == ["🙂", "膝", "?", " x "]
