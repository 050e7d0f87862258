"""Process: one message of a person, remembered, weighed and answered with a ready context."""

import asyncio
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import numpy as np

from rapport_server.commands.cut import cut_inline
from rapport_server.commands.gate import PersonGate
from rapport_server.commands.search import Searcher
from rapport_server.commands.ticket import Result, Ticket
from rapport_server.domain.analysis import Analysis, Signals, overridden
from rapport_server.domain.audit import AuditEventKind, AuditRecord
from rapport_server.domain.context import Quote, Situation, system_prompt
from rapport_server.domain.limits import TRIGGERS_MAX
from rapport_server.domain.memories import (
    ChunkDraft,
    FoundChunk,
    Memory,
    MemoryDraft,
    MemoryKind,
    Pair,
    Scope,
    rendered,
)
from rapport_server.domain.people import MessageRole, Person, Turn
from rapport_server.domain.ports import Analyser, Encoded, Encoder, Lane, StepObserver
from rapport_server.domain.ranking import Hit, one_per_memory
from rapport_server.domain.relation import (
    RelationEvent,
    RelationPoint,
    RelationState,
    after_interaction,
)
from rapport_server.domain.storage import Database, Transaction
from rapport_server.domain.tenants import Caller, Tenant
from rapport_server.domain.triggers import Trigger
from rapport_server.errors import NotFound


@dataclass(frozen=True, slots=True)
class Interaction:
    """A message with all that came along with it."""

    scope: Scope
    message: str
    assistant_message: str = ""
    channel: str = ""
    session_id: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    user_name: str = ""
    time_zone: str = ""
    top_k: int = 3
    min_similarity: float = 0.3
    signals: Signals = Signals()
    events: Sequence[RelationEvent] = ()
    occurred_at: datetime | None = None
    generate_reply: bool = False
    history: Sequence[Turn] = ()


@dataclass(frozen=True, slots=True)
class Relevant:
    """A recalled memory, its piece nearest to the message, and how near that is."""

    memory: Memory
    text: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Processed:
    """What Process answers: the person right after, what was recalled, the context, what is due."""

    interaction_id: uuid.UUID
    source_id: str
    person: Person
    occurred_at: datetime
    last_seen: datetime | None  # before this interaction
    update_time: datetime
    relevant: list[Relevant]
    total_stored: int
    analysis: Analysis
    triggers: list[Trigger]
    system_prompt: str = ""
    epoch: int = 0  # the person's when the call arrived
    reply: str = ""


