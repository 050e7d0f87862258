"""Uses both clients as a typed program does; checked by mypy, never run."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import assert_type

import rapport
from rapport import AsyncClient, AsyncPager, Client, Memory, MemoryItem, ProcessResponse
from rapport.messages import ListMemoriesResponse, RecallHit, WatchProcessingResponse


async def asynchronous(client: AsyncClient) -> None:
    answer = await client.process(
        "maya",
        message="hi",
        signals={
            "mood_delta": -0.4,
            "intent": "COMPLAINT",
            "detected_emotions": [{"label": "anger"}],
        },
        events=[{"kind": "BROKEN_PROMISE"}],
        conversation_history=[{"role": "USER", "content": "hello"}],
        recall={"top_k": 5},
        occurred_at=datetime.now(UTC),
        metadata={"ward": 3},
    )
    assert_type(answer, ProcessResponse)
    await client.add_memory("maya", memories=["a", {"text": "b"}, MemoryItem(text="c")], wait=5)
    hits = (await client.recall("maya", query="tea", store="ALL")).results
    assert_type(hits[0], RecallHit)
    pager = client.list_memories("maya", kind="ADDED")
    assert_type(pager, AsyncPager[Memory, ListMemoriesResponse])
    async for memory in pager:
        assert_type(memory, Memory)
    async for page in pager.pages():
        assert_type(page, ListMemoriesResponse)
    async with client.watch_processing("maya", source_ids=["a"]) as stream:
        async for change in stream:
            assert_type(change, WatchProcessingResponse)

    async def texts() -> AsyncIterator[str]:
        yield "a"

    await client.import_memories("maya", memories=texts())


def blocking(client: Client) -> None:
    assert_type(client.process("maya", message="hi"), ProcessResponse)
    for memory in client.list_memories("maya"):
        assert_type(memory, Memory)
    for page in client.list_memories("maya").pages():
        assert_type(page, ListMemoriesResponse)
    for change in client.watch_processing("maya", source_ids=["a"]):
        assert_type(change, WatchProcessingResponse)
    try:
        client.erase("maya", reason="LEGAL")
    except rapport.RapportError as error:
        assert_type(error.violations, tuple[rapport.FieldViolation, ...])


def mistakes(client: Client) -> None:
    client.process("maya", message=7)  # type: ignore[arg-type]
    client.process("maya")  # type: ignore[call-arg]
    client.recall("maya", query="tea", store="ATTIC")  # type: ignore[arg-type]
    client.add_memory("maya", memories=[{"txt": "b"}])  # type: ignore[list-item]
    client.erase()  # type: ignore[call-arg]
