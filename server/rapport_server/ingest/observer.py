"""What the worker tells those who measure it."""

from typing import Protocol


class IngestObserver(Protocol):
    """Receives figures, never text or ids."""

    def indexed(self, items: int, chunks: int, encode_s: float, commit_s: float) -> None:
        """A batch is recallable: how many, and how long its two steps took."""
        ...

    def failed(self, reason: str, final: bool) -> None:
        """An item failed; it ends ERRORED when final, else it is tried again."""
        ...


class ReadingObserver(Protocol):
    """Receives figures, never text or ids."""

    def read(self, memories: int, people: int, follow_ups: int, seconds: float) -> None:
        """A batch of memories has been read: how many, whom and what was found in them, and how long it took."""
        ...


class Unobserved:
    """Nobody measures."""

    def read(self, memories: int, people: int, follow_ups: int, seconds: float) -> None:
        """Nothing to do."""

    def indexed(self, items: int, chunks: int, encode_s: float, commit_s: float) -> None:
        """Nothing to do."""

    def failed(self, reason: str, final: bool) -> None:
        """Nothing to do."""
