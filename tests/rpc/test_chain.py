"""The chain around every call: ids, time, room, log, figures, drain."""

import asyncio
import json
import logging
import re
import time
from collections.abc import Callable
from typing import Any

import grpc.aio
import pytest
import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from rapport_server.config import Address
from rapport_server.obs import logs
from rapport_server.obs.metrics import Metrics
from rapport_server.rpc.interceptors import deadline
from rapport_server.rpc.interceptors.admission import AdmissionInterceptor
from rapport_server.rpc.server import SERVICES, RpcServer
from rapport_server.startup import StartupError
from tests.fix_server import HASHER, Script, key_of
from tests.rpc.wire import Refusal, ask, refused, request_of, send, until

VERIFY = request_of("VerifyProcessing", end_user_id="maya", source_ids=["a"])
WATCH = request_of("WatchProcessing", end_user_id="maya", source_ids=["a"])
STREAM = request_of("ProcessStream", end_user_id="maya", message="Hello.", generate_reply=True)
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


async def health_of(channel: grpc.aio.Channel, service: str) -> Any:
    stub = health_pb2_grpc.HealthStub(channel)
    return (await stub.Check(health_pb2.HealthCheckRequest(service=service))).status


@pytest.mark.parametrize(
    ("given", "kept"),
    [("abc-1.2:3", True), ("a" * 128, True), ("a" * 129, False), ("a b", False), ("", False)],
)
async def test_a_sane_request_id_of_the_caller_is_kept(
    given: str, kept: bool, script: Script, grpc_channel: grpc.aio.Channel
):
    script.answers["processing.verify"] = []
    call = send(
        grpc_channel, "VerifyProcessing", VERIFY, (*key_of("WRITER"), ("x-request-id", given))
    )
    await call
    answered = dict(await call.trailing_metadata())["x-request-id"]
    assert (answered == given) is kept
    assert re.fullmatch(r"[A-Za-z0-9._:-]{1,128}", answered)


async def test_a_late_call_ends_with_details_before_the_caller_gives_up(
    script: Script, grpc_channel: grpc.aio.Channel
):
    script.answers["processing.verify"] = lambda *_: asyncio.sleep(30)
    started = time.monotonic()
    refusal = await refused(grpc_channel, "VerifyProcessing", VERIFY, timeout=0.4)
    assert (refusal.code, refusal.info.reason) == ("DEADLINE_EXCEEDED", "DEADLINE_EXCEEDED")
    assert time.monotonic() - started < 2


