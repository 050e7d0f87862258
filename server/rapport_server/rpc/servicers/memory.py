"""MemoryService."""

# ruff: noqa: N802 - the RPCs have the contract's names.

import asyncio
import re
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any

from rapport.v1 import memory_service_pb2 as pb
from rapport.v1.memory_pb2 import MemoryItem
from rapport.v1.memory_service_pb2_grpc import MemoryServiceServicer
from rapport_server.commands.add_memory import Item
from rapport_server.domain.limits import ITEMS_MAX, MESSAGE_BYTES_MAX, TICKET_CHARS_MAX, WAIT_S_MAX
from rapport_server.domain.tenants import Tenant
from rapport_server.errors import NotFound
from rapport_server.rpc import listings
from rapport_server.rpc.call import CALL
from rapport_server.rpc.convert import audit, memory, process, recall, watch
from rapport_server.rpc.convert.enums import ERASURE_REASON
from rapport_server.rpc.desk import AtDesk
from rapport_server.rpc.validate.changes import memory_changes
from rapport_server.rpc.validate.check import Check, utc_now
from rapport_server.rpc.validate.interaction import interaction
from rapport_server.rpc.validate.items import infers, item
from rapport_server.rpc.validate.lists import memory_query, message_query
from rapport_server.rpc.validate.person import named_person, named_scope, scope, stored_scope
from rapport_server.rpc.validate.recall import recall_query

Context = Any

ANSWER_S = 0.25  # of the caller's deadline, kept for the answer when a call waits for indexing
SLICE_ITEMS = 16  # items validated at a time: well under half a millisecond, then others may run
SLICE_BYTES = 16 * 1024  # the same for large items
_TICKET = re.compile(rf"[A-Za-z0-9._-]{{0,{TICKET_CHARS_MAX}}}", re.ASCII)


