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
from rapport_server.rpc.validate.person import named_scope, scope
from rapport_server.rpc.validate.relations import assignments, person_relation, trigger

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

    async def ListPersonRelations(
        self, request: pb.ListPersonRelationsRequest, context: Context
    ) -> pb.ListPersonRelationsResponse:
        """One page of the people in a person's life."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        person = named_scope(check, request.end_user_id, tenant)
        relations, token = await self._desk.page(
            check,
            request,
            (tenant.tenant_id, person.end_user_id),
            listings.PERSON_RELATIONS,
            lambda page: self._do.person_relations.page(person, page),
            relation.person_relation,
        )
        return pb.ListPersonRelationsResponse(person_relations=relations, next_page_token=token)

    async def UpsertPersonRelation(
        self, request: pb.UpsertPersonRelationRequest, context: Context
    ) -> pb.UpsertPersonRelationResponse:
        """Make or replace one of them."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        person = named_scope(check, request.end_user_id, tenant)
        given = person_relation(check, request, utc_now())
        ticket = await self._desk.ticket(check, request, tenant.tenant_id, person.end_user_id)
        stored = await self._do.person_relations.upsert(CALL.get().caller, person, given, ticket)
        return pb.UpsertPersonRelationResponse(person_relation=relation.person_relation(stored))

    async def DeletePersonRelation(
        self, request: pb.DeletePersonRelationRequest, context: Context
    ) -> pb.DeletePersonRelationResponse:
        """Delete one of them."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        person = named_scope(check, request.end_user_id, tenant)
        check.identifier("person_relation_id", request.person_relation_id)
        ticket = await self._desk.ticket(check, request, tenant.tenant_id, person.end_user_id)
        deleted = await self._do.person_relations.delete(
            CALL.get().caller, person, request.person_relation_id, request.allow_missing, ticket
        )
        return pb.DeletePersonRelationResponse(deleted_count=deleted)

    async def ListTriggers(
        self, request: pb.ListTriggersRequest, context: Context
    ) -> pb.ListTriggersResponse:
        """One page of what is to be brought up."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        person = scope(check, request.end_user_id, tenant)
        triggers, token = await self._desk.page(
            check,
            request,
            (tenant.tenant_id, person.end_user_id),
            listings.TRIGGERS,
            lambda page: self._do.triggers.page(person, page),
            relation.trigger,
        )
        return pb.ListTriggersResponse(triggers=triggers, next_page_token=token)

    async def UpsertTrigger(
        self, request: pb.UpsertTriggerRequest, context: Context
    ) -> pb.UpsertTriggerResponse:
        """Make or replace a trigger."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        person = scope(check, request.end_user_id, tenant)
        given = trigger(check, request, utc_now())
        ticket = await self._desk.ticket(check, request, tenant.tenant_id, person.end_user_id)
        stored = await self._do.triggers.upsert(CALL.get().caller, person, given, ticket)
        return pb.UpsertTriggerResponse(trigger=relation.trigger(stored))

    async def DeleteTrigger(
        self, request: pb.DeleteTriggerRequest, context: Context
    ) -> pb.DeleteTriggerResponse:
        """Delete a trigger."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        person = named_scope(check, request.end_user_id, tenant)
        check.identifier("trigger_id", request.trigger_id)
        ticket = await self._desk.ticket(check, request, tenant.tenant_id, person.end_user_id)
        deleted = await self._do.triggers.delete(
            CALL.get().caller, person, request.trigger_id, request.allow_missing, ticket
        )
        return pb.DeleteTriggerResponse(deleted_count=deleted)

    async def SetAssignments(
        self, request: pb.SetAssignmentsRequest, context: Context
    ) -> pb.SetAssignmentsResponse:
        """Replace the person's assignments."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        person = scope(check, request.end_user_id, tenant)
        wanted = assignments(check, request)
        ticket = await self._desk.ticket(check, request, tenant.tenant_id, person.end_user_id)
        stored = await self._do.set_assignments(CALL.get().caller, person, wanted, ticket)
        return pb.SetAssignmentsResponse(assignments=stored)
