"""Where a client connects to, and how: address, TLS, API key."""

import ipaddress
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import grpc

DEFAULT_TARGET = "127.0.0.1:50051"
# gRPC waits 1 s, then up to 120 s, before it dials again, and fails every call meanwhile: longer than all
# our attempts. These keep a restarted server reachable for the attempt after next.
RECONNECT_FIRST_MS = 100
RECONNECT_MAX_MS = 2_000
# A watch may be silent for hours; a ping finds a dead peer. Servers take pings more often than every 5
# minutes for an attack.
KEEPALIVE_MS = 330_000


@dataclass(frozen=True, slots=True)
class Connection:
    """An address with what is needed to speak to it. `credentials` None = plaintext."""

    target: str
    options: Sequence[tuple[str, int]]
    metadata: tuple[tuple[str, str], ...] = field(repr=False)
    credentials: "grpc.ChannelCredentials | None" = field(repr=False)


def connection(
    target: str | None,
    api_key: str | None,
    plaintext: bool | None,
    credentials: "grpc.ChannelCredentials | None",
) -> Connection:
    """Settle arguments and the environment. ValueError for what cannot be meant."""
    address = target or os.environ.get("RAPPORT_TARGET", "").strip() or DEFAULT_TARGET
    if plaintext and credentials is not None:
        raise ValueError("plaintext and credentials exclude each other")
    local = is_loopback(address)
    if credentials is None and not (local if plaintext is None else plaintext):
        import grpc

        credentials = grpc.ssl_channel_credentials()
    options = [
        ("grpc.initial_reconnect_backoff_ms", RECONNECT_FIRST_MS),
        ("grpc.max_reconnect_backoff_ms", RECONNECT_MAX_MS),
        ("grpc.keepalive_time_ms", KEEPALIVE_MS),
        # Two clients of one process must not share, and close, one connection.
        ("grpc.use_local_subchannel_pool", 1),
    ]
    if local:
        # A proxy from the environment cannot reach this machine's loopback.
        options.append(("grpc.enable_http_proxy", 0))
    return Connection(address, options, _authorization(api_key), credentials)


def is_loopback(target: str) -> bool:
    """Whether an address stays on this machine: localhost, 127.0.0.0/8, ::1, a Unix socket."""
    if target.startswith(("unix:", "unix-abstract:")):
        return True
    authority = target.rsplit("/", 1)[-1] if ":///" in target else target
    host = authority.removeprefix("ipv4:").removeprefix("ipv6:").removeprefix("dns:")
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _authorization(api_key: str | None) -> tuple[tuple[str, str], ...]:
    """The header of a key; the environment's when none is given, nothing for an empty one."""
    key = (os.environ.get("RAPPORT_API_KEY", "") if api_key is None else api_key).strip()
    if not key:
        return ()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ValueError("the API key holds characters that no key has")
    return (("authorization", f"Bearer {key}"),)
