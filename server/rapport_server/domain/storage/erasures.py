"""Erasing a person, and the processes that have yet to follow."""

from typing import Protocol

from rapport_server.domain.erasure import ErasureCounts, PendingErasure, Receipt
from rapport_server.domain.people import Person


class Erasures(Protocol):
    """Tables erasure, erasure_replica and server_process, and the deletion itself."""

    async def count(self, tenant_id: str, end_user_id: str, subject_hash: bytes) -> ErasureCounts:
        """What `delete_person` would delete; nothing is touched."""
        ...

    async def delete_person(
        self, tenant_id: str, end_user_id: str, subject_hash: bytes
    ) -> tuple[ErasureCounts, Person | None]:
        """Delete every row of the person, however many; counts and the row that was there."""
        ...

    async def remaining(
        self, tenant_id: str, end_user_id: str, subject_hash: bytes, person_no: int
    ) -> int:
        """Rows of the person left in any table that can hold some; 0 when nothing is left.

        Call it with the person locked: the same id may come back at any moment after.
        """
        ...

    async def remaining_of_number(
        self, tenant_id: str, person_no: int, end_user_id: str | None
    ) -> int:
        """Rows left under a number, which is never used twice, so that one who came back is not counted.

        The end_user_id only makes it faster.
        """
        ...

    async def insert(self, receipt: Receipt, person_no: int, shard_id: int) -> tuple[str, ...]:
        """Store the receipt and one pending row per known process, notify them; their ids."""
        ...

    async def get(self, tenant_id: str, receipt_id: str) -> Receipt | None:
        """As it stands now: verified, and which processes are pending."""
        ...

    async def set_verified(self, tenant_id: str, receipt_id: str) -> None:
        """The verification pass found nothing."""
        ...

    async def pending_of(self, process_id: str) -> list[PendingErasure]:
        """What this process has still to drop, oldest first."""
        ...

    async def confirm(self, process_id: str, tenant_id: str, receipt_id: str) -> bool:
        """This process has dropped the person; True when it was the last one pending."""
        ...

    async def register(self, process_id: str) -> None:
        """Make this process known (or refresh its heartbeat)."""
        ...
