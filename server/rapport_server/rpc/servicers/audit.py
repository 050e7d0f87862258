"""AuditService: works for a deleted tenant too."""

# ruff: noqa: N802 - the RPCs have the contract's names.

import uuid
from typing import Any

from rapport.v1 import audit_service_pb2 as pb
from rapport.v1.audit_service_pb2_grpc import AuditServiceServicer
from rapport_server.errors import NotFound
from rapport_server.rpc import listings
from rapport_server.rpc.convert import audit
from rapport_server.rpc.convert.enums import AUDIT_EVENT_KIND
from rapport_server.rpc.desk import AtDesk
from rapport_server.rpc.validate.check import Check
from rapport_server.rpc.validate.lists import newest_first, times

Context = Any


class AuditRpcs(AtDesk, AuditServiceServicer):
    """What was done, and the proof of what was erased."""

    async def ListAuditEvents(
        self, request: pb.ListAuditEventsRequest, context: Context
    ) -> pb.ListAuditEventsResponse:
        """One page of the log."""
        tenant_id = self._desk.tenant_id(request.tenant_id)
        check = Check()
        kind = AUDIT_EVENT_KIND.optional(check, "kind", request.kind)
        between = times(check, request)
        newest = newest_first(check, request.order)
        events, token = await self._desk.page(
            check,
            request,
            (tenant_id,),
            listings.AUDIT_EVENTS,
            lambda page: self._do.audit.events(tenant_id, kind, between, newest, page),
            audit.audit_event,
        )
        return pb.ListAuditEventsResponse(audit_events=events, next_page_token=token)

    async def VerifyAuditLog(
        self, request: pb.VerifyAuditLogRequest, context: Context
    ) -> pb.VerifyAuditLogResponse:
        """Recompute the chain."""
        verdict = await self._do.audit.verify(self._desk.tenant_id(request.tenant_id))
        return pb.VerifyAuditLogResponse(
            ok=verdict.ok,
            checked=verdict.checked,
            first_bad_sequence=verdict.first_bad_sequence,
            head_hash=verdict.head_hash.hex() if verdict.checked else "",
        )

    async def GetErasureReceipt(
        self, request: pb.GetErasureReceiptRequest, context: Context
    ) -> pb.GetErasureReceiptResponse:
        """One receipt as it stands now."""
        tenant_id = self._desk.tenant_id(request.tenant_id)
        check = Check()
        check.identifier("receipt_id", request.receipt_id)
        check.raise_any()
        found = await self._do.audit.receipt(tenant_id, _receipt_id(request.receipt_id))
        return pb.GetErasureReceiptResponse(receipt=audit.receipt(found))

    async def GetSigningKeys(
        self, request: pb.GetSigningKeysRequest, context: Context
    ) -> pb.GetSigningKeysResponse:
        """The key that receipts are checked with."""
        self._desk.tenant_id(request.tenant_id)
        return pb.GetSigningKeysResponse(signing_keys=[audit.signing_key(self._do.audit.signer)])


def _receipt_id(given: str) -> str:
    """Ids that this server makes are UUIDs; any other names nothing."""
    try:
        return str(uuid.UUID(given))
    except ValueError:
        raise NotFound("receipt") from None
