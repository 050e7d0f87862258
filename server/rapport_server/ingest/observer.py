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


class Unobserved:
    """Nobody measures."""

    def indexed(self, items: int, chunks: int, encode_s: float, commit_s: float) -> None:
        """Nothing to do."""

    def failed(self, reason: str, final: bool) -> None:
        """Nothing to do."""
