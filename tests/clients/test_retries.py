"""What is tried again, how often, when, and that a write keeps its request_id."""

import asyncio
import time
from typing import Any

import grpc
import pytest

import rapport
from rapport import calls
from rapport.messages import GetRelationResponse, ProcessResponse, Relation
from tests.clients.caller import Caller
from tests.clients.scripted import Refusal, ScriptedServer

AWAY = Refusal(grpc.StatusCode.UNAVAILABLE)
CONFLICT = Refusal(grpc.StatusCode.ABORTED, "CONFLICT")
ERASED = Refusal(grpc.StatusCode.ABORTED, "ERASED")


async def test_an_unavailable_write_is_repeated_with_the_same_request_id(
    server: ScriptedServer, caller: Caller, quick_backoff: None
) -> None:
    server.script("Process", AWAY)
    server.script("Process", AWAY)
    server.script("Process", ProcessResponse(interaction_id="int_1"))
    answer = await caller.call(lambda c: c.process("maya", message="hi"))
    assert answer.interaction_id == "int_1"
    assert len(server.seen) == 3
    assert len({seen.request.request_id for seen in server.seen}) == 1
    assert server.seen[0].request == server.seen[2].request


async def test_two_calls_have_two_request_ids(server: ScriptedServer, caller: Caller) -> None:
    for _ in range(2):
        await caller.call(lambda c: c.process("maya", message="hi"))
    assert len({seen.request.request_id for seen in server.seen}) == 2


async def test_a_read_is_repeated_too(
    server: ScriptedServer, caller: Caller, quick_backoff: None
) -> None:
    server.script("GetRelation", AWAY)
    server.script("GetRelation", GetRelationResponse(relation=Relation(trust=0.5)))
    answer = await caller.call(lambda c: c.get_relation("maya"))
    assert answer.relation.trust == 0.5


async def test_attempts_can_be_bounded_and_the_last_error_is_raised(
    server: ScriptedServer, connect: Any, quick_backoff: None
) -> None:
    for number in range(3):
        server.script("GetRelation", Refusal(grpc.StatusCode.UNAVAILABLE, message=f"no {number}"))
    with pytest.raises(rapport.UnavailableError, match="no 1"):
        await connect(max_attempts=2).call(lambda c: c.get_relation("maya"))
    assert len(server.seen) == 2
    with pytest.raises(rapport.UnavailableError, match="no 2"):
        await connect(max_attempts=1).call(lambda c: c.get_relation("maya"))


@pytest.mark.parametrize("refusal", [AWAY, CONFLICT], ids=["unavailable", "conflict"])
async def test_attempts_go_on_for_as_long_as_the_timeout_allows(
    server: ScriptedServer,
    connect: Any,
    quick_backoff: None,
    monkeypatch: pytest.MonkeyPatch,
    refusal: Refusal,
) -> None:
    monkeypatch.setattr(calls, "BACKOFF_MAX_S", 0.02)
    for _ in range(1000):
        server.script("Process", refusal)
    start = time.monotonic()
    with pytest.raises(rapport.RapportError) as caught:
        await connect(timeout=1).call(lambda c: c.process("maya", message="hi"))
    # The last attempt may be cut off by the end of the time instead of being refused.
    assert caught.value.code in (refusal.code.name, "DEADLINE_EXCEEDED")
    assert 0.9 < time.monotonic() - start < 3
    assert len(server.seen) > 10


async def test_a_watch_that_cannot_begin_is_tried_for_the_clients_timeout(
    server: ScriptedServer, connect: Any, quick_backoff: None
) -> None:
    await server.stop()
    start = time.monotonic()
    with pytest.raises(rapport.UnavailableError):
        await connect(timeout=0.5).collect(lambda c: c.watch_end_user("maya"))
    assert time.monotonic() - start < 3


async def test_an_upload_that_can_be_read_only_once_is_not_repeated(
    server: ScriptedServer, caller: Caller, quick_backoff: None
) -> None:
    server.script("ImportMemories", AWAY)
    with pytest.raises(rapport.UnavailableError):
        await caller.call(lambda c: c.import_memories("maya", memories=iter(["x"])))
    assert len(server.seen) == 1
    server.script("ImportMemories", AWAY)
    await caller.call(lambda c: c.import_memories("maya", memories=["x"]))
    assert len(server.seen) == 3