class Process:
    """Embed once, recall with the vector, then record everything in one transaction."""

    def __init__(
        self,
        database: Database,
        encoder: Encoder,
        analyser: Analyser,
        searcher: Searcher,
        gate: PersonGate,
        steps: StepObserver,
        context_tokens_max: int,
    ) -> None:
        self._database = database
        self._encoder = encoder
        self._analyser = analyser
        self._searcher = searcher
        self._gate = gate
        self._steps = steps
        self._context_tokens_max = context_tokens_max

    async def __call__(
        self, caller: Caller, tenant: Tenant, interaction: Interaction, ticket: Ticket
    ) -> Processed:
        """Raises Erased when the person is erased meanwhile; then nothing is written."""
        started = time.perf_counter()
        # The epoch is read before any memory is: whoever is erased after that is noticed at the commit.
        (epoch, replay), prepared, (encoded,) = await asyncio.gather(
            self._arrive(interaction.scope, ticket),
            self._searcher.prepare(interaction.scope),
            self._encoder.encode([interaction.message], Lane.INTERACTIVE),
        )
        if replay is not None:
            return self._told(await self._replay(interaction, replay), epoch)
        found, read = await asyncio.gather(
            self._searcher.nearest(
                prepared, encoded.mean, interaction.top_k, interaction.min_similarity
            ),
            self._analyser.analyse(interaction.message, encoded, allow_llm=tenant.allow_llm),
        )
        hits, analysis = one_per_memory(found), overridden(read, interaction.signals)
        recalled = time.perf_counter()
        self._steps.step("Process", "recall", recalled - started)
        async with (
            self._gate.hold(ticket.subject_hash),
            self._database.transaction(pipelined=True) as tx,
        ):
            clock = await tx.people.lock(interaction.scope.tenant_id, ticket.subject_hash, epoch)
            replay = await ticket.begin(tx)
            if replay is None:
                processed = await self._record(
                    tx, caller, tenant, interaction, encoded, analysis, hits, clock, ticket
                )
        self._steps.step("Process", "commit", time.perf_counter() - recalled)
        if replay is not None:
            processed = await self._replay(interaction, replay)
        return self._told(processed, epoch)

    def _told(self, processed: Processed, epoch: int) -> Processed:
        """With the context in words, which no lock has to wait for."""
        prompt = system_prompt(_situation(processed), self._context_tokens_max)
        return replace(processed, system_prompt=prompt, epoch=epoch)

    async def _arrive(self, scope: Scope, ticket: Ticket) -> tuple[int, Result | None]:
        """The person's epoch, and what the first call of this request_id answered."""
        async with self._database.session() as session:
            arrival = await session.people.arrival(scope.tenant_id, ticket.subject_hash)
            return arrival.epoch, await ticket.earlier(session)

    async def _record(
        self,
        tx: Transaction,
        caller: Caller,
        tenant: Tenant,
        interaction: Interaction,
        encoded: Encoded,
        analysis: Analysis,
        hits: list[Hit],
        clock: datetime,
        ticket: Ticket,
    ) -> Processed:
        scope = interaction.scope
        at = interaction.occurred_at or clock
        before = await tx.people.begin(scope.tenant_id, scope.end_user_id, tenant.initial_trust, at)
        state, event_states = after_interaction(before.state, at, interaction.events, analysis)
        person = replace(
            before,
            state=state,
            interaction_count=before.interaction_count + 1,
            known_since=min(before.known_since, at),
            last_seen=max(before.last_seen or at, at),
            user_name=interaction.user_name or before.user_name,
            time_zone=interaction.time_zone or before.time_zone,
        )
        interaction_id = uuid.uuid4()
        await self._write_history(
            tx, interaction, interaction_id, at, state, event_states, analysis
        )
        draft = _draft(interaction, interaction_id, at, analysis)
        added = await tx.memories.insert_completed(scope, person, draft, chunks_of(encoded))
        await tx.people.save(person)
        removed = await cut_inline(tx, scope, MemoryKind.INTERACTION, tenant.plan)
        read_due = await tx.triggers.due(scope, at)
        total_stored = await tx.memories.count(scope)
        due = await read_due()
        await ticket.finish(
            tx,
            {
                "interaction_id": str(interaction_id),
                "source_id": draft.source_id,
                "recalled": [[hit.chunk.chunk_id, hit.similarity] for hit in hits],
                "triggers": [trigger.trigger_id for trigger in due],
                "total_stored": total_stored,
                "interaction_count": person.interaction_count,
                "update_time": clock.isoformat(),
                "last_seen": before.last_seen.isoformat() if before.last_seen else None,
            },
        )
        await tx.audit.append(
            scope.tenant_id,
            AuditRecord(
                AuditEventKind.INTERACTION_PROCESSED,
                caller.key_id,
                ticket.subject_hash,
                {"events": len(interaction.events), "crisis": analysis.crisis},
            ),
        )
        await tx.shards.append(scope.tenant_id, person.shard_id, added=added, removed=removed)
        return Processed(
            interaction_id,
            draft.source_id,
            person,
            at,
            before.last_seen,
            clock,
            [_relevant(hit.chunk, hit.similarity) for hit in hits],
            total_stored,
            analysis,
            due,
        )

    async def _write_history(
        self,
        tx: Transaction,
        interaction: Interaction,
        interaction_id: uuid.UUID,
        at: datetime,
        state: RelationState,
        event_states: Sequence[RelationState],
        analysis: Analysis,
    ) -> None:
        scope = interaction.scope
        spoken = [(MessageRole.USER, interaction.message, analysis)]
        if interaction.assistant_message:
            spoken.append((MessageRole.ASSISTANT, interaction.assistant_message, Analysis()))
        for role, text, reading in spoken:
            await tx.messages.insert(
                scope,
                interaction_id,
                role,
                text,
                interaction.channel,
                interaction.session_id,
                at,
                reading,
            )
        for event, event_state in zip(interaction.events, event_states, strict=True):
            await tx.messages.insert_point(
                scope,
                RelationPoint(
                    0, event_state, event.occurred_at or at, event_kind=event.kind, note=event.note
                ),
            )
        await tx.messages.insert_point(
            scope, RelationPoint(0, state, at, interaction_id, mood_delta=analysis.mood_delta)
        )

    async def _replay(self, interaction: Interaction, result: Result) -> Processed:
        """Answer again from what still exists: memories deleted and triggers done since are left out."""
        scope = interaction.scope
        interaction_id = uuid.UUID(result["interaction_id"])
        async with self._database.session() as session:
            person = await session.people.get(scope.tenant_id, scope.end_user_id)
            point = await session.messages.point_of_interaction(scope, interaction_id)
            if person is None or point is None:
                raise NotFound("interaction")
            messages = await session.messages.of_interaction(scope, interaction_id)
            similarity = dict(result["recalled"])
            chunks = await session.memories.fetch_chunks({scope: similarity})
            due = await (await session.triggers.due(scope, point.occurred_at, TRIGGERS_MAX))()
        analysis = next((m.analysis for m in messages if m.role is MessageRole.USER), Analysis())
        last_seen = result["last_seen"]
        return Processed(
            interaction_id,
            result["source_id"],
            replace(person, state=point.state, interaction_count=result["interaction_count"]),
            point.occurred_at,
            datetime.fromisoformat(last_seen) if last_seen else None,
            datetime.fromisoformat(result["update_time"]),
            [
                _relevant(chunks[scope, i], score)
                for i, score in similarity.items()
                if (scope, i) in chunks
            ],
            result["total_stored"],
            analysis,
            [trigger for trigger in due if trigger.trigger_id in result.get("triggers", ())],
        )


