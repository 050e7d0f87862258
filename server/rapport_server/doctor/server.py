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
    target = str(_reachable(address))
    options = [("grpc.enable_http_proxy", 0)]
    try:
        with grpc.insecure_channel(target, options) as channel:
            stub: Any = health_pb2_grpc.HealthStub(channel)
            answer = stub.Check(health_pb2.HealthCheckRequest(), timeout=_SECONDS_MAX)
    except grpc.RpcError as error:
        code = error.code().name if isinstance(error, grpc.Call) else "UNKNOWN"
        report.warn(
            "grpc",
            f"a server holds the data directory, but none answers at {address} ({code})",
            "give the --listen it was started with; if it is, its log says more",
        )
        return False
    if answer.status == health_pb2.HealthCheckResponse.SERVING:
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
        report.warn(
            "metrics", "--metrics-listen has port 0", "give the port that the server printed"
        )
        return
    at = _reachable(address)
    connection = http.client.HTTPConnection(at.host, at.port, timeout=_SECONDS_MAX)
    try:
        connection.request("GET", "/metrics")
        answer = connection.getresponse()
        body = answer.read()
    except (OSError, http.client.HTTPException) as error:
        report.warn(
            "metrics",
            f"nothing answers at {address} ({error})",
            "give the --metrics-listen it was started with",
        )
        return
    finally:
        connection.close()
    if answer.status == http.client.OK and b"rapport_rpc_in_flight" in body:
        report.ok("metrics", f"http://{address}/metrics")
    else:
        report.warn(
            "metrics",
            f"something else answers at {address}",
            "give the --metrics-listen it was started with",
        )


def _reachable(address: Address) -> Address:
    return replace(address, host=_ANYWHERE.get(address.host, address.host))
