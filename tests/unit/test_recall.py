"""Recall's own account of where the time went."""

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from rapport_server.commands import recall
from rapport_server.commands.recall import Recall, RecallQuery
from rapport_server.domain.memories import Scope
from rapport_server.domain.ports import Encoded, Lane, Piece


class Clock:
    """Seconds that pass only in the parts below."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now


class Parts:
    """The encoder takes 5 s, and waits first when it is asked for "waits"; the searcher takes 7 s to prepare."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.go_on = asyncio.Event()

    async def encode(self, texts: Sequence[str], lane: Lane) -> list[Encoded]:
        if texts == ["waits"]:
            await self.go_on.wait()
        self._clock.now += 5
        return [
            Encoded(
                (Piece(texts[0], 0, len(texts[0])),), np.ones((1, 4), np.float32), np.zeros((1, 0))
            )
        ]

    async def prepare(self, scope: Scope, filter: object) -> None:
        self._clock.now += 7

    async def nearest(self, *args: object) -> list[Any]:
        return []


@pytest.mark.parametrize("in_company", [False, True])
async def test_the_time_of_the_embedding_leaves_out_the_catching_up(
    monkeypatch: pytest.MonkeyPatch, in_company: bool
) -> None:
    clock = Clock()
    monkeypatch.setattr(recall, "time", clock)
    parts = Parts(clock)
    call = Recall(parts, parts)  # type: ignore[arg-type]

    async def ask(text: str) -> tuple[float, float]:
        answer = await call(RecallQuery(Scope("acme", "maya"), text, 3))
        return answer.embed_ms, answer.total_ms

    async with asyncio.TaskGroup() as group:
        if in_company:
            group.create_task(ask("waits"))
            await asyncio.sleep(0.01)
        assert await ask("goes") == (5_000, 12_000)
        parts.go_on.set()