def chunks_of(encoded: Encoded) -> list[ChunkDraft]:
    """An encoded text as chunk rows: float16 vectors, the text only where there are several pieces."""
    single = len(encoded.pieces) == 1
    return [
        ChunkDraft(index, None if single else piece.text, vector.astype(np.float16).tobytes())
        for index, (piece, vector) in enumerate(zip(encoded.pieces, encoded.vectors, strict=True))
    ]


def _relevant(chunk: FoundChunk, similarity: float) -> Relevant:
    return Relevant(chunk.memory, chunk.text, similarity)


def _draft(
    interaction: Interaction, interaction_id: uuid.UUID, at: datetime, analysis: Analysis
) -> MemoryDraft:
    pair = Pair(interaction.message, interaction.assistant_message)
    return MemoryDraft(
        source_id=str(interaction_id),
        text=rendered((pair,), ""),
        pairs=(pair,),
        user_name=interaction.user_name,
        channel=interaction.channel,
        session_id=interaction.session_id,
        time_zone=interaction.time_zone,
        additional_metadata=interaction.metadata,
        occurred_at=at,
        kind=MemoryKind.INTERACTION,
        interaction_id=interaction_id,
        intent=analysis.intent,
        detected_emotions=analysis.detected_emotions,
    )


def _situation(processed: Processed) -> Situation:
    person = processed.person
    return Situation(
        person.state,
        person.interaction_count - 1,
        processed.last_seen,
        processed.occurred_at,
        processed.analysis,
        [Quote(r.text, r.memory.occurred_at, r.memory.channel) for r in processed.relevant],
        processed.triggers,
        time_zone=person.time_zone,
        user_name=person.user_name,
    )
