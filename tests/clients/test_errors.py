"""A failed call raises the SDK's own error with all that the server said, and nothing of gRPC."""

import asyncio
import pickle
import time
from collections.abc import Callable
from typing import Any

import grpc
import pytest

import rapport
from rapport import RapportError
from tests.clients.caller import Caller
from tests.clients.scripted import Refusal, ScriptedServer

OWN_CLASS = {
    "CANCELLED": rapport.CallCancelledError,
    "INVALID_ARGUMENT": rapport.InvalidArgumentError,
    "DEADLINE_EXCEEDED": rapport.DeadlineExceededError,
    "NOT_FOUND": rapport.NotFoundError,
    "ALREADY_EXISTS": rapport.AlreadyExistsError,
    "PERMISSION_DENIED": rapport.PermissionDeniedError,
    "UNAUTHENTICATED": rapport.UnauthenticatedError,
    "RESOURCE_EXHAUSTED": rapport.ResourceExhaustedError,
    "FAILED_PRECONDITION": rapport.FailedPreconditionError,
    "ABORTED": rapport.AbortedError,
    "UNIMPLEMENTED": rapport.UnimplementedError,
    "INTERNAL": rapport.InternalError,
    "UNAVAILABLE": rapport.UnavailableError,
}


async def failure(caller: Caller, make: Callable[[Any], Any] | None = None) -> RapportError:
    with pytest.raises(RapportError) as caught:
        await caller.call(make or (lambda c: c.get_relation("maya")))
    return caught.value


def assert_nothing_of_grpc(error: BaseException | None) -> None:
    while error is not None:
        assert not isinstance(error, grpc.RpcError)
        assert error.__cause__ is None
        error = error.__context__


@pytest.mark.parametrize("code", [c for c in grpc.StatusCode if c is not grpc.StatusCode.OK])
async def test_every_code_has_its_class(
    server: ScriptedServer, connect: Any, code: grpc.StatusCode
) -> None:
    server.script("GetRelation", Refusal(code))
    error = await failure(connect(max_attempts=1))
    assert type(error) is OWN_CLASS.get(code.name, RapportError)
    assert error.code == code.name
    assert_nothing_of_grpc(error)


async def test_an_error_carries_all_that_the_server_said(
    server: ScriptedServer, caller: Caller
) -> None:
    server.script(
        "Recall",
        Refusal(
            grpc.StatusCode.INVALID_ARGUMENT,
            "PAGE_TOKEN_INVALID",
            "two fields are bad",
            {"query": "is blank", "memories[3].text": "is too long"},
            {"field": "query"},
            retry_after_s=2.5,
        ),
    )
    error = await failure(caller, lambda c: c.recall("maya", query="x"))
    assert (error.code, error.reason) == ("INVALID_ARGUMENT", "PAGE_TOKEN_INVALID")
    assert error.message == "two fields are bad"
    assert [(v.field, v.description) for v in error.violations] == [
        ("query", "is blank"),
        ("memories[3].text", "is too long"),
    ]
    assert error.metadata == {"field": "query"}
    assert error.request_id == "srv-17"
    assert error.retry_request_id == ""
    assert error.retry_after == 2.5
    assert str(error) == "PAGE_TOKEN_INVALID: two fields are bad (field=query)"


async def test_the_words_name_what_the_message_does_not(
    server: ScriptedServer, caller: Caller
) -> None:
    known = {"resource": "memory", "source_id": "note-17"}
    server.script(
        "GetRelation",
        Refusal(grpc.StatusCode.NOT_FOUND, message="memory does not exist", metadata=known),
    )
    error = await failure(caller)
    assert str(error) == "NOT_FOUND: memory does not exist (source_id=note-17)"


async def test_a_failed_write_names_the_request_id_to_repeat_it_with(
    server: ScriptedServer, caller: Caller
) -> None:
    server.script("Process", Refusal(grpc.StatusCode.INTERNAL))
    error = await failure(caller, lambda c: c.process("maya", message="hi"))
    assert error.retry_request_id == server.seen[0].request.request_id != ""


