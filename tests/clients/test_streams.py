"""Streams give answers as they come, can be left early, and are retried only before the first."""

import asyncio
import time
from collections.abc import Callable

import grpc
import pytest

import rapport
from rapport.messages import ProcessingStatus, ProcessStreamResponse, WatchProcessingResponse
from tests.clients.caller import Caller
from tests.clients.scripted import Refusal, ScriptedServer


def status(source_id: str) -> WatchProcessingResponse:
    return WatchProcessingResponse(status=ProcessingStatus(source_id=source_id))


async def test_answers_come_while_the_call_runs(server: ScriptedServer, caller: Caller) -> None:
    gate = asyncio.Event()

    async def held() -> None:
        await gate.wait()

    server.script("WatchProcessing", status("a"), held, status("b"))
    stream = caller.client.watch_processing("maya", source_ids=["a", "b"])
    assert (await caller.next(stream)).status.source_id == "a"
    gate.set()
    assert (await caller.next(stream)).status.source_id == "b"
    assert await caller.collect(lambda _: stream) == []


async def test_a_stream_is_retried_before_its_first_answer_with_the_same_request_id(
    server: ScriptedServer, caller: Caller, quick_backoff: None
) -> None:
    server.script("ProcessStream", Refusal(grpc.StatusCode.UNAVAILABLE))
    server.script("ProcessStream", ProcessStreamResponse(reply_delta="Hello"))
    parts = await caller.collect(lambda c: c.process_stream("maya", message="hi"))
    assert [part.reply_delta for part in parts] == ["Hello"]
    assert len({seen.request.request_id for seen in server.seen}) == 1
    assert len(server.seen) == 2


async def test_a_stream_is_not_retried_after_an_answer(
    server: ScriptedServer, caller: Caller, quick_backoff: None
) -> None:
    part = ProcessStreamResponse(reply_delta="Hel")
    server.script("ProcessStream", part, Refusal(grpc.StatusCode.UNAVAILABLE))
    stream = caller.client.process_stream("maya", message="hi")
    assert (await caller.next(stream)).reply_delta == "Hel"
    with pytest.raises(rapport.UnavailableError) as caught:
        await caller.next(stream)
    assert caught.value.retry_request_id == server.seen[0].request.request_id
    assert len(server.seen) == 1
    assert await caller.collect(lambda _: stream) == []


async def test_leaving_a_stream_ends_the_call(server: ScriptedServer, caller: Caller) -> None:
    server.script("WatchProcessing", status("a"), lambda: asyncio.sleep(30))
    stream = caller.client.watch_processing("maya", source_ids=["a"])
    await caller.next(stream)
    await caller.leave(stream)
    await until(lambda: server.seen[0].cancelled)
    assert await caller.collect(lambda _: stream) == []


async def test_the_end_of_a_with_block_ends_the_call(server: ScriptedServer) -> None:
    server.script("WatchEndUser", *[rapport.WatchEndUserResponse()], lambda: asyncio.sleep(30))
    async with rapport.AsyncClient(server.target) as client:
        async with client.watch_end_user("maya") as stream:
            async for _ in stream:
                break
        await until(lambda: server.seen[0].cancelled)


async def test_a_blocking_watch_can_be_closed_by_another_thread(server: ScriptedServer) -> None:
    server.script("WatchEndUser", rapport.WatchEndUserResponse(), lambda: asyncio.sleep(30))
    with rapport.Client(server.target) as client:
        stream = client.watch_end_user("maya")
        await asyncio.to_thread(next, stream)
        rest = asyncio.create_task(asyncio.to_thread(list, stream))
        await asyncio.sleep(0.1)
        stream.close()
        assert await rest == []


async def until(done: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not done():
        assert time.monotonic() < end, "it did not happen in 10 s"
        await asyncio.sleep(0.01)
