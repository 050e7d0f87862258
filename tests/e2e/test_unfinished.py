"""What could not be finished is told as it is, and finished by itself or by the next server on the same data.

Whole servers, but in this process, on a database that is there and with an encoder that needs no loading, so that one starts
in an instant.
"""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from rapport import AsyncClient, AuditEventKind, RapportError
from rapport_server import app
from rapport_server.commands import erase
from rapport_server.config import Address, Config
from rapport_server.startup import StartupError
from rapport_server.vectors.folder import tenant_folder
from tests.e2e.scene import refused
from tests.fix_postgres import Database
from tests.ingest.encoders import ScriptedEncoder

FREE = Address("127.0.0.1", 0)
ERASED = AuditEventKind.AUDIT_EVENT_KIND_END_USER_ERASED
COMPLETED = AuditEventKind.AUDIT_EVENT_KIND_ERASURE_COMPLETED
DELETED = AuditEventKind.AUDIT_EVENT_KIND_TENANT_DELETED
PEOPLE = ("maya", "noor", "omar")

Serve = Callable[[], AbstractAsyncContextManager[str]]


class InstantEncoder(ScriptedEncoder):
    """Takes the place of the one that batches for a model."""

    def __init__(self, runtime: object, observer: object) -> None:
        super().__init__()

    async def close(self) -> None:
        pass


@pytest.fixture
def keys() -> list[Any]:
    """Those that the first start shows."""
    return []


@pytest.fixture
def serve(
    database: Database, tmp_path: Path, keys: list[Any], monkeypatch: pytest.MonkeyPatch
) -> Serve:
    """Starts the server, again and again on the same data, and gives its address."""
    monkeypatch.setattr(app, "load_encoder", lambda *_: None)
    monkeypatch.setattr(app, "BatchingEncoder", InstantEncoder)
    monkeypatch.setattr(erase, "REPLICAS_WAIT_S", 0.2)
    data_dir = tmp_path / "data"
    config = Config(
        data_dir,
        data_dir / "secrets",
        data_dir / "models",
        FREE,
        FREE,
        database_url=database.admin_dsn,
        drain_seconds=0.6,
    )

    @asynccontextmanager
    async def serve() -> AsyncIterator[str]:
        ready: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        running = asyncio.create_task(app.serve(config, keys.append, ready.set_result))
        await asyncio.wait([running, ready], return_when=asyncio.FIRST_COMPLETED)
        try:
            if ready.done():
                yield str(ready.result().address)
                signal.raise_signal(signal.SIGTERM)
            assert await running == 0
        finally:
            running.cancel()
            await asyncio.wait([running])

    return serve


@dataclass
class ShardFiles:
    """Those of the tenant, in `folder`."""

    folder: Path

    def block(self) -> None:
        """Nothing can be written in the folder from now on, nor removed: a file has its name."""
        self.folder.write_text("not a folder")

    def unblock(self) -> None:
        self.folder.unlink()

    def exist(self) -> bool:
        return self.folder.exists()

    def process_id(self) -> str:
        """That of the server to which the shards belong."""
        return (self.folder.parent / "process_id").read_text().strip()


@pytest.fixture
def shards(tmp_path: Path) -> ShardFiles:
    return ShardFiles(tmp_path / "data" / "shards" / tenant_folder("default"))


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(8):
        while not await condition():
            await asyncio.sleep(0.02)


async def remember(client: AsyncClient, end_user_id: str) -> None:
    answer = await client.add_memory(end_user_id, memories=["Kept."], wait=10)
    assert answer.success_count == 1
    assert await recalled(client, end_user_id) == ["Kept."]


async def recalled(client: AsyncClient, end_user_id: str) -> list[str]:
    return [hit.text for hit in (await client.recall(end_user_id, query="Kept.")).results]


async def erase_with_blocked_files(address: str, keys: Any, shards: ShardFiles) -> str:
    """Erase a person while their shard's files can be neither written nor removed; the id of the receipt."""
    shards.block()
    # The first answer counts: another attempt with the same request_id would be told the receipt in any case.
    async with AsyncClient(address, api_key=keys.writer, max_attempts=1) as client:
        for end_user_id in ("maya", "noor"):
            await remember(client, end_user_id)
        receipt = (await client.erase("maya")).receipt
        assert not receipt.verified
        assert list(receipt.replicas_pending) == [shards.process_id()]
        assert receipt.counts.memories == 1
        assert receipt.signature
        # Gone for everybody who asks, all the same, and nobody else is.
        assert await recalled(client, "maya") == []
        assert [memory async for memory in client.list_memories("maya")] == []
        assert await recalled(client, "noor") == ["Kept."]
    return str(receipt.receipt_id)