class MemoryRpcs(AtDesk, MemoryServiceServicer):
    """What is remembered about people."""

    async def Process(self, request: pb.ProcessRequest, context: Context) -> pb.ProcessResponse:
        """Remember a message and answer all that a reply needs."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        given = interaction(check, request, tenant, utc_now())
        ticket = await self._desk.ticket(check, request, tenant.tenant_id, given.scope.end_user_id)
        command = self._do.reply if given.generate_reply else self._do.process
        done = await command(CALL.get().caller, tenant, given, ticket)
        return process.process_response(done)

    async def ProcessStream(
        self, request: pb.ProcessStreamRequest, context: Context
    ) -> AsyncIterator[pb.ProcessStreamResponse]:
        """Process, with the reply as it is written."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        given = interaction(check, request, tenant, utc_now())
        ticket = await self._desk.ticket(check, request, tenant.tenant_id, given.scope.end_user_id)
        parts = self._do.reply.stream(CALL.get().caller, tenant, given, ticket)
        # Closed at once when the caller leaves, so that the model stops writing.
        async with aclosing(parts):
            async for part in parts:
                yield process.stream_part(part)

    async def AttachReply(
        self, request: pb.AttachReplyRequest, context: Context
    ) -> pb.AttachReplyResponse:
        """Add the reply to an interaction."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        person = scope(check, request.end_user_id, tenant)
        check.identifier("interaction_id", request.interaction_id)
        reply = check.text(
            "assistant_message", request.assistant_message, MESSAGE_BYTES_MAX, required=True
        )
        ticket = await self._desk.ticket(check, request, tenant.tenant_id, person.end_user_id)
        source_id = await self._do.attach_reply(
            CALL.get().caller, person, _interaction_id(request.interaction_id), reply, ticket
        )
        return pb.AttachReplyResponse(source_id=source_id)

    async def AddMemory(
        self, request: pb.AddMemoryRequest, context: Context
    ) -> pb.AddMemoryResponse:
        """Store memories; a bad one fails alone."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        person = scope(check, request.end_user_id, tenant)
        if not 1 <= len(request.memories) <= ITEMS_MAX:
            check.bad("memories", f"must have 1 to {ITEMS_MAX:,} entries")
        wait_s = check.duration_s("wait", request.wait, WAIT_S_MAX)
        ticket = await self._desk.ticket(check, request, tenant.tenant_id, person.end_user_id)
        call = CALL.get()
        results = await self._do.add_memory(
            call.caller,
            tenant,
            person,
            await _items(request.memories, tenant),
            request.upsert if request.HasField("upsert") else True,
            max(0.0, min(wait_s, call.left_s - ANSWER_S)),
            ticket,
        )
        replies = [
            memory.item_result(result, given.title, infers(given, tenant))
            for result, given in zip(results, request.memories, strict=True)
        ]
        failed = sum(reply.HasField("error") for reply in replies)
        return pb.AddMemoryResponse(
            results=replies, success_count=len(replies) - failed, failed_count=failed
        )

    async def VerifyProcessing(
        self, request: pb.VerifyProcessingRequest, context: Context
    ) -> pb.VerifyProcessingResponse:
        """How far memories have come."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        stored = stored_scope(check, request, tenant)
        source_ids = check.identifiers("source_ids", request.source_ids, ITEMS_MAX)
        check.raise_any()
        statuses = await self._do.processing.verify(stored, source_ids)
        return pb.VerifyProcessingResponse(
            statuses=[memory.processing_status(status) for status in statuses]
        )

    async def WatchProcessing(
        self, request: pb.WatchProcessingRequest, context: Context
    ) -> AsyncIterator[pb.WatchProcessingResponse]:
        """Each change once, until all are terminal."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        stored = stored_scope(check, request, tenant)
        source_ids = check.identifiers("source_ids", request.source_ids, ITEMS_MAX)
        check.raise_any()
        async for status in self._do.processing.watch(stored, source_ids):
            yield pb.WatchProcessingResponse(status=memory.processing_status(status))

    async def RetryProcessing(
        self, request: pb.RetryProcessingRequest, context: Context
    ) -> pb.RetryProcessingResponse:
        """Queue failed memories again."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        stored = stored_scope(check, request, tenant)
        source_ids = check.identifiers("source_ids", request.source_ids, ITEMS_MAX)
        ticket = await self._desk.ticket(check, request, tenant.tenant_id, stored.end_user_id)
        statuses = await self._do.processing.retry(CALL.get().caller, stored, source_ids, ticket)
        return pb.RetryProcessingResponse(
            statuses=[memory.processing_status(status) for status in statuses]
        )

    async def Recall(self, request: pb.RecallRequest, context: Context) -> pb.RecallResponse:
        """Find what is remembered."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        query = recall_query(check, request, tenant)
        check.raise_any()
        found = await self._do.recall(query)
        self._desk.steps.step("Recall", "embed", found.embed_ms / 1e3)
        self._desk.steps.step("Recall", "search", found.search_ms / 1e3)
        self._desk.steps.step("Recall", "fetch", found.fetch_ms / 1e3)
        return recall.recall_response(found)

    async def Erase(self, request: pb.EraseRequest, context: Context) -> pb.EraseResponse:
        """Erase a person, or count what that would remove."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        end_user_id = named_person(check, request.end_user_id)
        reason = ERASURE_REASON.of(check, "reason", request.reason)
        if not _TICKET.fullmatch(request.ticket):
            check.bad("ticket", f"must be at most {TICKET_CHARS_MAX} of A-Z a-z 0-9 . _ -")
        ticket = await self._desk.ticket(check, request, tenant.tenant_id)
        if request.validate_only:
            done = await self._do.erase.preview(
                tenant.tenant_id, end_user_id, reason, request.ticket
            )
        else:
            done = await self._do.erase(
                CALL.get().caller, tenant.tenant_id, end_user_id, reason, request.ticket, ticket
            )
        return pb.EraseResponse(receipt=audit.receipt(done))

    async def GetMemory(
        self, request: pb.GetMemoryRequest, context: Context
    ) -> pb.GetMemoryResponse:
        """One memory."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        stored = stored_scope(check, request, tenant)
        check.identifier("source_id", request.source_id)
        check.raise_any()
        found = await self._do.reads.memory(stored, request.source_id)
        return pb.GetMemoryResponse(memory=memory.memory(found))

    async def ListMemories(
        self, request: pb.ListMemoriesRequest, context: Context
    ) -> pb.ListMemoriesResponse:
        """One page of memories."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        query = memory_query(check, request, tenant)
        memories, token = await self._desk.page(
            check,
            request,
            (tenant.tenant_id, query.scope.end_user_id),
            listings.MEMORIES,
            lambda page: self._do.reads.memories(query, page),
            memory.memory,
        )
        return pb.ListMemoriesResponse(memories=memories, next_page_token=token)

    async def UpdateMemory(
        self, request: pb.UpdateMemoryRequest, context: Context
    ) -> pb.UpdateMemoryResponse:
        """Change a memory under its id."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        person = scope(check, request.end_user_id, tenant)
        check.identifier("source_id", request.source_id)
        changes = memory_changes(check, request, tenant)
        ticket = await self._desk.ticket(check, request, tenant.tenant_id, person.end_user_id)
        changed = await self._do.update_memory(
            CALL.get().caller, person, request.source_id, changes, ticket
        )
        return pb.UpdateMemoryResponse(memory=memory.memory(changed))

    async def DeleteMemory(
        self, request: pb.DeleteMemoryRequest, context: Context
    ) -> pb.DeleteMemoryResponse:
        """Delete one memory."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        person = named_scope(check, request.end_user_id, tenant)
        check.identifier("source_id", request.source_id)
        ticket = await self._desk.ticket(check, request, tenant.tenant_id, person.end_user_id)
        deleted = await self._do.delete_memory(
            CALL.get().caller, person, request.source_id, request.allow_missing, ticket
        )
        return pb.DeleteMemoryResponse(deleted_count=deleted)

    async def ListMessages(
        self, request: pb.ListMessagesRequest, context: Context
    ) -> pb.ListMessagesResponse:
        """One page of messages."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        query = message_query(check, request, tenant)
        messages, token = await self._desk.page(
            check,
            request,
            (tenant.tenant_id, query.scope.end_user_id),
            listings.MESSAGES,
            lambda page: self._do.reads.messages(query, page),
            memory.message,
        )
        return pb.ListMessagesResponse(messages=messages, next_page_token=token)

    async def WatchEndUser(
        self, request: pb.WatchEndUserRequest, context: Context
    ) -> AsyncIterator[pb.WatchEndUserResponse]:
        """How things stand, then each change until the caller leaves."""
        tenant = await self._desk.tenant(request.tenant_id)
        check = Check()
        person = scope(check, request.end_user_id, tenant)
        check.raise_any()
        changes = self._do.watch_end_user(CALL.get().caller, person)
        async with aclosing(changes):
            async for change in changes:
                yield watch.watch_response(change, tenant.initial_trust)


def _interaction_id(given: str) -> uuid.UUID:
    """Ids that this server makes are UUIDs; any other names nothing."""
    try:
        return uuid.UUID(given)
    except ValueError:
        raise NotFound("interaction") from None


async def _items(given: Sequence[MemoryItem], tenant: Tenant) -> list[Item]:
    now = utc_now()
    items: list[Item] = []
    left = SLICE_BYTES
    for index, one in enumerate(given):
        items.append(item(index, one, tenant, now))
        left -= one.ByteSize() + SLICE_BYTES // SLICE_ITEMS
        if left <= 0:
            left = SLICE_BYTES
            await asyncio.sleep(0)
    return items
