"""The composition root: builds every room, starts them in order and ends them in the other."""

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from rapport_server.analysis import LocalAnalysis
from rapport_server.commands.add_memory import AddMemory
from rapport_server.commands.api_keys import ApiKeys
from rapport_server.commands.attach_reply import AttachReply
from rapport_server.commands.authenticate import Authenticate
from rapport_server.commands.bells import Bells
from rapport_server.commands.bundle import Commands
from rapport_server.commands.change import Change
from rapport_server.commands.delete_memory import DeleteMemory
from rapport_server.commands.delete_tenant import DeleteTenant
from rapport_server.commands.erase import Erase
from rapport_server.commands.first_start import (
    FirstKeys,
    bind_model,
    bind_secrets,
    make_first_keys,
)
from rapport_server.commands.gate import PersonGate
from rapport_server.commands.person_relations import PersonRelations
from rapport_server.commands.process import Process
from rapport_server.commands.processing import Processing
from rapport_server.commands.reads import AuditReads, Reads
from rapport_server.commands.recall import Recall
from rapport_server.commands.record_event import RecordEvent
from rapport_server.commands.reply import Reply
from rapport_server.commands.run_sweep import RunSweep
from rapport_server.commands.search import Searcher
from rapport_server.commands.set_assignments import SetAssignments
from rapport_server.commands.tenant_directory import TenantDirectory
from rapport_server.commands.tenants import Tenants
from rapport_server.commands.triggers import Triggers
from rapport_server.commands.update_memory import UpdateMemory
from rapport_server.commands.watch_end_user import WatchEndUser
from rapport_server.config import Address, Config
from rapport_server.domain.ports import Analyser, LanguageModel, StepObserver
from rapport_server.embedded import DataDir, EmbeddedPostgres
from rapport_server.embedding import BatchingEncoder, Runtime, load_encoder
from rapport_server.errors import Unavailable
from rapport_server.inference import LocalMentions
from rapport_server.ingest.reader import MemoryReader
from rapport_server.ingest.retention import Retention
from rapport_server.ingest.sweep import Sweep
from rapport_server.ingest.worker import IngestWorker
from rapport_server.load_thread import LoadThread
from rapport_server.obs.metrics import Metrics
from rapport_server.privacy.process_id import process_id
from rapport_server.privacy.replica import Replica
from rapport_server.privacy.secrets import Secrets
from rapport_server.privacy.vacuum import Vacuum
from rapport_server.rpc.server import RpcServer
from rapport_server.startup import StartupError
from rapport_server.store.conninfo import Conninfo
from rapport_server.store.database import PostgresDatabase
from rapport_server.store.feed import PostgresFeed
from rapport_server.store.migrate import migrate
from rapport_server.store.role import ensure_app_role
from rapport_server.vectors import ShardCatalog, ShardLimits

if TYPE_CHECKING:
    from rapport_server.llm import Endpoint

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Running:
    """A server that serves: where, and how to know that it must end."""

    address: Address
    metrics_address: Address
    failure: "asyncio.Future[str]"


class Stopped(Exception):
    """The server was told to end before it served."""


