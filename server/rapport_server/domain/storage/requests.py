"""Requests seen before, so that a repeated one is answered alike."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """A request_id seen before. `erased`: the person it was about is gone."""

    body_hash: bytes
    result: dict[str, Any]
    erased: bool


class Requests(Protocol):
    """Table request_record."""

    async def begin(
        self, tenant_id: str, request_hash: bytes, body_hash: bytes, subject_hash: bytes
    ) -> RequestRecord | None:
        """Claim the id for this transaction, waiting for one that holds it; the earlier record if it is already used."""
        ...

    async def finish(self, tenant_id: str, request_hash: bytes, result: Mapping[str, Any]) -> None:
        """Keep what a replay needs; commits with the work."""
        ...

    async def get(self, tenant_id: str, request_hash: bytes) -> RequestRecord | None:
        """The record of an id, without claiming it; None when it is new."""
        ...

    async def reduce(self, tenant_id: str, subject_hash: bytes) -> int:
        """Erase everything but the keyed hash of the id from a person's records; how many."""
        ...

    async def expire(self, hours: int, limit: int) -> int:
        """Delete records older than so many hours, at most `limit`; how many."""
        ...
