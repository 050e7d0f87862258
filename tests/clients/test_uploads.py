"""import_memories sends its header and every memory, and never passes a part off as the whole."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator

import grpc
import pytest

import rapport
from rapport.messages import ImportMemoriesResponse
from tests.clients.caller import Caller
from tests.clients.scripted import Refusal, ScriptedServer


async def test_the_header_comes_first_and_every_memory_once(
    server: ScriptedServer, caller: Caller
) -> None:
    server.script("ImportMemories", ImportMemoriesResponse(success_count=300))
    texts = (f"memory {number}" for number in range(300))
    answer = await caller.call(lambda c: c.import_memories("maya", memories=texts, upsert=False))
    assert answer.success_count == 300
    header, *memories = server.seen[0].requests
    assert (header.header.end_user_id, header.header.upsert) == ("maya", False)
    assert [one.memory.text for one in memories] == [f"memory {number}" for number in range(300)]


async def test_an_async_iterable_is_read_too(server: ScriptedServer) -> None:
    async def texts() -> AsyncIterator[str]:
        for number in range(3):
            yield f"memory {number}"

    async with rapport.AsyncClient(server.target) as client:
        await client.import_memories("maya", memories=texts())
    assert len(server.seen[0].requests) == 4


async def test_an_error_of_the_source_is_raised_and_the_server_sees_a_cancelled_call(
    server: ScriptedServer, caller: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    def texts() -> Iterator[str]:
        yield "first"
        raise LookupError("the file ends here")

    with pytest.raises(LookupError, match="the file ends here"):
        await caller.call(lambda c: c.import_memories("maya", memories=texts()))
    end = time.monotonic() + 10
    while not (server.seen and server.seen[0].cancelled):
        assert time.monotonic() < end
        await asyncio.sleep(0.01)
    assert caplog.records == []


async def test_a_memory_that_does_not_fit_is_refused(
    server: ScriptedServer, caller: Caller
) -> None:
    with pytest.raises(TypeError, match="MemoryItem has no such field"):
        await caller.call(lambda c: c.import_memories("maya", memories=[{"txt": "x"}]))


async def test_a_list_is_sent_again_with_the_same_request_id(
    server: ScriptedServer, caller: Caller, quick_backoff: None
) -> None:
    server.script("ImportMemories", Refusal(grpc.StatusCode.UNAVAILABLE))
    await caller.call(lambda c: c.import_memories("maya", memories=["a", "b"]))
    first, second = server.seen
    assert second.requests == first.requests
    assert len(second.requests) == 3


async def test_a_generator_is_not_sent_again(
    server: ScriptedServer, caller: Caller, quick_backoff: None
) -> None:
    server.script("ImportMemories", Refusal(grpc.StatusCode.UNAVAILABLE))
    with pytest.raises(rapport.UnavailableError) as caught:
        await caller.call(lambda c: c.import_memories("maya", memories=(t for t in "ab")))
    assert caught.value.retry_request_id == server.seen[0].requests[0].header.request_id
    assert len(server.seen) == 1