async def test_a_call_without_a_deadline_has_the_servers(
    script: Script, grpc_channel: grpc.aio.Channel, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(deadline, "UNARY_S", 0.2)
    script.answers["processing.verify"] = lambda *_: asyncio.sleep(30)
    refusal = await refused(grpc_channel, "VerifyProcessing", VERIFY)
    assert refusal.code == "DEADLINE_EXCEEDED"


async def test_a_late_stream_ends_with_details(script: Script, grpc_channel: grpc.aio.Channel):
    async def watch():
        await asyncio.sleep(30)
        yield

    script.answers["processing.watch"] = watch()
    refusal = await refused(grpc_channel, "WatchProcessing", WATCH, timeout=0.4)
    assert refusal.info.reason == "DEADLINE_EXCEEDED"


async def test_a_caller_that_leaves_cancels_the_work(
    script: Script, grpc_channel: grpc.aio.Channel, rpc_metrics: Metrics
):
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def work(*_: Any) -> None:
        begun.set()
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    script.answers["processing.verify"] = work
    call = send(grpc_channel, "VerifyProcessing", VERIFY)
    async with asyncio.timeout(5):
        await begun.wait()
        call.cancel()
        await cancelled.wait()
        labels = {"rpc": "VerifyProcessing", "code": "CANCELLED"}
        count = rpc_metrics.registry.get_sample_value
        await until(lambda: count("rapport_rpc_seconds_count", labels))


async def test_until_it_is_open_the_server_is_unavailable(
    make_server: Callable[..., RpcServer], commands: Any, script: Script
):
    script.answers["processing.verify"] = []
    server = make_server()
    address = await server.start()
    async with grpc.aio.insecure_channel(str(address)) as channel:
        for service in ("", *SERVICES):
            assert await health_of(channel, service) == NOT_SERVING
        refusal = await refused(channel, "VerifyProcessing", VERIFY)
        assert (refusal.code, refusal.info.reason) == ("UNAVAILABLE", "UNAVAILABLE")
        assert refusal.retry_s
        server.open(commands, HASHER)
        await ask(channel, "VerifyProcessing", VERIFY)
        for service in ("", *SERVICES):
            assert await health_of(channel, service) == SERVING
    await server.stop(0.1)


async def test_too_many_calls_are_refused_with_the_limit(
    make_server: Callable[..., RpcServer], commands: Any, script: Script
):
    gate = asyncio.Event()
    script.answers["processing.verify"] = lambda *_: gate.wait()
    server = make_server()
    address = await server.start()
    server.open(commands, HASHER)
    server._admission._calls_max = 2
    async with grpc.aio.insecure_channel(str(address)) as channel:
        running = [asyncio.ensure_future(_settled(channel)) for _ in range(2)]
        await until(lambda: len(script.calls) == 2)
        refusal = await refused(channel, "VerifyProcessing", VERIFY)
        assert (refusal.code, refusal.info.reason) == ("RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED")
        assert dict(refusal.info.metadata) == {"limit": "calls", "max": "2"}
        assert refusal.retry_s
        script.answers["processing.verify"] = []
        gate.set()
        await asyncio.gather(*running)
        await ask(channel, "VerifyProcessing", VERIFY)
    await server.stop(0.1)
    assert isinstance(server._admission, AdmissionInterceptor)


async def _settled(channel: grpc.aio.Channel) -> None:
    try:
        await ask(channel, "VerifyProcessing", VERIFY)
    except grpc.aio.AioRpcError:
        return


async def test_a_drain_lets_calls_and_replies_end_and_ends_watchers_at_once(
    make_server: Callable[..., RpcServer], commands: Any, script: Script
):
    watching, gate = asyncio.Event(), asyncio.Event()

    async def watch():
        watching.set()
        await asyncio.sleep(60)
        yield

    async def verify(*_: Any) -> list[Any]:
        await gate.wait()
        return []

    async def reply():
        yield "I am "
        await gate.wait()
        yield "here."

    script.answers["processing.watch"] = watch()
    script.answers["processing.verify"] = verify
    script.answers["reply.stream"] = reply()
    server = make_server()
    address = await server.start()
    server.open(commands, HASHER)
    async with grpc.aio.insecure_channel(str(address)) as channel:
        stream = asyncio.ensure_future(_refusal(channel, "WatchProcessing", WATCH))
        call = asyncio.ensure_future(ask(channel, "VerifyProcessing", VERIFY))
        await watching.wait()
        reading = send(channel, "ProcessStream", STREAM)
        assert (await reading.read()).reply_delta == "I am "
        await until(lambda: len(script.calls) == 3)
        started = time.monotonic()
        stopping = asyncio.ensure_future(server.stop(5))
        refusal = await stream
        assert (refusal.code, refusal.info.reason) == ("UNAVAILABLE", "UNAVAILABLE")
        assert refusal.retry_s
        assert time.monotonic() - started < 2
        gate.set()
        assert (await call).statuses == []
        assert (await reading.read()).reply_delta == "here."
        await stopping
        await server.stop(5)


async def test_a_drain_cuts_off_what_does_not_end(
    make_server: Callable[..., RpcServer], commands: Any, script: Script
):
    script.answers["processing.verify"] = lambda *_: asyncio.sleep(60)
    server = make_server()
    address = await server.start()
    server.open(commands, HASHER)
    async with grpc.aio.insecure_channel(str(address)) as channel:
        call = asyncio.ensure_future(_refusal(channel, "VerifyProcessing", VERIFY))
        await until(lambda: script.calls)
        started = time.monotonic()
        await server.stop(1)
        assert time.monotonic() - started < 2
        refusal = await call
        assert (refusal.code, refusal.info.reason) == ("UNAVAILABLE", "UNAVAILABLE")


async def _refusal(channel: grpc.aio.Channel, rpc: str, request: Any) -> Refusal:
    return await refused(channel, rpc, request)


async def test_a_second_server_on_the_port_says_so(
    make_server: Callable[..., RpcServer], grpc_server: tuple[RpcServer, Address]
):
    second = make_server(listen=grpc_server[1])
    with pytest.raises(StartupError, match="--listen"):
        await second.start()
    await second.stop(0)


async def test_reflection_lists_the_services_without_a_key(grpc_channel: grpc.aio.Channel):
    stub = reflection_pb2_grpc.ServerReflectionStub(grpc_channel)
    request = reflection_pb2.ServerReflectionRequest(list_services="")
    replies = [reply async for reply in stub.ServerReflectionInfo(iter([request]))]
    names = {service.name for service in replies[0].list_services_response.service}
    assert names >= {*SERVICES, "grpc.health.v1.Health"}


async def test_the_log_has_one_line_per_call_and_no_person_or_text(
    script: Script, make_server: Callable[..., RpcServer], commands: Any, tmp_path
):
    root = logging.getLogger()
    before = root.handlers[:], root.level
    path = tmp_path / "log"
    with path.open("w") as stream:
        logs.configure("json", "info", stream)
        try:
            server = make_server()
            address = await server.start()
            server.open(commands, HASHER)
            script.answers["processing.verify"] = []
            script.answers["recall"] = RuntimeError("a distinctive sentence")
            async with grpc.aio.insecure_channel(str(address)) as channel:
                secret = request_of("VerifyProcessing", end_user_id="maya-secret", source_ids=["x"])
                await ask(channel, "VerifyProcessing", secret)
                recall = request_of(
                    "Recall", end_user_id="maya-secret", query="a distinctive sentence"
                )
                await refused(
                    channel, "Recall", recall, (*key_of("WRITER"), ("x-request-id", "r1"))
                )
            await server.stop(0.1)
        finally:
            root.handlers[:], level = before
            root.setLevel(level)
            structlog.reset_defaults()
    text = path.read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    ok, failed = (line for line in lines if line["event"] == "call")
    assert (ok["rpc"], ok["code"], ok["tenant_id"]) == ("VerifyProcessing", "OK", "clinic")
    assert ok["key_id"] == "key-WRITER"
    assert ok["ms"] >= 0
    assert (failed["code"], failed["reason"], failed["request_id"]) == (
        "INTERNAL",
        "INTERNAL",
        "r1",
    )
    (fault,) = (line for line in lines if line["event"] == "fault")
    assert fault["request_id"] == "r1"
    assert "RuntimeError" in fault["error"]
    assert "maya-secret" not in text
    assert "a distinctive sentence" not in text


async def test_calls_are_counted_by_rpc_and_code(
    script: Script, grpc_channel: grpc.aio.Channel, rpc_metrics: Metrics
):
    script.answers["processing.verify"] = []
    await ask(grpc_channel, "VerifyProcessing", VERIFY)
    await refused(grpc_channel, "VerifyProcessing", request_of("VerifyProcessing"))
    for code in ("OK", "INVALID_ARGUMENT"):
        labels = {"rpc": "VerifyProcessing", "code": code}
        assert rpc_metrics.registry.get_sample_value("rapport_rpc_seconds_count", labels) == 1
    assert rpc_metrics.registry.get_sample_value("rapport_rpc_in_flight") == 0
