"""Small deterministic encoders whose failures and pauses the tests choose."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import numpy as np

from rapport_server.domain.ports import Encoded, Lane, Piece
from tests.store.seed import DIMENSION


class ScriptedEncoder:
    """One piece per text, its vector made of the text's length; `before` runs before each call and may raise or wait."""

    fingerprint = model_name = "scripted"
    inner_dimension = 0
    dimension = DIMENSION

    def __init__(self, before: Callable[[Sequence[str]], Awaitable[None]] | None = None) -> None:
        self._before = before
        self.calls: list[list[str]] = []
        self.lanes: set[Lane] = set()

    async def encode(self, texts: Sequence[str], lane: Lane) -> list[Encoded]:
        self.calls.append(list(texts))
        self.lanes.add(lane)
        if self._before is not None:
            await self._before(texts)
        await asyncio.sleep(0)
        return [_encoded(text) for text in texts]


def _encoded(text: str) -> Encoded:
    vector = np.zeros((1, DIMENSION), np.float32)
    vector[0, len(text) % DIMENSION] = 1.0
    return Encoded((Piece(text, 0, len(text)),), vector, np.zeros((1, 0), np.float32))
