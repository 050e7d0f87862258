"""More calls at once than anybody means well: each is answered or told why not, and health is told meanwhile."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import grpc.aio
import pytest

from rapport_server.rpc.interceptors.admission import CALLS_MAX
from tests.fix_server import Script, key_of
from tests.rpc.test_chain import SERVING, VERIFY, WATCH, health_of
from tests.rpc.wire import Refusal, ask, until

FLOOD = 2_000


@pytest.fixture
async def channels(grpc_addr: str) -> AsyncIterator[list[grpc.aio.Channel]]:
    """Connections of several callers."""
    async with AsyncExitStack() as stack:
        alone = [("grpc.use_local_subchannel_pool", 1)]
        yield [
            await stack.enter_async_context(grpc.aio.insecure_channel(grpc_addr, options=alone))
            for _ in range(3)
        ]


class Watched:
    """Streams that stay open and say nothing."""

    def __init__(self) -> None:
        self.open = 0

    async def __aiter__(self) -> AsyncIterator[Any]:
        self.open += 1
        try:
            await asyncio.Event().wait()
            yield
        finally:
            self.open -= 1


async def outcome(channel: grpc.aio.Channel, rpc: str, request: Any, metadata: Any) -> str:
    """OK, or the reason of a refusal with details."""
    try:
        await ask(channel, rpc, request, metadata)
    except grpc.aio.AioRpcError as error:
        if "grpc-status-details-bin" not in dict(error.trailing_metadata() or ()):
            return f"{error.code().name} without details"
        return Refusal.of(error).info.reason
    return "OK"


async def test_a_flood_of_calls_without_a_key_is_told_why_call_by_call(
    script: Script, channels: list[grpc.aio.Channel]
):
    script.answers["processing.verify"] = []
    flood = [
        asyncio.create_task(outcome(channels[number % 2], "WatchProcessing", WATCH, ()))
        for number in range(FLOOD)
    ]
    await asyncio.sleep(0)
    async with asyncio.timeout(10):
        assert await health_of(channels[2], "") == SERVING
        assert await outcome(channels[2], "VerifyProcessing", VERIFY, key_of("WRITER")) == "OK"
    assert Counter(await asyncio.gather(*flood)) == {"UNAUTHENTICATED": FLOOD}


async def test_open_streams_keep_nobody_waiting_and_those_too_many_are_refused_with_details(
    script: Script, channels: list[grpc.aio.Channel]
):
    watched = script.answers["processing.watch"] = Watched()
    script.answers["processing.verify"] = []
    writer = key_of("WRITER")

    def watch(count: int) -> list["asyncio.Task[str]"]:
        return [
            asyncio.create_task(outcome(channels[number % 2], "WatchProcessing", WATCH, writer))
            for number in range(count)
        ]

    streams = watch(600)
    await until(lambda: watched.open == 600)
    assert await health_of(channels[2], "") == SERVING
    assert await outcome(channels[2], "VerifyProcessing", VERIFY, writer) == "OK"

    streams += watch(CALLS_MAX - 600)
    await until(lambda: watched.open == CALLS_MAX)
    late = Counter(await asyncio.gather(*watch(200)))
    assert late == {"RESOURCE_EXHAUSTED": 200}
    assert await health_of(channels[2], "") == SERVING
    streams.pop().cancel()
    await until(lambda: watched.open == CALLS_MAX - 1)
    assert await outcome(channels[2], "VerifyProcessing", VERIFY, writer) == "OK"

    for stream in streams:
        stream.cancel()
    await asyncio.gather(*streams, return_exceptions=True)
    await until(lambda: watched.open == 0)
