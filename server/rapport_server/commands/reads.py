"""The reads: one session, one query, the domain's objects."""

from dataclasses import dataclass, replace

from rapport_server.domain.audit import AuditEvent, AuditEventKind, ChainVerdict
from rapport_server.domain.erasure import Receipt, signed
from rapport_server.domain.filters import Filter
from rapport_server.domain.memories import Memory, MemoryKind, QueueItem, Scope
from rapport_server.domain.people import Message, Person
from rapport_server.domain.ports import Signer, SubjectHasher
from rapport_server.domain.relation import RelationPoint, decayed
from rapport_server.domain.storage import Database, PageRequest, TimeRange
from rapport_server.errors import NotFound


@dataclass(frozen=True, slots=True)
class MemoryQuery:
    """Which memories of a scope to list; None and "" do not narrow."""

    scope: Scope
    kind: MemoryKind | None = None
    channel: str = ""
    session_id: str = ""
    times: TimeRange = TimeRange()
    filter: Filter | None = None


@dataclass(frozen=True, slots=True)
class MessageQuery:
    """Which messages of a person to list; "" does not narrow."""

    scope: Scope
    newest_first: bool = True
    channel: str = ""
    session_id: str = ""
    times: TimeRange = TimeRange()


class Reads:
    """Gets and lists of one person's memories, messages and relation."""

    def __init__(self, database: Database, hasher: SubjectHasher) -> None:
        self._database = database
        self._hasher = hasher

    async def memory(self, scope: Scope, source_id: str) -> Memory:
        """The served version, else the newest. Raises NotFound."""
        async with self._database.session() as session:
            memory = await session.memories.get(scope, source_id)
        if memory is None:
            raise NotFound("memory")
        return memory

    async def memories(self, query: MemoryQuery, page: PageRequest) -> list[Memory]:
        """Newest first."""
        async with self._database.session() as session:
            return await session.memories.page(
                query.scope,
                query.kind,
                query.channel,
                query.session_id,
                query.times,
                query.filter,
                page,
            )

    async def messages(self, query: MessageQuery, page: PageRequest) -> list[Message]:
        """By time of occurrence."""
        async with self._database.session() as session:
            return await session.messages.page(
                query.scope, query.newest_first, query.channel, query.session_id, query.times, page
            )

    async def person(self, scope: Scope) -> Person:
        """With the relation decayed to now. Raises NotFound for a person who never began."""
        subject = self._hasher.subject_hash(scope.tenant_id, scope.end_user_id)
        async with self._database.session() as session:
            arrival = await session.people.arrival(scope.tenant_id, subject)
            person = await session.people.get(scope.tenant_id, scope.end_user_id)
        if person is None:
            raise NotFound("end_user")
        return replace(person, state=decayed(person.state, arrival.now))

    async def history(
        self, scope: Scope, newest_first: bool, page: PageRequest
    ) -> list[RelationPoint]:
        """In order of arrival, each point as it stood then."""
        async with self._database.session() as session:
            return await session.messages.list_points(scope, TimeRange(), newest_first, page)

    async def people(
        self, tenant_id: str, assignment: str, page: PageRequest
    ) -> list[tuple[Person, int]]:
        """With their numbers of stored memories, relations decayed to now; an empty `assignment` does not narrow."""
        async with self._database.session() as session:
            arrival = await session.people.arrival(tenant_id, b"")
            listed = await session.people.page(tenant_id, assignment, page)
        return [
            (replace(person, state=decayed(person.state, arrival.now)), stored)
            for person, stored in listed
        ]


class AuditReads:
    """What auditors and operators look at."""

    def __init__(self, database: Database, signer: Signer) -> None:
        self._database = database
        self.signer = signer

    async def queue(self, tenant_id: str, page: PageRequest) -> list[QueueItem]:
        """Everything of the tenant that is not COMPLETED, oldest first."""
        async with self._database.session() as session:
            return await session.queue.page(tenant_id, page)

    async def events(
        self,
        tenant_id: str,
        kind: AuditEventKind | None,
        times: TimeRange,
        newest_first: bool,
        page: PageRequest,
    ) -> list[AuditEvent]:
        """By sequence."""
        async with self._database.session() as session:
            return await session.audit.page(tenant_id, kind, times, newest_first, page)

    async def verify(self, tenant_id: str) -> ChainVerdict:
        """Recompute the chain, in one snapshot."""
        async with self._database.session() as session:
            return await session.audit.verify(tenant_id)

    async def receipt(self, tenant_id: str, receipt_id: str) -> Receipt:
        """As it stands now, newly signed. Raises NotFound."""
        async with self._database.session() as session:
            receipt = await session.erasures.get(tenant_id, receipt_id)
        if receipt is None:
            raise NotFound("receipt")
        return signed(receipt, self.signer)
