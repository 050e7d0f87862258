"""The reader: finds other people and things to come back to in what was stored, in the background, once per memory."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from uuid import uuid4

import structlog

from rapport_server.domain import limits
from rapport_server.domain.acquaintance import Mention, acquainted, is_nameless, mood_of
from rapport_server.domain.analysis import AnalysisOrigin
from rapport_server.domain.memories import MemoryKind, Scope, Unread
from rapport_server.domain.mentions import FollowUp, Mentions
from rapport_server.domain.person_relations import PersonRelation
from rapport_server.domain.ports import Analyser, Encoder, Lane, MentionReader, SubjectHasher
from rapport_server.domain.storage import Database, PageRequest, Transaction
from rapport_server.domain.triggers import Trigger, found_id
from rapport_server.errors import PASSING, EmbeddingFailed, RapportError
from rapport_server.ingest.observer import ReadingObserver, Unobserved

# How soon what a call stored is seen: one index look-up each time.
POLL_S = 1.0
_PAUSE_S = 1.0
_EVERYBODY = PageRequest(limits.PERSON_RELATIONS_MAX)

log = structlog.get_logger(__name__)

Moods = dict[str, float]


@dataclass(frozen=True, slots=True)
class Findings:
    """A memory and what it says."""

    memory: Unread
    mentions: Mentions


class MemoryReader:
    """Every process may run one; a tenant is read by one at a time.

    Nothing is lost when it dies and nothing counts twice: what a memory says is stored in the same transaction in which the memory
    becomes read, under the person's lock and only while the memory is there. The feeling towards somebody moves only while there is
    an analyser for the embedding model.
    """

    def __init__(
        self,
        database: Database,
        encoder: Encoder,
        analyser: Analyser | None,
        mention_reader: MentionReader,
        hasher: SubjectHasher,
        observer: ReadingObserver | None = None,
        *,
        lease_s: float = limits.READ_LEASE_S,
        poll_s: float = POLL_S,
    ) -> None:
        self._database = database
        self._encoder = encoder
        self._analyser = analyser
        self._mention_reader = mention_reader
        self._hasher = hasher
        self._observer = observer or Unobserved()
        self._lease_s = lease_s
        self._poll_s = poll_s
        self._token = uuid4()
        self._after_tenant = ""
        self._told_full = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="reading")

    async def run(self) -> None:
        """Read until cancelled."""
        try:
            while True:
                await self._round_or_pause()
        finally:
            self._thread.shutdown(wait=False, cancel_futures=True)
            await self._give_back()

    async def _give_back(self) -> None:
        try:
            async with self._database.session() as session:
                await session.reading.give_back(self._token)
        except RapportError as error:
            log.warning("a turn at reading is left to its lease", reason=error.reason)

    async def _round_or_pause(self) -> None:
        try:
            if not await self.round():
                await asyncio.sleep(self._poll_s)
        except RapportError as error:
            # Nothing was marked as read.
            log.warning("cannot read memories now", reason=error.reason)
            await asyncio.sleep(_PAUSE_S)
        except Exception:
            log.exception("the reader broke and starts again")
            await asyncio.sleep(_PAUSE_S)

    async def round(self) -> int:
        """Read one batch of one tenant; how many memories, 0 when nothing waits."""
        started = time.perf_counter()
        async with self._database.session() as session:
            tenant_id = await session.reading.take_turn(
                self._after_tenant, self._token, self._lease_s
            )
            self._after_tenant = tenant_id
            if not tenant_id:
                return 0
            memories = await session.reading.unread(tenant_id, limits.READ_ITEMS_MAX)
            known = {
                scope: await session.person_relations.page(scope, _EVERYBODY)
                for scope in {memory.scope for memory in memories}
            }
        loop = asyncio.get_running_loop()
        findings = await loop.run_in_executor(self._thread, self._read_all, memories, known)
        moods = await self._moods(findings)
        await self._store(tenant_id, memories, findings, moods)
        self._observer.read(
            len(memories),
            sum(len(found.mentions.third_parties) for found in findings),
            sum(len(found.mentions.follow_ups) for found in findings),
            time.perf_counter() - started,
        )
        return len(memories)

    def _read_all(
        self, memories: Sequence[Unread], known: dict[Scope, list[PersonRelation]]
    ) -> list[Findings]:
        """Of those that say anything; a name that one memory tells is known to the next."""
        names = {
            scope: {relation.name for relation in of if not is_nameless(relation)}
            for scope, of in known.items()
        }
        findings = []
        for memory in memories:
            mentions = self._read(memory, names[memory.scope])
            if mentions.third_parties or mentions.follow_ups:
                findings.append(Findings(memory, mentions))
            names[memory.scope] |= {party.name for party in mentions.third_parties} - {""}
        return findings

    def _read(self, memory: Unread, names: set[str]) -> Mentions:
        if memory.speaker and memory.speaker.casefold() != memory.user_name.casefold():
            return Mentions()
        text = "\n".join(memory.turns)[: limits.READ_CHARS_MAX]
        try:
            return self._mention_reader.read(
                text, memory.occurred_at, memory.time_zone, memory.user_name, names
            )
        except Exception as error:
            # The same text would fail each time: it says nothing to us, and what stands behind it goes on.
            log.warning("a memory could not be read", error=type(error).__name__)
            return Mentions()

    async def _moods(self, findings: Sequence[Findings]) -> Moods:
        """The mood of each sentence that speaks of somebody; without an analyser none."""
        spoken = dict.fromkeys(
            party.sentence for found in findings for party in found.mentions.third_parties
        )
        if self._analyser is None or not spoken:
            return {}
        try:
            encoded = await self._encoder.encode(list(spoken), Lane.BULK)
        except EmbeddingFailed as error:
            log.warning("sentences that cannot be embedded move nothing", reason=error.reason)
            return {}
        moods = {}
        for sentence, vectors in zip(spoken, encoded, strict=True):
            try:
                analysis = await self._analyser.analyse(sentence, vectors, allow_llm=False)
            except Exception as error:
                log.warning("a sentence could not be analysed", error=type(error).__name__)
                continue
            moods[sentence] = analysis.mood_delta
            await asyncio.sleep(0)
        return moods

    async def _store(
        self,
        tenant_id: str,
        memories: Sequence[Unread],
        findings: Sequence[Findings],
        moods: Moods,
    ) -> None:
        by_person: defaultdict[Scope, list[Findings]] = defaultdict(list)
        for found in findings:
            by_person[found.memory.scope].append(found)
        telling = set()
        for scope, of_person in by_person.items():
            try:
                await self._store_of_person(scope, of_person, moods)
            except PASSING:
                raise
            except Exception as error:
                # It would fail each time, and whatever the tenant's others said waits behind it.
                log.error("what a person said of others is left out", error=type(error).__name__)
            else:
                telling |= {found.memory.version for found in of_person}
        silent = [memory.version for memory in memories if memory.version not in telling]
        async with self._database.session() as session:
            await session.reading.mark_read(tenant_id, silent)
            if len(memories) < limits.READ_ITEMS_MAX:
                await session.reading.give_back(self._token)

    async def _store_of_person(
        self, scope: Scope, findings: Sequence[Findings], moods: Moods
    ) -> None:
        subject = scope.tenant_id, self._hasher.subject_hash(scope.tenant_id, scope.end_user_id)
        versions = [found.memory.version for found in findings]
        async with self._database.transaction() as tx:
            await tx.people.lock_many([subject])
            # Under the person's lock: what was erased, deleted, replaced or read meanwhile is not among them.
            still = await tx.reading.still_unread(scope, versions)
            ours = [found for found in findings if found.memory.version in still]
            await self._mention(tx, scope, ours, moods)
            await tx.triggers.found(scope, _triggers(ours))
            # Those that have expired too: they would be found again and again.
            await tx.reading.mark_read(scope.tenant_id, versions)

    async def _mention(
        self, tx: Transaction, scope: Scope, findings: Sequence[Findings], moods: Moods
    ) -> None:
        mentions = [
            Mention(
                party.name,
                party.kind,
                found.memory.occurred_at,
                mood_of(moods[party.sentence], party.conduct) if party.sentence in moods else 0.0,
            )
            for found in findings
            for party in found.mentions.third_parties
        ]
        if not mentions:
            return
        known = await tx.person_relations.page(scope, _EVERYBODY)
        loop = asyncio.get_running_loop()
        changed = await loop.run_in_executor(self._thread, acquainted, known, mentions)
        before = {relation.person_relation_id for relation in known}
        new = sum(relation.person_relation_id not in before for relation in changed)
        if len(known) + new > limits.PERSON_RELATIONS_MAX and not self._told_full:
            self._told_full = True
            log.warning("a person speaks of more people than are kept; no more are added")
        await tx.person_relations.mention(scope, changed)


def _triggers(findings: Sequence[Findings]) -> list[Trigger]:
    triggers = {}
    for found in findings:
        for follow_up in found.mentions.follow_ups:
            if _is_over(found.memory, follow_up):
                continue
            source_id = found.memory.source_id
            trigger_id = found_id(source_id, follow_up.description)
            triggers[trigger_id] = Trigger(
                trigger_id,
                follow_up.description,
                follow_up.due_at,
                AnalysisOrigin.LOCAL,
                source_id,
            )
    return list(triggers.values())


def _is_over(memory: Unread, follow_up: FollowUp) -> bool:
    """Whether it was due before the memory was added: of an old diary nobody asks how the exam went."""
    return memory.kind is MemoryKind.ADDED and follow_up.due_at < memory.create_time
