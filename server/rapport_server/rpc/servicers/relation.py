"""RelationService."""

# ruff: noqa: N802 - the RPCs have the contract's names.

from typing import Any

from rapport.v1 import relation_service_pb2 as pb
from rapport.v1.relation_service_pb2_grpc import RelationServiceServicer
from rapport_server.domain.relation import stranger
from rapport_server.errors import NotFound
from rapport_server.rpc import listings
from rapport_server.rpc.call import CALL
from rapport_server.rpc.convert import relation
from rapport_server.rpc.desk import AtDesk
from rapport_server.rpc.validate.check import Check, utc_now
from rapport_server.rpc.validate.interaction import event
from rapport_server.rpc.validate.lists import newest_first
from rapport_server.rpc.validate.person import scope

Context = Any


class RelationRpcs(AtDesk, RelationServiceServicer):
    """How things stand with a person."""

    async def GetRelation(
        self, request: pb.GetRelationRequest, context: Context
    ) -> pb.GetRelationResponse:
        """The state now; a stranger's for somebody never seen."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        person = scope(check, request.end_user_id, tenant)
        check.raise_any()
        try:
            found = relation.relation_of(await self._do.reads.person(person))
        except NotFound:
            found = relation.relation(stranger(tenant.initial_trust, utc_now()))
        return pb.GetRelationResponse(relation=found)

    async def ListRelationHistory(
        self, request: pb.ListRelationHistoryRequest, context: Context
    ) -> pb.ListRelationHistoryResponse:
        """One page of the history."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        person = scope(check, request.end_user_id, tenant)
        newest = newest_first(check, request.order)
        points, token = await self._desk.page(
            check,
            request,
            (tenant.tenant_id, person.end_user_id),
            listings.POINTS,
            lambda page: self._do.reads.history(person, newest, page),
            relation.point,
        )
        return pb.ListRelationHistoryResponse(points=points, next_page_token=token)

    async def RecordEvent(
        self, request: pb.RecordEventRequest, context: Context
    ) -> pb.RecordEventResponse:
        """Apply one event."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        person = scope(check, request.end_user_id, tenant)
        given = event(check, "event", request.event, utc_now())
        ticket = await self._desk.ticket(check, request, tenant.tenant_id, person.end_user_id)
        after = await self._do.record_event(CALL.get().caller, tenant, person, given, ticket)
        return pb.RecordEventResponse(relation=relation.relation_of(after))