async def test_an_erase_that_cannot_rewrite_its_files_is_pending_until_it_can(
    serve: Serve, keys: list[Any], shards: ShardFiles
):
    async with serve() as address:
        receipt_id = await erase_with_blocked_files(address, keys[0], shards)
        shards.unblock()
        async with AsyncClient(address, api_key=keys[0].operator, tenant_id="default") as operator:

            async def verified() -> bool:
                answer = await operator.get_erasure_receipt(receipt_id=receipt_id)
                return bool(answer.receipt.verified) and not answer.receipt.replicas_pending

            await until(verified)
            events = [event.kind async for event in operator.list_audit_events()]
            assert (events.count(ERASED), events.count(COMPLETED)) == (1, 1)


async def test_a_server_whose_files_may_hold_an_erased_person_does_not_start(
    serve: Serve, keys: list[Any], shards: ShardFiles
):
    async with serve() as address:
        receipt_id = await erase_with_blocked_files(address, keys[0], shards)
    with pytest.raises(StartupError, match="erased people may still be in") as told:
        async with serve():
            raise AssertionError("it serves")
    assert f"{shards.folder.parent}," in str(told.value)
    shards.unblock()
    async with (
        serve() as address,
        AsyncClient(address, api_key=keys[0].operator, tenant_id="default") as operator,
    ):
        receipt = (await operator.get_erasure_receipt(receipt_id=receipt_id)).receipt
        assert receipt.verified
        assert not receipt.replicas_pending
        assert await recalled(operator, "noor") == ["Kept."]


async def break_off_a_deletion(
    address: str, keys: Any, database: Database
) -> "asyncio.Task[object]":
    """Delete the tenant, one person of which is held; the call, when the person before has gone."""

    async def delete() -> None:
        async with AsyncClient(address, api_key=keys.operator, max_attempts=1) as operator:
            with suppress(RapportError):
                await operator.delete_tenant("default")

    deletion = asyncio.create_task(delete())
    async with await psycopg.AsyncConnection.connect(database.admin_dsn, autocommit=True) as conn:

        async def one_is_gone() -> bool:
            rows = await conn.execute("SELECT end_user_id FROM rapport.end_user ORDER BY 1")
            return [name for (name,) in await rows.fetchall()] == list(PEOPLE[1:])

        await until(one_is_gone)
    return deletion


async def test_a_broken_off_deletion_of_a_tenant_is_finished_at_the_next_start(
    serve: Serve, keys: list[Any], shards: ShardFiles, database: Database
):
    async with await psycopg.AsyncConnection.connect(database.admin_dsn) as holder:
        async with serve() as address, AsyncClient(address, api_key=keys[0].writer) as client:
            for end_user_id in PEOPLE:
                await remember(client, end_user_id)
            await holder.execute(
                "SELECT 1 FROM rapport.end_user WHERE end_user_id = %s FOR UPDATE", (PEOPLE[1],)
            )
            deletion = await break_off_a_deletion(address, keys[0], database)
            await assert_closed(address, keys[0], client)
        await deletion
        await holder.rollback()
        rows = await holder.execute("SELECT tenant_id FROM rapport.tenant WHERE closing")
        assert await rows.fetchall() == [("default",)]
        await holder.rollback()

    async with (
        serve() as address,
        AsyncClient(address, api_key=keys[0].operator, tenant_id="default") as operator,
        AsyncClient(address, api_key=keys[0].writer, max_attempts=1) as client,
    ):

        async def kinds() -> list[Any]:
            return [event.kind async for event in operator.list_audit_events()]

        async def deleted() -> bool:
            return DELETED in (told := await kinds()) and told.count(COMPLETED) == len(PEOPLE)

        await until(deleted)
        assert (await kinds()).count(ERASED) == len(PEOPLE)
        assert (await operator.verify_audit_log()).ok
        assert not shards.exist()
        with refused("UNAUTHENTICATED"):
            await client.recall("maya", query="Kept.")
        await operator.create_tenant("default")
        assert [user async for user in operator.list_end_users()] == []


async def assert_closed(address: str, keys: Any, client: AsyncClient) -> None:
    """A tenant that is being deleted is as one that is not there, but its id is not free yet."""
    async with AsyncClient(address, api_key=keys.operator, tenant_id="default") as operator:
        for ask in (
            lambda: client.recall("noor", query="Kept."),
            lambda: client.add_memory("new", memories=["Too late."]),
            lambda: client.process("new", message="Too late."),
            lambda: operator.get_tenant(),
            lambda: operator.update_tenant(initial_trust=0.5),
            lambda: operator.create_api_key(role="WRITER"),
        ):
            with refused("NOT_FOUND"):
                await ask()
        with refused("ALREADY_EXISTS"):
            await operator.create_tenant("default")
        assert [tenant async for tenant in operator.list_tenants()] == []
