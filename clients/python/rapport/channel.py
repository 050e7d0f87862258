"""Where a client connects to, and how: address, TLS, API key."""

import ipaddress
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rapport.errors import RapportError

if TYPE_CHECKING:
    import grpc

DEFAULT_TARGET = "127.0.0.1:50051"
# Addresses that gRPC resolves by a scheme; any other is HOST:PORT, [IPv6]:PORT.
_SCHEMES = ("unix:", "unix-abstract:", "vsock:", "dns:", "ipv4:", "ipv6:", "xds:")
_HOST_PORT = re.compile(r"(?:[^:/\s\[\]]+|\[[0-9A-Fa-f:.%\w]+\]):(\d{1,5})")
_PORT_MAX = 65_535
# What a bearer token is made of (RFC 6750).
_KEY = re.compile(r"[A-Za-z0-9._~+/=-]+")
# By what BoringSSL says. Both stay as they are until somebody changes a setting.
_TLS_HINTS = {
    "WRONG_VERSION_NUMBER": "the server may not speak TLS: give plaintext=True inside a trusted network, or "
    "credentials",
    "CERTIFICATE_VERIFY_FAILED": "the server's certificate is not trusted: give credentials with the authority "
    "that signed it",
}
# gRPC waits 1 s, then up to 120 s, before it dials again, and fails every call meanwhile. These keep a
# restarted server reachable for the attempt after next.
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

    def hint(self, error: RapportError) -> str:
        """What about this connection causes an error, whatever the call; empty when nothing does."""
        if error.code == "UNAUTHENTICATED" and not self.metadata:
            return "no API key: set RAPPORT_API_KEY or api_key="
        if error.code == "UNAVAILABLE" and self.credentials is not None:
            for fault, hint in _TLS_HINTS.items():
                if fault in error.message:
                    return hint
        return ""


def connection(
    target: str | None,
    api_key: str | None,
    plaintext: bool | None,
    credentials: "grpc.ChannelCredentials | None",
) -> Connection:
    """Settle arguments and the environment. ValueError for what cannot be meant."""
    address = target or os.environ.get("RAPPORT_TARGET", "").strip() or DEFAULT_TARGET
    _check_target(address)
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


def _check_target(target: str) -> None:
    if target.startswith(_SCHEMES):
        return
    found = _HOST_PORT.fullmatch(target)
    if found is None or not 0 < int(found[1]) <= _PORT_MAX:
        raise ValueError(f"target must be HOST:PORT, not {target!r}")


def _authorization(api_key: str | None) -> tuple[tuple[str, str], ...]:
    """The header of a key; the environment's when none is given, nothing for an empty one."""
    key = (os.environ.get("RAPPORT_API_KEY", "") if api_key is None else api_key).strip()
    if not key:
        return ()
    if _KEY.fullmatch(key) is None:
        name = "RAPPORT_API_KEY" if api_key is None else "api_key"
        raise ValueError(f"{name}: not an API key but a placeholder, or it was copied badly")
    return (("authorization", f"Bearer {key}"),)