async def test_a_conflict_is_retried_and_an_erasure_is_not(
    server: ScriptedServer, caller: Caller, quick_backoff: None
) -> None:
    server.script("RecordEvent", CONFLICT)
    server.script("RecordEvent", ERASED)
    with pytest.raises(rapport.AbortedError) as caught:
        await caller.call(lambda c: c.record_event("maya", event={"kind": "KEPT_PROMISE"}))
    assert caught.value.reason == "ERASED"
    assert len(server.seen) == 2
    assert caught.value.retry_request_id == server.seen[0].request.request_id


@pytest.mark.parametrize(
    "code",
    [
        "INTERNAL",
        "INVALID_ARGUMENT",
        "DEADLINE_EXCEEDED",
        "RESOURCE_EXHAUSTED",
        "CANCELLED",
        "UNKNOWN",
    ],
)
async def test_other_failures_are_not_repeated(
    server: ScriptedServer, caller: Caller, quick_backoff: None, code: str
) -> None:
    server.script("Process", Refusal(grpc.StatusCode[code]))
    with pytest.raises(rapport.RapportError):
        await caller.call(lambda c: c.process("maya", message="hi"))
    assert len(server.seen) == 1


async def test_the_servers_retry_delay_is_kept(
    server: ScriptedServer, caller: Caller, quick_backoff: None
) -> None:
    server.script("GetRelation", Refusal(grpc.StatusCode.UNAVAILABLE, retry_after_s=0.4))
    start = time.monotonic()
    await caller.call(lambda c: c.get_relation("maya"))
    assert time.monotonic() - start >= 0.4


async def test_no_attempt_is_waited_for_that_would_come_after_the_deadline(
    server: ScriptedServer, connect: Any
) -> None:
    server.script("GetRelation", Refusal(grpc.StatusCode.UNAVAILABLE, retry_after_s=20))
    start = time.monotonic()
    with pytest.raises(rapport.UnavailableError) as caught:
        await connect(timeout=5).call(lambda c: c.get_relation("maya"))
    assert time.monotonic() - start < 2
    assert caught.value.retry_after == 20


async def test_a_server_that_comes_back_on_its_port_is_reached_again(
    server: ScriptedServer, caller: Caller
) -> None:
    await caller.call(lambda c: c.get_relation("maya"))
    await server.stop()
    call = asyncio.create_task(caller.call(lambda c: c.process("maya", message="hi")))
    # Longer than a dropped connection takes: a restart.
    await asyncio.sleep(4)
    await server.start(server.port)
    await call
    assert server.seen[-1].name == "Process"


async def test_a_failed_dial_does_not_keep_a_returned_server_out_for_a_second(
    server: ScriptedServer, connect: Any
) -> None:
    await server.stop()
    caller = connect(max_attempts=1)
    with pytest.raises(rapport.UnavailableError):
        await caller.call(lambda c: c.get_relation("maya"))
    await server.start(server.port)
    await asyncio.sleep(0.4)
    await caller.call(lambda c: c.get_relation("maya"))


@pytest.mark.parametrize("model", [False, True], ids=["server", "language model"])
def test_the_backoff_grows_with_jitter_and_keeps_the_servers_wish(model: bool) -> None:
    error = rapport.UnavailableError(reason="LLM_FAILED" if model else "")
    bases = (2.0, 4.0, 8.0, 16.0, 30.0) if model else (0.2, 0.6, 1.8, 2.0, 2.0)
    for attempt, base in zip((1, 2, 3, 4, 9999), bases, strict=True):
        drawn = [calls.backoff_s(attempt, error) for _ in range(200)]
        assert base / 2 <= min(drawn) < max(drawn) <= base
    error.retry_after = 7.0
    assert calls.backoff_s(1, error) == 7.0


async def test_a_language_model_that_would_refuse_again_is_not_asked_again(
    server: ScriptedServer, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "LLM_BACKOFF_FIRST_S", 0.01)
    away, refused = (
        Refusal(grpc.StatusCode.UNAVAILABLE, "LLM_FAILED", retry_after_s=wait)
        for wait in (0.01, None)
    )
    for refusal in (away, away, refused):
        server.script("Process", refusal)
    with pytest.raises(rapport.UnavailableError) as caught:
        await caller.call(lambda c: c.process("maya", message="hi", generate_reply=True))
    assert len(server.seen) == 3
    assert caught.value.retry_after is None
