"""The database: its transactions, and on each one Protocol per table group."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from rapport_server.domain.storage.audit import Audit
from rapport_server.domain.storage.erasures import Erasures
from rapport_server.domain.storage.installation import Installations
from rapport_server.domain.storage.keys import Keys
from rapport_server.domain.storage.memories import Memories
from rapport_server.domain.storage.messages import Messages
from rapport_server.domain.storage.people import People
from rapport_server.domain.storage.person_relations import PersonRelations
from rapport_server.domain.storage.queue import Queue
from rapport_server.domain.storage.reading import Reading
from rapport_server.domain.storage.requests import Requests
from rapport_server.domain.storage.shards import Shards
from rapport_server.domain.storage.tenants import Tenants
from rapport_server.domain.storage.triggers import Triggers


class Transaction(Protocol):
    """One transaction, or one autocommitting session for reads."""

    @property
    def installation(self) -> Installations:
        """Table group installation."""
        ...

    @property
    def tenants(self) -> Tenants:
        """Table group tenants."""
        ...

    @property
    def keys(self) -> Keys:
        """Table group keys."""
        ...

    @property
    def people(self) -> People:
        """Table group people."""
        ...

    @property
    def person_relations(self) -> PersonRelations:
        """Table group person_relations."""
        ...

    @property
    def triggers(self) -> Triggers:
        """Table group triggers."""
        ...

    @property
    def messages(self) -> Messages:
        """Table group messages."""
        ...

    @property
    def memories(self) -> Memories:
        """Table group memories."""
        ...

    @property
    def queue(self) -> Queue:
        """Table group queue."""
        ...

    @property
    def reading(self) -> Reading:
        """Table group reading."""
        ...

    @property
    def shards(self) -> Shards:
        """Table group shards."""
        ...

    @property
    def requests(self) -> Requests:
        """Table group requests."""
        ...

    @property
    def audit(self) -> Audit:
        """Table group audit."""
        ...

    @property
    def erasures(self) -> Erasures:
        """Table group erasures."""
        ...


class Database(Protocol):
    """A pool of connections."""

    def transaction(self, *, pipelined: bool = False) -> AbstractAsyncContextManager[Transaction]:
        """Commits on success, rolls back on any exception; psycopg errors leave as leaves of the error tree.

        Pipelined, a statement whose rows nobody reads does not wait for its answer; counts of affected rows are unknown.
        """
        ...

    def session(self) -> AbstractAsyncContextManager[Transaction]:
        """For reads: every statement commits by itself, no BEGIN round trip."""
        ...

    def listen(self) -> AsyncIterator[dict[str, Any]]:
        """Notices of every process, without end: {"kind": …, …}.

        {"kind": "listening"} comes first and again after every reconnection: notices before it may have been missed.
        """
        ...

    async def announce(self) -> None:
        """Tell every process, without end, which persons were changed through this one."""
        ...

    async def vacuum_person_tables(self) -> None:
        """Reclaim the dead rows of what was just erased, as the owner."""
        ...
