"""People: their locks and epochs, their state, and where their vectors live."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from rapport_server.domain.people import Arrival, Person
from rapport_server.domain.ports import Position
from rapport_server.domain.storage.ranges import PageRequest


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a person's vectors live, and where that shard's log ends."""

    person_no: int
    shard_id: int
    head: Position


class People(Protocol):
    """Tables person_epoch and end_user."""

    async def arrival(self, tenant_id: str, subject_hash: bytes) -> Arrival:
        """The person's epoch (0 when never seen) without a lock."""
        ...

    async def lock(self, tenant_id: str, subject_hash: bytes, epoch: int) -> datetime:
        """Lock the person for this transaction (making the lock row if needed); the database's clock after that.

        Raises Erased when the epoch is no longer the given one.
        """
        ...

    async def lock_many(self, subjects: Sequence[tuple[str, bytes]]) -> None:
        """Lock several persons (tenant_id, subject_hash) in sorted order, whatever their epochs."""
        ...

    async def bump(self, tenant_id: str, subject_hash: bytes) -> int:
        """Lock the person and raise the epoch; the new one."""
        ...

    def announce(self, subject_hashes: Iterable[bytes]) -> None:
        """Wake those who watch these persons, after the commit; whom this transaction locked is announced anyway."""
        ...

    async def get(self, tenant_id: str, end_user_id: str) -> Person | None:
        """The person's row, None for a stranger."""
        ...

    async def begin(
        self, tenant_id: str, end_user_id: str, initial_trust: float, at: datetime
    ) -> Person:
        """The person's row, made (and placed in a shard with room) if it is missing; call after `lock`.

        Raises NotFound when the tenant is gone.
        """
        ...

    async def save(
        self,
        person: Person,
    ) -> None:
        """Write state, counts, times, user_name and time_zone back."""
        ...

    async def assign(self, tenant_id: str, end_user_id: str, assignments: Sequence[str]) -> None:
        """Replace the person's assignments; the relation does not change by it."""
        ...

    async def placed(self, people: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Placed]:
        """Where the vectors of each (tenant_id, end_user_id) are; whoever is not stored is left out."""
        ...

    async def page(
        self, tenant_id: str, assignment: str, page: PageRequest
    ) -> list[tuple[Person, int]]:
        """With each person's number of stored memories, by end_user_id; page key (end_user_id,). An empty assignment means any."""
        ...

    async def ids(self, tenant_id: str, limit: int) -> list[str]:
        """Some end_user_ids, for a tenant's deletion."""
        ...
