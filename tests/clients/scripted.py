"""A real gRPC server that answers every RPC of the contract by script and keeps what it was sent."""

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import grpc
import grpc.aio
from google.protobuf import any_pb2, duration_pb2
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2, status_pb2

from rapport.v1 import (
    audit_service_pb2,
    knowledge_service_pb2,
    memory_service_pb2,
    relation_service_pb2,
    tenant_service_pb2,
)

FILES = [
    memory_service_pb2,
    relation_service_pb2,
    knowledge_service_pb2,
    tenant_service_pb2,
    audit_service_pb2,
]
METHODS = {
    f"/{service.full_name}/{method.name}": method
    for file in FILES
    for service in file.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}


@dataclass
class Refusal:
    """An error as the server sends it."""

    code: grpc.StatusCode
    reason: str = ""
    message: str = "refused"
    violations: dict[str, str] = field(default_factory=dict)
    metadata: dict[str, str] = field(default_factory=dict)
    retry_after_s: float | None = None
    domain: str = "rapport"
    raw_details: bytes | None = None

    def details(self) -> bytes:
        status = status_pb2.Status(code=self.code.value[0], message=self.message)

        def add(detail: Message) -> None:
            packed = any_pb2.Any()
            packed.Pack(detail)
            status.details.append(packed)

        add(
            error_details_pb2.ErrorInfo(
                reason=self.reason or self.code.name, domain=self.domain, metadata=self.metadata
            )
        )
        if self.violations:
            bad = error_details_pb2.BadRequest()
            for name, description in self.violations.items():
                bad.field_violations.add(field=name, description=description)
            add(bad)
        if self.retry_after_s is not None:
            delay = duration_pb2.Duration()
            delay.FromNanoseconds(int(self.retry_after_s * 1e9))
            add(error_details_pb2.RetryInfo(retry_delay=delay))
        return status.SerializeToString()


@dataclass
class Seen:
    """One attempt that reached the server."""

    path: str
    requests: list[Any]
    metadata: dict[str, Any]
    deadline_s: float | None
    cancelled: bool = False

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[1]

    @property
    def request(self) -> Any:
        return self.requests[0]


Step = Message | Refusal | Callable[[], Awaitable[None]]


class ScriptedServer(grpc.GenericRpcHandler):
    """Takes the next script of an RPC for each attempt; without one it answers an empty message."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.port = 0
        self._scripts: dict[str, deque[tuple[Step, ...]]] = defaultdict(deque)
        self._server: grpc.aio.Server | None = None

    @property
    def target(self) -> str:
        return f"127.0.0.1:{self.port}"

    def script(self, name: str, *steps: Step) -> None:
        """What the next attempt of that RPC gets, in order; a callable is awaited in between."""
        self._scripts[name].append(steps)

    async def start(self, port: int = 0) -> None:
        self._server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
        self._server.add_generic_rpc_handlers((self,))
        self.port = self._server.add_insecure_port(f"127.0.0.1:{port}")
        await self._server.start()

    async def stop(self) -> None:
        if self._server is not None:
            await self._server.stop(None)

    def service(self, handler_call_details: Any) -> Any:
        path = handler_call_details.method
        method = METHODS.get(path)
        if method is None:
            return None
        make = {
            (False, False): grpc.unary_unary_rpc_method_handler,
            (False, True): grpc.unary_stream_rpc_method_handler,
            (True, False): grpc.stream_unary_rpc_method_handler,
        }[method.client_streaming, method.server_streaming]
        answer = self._many(path) if method.server_streaming else self._one(path)
        return make(
            answer,
            request_deserializer=GetMessageClass(method.input_type).FromString,
            response_serializer=GetMessageClass(method.output_type).SerializeToString,
        )

    def _one(self, path: str) -> Any:
        async def answer(request: Any, context: Any) -> Message:
            steps = [step async for step in self._steps(path, request, context)]
            empty = GetMessageClass(METHODS[path].output_type)()
            return steps[-1] if steps else empty

        return answer

    def _many(self, path: str) -> Any:
        async def answer(request: Any, context: Any) -> AsyncIterator[Message]:
            async for step in self._steps(path, request, context):
                yield step

        return answer

    async def _steps(self, path: str, request: Any, context: Any) -> AsyncIterator[Message]:
        left = context.time_remaining()
        seen = Seen(path, [], dict(context.invocation_metadata()), left)
        self.seen.append(seen)
        try:
            if METHODS[path].client_streaming:
                async for one in request:
                    seen.requests.append(one)
                # grpc.aio shows a cancelled upload as an ended one until the cancellation arrives.
                await asyncio.sleep(0.1)
            else:
                seen.requests.append(request)
            scripts = self._scripts[seen.name]
            for step in scripts.popleft() if scripts else ():
                if isinstance(step, Message):
                    yield step
                elif isinstance(step, Refusal):
                    await self._refuse(step, context)
                else:
                    await step()
        except asyncio.CancelledError:
            seen.cancelled = True
            raise

    async def _refuse(self, refusal: Refusal, context: Any) -> None:
        details = refusal.details() if refusal.raw_details is None else refusal.raw_details
        trailing = (("x-request-id", "srv-17"), ("grpc-status-details-bin", details))
        await context.abort(refusal.code, refusal.message, trailing)
