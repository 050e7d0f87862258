"""The gRPC server: options, the chain, the services, health, reflection, drain."""

import asyncio
from collections.abc import Sequence
from typing import Any, Protocol

import grpc
import grpc.aio
import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import SERVICE_NAME as HEALTH_NAME
from grpc_health.v1.health import aio as health_aio
from grpc_reflection.v1alpha import reflection

from rapport.v1 import (
    audit_service_pb2,
    audit_service_pb2_grpc,
    knowledge_service_pb2,
    knowledge_service_pb2_grpc,
    memory_service_pb2,
    memory_service_pb2_grpc,
    relation_service_pb2,
    relation_service_pb2_grpc,
    tenant_service_pb2,
    tenant_service_pb2_grpc,
)
from rapport_server.commands.bundle import Commands
from rapport_server.config import Address
from rapport_server.domain.limits import REQUEST_BYTES_MAX
from rapport_server.domain.tenants import Caller
from rapport_server.rpc.chain import Chain
from rapport_server.rpc.desk import Desk, Hasher
from rapport_server.rpc.interceptors.admission import CALLS_MAX, AdmissionInterceptor
from rapport_server.rpc.interceptors.authentication import AuthenticationInterceptor
from rapport_server.rpc.interceptors.codec import MessageCodec
from rapport_server.rpc.interceptors.deadline import DeadlineInterceptor
from rapport_server.rpc.interceptors.errors import ErrorsInterceptor
from rapport_server.rpc.interceptors.log import LogInterceptor
from rapport_server.rpc.interceptors.metrics import MetricsInterceptor
from rapport_server.rpc.interceptors.request_id import RequestIdInterceptor
from rapport_server.rpc.observer import RpcObserver
from rapport_server.rpc.servicers.audit import AuditRpcs
from rapport_server.rpc.servicers.knowledge import KnowledgeRpcs
from rapport_server.rpc.servicers.memory import MemoryRpcs
from rapport_server.rpc.servicers.relation import RelationRpcs
from rapport_server.rpc.servicers.tenant import TenantRpcs
from rapport_server.startup import StartupError

SERVICES = tuple(
    module.DESCRIPTOR.services_by_name[name].full_name
    for module, name in (
        (memory_service_pb2, "MemoryService"),
        (relation_service_pb2, "RelationService"),
        (knowledge_service_pb2, "KnowledgeService"),
        (tenant_service_pb2, "TenantService"),
        (audit_service_pb2, "AuditService"),
    )
)
# Replies stop at 3 MiB; what grpc itself adds stays far below the 4 MiB that clients accept by default.
SEND_BYTES_MAX = 4 * 1024 * 1024
# The admission refuses earlier and says why; this only stops a flood of health checks.
RPCS_MAX = 2 * CALLS_MAX
# Drain: calls end this much before the server is closed, so that their status still goes out.
FLUSH_S = 0.5

OPTIONS: Sequence[tuple[str, int]] = (
    ("grpc.max_receive_message_length", REQUEST_BYTES_MAX),
    ("grpc.max_send_message_length", SEND_BYTES_MAX),
    # A second server on the port must fail and say so, not share it silently.
    ("grpc.so_reuseport", 0),
    # A flood must meet the admission, which says why; core alone would cancel without a word.
    ("grpc.server.max_pending_requests", 2 * RPCS_MAX),
    ("grpc.server.max_pending_requests_hard_limit", 4 * RPCS_MAX),
    ("grpc.server_max_unrequested_time_in_server", 120),
    # Notice a dead peer within minutes, and let SDKs ping every 10 s while a stream is quiet.
    ("grpc.keepalive_time_ms", 120_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
)


class ServerConfig(Protocol):
    """What of the configuration concerns this room."""

    @property
    def listen(self) -> Address:
        """Where to listen."""
        ...

    @property
    def insecure(self) -> bool:
        """Whether to serve without credentials."""
        ...


class RpcServer:
    """Listens from `start`, serves from `open`, drains at `stop`."""

    def __init__(self, config: ServerConfig, observer: RpcObserver) -> None:
        self._config = config
        self._desk = Desk(observer)
        self._admission = AdmissionInterceptor()
        self._deadline = DeadlineInterceptor()
        self._health = health_aio.HealthServicer()
        self._telling: asyncio.Future[None] | None = None
        self._stopped: asyncio.Future[None] | None = None
        authenticate = None if config.insecure else self._authenticate
        log = structlog.get_logger(__name__)
        interceptors = (
            RequestIdInterceptor(),
            LogInterceptor(log),
            MetricsInterceptor(observer),
            ErrorsInterceptor(log),
            self._deadline,
            self._admission,
            AuthenticationInterceptor(authenticate),
        )
        self._chain = Chain(interceptors, MessageCodec())
        self._server = grpc.aio.server(
            interceptors=(self._chain,),
            options=OPTIONS,
            maximum_concurrent_rpcs=RPCS_MAX,
        )
        self._add_services()

    async def start(self) -> Address:
        """Listen; the address with the port that was chosen. Raises StartupError when the port is taken."""
        listen = self._config.listen
        try:
            port = self._server.add_insecure_port(str(listen))
        except RuntimeError as error:
            raise StartupError(
                f"cannot listen on {listen}: another process may have the port; choose another --listen (RAPPORT_LISTEN)"
            ) from error
        await self._tell(health_pb2.HealthCheckResponse.NOT_SERVING)
        await self._server.start()
        return Address(listen.host, port)

    def open(self, commands: Commands, hasher: Hasher) -> None:
        """Serve from now on."""
        self._desk.open(commands, hasher)
        self._admission.open = True
        self._telling = asyncio.ensure_future(self._tell(health_pb2.HealthCheckResponse.SERVING))

    async def stop(self, grace_s: float) -> None:
        """Refuse new calls, let those under way end within `grace_s` seconds, then close. Stopping twice is fine."""
        if self._stopped is None:
            self._stopped = asyncio.ensure_future(self._drain(grace_s))
        await asyncio.shield(self._stopped)

    async def _drain(self, grace_s: float) -> None:
        if self._telling is not None:
            await self._telling
        await self._health.enter_graceful_shutdown()
        self._deadline.drain(max(0.0, grace_s - FLUSH_S))
        await self._server.stop(grace_s)
        self._desk.close()

    async def _authenticate(self, header: str | None) -> Caller:
        return await self._desk.commands.authenticate(header)

    async def _tell(self, status: Any) -> None:
        for name in ("", *SERVICES):
            await self._health.set(name, status)

    def _add_services(self) -> None:
        server, desk = self._server, self._desk
        memory_service_pb2_grpc.add_MemoryServiceServicer_to_server(MemoryRpcs(desk), server)
        relation_service_pb2_grpc.add_RelationServiceServicer_to_server(RelationRpcs(desk), server)
        knowledge_service_pb2_grpc.add_KnowledgeServiceServicer_to_server(KnowledgeRpcs(), server)
        tenant_service_pb2_grpc.add_TenantServiceServicer_to_server(TenantRpcs(desk), server)
        audit_service_pb2_grpc.add_AuditServiceServicer_to_server(AuditRpcs(desk), server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        reflection.enable_server_reflection(
            (*SERVICES, HEALTH_NAME, reflection.SERVICE_NAME), server
        )
