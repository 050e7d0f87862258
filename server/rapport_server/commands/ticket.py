"""request_id: the same id with the same body does the work once and answers again."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rapport_server.domain.storage import RequestRecord, Transaction
from rapport_server.errors import Erased, RequestIdReused

Result = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ticket:
    """One mutating call's identity. `request_hash` is None when the caller gave no request_id.

    The hashes are keyed; `subject_hash` is empty where the call is not about one person, and for Erase, whose record must
    outlive the person.
    """

    tenant_id: str
    request_hash: bytes | None
    body_hash: bytes
    subject_hash: bytes = b""

    async def earlier(self, tx: Transaction) -> Result | None:
        """What the first call of this id answered, without claiming the id; saves work before the transaction."""
        if self.request_hash is None:
            return None
        record = await tx.requests.get(self.tenant_id, self.request_hash)
        return self._checked(record) if record else None

    async def begin(self, tx: Transaction) -> Result | None:
        """Claim the id in this transaction, waiting for a concurrent duplicate; its result if it was used before."""
        if self.request_hash is None:
            return None
        record = await tx.requests.begin(
            self.tenant_id, self.request_hash, self.body_hash, self.subject_hash
        )
        return self._checked(record) if record else None

    async def finish(self, tx: Transaction, result: Mapping[str, Any]) -> None:
        """Keep ids and numbers for a replay; never text or secrets."""
        if self.request_hash is not None:
            await tx.requests.finish(self.tenant_id, self.request_hash, result)

    def _checked(self, record: RequestRecord) -> Result:
        if record.erased:
            raise Erased
        if record.body_hash != self.body_hash:
            raise RequestIdReused
        return record.result
