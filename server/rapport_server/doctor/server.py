"""A running server, seen from outside: health and metrics."""

import http.client
from dataclasses import replace
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from rapport_server.config import Address
from rapport_server.doctor.report import Report

_SECONDS_MAX = 3.0
_ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - an address to be asked, not to listen on


def check_health(address: Address, report: Report) -> bool:
    """Ask the health service; True when it serves."""
    if address.port == 0:
        report.warn(
            "grpc",
            "--listen has port 0",
            "give the port that the server printed: --listen HOST:PORT",
        )
        return False
    try:
        status = _health(address, "")
    except grpc.RpcError as error:
        code = error.code().name if isinstance(error, grpc.Call) else "UNKNOWN"
        report.warn(
            "grpc",
            f"a server holds the data directory, but none answers at {address} ({code})",
            "give the --listen it was started with; if it is, its log says more",
        )
        return False
    if status == health_pb2.HealthCheckResponse.SERVING:
        report.ok("grpc", f"serving at {address}")
        return True
    report.warn(
        "grpc",
        f"not serving yet, or not any more, at {address}",
        "wait until it has loaded its model or drained",
    )
    return False


def check_metrics(address: Address, report: Report) -> None:
    """Ask for /metrics."""
    if address.port == 0:
        report.ok("metrics", "at a free port, which the server printed; not asked")
        return
    try:
        ours = _serves_our_metrics(address)
    except (OSError, http.client.HTTPException) as error:
        report.warn(
            "metrics",
            f"nothing answers at {address} ({error})",
            "give the --metrics-listen it was started with",
        )
        return
    if ours:
        report.ok("metrics", f"http://{address}/metrics")
    else:
        report.warn(
            "metrics",
            f"something else answers at {address}",
            "give the --metrics-listen it was started with",
        )


def is_rapport(address: Address) -> bool:
    """Whether a Rapport server answers there, ready or not."""
    try:
        # Another program's health service does not know this name.
        _health(address, "rapport.v1.MemoryService")
    except grpc.RpcError:
        return False
    return True


def is_rapport_metrics(address: Address) -> bool:
    """Whether a Rapport server's metrics are there."""
    try:
        return _serves_our_metrics(address)
    except (OSError, http.client.HTTPException):
        return False


def _health(address: Address, service: str) -> int:
    """The status of a service. Raises grpc.RpcError."""
    options = [("grpc.enable_http_proxy", 0)]
    with grpc.insecure_channel(str(_reachable(address)), options) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        asked = health_pb2.HealthCheckRequest(service=service)
        status: int = stub.Check(asked, timeout=_SECONDS_MAX).status
        return status


def _serves_our_metrics(address: Address) -> bool:
    """Raises OSError or HTTPException when nothing that speaks HTTP answers."""
    at = _reachable(address)
    connection = http.client.HTTPConnection(at.host, at.port, timeout=_SECONDS_MAX)
    try:
        connection.request("GET", "/metrics")
        answer = connection.getresponse()
        return b"rapport_rpc_in_flight" in answer.read() and answer.status == http.client.OK
    finally:
        connection.close()


def _reachable(address: Address) -> Address:
    return replace(address, host=_ANYWHERE.get(address.host, address.host))
