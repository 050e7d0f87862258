"""AttachReply: the assistant's answer joins the interaction it belongs to."""

import uuid
from dataclasses import replace

from rapport_server.commands.change import Change
from rapport_server.commands.ticket import Ticket
from rapport_server.domain.analysis import Analysis
from rapport_server.domain.audit import AuditEventKind, AuditRecord
from rapport_server.domain.memories import Pair, Scope, rendered
from rapport_server.domain.people import MessageRole
from rapport_server.domain.storage import Transaction
from rapport_server.domain.tenants import Caller
from rapport_server.errors import AlreadyExists, NotFound


class AttachReply:
    """The memory's text gains the reply; its vector stays the message's."""

    def __init__(self, change: Change) -> None:
        self._change = change

    async def __call__(
        self, caller: Caller, scope: Scope, interaction_id: uuid.UUID, reply: str, ticket: Ticket
    ) -> str:
        """The source_id of the interaction's memory. Raises NotFound, or AlreadyExists when a reply is there."""
        async with self._change(caller, scope, ticket) as change:
            if change.replay is not None:
                return str(change.replay["source_id"])
            source_id = await attach(change.tx, caller, scope, interaction_id, reply, ticket)
            await ticket.finish(change.tx, {"source_id": source_id})
            return source_id


async def attach(
    tx: Transaction,
    caller: Caller,
    scope: Scope,
    interaction_id: uuid.UUID,
    reply: str,
    ticket: Ticket,
) -> str:
    """Store the reply with its interaction, in a transaction that has locked the person; the memory's source_id.

    Raises NotFound, or AlreadyExists when a reply is there, before anything is written.
    """
    memory = await tx.memories.by_interaction(scope, interaction_id)
    spoken = {m.role: m for m in await tx.messages.of_interaction(scope, interaction_id)}
    if memory is None or MessageRole.USER not in spoken:
        raise NotFound("interaction")
    if MessageRole.ASSISTANT in spoken:
        raise AlreadyExists("reply")
    message = spoken[MessageRole.USER]
    await tx.messages.insert(
        scope,
        interaction_id,
        MessageRole.ASSISTANT,
        reply,
        message.channel,
        message.session_id,
        message.occurred_at,
        Analysis(),
    )
    pair = Pair(message.text, reply)
    await tx.memories.update(replace(memory, pairs=(pair,), text=rendered((pair,), "")))
    await tx.audit.append(
        scope.tenant_id,
        AuditRecord(AuditEventKind.REPLY_ATTACHED, caller.key_id, ticket.subject_hash),
    )
    return memory.source_id
