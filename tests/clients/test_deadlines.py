"""Every call has a deadline: the client's, its own, or none on purpose."""

import asyncio
import math
import time
from typing import Any

import grpc
import pytest

import rapport
from tests.clients.caller import Caller
from tests.clients.scripted import Refusal, ScriptedServer


async def test_the_default_is_30_seconds(server: ScriptedServer, caller: Caller) -> None:
    await caller.call(lambda c: c.get_relation("maya"))
    assert server.seen[0].deadline_s == pytest.approx(30, abs=1)


async def test_client_and_call_set_their_own(server: ScriptedServer, connect: Any) -> None:
    caller = connect(timeout=7)
    await caller.call(lambda c: c.get_relation("maya"))
    await caller.call(lambda c: c.get_relation("maya", timeout=3))
    await caller.call(lambda c: c.get_relation("maya", timeout=math.inf))
    seven, three, none = (seen.deadline_s for seen in server.seen)
    assert seven == pytest.approx(7, abs=0.5)
    assert three == pytest.approx(3, abs=0.5)
    assert none is None or none > 10**6


async def test_wait_is_added_to_the_default_but_not_to_a_given_limit(
    server: ScriptedServer, caller: Caller
) -> None:
    await caller.call(lambda c: c.add_memory("maya", memories=["x"], wait=20))
    await caller.call(lambda c: c.add_knowledge(memories=["x"], wait=20))
    await caller.call(lambda c: c.add_memory("maya", memories=["x"], wait=20, timeout=25))
    assert [round(seen.deadline_s or 0) for seen in server.seen] == [50, 50, 25]


async def test_a_slow_call_ends_at_its_deadline(server: ScriptedServer, caller: Caller) -> None:
    server.script("GetRelation", lambda: asyncio.sleep(30))
    start = time.monotonic()
    with pytest.raises(rapport.DeadlineExceededError, match=r"not done within 0\.3 s$"):
        await caller.call(lambda c: c.get_relation("maya", timeout=0.3))
    assert 0.25 < time.monotonic() - start < 3


async def test_a_stream_cut_by_its_limit_says_so_and_a_servers_own_words_stay(
    server: ScriptedServer, caller: Caller
) -> None:
    server.script("WatchEndUser", rapport.WatchEndUserResponse(), lambda: asyncio.sleep(30))
    with pytest.raises(rapport.DeadlineExceededError, match=r"not done within 0\.3 s$"):
        await caller.collect(lambda c: c.watch_end_user("maya", timeout=0.3))
    server.script("GetRelation", Refusal(grpc.StatusCode.DEADLINE_EXCEEDED))
    with pytest.raises(rapport.DeadlineExceededError, match=r"refused$"):
        await caller.call(lambda c: c.get_relation("maya"))


async def test_retries_share_one_deadline(server: ScriptedServer, caller: Caller) -> None:
    for _ in range(2):
        server.script("GetRelation", Refusal(grpc.StatusCode.UNAVAILABLE, retry_after_s=0.5))
    await caller.call(lambda c: c.get_relation("maya", timeout=10))
    first, second, third = (seen.deadline_s or 0 for seen in server.seen)
    assert first - second >= 0.45
    assert second - third >= 0.45


async def test_watches_have_none_and_a_streamed_process_the_clients(
    server: ScriptedServer, caller: Caller
) -> None:
    await caller.collect(lambda c: c.watch_end_user("maya"))
    await caller.collect(lambda c: c.process_stream("maya", message="hi"))
    await caller.collect(lambda c: c.export_end_user("maya", timeout=9))
    watch, process, export = (seen.deadline_s for seen in server.seen)
    assert watch is None or watch > 10**6
    assert process == pytest.approx(30, abs=1)
    assert export == pytest.approx(9, abs=1)


@pytest.mark.parametrize("timeout", [0, -1, math.nan])
async def test_what_is_no_limit_is_refused(caller: Caller, connect: Any, timeout: float) -> None:
    with pytest.raises(ValueError, match="timeout"):
        await caller.call(lambda c: c.get_relation("maya", timeout=timeout))
    with pytest.raises(ValueError, match="timeout"):
        connect(timeout=timeout)
