"""The place of one shard in the catalog: open or not, who uses it, what of it is on disk."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rapport_server.domain.ports import Position, ShardKey
from rapport_server.vectors.folder import ShardFolder
from rapport_server.vectors.shard import Shard


@dataclass(slots=True)
class Slot:
    """Touched on the event loop only.

    changing: held by whoever replaces or advances the shard; saving: by whoever touches its files; both at once are
    taken in this order. pins: users who must not lose it. bytes: its share of the catalog's total as last reckoned.
    saved: the place of the generation on disk, None when there is none; saved_at: loop time of the last save.
    """

    key: ShardKey
    folder: ShardFolder
    changing: asyncio.Lock = field(default_factory=asyncio.Lock)
    saving: asyncio.Lock = field(default_factory=asyncio.Lock)
    shard: Shard | None = None
    catching_up: asyncio.Task[None] | None = None
    pins: int = 0
    bytes: int = 0
    saved: Position | None = None
    saved_at: float = float("-inf")

    @property
    def dirty(self) -> bool:
        """Whether memory holds what the files do not."""
        return self.shard is not None and self.shard.position != self.saved

    def due(self, now: float, every_s: float) -> bool:
        """Whether to write it now: dirty long enough, or its files still hold a person who was dropped."""
        return self.dirty and (
            now - self.saved_at >= every_s or (self.shard is not None and self.shard.dropped)
        )

    @property
    def idle(self) -> bool:
        """Whether nobody uses it."""
        return not self.pins and (self.catching_up is None or self.catching_up.done())

    @contextmanager
    def pinned(self) -> Iterator[None]:
        """Keep it from being closed meanwhile."""
        self.pins += 1
        try:
            yield
        finally:
            self.pins -= 1
