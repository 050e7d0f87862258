"""What every servicer needs of a request before its command: tenant, ticket, page."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from rapport_server.commands.bundle import Commands
from rapport_server.commands.ticket import Ticket
from rapport_server.domain.ports import StepObserver
from rapport_server.domain.storage import PageRequest
from rapport_server.domain.tenants import ApiKeyRole, Tenant
from rapport_server.errors import InvalidArgument, PermissionDenied, Unavailable
from rapport_server.rpc.call import CALL
from rapport_server.rpc.paging import Cursor, Listing, Reply, Row, page
from rapport_server.rpc.validate.check import Check
from rapport_server.rpc.validate.lists import page_size

HASH_INLINE_BYTES_MAX = 64 * 1024  # hashing more takes a noticeable part of a millisecond


class Hasher(Protocol):
    """Keyed hashes, 32 bytes each."""

    def subject_hash(self, tenant_id: str, end_user_id: str) -> bytes:
        """Stands for a person."""
        ...

    def request_hash(self, tenant_id: str, key_id: str, rpc: str, request_id: str) -> bytes:
        """Stands for a request_id in its scope."""
        ...

    def body_hash(self, body: bytes) -> bytes:
        """Tells one body from another."""
        ...


class Mutation(Protocol):
    """A request that may carry a request_id."""

    request_id: str

    def SerializeToString(self, *, deterministic: bool) -> bytes:  # noqa: N802
        """Its bytes."""
        ...


class Paged(Protocol):
    """A request for one page of a list."""

    page_size: int
    page_token: str

    def SerializeToString(self, *, deterministic: bool) -> bytes:  # noqa: N802
        """Its bytes."""
        ...


class Desk:
    """Resolves what requests say about tenant, identity and place in a list; no call comes here before `open`."""

    def __init__(self, steps: StepObserver) -> None:
        self._commands: Commands | None = None
        self._hasher: Hasher
        self.steps = steps
        self._hashing = ThreadPoolExecutor(1, thread_name_prefix="rpc-hash")

    def open(self, commands: Commands, hasher: Hasher) -> None:
        """From now on calls are served with these."""
        self._commands, self._hasher = commands, hasher

    @property
    def commands(self) -> Commands:
        """What the calls do. Raises Unavailable before `open`."""
        if self._commands is None:
            raise Unavailable(component="server")
        return self._commands

    def close(self) -> None:
        """Stop the hashing thread."""
        self._hashing.shutdown()

    def tenant_id(self, requested: str) -> str:
        """The tenant that a call may work on: the credential's own, or the one an operator names.

        Raises PermissionDenied for another's, whether it exists or not, and InvalidArgument for a bad or missing id.
        """
        call = CALL.get()
        caller = call.caller
        if caller.role is ApiKeyRole.OPERATOR:
            if not requested:
                raise InvalidArgument("tenant_id", "must be named by an operator")
        elif requested and requested != caller.tenant_id:
            raise PermissionDenied("The API key does not open the tenant that tenant_id names.")
        tenant_id = requested or caller.tenant_id
        check = Check()
        check.identifier("tenant_id", tenant_id)
        check.raise_any()
        call.tenant_id = tenant_id
        return tenant_id

    async def tenant(self, requested: str) -> Tenant:
        """The settings of the tenant that a call may work on. Raises NotFound, and what `tenant_id` raises."""
        return await self.commands.tenant_directory.get(self.tenant_id(requested))

    async def ticket(
        self, check: Check, request: Mutation, tenant_id: str, end_user_id: str = ""
    ) -> Ticket:
        """The identity of a mutating call; raises what `check` found, so that nothing is done with a bad request.

        `end_user_id` is the person concerned, empty where there is none and for Erase, whose record outlives the person.
        """
        request_id = check.request_id(request.request_id)
        check.raise_any()
        subject = self._hasher.subject_hash(tenant_id, end_user_id) if end_user_id else b""
        if not request_id:
            return Ticket(tenant_id, None, b"", subject)
        call = CALL.get()
        given, request.request_id = request.request_id, ""
        body = request.SerializeToString(deterministic=True)
        request.request_id = given
        return Ticket(
            tenant_id,
            self._hasher.request_hash(tenant_id, call.caller.key_id, call.rpc, request_id),
            await self._body_hash(body),
            subject,
        )

    async def _body_hash(self, body: bytes) -> bytes:
        if len(body) <= HASH_INLINE_BYTES_MAX:
            return self._hasher.body_hash(body)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._hashing, self._hasher.body_hash, body)

    async def page(
        self,
        check: Check,
        request: Paged,
        scope: Sequence[str],
        listing: Listing[Row],
        fetch: Callable[[PageRequest], Awaitable[Sequence[Row]]],
        convert: Callable[[Row], Reply],
    ) -> tuple[list[Reply], str]:
        """One page and the token of the next; raises what `check` found.

        `scope` are the resolved ids (tenant, person) that the request may have left empty: a token is bound to them too.
        """
        size = page_size(check, request.page_size)
        check.raise_any()
        given = request.page_size, request.page_token
        request.page_size, request.page_token = 0, ""
        filters = request.SerializeToString(deterministic=True)
        request.page_size, request.page_token = given
        bound = b"".join(len(part.encode()).to_bytes(4, "big") + part.encode() for part in scope)
        cursor = Cursor(listing, bound + filters, self._hasher.body_hash)
        return await page(cursor, given[1], size, fetch, convert)


class AtDesk:
    """A servicer: it has the desk, and behind it the commands."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @property
    def _do(self) -> Commands:
        return self._desk.commands
