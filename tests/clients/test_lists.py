"""A list method gives the items of all pages, one page at a time."""

from typing import Any

import grpc
import pytest

import rapport
from rapport.messages import ListMemoriesResponse, ListQueueResponse, Memory, QueueItem
from tests.clients.caller import Caller
from tests.clients.scripted import Refusal, ScriptedServer


def page(*ids: str, token: str = "") -> ListMemoriesResponse:
    return ListMemoriesResponse(memories=[Memory(source_id=i) for i in ids], next_page_token=token)


async def test_items_of_all_pages_come_in_order(server: ScriptedServer, caller: Caller) -> None:
    server.script("ListMemories", page("a", "b", token="t1"))
    server.script("ListMemories", page(token="t2"))
    server.script("ListMemories", page("c"))
    found = await caller.collect(lambda c: c.list_memories("maya", kind="ADDED", page_size=2))
    assert [memory.source_id for memory in found] == ["a", "b", "c"]
    requests = [seen.request for seen in server.seen]
    assert [request.page_token for request in requests] == ["", "t1", "t2"]
    assert {(r.end_user_id, r.kind, r.page_size) for r in requests} == {("maya", 2, 2)}


async def test_a_page_is_asked_only_when_it_is_needed(
    server: ScriptedServer, caller: Caller
) -> None:
    server.script("ListMemories", page("a", "b", token="t1"))
    pager = caller.client.list_memories("maya")
    assert server.seen == []
    iterator = aiter(pager) if caller.kind == "async" else iter(pager)
    assert [(await caller.next(iterator)).source_id for _ in range(2)] == ["a", "b"]
    assert len(server.seen) == 1


async def test_each_loop_starts_again(server: ScriptedServer, caller: Caller) -> None:
    for _ in range(2):
        server.script("ListMemories", page("a", token="t1"))
        server.script("ListMemories", page("b"))
    pager = caller.client.list_memories("maya")
    for _ in range(2):
        assert len(await caller.collect(lambda _: pager)) == 2


async def test_pages_give_the_answers_and_a_token_continues(
    server: ScriptedServer, caller: Caller
) -> None:
    server.script("ListMemories", page("a", token="t1"))
    server.script("ListMemories", page("b"))
    pages = await caller.collect(lambda c: c.list_memories("maya").pages())
    assert [one.next_page_token for one in pages] == ["t1", ""]
    await caller.collect(lambda c: c.list_memories("maya", page_token="t1"))
    assert server.seen[2].request.page_token == "t1"


async def test_a_page_is_retried_and_a_later_failure_is_raised_where_it_happens(
    server: ScriptedServer, caller: Caller, quick_backoff: None
) -> None:
    server.script("ListMemories", page("a", token="t1"))
    server.script("ListMemories", Refusal(grpc.StatusCode.UNAVAILABLE))
    server.script("ListMemories", page("b", token="t2"))
    server.script("ListMemories", Refusal(grpc.StatusCode.INVALID_ARGUMENT, "PAGE_TOKEN_INVALID"))
    pager = caller.client.list_memories("maya")
    iterator = aiter(pager) if caller.kind == "async" else iter(pager)
    assert [(await caller.next(iterator)).source_id for _ in range(2)] == ["a", "b"]
    with pytest.raises(rapport.InvalidArgumentError) as caught:
        await caller.next(iterator)
    assert caught.value.reason == "PAGE_TOKEN_INVALID"


async def test_the_item_field_may_have_any_name(server: ScriptedServer, caller: Caller) -> None:
    server.script("ListQueue", ListQueueResponse(queue=[QueueItem(source_id="q")]))
    found: list[Any] = await caller.collect(lambda c: c.list_queue())
    assert [item.source_id for item in found] == ["q"]
