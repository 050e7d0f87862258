"""Replies: Process, and then the language model's answer as the other half of the interaction."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace

from rapport_server.commands.attach_reply import attach
from rapport_server.commands.gate import PersonGate
from rapport_server.commands.process import Interaction, Process, Processed
from rapport_server.commands.ticket import Ticket
from rapport_server.domain.people import MessageRole, Turn
from rapport_server.domain.ports import LanguageModel, StepObserver
from rapport_server.domain.storage import Database, Transaction
from rapport_server.domain.tenants import Caller, Tenant
from rapport_server.errors import (
    AlreadyExists,
    LlmFailed,
    LlmNotAllowed,
    LlmNotConfigured,
    NotFound,
)


@dataclass(frozen=True, slots=True)
class Opening:
    """The first part of a stream: all but the reply."""

    processed: Processed


@dataclass(frozen=True, slots=True)
class Final:
    """The last part: all, with the reply that is stored."""

    processed: Processed


class Reply:
    """The model is asked after the interaction is committed, and holds up nobody: no connection waits for it.

    A call that ends before the reply is stored leaves the interaction without one; the same request_id goes on there. Calls
    of this process that want the reply of one interaction take turns, so that the second finds the first one's. Should
    two processes write at once, the first to commit has the reply, and both answer that.
    """

    def __init__(
        self,
        database: Database,
        process: Process,
        model: LanguageModel | None,
        steps: StepObserver,
    ) -> None:
        self._database = database
        self._process = process
        self._model = model
        self._steps = steps
        self._turns = PersonGate()  # by interaction

    async def __call__(
        self, caller: Caller, tenant: Tenant, interaction: Interaction, ticket: Ticket
    ) -> Processed:
        """Process with a reply. Raises LlmNotAllowed or LlmNotConfigured before, LlmFailed after the interaction is stored."""
        model = self._model_for(tenant)
        processed = await self._process(caller, tenant, interaction, ticket)
        reply = await self._reply(model, caller, interaction, processed, ticket, lambda _: None)
        return replace(processed, reply=reply)

    async def stream(
        self, caller: Caller, tenant: Tenant, interaction: Interaction, ticket: Ticket
    ) -> AsyncGenerator[Opening | str | Final, None]:
        """The same in parts, with the reply's own between the first and the last; without generate_reply those two alone."""
        model = self._model_for(tenant) if interaction.generate_reply else None
        processed = await self._process(caller, tenant, interaction, ticket)
        yield Opening(processed)
        if model is None:
            yield Final(processed)
            return
        # Bounded by the length of a reply; so a slow reader holds up neither the model nor the commit.
        parts: asyncio.Queue[str | None] = asyncio.Queue()
        replying = asyncio.create_task(
            self._reply(model, caller, interaction, processed, ticket, parts.put_nowait)
        )
        replying.add_done_callback(lambda _: parts.put_nowait(None))
        try:
            while (part := await parts.get()) is not None:
                yield part
            yield Final(replace(processed, reply=await replying))
        finally:
            replying.cancel()
            await asyncio.gather(replying, return_exceptions=True)

    def _model_for(self, tenant: Tenant) -> LanguageModel:
        if not tenant.allow_llm:
            # Both at once, so that nobody clears one hurdle to meet the next.
            both = (
                None if self._model else f"{LlmNotAllowed().message} {LlmNotConfigured().message}"
            )
            raise LlmNotAllowed(both, field="generate_reply")
        if self._model is None:
            raise LlmNotConfigured(field="generate_reply")
        return self._model

    async def _reply(
        self,
        model: LanguageModel,
        caller: Caller,
        interaction: Interaction,
        processed: Processed,
        ticket: Ticket,
        wrote: Callable[[str], None],
    ) -> str:
        """The stored reply, written now unless it is there already."""
        async with self._turns.hold(processed.interaction_id.bytes):
            async with self._database.session() as session:
                stored = await _stored(session, interaction, processed)
            if stored is not None:
                wrote(stored)
                return stored
            started = time.perf_counter()
            turns = [*interaction.history, Turn(MessageRole.USER, interaction.message)]
            try:
                reply = await model.reply(processed.system_prompt, turns, wrote)
            except LlmFailed as error:
                raise LlmFailed(
                    error.message,
                    retry_s=error.retry_s,
                    interaction_id=str(processed.interaction_id),
                ) from error
            self._steps.step("Process", "reply", time.perf_counter() - started)
            return await self._store(caller, interaction, processed, reply, ticket)

    async def _store(
        self,
        caller: Caller,
        interaction: Interaction,
        processed: Processed,
        reply: str,
        ticket: Ticket,
    ) -> str:
        """The reply that the interaction has in the end: this one, unless another came first. Raises Erased."""
        scope = interaction.scope
        async with self._database.transaction() as tx:
            await tx.people.lock(scope.tenant_id, ticket.subject_hash, processed.epoch)
            try:
                await attach(tx, caller, scope, processed.interaction_id, reply, ticket)
            except AlreadyExists:
                return await _stored(tx, interaction, processed) or reply
            return reply


async def _stored(tx: Transaction, interaction: Interaction, processed: Processed) -> str | None:
    """The reply that is stored already. Raises NotFound when the interaction was deleted meanwhile."""
    spoken = await tx.messages.of_interaction(interaction.scope, processed.interaction_id)
    if not spoken:
        raise NotFound("interaction")
    return next((one.text for one in spoken if one.role is MessageRole.ASSISTANT), None)
