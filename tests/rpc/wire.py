"""Calling any RPC by name, and reading the details of a refusal."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import grpc
import grpc.aio
import pytest
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from rapport.v1 import (
    audit_service_pb2,
    knowledge_service_pb2,
    memory_service_pb2,
    relation_service_pb2,
    tenant_service_pb2,
)
from tests.fix_server import key_of

MODULES = (
    memory_service_pb2,
    relation_service_pb2,
    knowledge_service_pb2,
    tenant_service_pb2,
    audit_service_pb2,
)
WRITER = key_of("WRITER")
METHODS: dict[str, MethodDescriptor] = {
    method.name: method
    for module in MODULES
    for service in module.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}


def path_of(method: MethodDescriptor) -> str:
    return f"/{method.containing_service.full_name}/{method.name}"


def request_of(rpc: str, **fields: Any) -> Message:
    return GetMessageClass(METHODS[rpc].input_type)(**fields)


def send(
    channel: grpc.aio.Channel,
    rpc: str,
    request: Any,
    metadata: Any = WRITER,
    **options: Any,
) -> Any:
    """Start a call of any kind; `request` is a message, raw bytes, or an iterator of them."""
    method = METHODS[rpc]
    kind = {
        (False, False): channel.unary_unary,
        (False, True): channel.unary_stream,
        (True, False): channel.stream_unary,
        (True, True): channel.stream_stream,
    }[method.client_streaming, method.server_streaming]
    call = kind(
        path_of(method),
        request_serializer=lambda m: m if isinstance(m, bytes) else m.SerializeToString(),
        response_deserializer=GetMessageClass(method.output_type).FromString,
    )
    if method.client_streaming and not isinstance(request, Iterator):
        request = iter([request])
    return call(request, metadata=metadata, **options)


async def ask(channel: grpc.aio.Channel, rpc: str, *arguments: Any, **options: Any) -> Any:
    """The answer, or a list of them for a stream."""
    call = send(channel, rpc, *arguments, **options)
    if METHODS[rpc].server_streaming:
        return [reply async for reply in call]
    return await call


@dataclass
class Refusal:
    """A status with its details unpacked."""

    code: str
    message: str
    request_id: str
    info: ErrorInfo
    violations: dict[str, str] = field(default_factory=dict)
    retry_s: float | None = None

    @classmethod
    def of(cls, error: grpc.aio.AioRpcError) -> "Refusal":
        trailing = dict(error.trailing_metadata() or ())
        status = Status.FromString(trailing["grpc-status-details-bin"])
        assert status.code == error.code().value[0]
        assert status.message == error.details()
        infos, violations, retry_s = [], {}, None
        for detail in status.details:
            if detail.Is(ErrorInfo.DESCRIPTOR):
                infos.append(ErrorInfo.FromString(detail.value))
            elif detail.Is(BadRequest.DESCRIPTOR):
                found = BadRequest.FromString(detail.value).field_violations
                violations = {entry.field: entry.description for entry in found}
            elif detail.Is(RetryInfo.DESCRIPTOR):
                retry_s = RetryInfo.FromString(detail.value).retry_delay.ToNanoseconds() / 1e9
        (info,) = infos
        assert info.domain == "rapport"
        return cls(
            error.code().name,
            error.details() or "",
            str(trailing["x-request-id"]),
            info,
            violations,
            retry_s,
        )


async def refused(channel: grpc.aio.Channel, rpc: str, *arguments: Any, **options: Any) -> Refusal:
    """The refusal of a call that must fail."""
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await ask(channel, rpc, *arguments, **options)
    return Refusal.of(raised.value)


async def until(condition: Callable[[], Any]) -> None:
    """Wait for what other tasks bring about."""
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.01)