@pytest.mark.parametrize("raw", [b"\xff\xff\xff", b""])
async def test_unreadable_details_leave_code_and_message(
    server: ScriptedServer, caller: Caller, raw: bytes
) -> None:
    server.script("GetRelation", Refusal(grpc.StatusCode.NOT_FOUND, raw_details=raw))
    error = await failure(caller)
    assert (error.code, error.reason, error.message) == ("NOT_FOUND", "NOT_FOUND", "refused")


async def test_another_systems_error_info_is_not_taken_for_the_servers(
    server: ScriptedServer, caller: Caller
) -> None:
    server.script("GetRelation", Refusal(grpc.StatusCode.NOT_FOUND, "ROUTE", domain="proxy"))
    assert (await failure(caller)).reason == "NOT_FOUND"


async def test_a_refused_connection_is_unavailable(
    connect: Any, server: ScriptedServer, quick_backoff: None
) -> None:
    await server.stop()
    error = await failure(connect(timeout=0.5))
    assert isinstance(error, rapport.UnavailableError)
    assert error.reason == "UNAVAILABLE"
    assert_nothing_of_grpc(error)


async def test_lists_and_streams_raise_the_same_errors(
    server: ScriptedServer, caller: Caller
) -> None:
    for name in ("ListMemories", "WatchProcessing", "ExportEndUser"):
        server.script(name, Refusal(grpc.StatusCode.NOT_FOUND))
    for make in (
        lambda c: c.list_memories("maya"),
        lambda c: c.watch_processing("maya", source_ids=["a"]),
        lambda c: c.export_end_user("maya"),
    ):
        with pytest.raises(rapport.NotFoundError) as caught:
            await caller.collect(make)
        assert_nothing_of_grpc(caught.value)


async def test_cancelling_a_task_stays_a_cancelled_error_and_reaches_the_server(
    server: ScriptedServer,
) -> None:
    server.script("GetRelation", lambda: asyncio.sleep(30))
    async with rapport.AsyncClient(server.target) as client:
        task = asyncio.create_task(client.get_relation("maya"))
        await until(lambda: len(server.seen) == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: server.seen[0].cancelled)


async def test_a_task_timeout_stays_a_timeout_error(server: ScriptedServer) -> None:
    server.script("GetRelation", lambda: asyncio.sleep(30))
    async with rapport.AsyncClient(server.target) as client:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await client.get_relation("maya")


async def test_closing_ends_calls_under_way(server: ScriptedServer, caller: Caller) -> None:
    server.script("GetRelation", lambda: asyncio.sleep(30))
    server.script("WatchEndUser", lambda: asyncio.sleep(30))
    unary = asyncio.create_task(failure(caller))
    stream = asyncio.create_task(failure_of_stream(caller))
    await until(lambda: len(server.seen) == 2)
    await caller.close()
    for error in await asyncio.gather(unary, stream):
        assert type(error) is rapport.CallCancelledError
        assert_nothing_of_grpc(error)


async def failure_of_stream(caller: Caller) -> RapportError:
    with pytest.raises(RapportError) as caught:
        await caller.collect(lambda c: c.watch_end_user("maya"))
    return caught.value


async def test_a_closed_client_says_so(caller: Caller) -> None:
    await caller.call(lambda c: c.get_relation("maya"))
    await caller.close()
    error = await failure(caller)
    assert type(error) is rapport.CallCancelledError
    assert "closed" in error.message


async def test_errors_survive_pickling() -> None:
    error = rapport.NotFoundError("gone", reason="NOT_FOUND", metadata={"a": "b"}, request_id="r")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is rapport.NotFoundError
    assert vars(copy) == vars(error)
    assert str(copy) == str(error)


def test_an_async_client_refuses_a_second_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    client = rapport.AsyncClient("127.0.0.1:9", max_attempts=1)

    async def call() -> None:
        with pytest.raises(rapport.UnavailableError):
            await client.get_relation("maya")

    asyncio.run(call())
    with pytest.raises(RuntimeError, match="event loop of its first call"):
        asyncio.run(client.get_relation("maya"))


async def until(done: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not done():
        assert time.monotonic() < end, "it did not happen in 10 s"
        await asyncio.sleep(0.01)
