"""The audit chain."""

from typing import Protocol

from rapport_server.domain.audit import AuditEvent, AuditEventKind, AuditRecord, ChainVerdict
from rapport_server.domain.storage.ranges import PageRequest, TimeRange


class Audit(Protocol):
    """Table audit_event, append-only."""

    async def append(self, tenant_id: str, record: AuditRecord) -> AuditEvent:
        """Add a row to the tenant's chain, in the transaction of what it records."""
        ...

    async def page(
        self,
        tenant_id: str,
        kind: AuditEventKind | None,
        times: TimeRange,
        newest_first: bool,
        page: PageRequest,
    ) -> list[AuditEvent]:
        """By sequence; page key (sequence,)."""
        ...

    async def verify(self, tenant_id: str) -> ChainVerdict:
        """Recompute the whole chain in one snapshot, in batches, against the stored hashes and the head."""
        ...