async def serve(
    config: Config,
    show_keys: Callable[[FirstKeys], None],
    ready: Callable[[Running], None],
) -> int:
    """Run until SIGTERM or SIGINT; the process' exit code."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    try:
        async with running(config, show_keys, stop) as server:
            ready(server)
            stopped = asyncio.create_task(stop.wait())
            await asyncio.wait((stopped, server.failure), return_when=asyncio.FIRST_COMPLETED)
            stopped.cancel()
            if server.failure.done():
                log.critical(
                    "the server ends because a part of it failed", part=server.failure.result()
                )
                return 1
            log.info("draining")
    except Stopped:
        log.info("stopped before it served")
        return 0
    log.info("stopped")
    return 0


@asynccontextmanager
async def running(
    config: Config, show_keys: Callable[[FirstKeys], None], stop: asyncio.Event
) -> AsyncIterator[Running]:
    """A serving server; leaving the context drains and ends it.

    Raises StartupError when it cannot start, Stopped when `stop` is set before the model is loaded. In both cases the load
    may go on after everything else has ended.
    """
    started = time.perf_counter()
    async with AsyncExitStack() as stack:
        stack.enter_context(DataDir.open(config.data_dir))
        # Ports first: if one is taken, nothing has been made yet.
        metrics = Metrics()
        metrics_address = metrics.serve(config.metrics_listen)
        stack.callback(metrics.close)
        server = RpcServer(config, metrics)
        address = await server.start()
        stack.push_async_callback(server.stop, config.drain_seconds)
        if not address.is_loopback:
            log.warning(
                "keys and texts travel readable to other machines: put a TLS proxy in front",
                listen=str(address),
            )
        log.info("loading the embedding model", model=config.embedding_model or "packaged")
        loading = LoadThread(lambda: load_encoder(config.embedding_model, config.model_cache_dir))
        loading.start()
        failure: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        conninfo = await _database(config, stack, failure)
        await migrate(conninfo.owner)
        database = PostgresDatabase(
            conninfo.app, conninfo.owner, size=config.database_connections_max
        )
        await stack.enter_async_context(database)
        secrets = await _secrets(config, database)
        await make_first_keys(database, secrets.secret_hash, show_keys)

        runtime = await _runtime(loading, stop)
        encoder = BatchingEncoder(runtime, observer=metrics.embedding)
        stack.push_async_callback(encoder.close)
        await bind_model(database, encoder)
        analysis = LocalAnalysis.load(encoder.fingerprint, encoder.inner_dimension)
        stack.callback(analysis.close)
        if not analysis.is_on:
            log.warning(
                "local analysis is off: its heads belong to another embedding model",
                model=encoder.model_name,
            )
        analyser: Analyser = analysis
        model = None
        if (made := await asyncio.to_thread(_language_model, config, analysis)) is not None:
            model, analyser = made
            stack.push_async_callback(model.close)
        feed = PostgresFeed(database, encoder.dimension)
        shards_dir = config.data_dir / "shards"
        index = ShardCatalog(
            shards_dir,
            feed,
            encoder.dimension,
            encoder.fingerprint,
            ShardLimits(
                open_bytes_max=config.shard_bytes_open_max,
                snapshot_every_s=config.snapshot_seconds,
            ),
        )
        stack.push_async_callback(index.close)
        async with database.session() as session:
            await index.forget_others(await session.shards.keys())
        replica = Replica(database, index, feed, process_id(shards_dir))
        try:
            await replica.join()
        except Unavailable as error:
            raise StartupError(
                f"erased people may still be in {shards_dir}, which cannot be rewritten: make it writable, or delete it, "
                "it is only a cache"
            ) from error
        vacuum = Vacuum(database)
        worker = IngestWorker(database, encoder, secrets, metrics.ingest)
        bells = Bells()
        retention = Retention(database, secrets, index, feed)
        commands = wire(
            config,
            database,
            encoder,
            analyser,
            index,
            secrets,
            replica,
            vacuum,
            worker,
            bells,
            retention,
            metrics,
            model,
        )
        metrics.watch(index, database)
        background = _Background(failure)
        stack.push_async_callback(background.stop)
        background.run("ingest", worker.run())
        reader = MemoryReader(
            database,
            encoder,
            analysis if analysis.is_on else None,
            LocalMentions(),
            secrets,
            metrics.ingest,
        )
        background.run("reading", reader.run())
        background.run("sweep", Sweep(database, retention).run())
        background.run("erasures", replica.run())
        background.run("vacuum", vacuum.run())
        background.run("announcements", database.announce())
        background.run("notifications", _listen(database, commands, replica, bells))
        background.run("metrics", metrics.run())
        stack.push_async_callback(worker.stop)
        stack.callback(background.let_end)
        # Draining comes first of all, while everything that the running calls need is still there.
        stack.push_async_callback(server.stop, config.drain_seconds)
        server.open(commands, secrets)
        background.run_once("tenant deletions", commands.delete_tenant.resume())
        log.info("serving", listen=str(address), seconds=round(time.perf_counter() - started, 1))
        yield Running(address, metrics_address, failure)


def wire(
    config: Config,
    database: PostgresDatabase,
    encoder: BatchingEncoder,
    analyser: Analyser,
    index: ShardCatalog,
    secrets: Secrets,
    replica: Replica,
    vacuum: Vacuum,
    worker: IngestWorker,
    bells: Bells,
    retention: Retention,
    steps: StepObserver,
    model: LanguageModel | None,
) -> Commands:
    """Give every command what it needs."""
    searcher = Searcher(database, index)
    gate = PersonGate()
    change = Change(database, gate)
    directory = TenantDirectory(database)
    authenticate = Authenticate(database, secrets.secret_hash)
    erase = Erase(database, secrets, secrets, replica, vacuum.request)
    process = Process(database, encoder, analyser, searcher, gate, steps, config.context_tokens_max)
    return Commands(
        process=process,
        reply=Reply(database, process, model, steps),
        attach_reply=AttachReply(change),
        add_memory=AddMemory(database, worker),
        processing=Processing(database, change, worker),
        recall=Recall(encoder, searcher),
        update_memory=UpdateMemory(change, worker),
        delete_memory=DeleteMemory(change),
        watch_end_user=WatchEndUser(database, secrets, bells, authenticate, directory),
        reads=Reads(database, secrets),
        record_event=RecordEvent(change),
        person_relations=PersonRelations(database, change),
        triggers=Triggers(database, change),
        set_assignments=SetAssignments(change),
        erase=erase,
        tenants=Tenants(database, directory),
        delete_tenant=DeleteTenant(
            database, index, secrets, erase, replica, directory, authenticate, vacuum.request
        ),
        api_keys=ApiKeys(database, secrets.secret_hash, authenticate),
        audit=AuditReads(database, secrets),
        authenticate=authenticate,
        tenant_directory=directory,
        run_sweep=RunSweep(database, retention),
    )


async def _database(
    config: Config, stack: AsyncExitStack, failure: "asyncio.Future[str]"
) -> Conninfo:
    if config.database_url:
        conninfo = Conninfo.from_url(config.database_url)
        await ensure_app_role(conninfo.owner)
        return conninfo
    log.info("starting Postgres", data_dir=str(config.data_dir))
    postgres = EmbeddedPostgres(config.data_dir, bin_dir=config.pg_bin)
    await stack.enter_async_context(postgres)
    watching = asyncio.create_task(_postgres_failed(postgres, failure), name="postgres-failure")
    stack.push_async_callback(_settled, watching)
    return postgres.conninfo


async def _postgres_failed(postgres: EmbeddedPostgres, failure: "asyncio.Future[str]") -> None:
    error = await postgres.failure()
    if not failure.done():
        failure.set_result(str(error))


async def _secrets(config: Config, database: PostgresDatabase) -> Secrets:
    """Those of the database; made only while it has none."""
    async with database.session() as session:
        known = (await session.installation.get()).secrets_fingerprint
    secrets = Secrets.load(config.secrets_dir) if known else Secrets.create(config.secrets_dir)
    await bind_secrets(database, secrets.fingerprint)
    return secrets


async def _runtime(loading: LoadThread[Runtime], stop: asyncio.Event) -> Runtime:
    loaded, stopped = asyncio.create_task(loading.loaded()), asyncio.create_task(stop.wait())
    await asyncio.wait((loaded, stopped), return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    if not loaded.done():
        loaded.cancel()
        raise Stopped
    return loaded.result()


def _language_model(config: Config, local: Analyser) -> "tuple[Endpoint, Analyser] | None":
    """The configured endpoint, and who reads messages then; a second or two of importing."""
    if config.llm_base_url is None or config.llm_model is None:
        return None
    from rapport_server.llm import Endpoint, LlmAnalysis

    endpoint = Endpoint(
        config.llm_base_url,
        config.llm_model,
        config.llm_api_key,
        timeout_s=config.llm_timeout_seconds,
        reply_tokens_max=config.llm_reply_tokens_max,
        concurrency_max=config.llm_concurrency_max,
    )
    return endpoint, LlmAnalysis(endpoint, local) if config.llm_analysis else local


async def _listen(
    database: PostgresDatabase, commands: Commands, replica: Replica, bells: Bells
) -> None:
    """News of all processes: revoked keys, changed tenants, changed and erased people."""
    async for news in database.listen():
        match news:
            case {"kind": "key", "key_id": str(key_id)}:
                commands.authenticate.forget(key_id)
                bells.ring_all()
            case {"kind": "tenant", "tenant_id": str(tenant_id)}:
                commands.tenant_directory.forget(tenant_id)
                commands.authenticate.forget_tenant(tenant_id)
                bells.ring_all()
            case {"kind": "people", "subjects": list(subjects)}:
                bells.ring(map(bytes.fromhex, subjects))
            case {"kind": "erasure"}:
                replica.notice()
            case {"kind": "listening"}:
                # Whatever came while nobody listened was missed.
                commands.authenticate.forget_all()
                commands.tenant_directory.forget_all()
                replica.notice()
                bells.ring_all()


async def _settled(task: "asyncio.Task[object]") -> None:
    """End a task that nobody waits for any more."""
    task.cancel()
    await asyncio.wait([task])


def _note_failure(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("a background task failed", task=task.get_name(), exc_info=error)


class _Background:
    """The tasks beside the calls. One that ends by itself ends the server: nothing runs on half dead."""

    def __init__(self, failure: "asyncio.Future[str]") -> None:
        self._failure = failure
        self._tasks: list[asyncio.Task[None]] = []

    def run(self, name: str, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work, name=name)
        task.add_done_callback(self._ended)
        self._tasks.append(task)

    def run_once(self, name: str, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work, name=name)
        task.add_done_callback(_note_failure)
        self._tasks.append(task)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        if task.cancelled() or self._failure.done():
            return
        log.error("a background task ended", task=task.get_name(), exc_info=task.exception())
        self._failure.set_result(task.get_name())

    def let_end(self) -> None:
        """From now on a task may end by itself."""
        for task in self._tasks:
            task.remove_done_callback(self._ended)

    async def stop(self) -> None:
        self.let_end()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
