"""The machine's part: Python, packages, disk, ports."""

import errno
import shutil
import socket
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

from rapport_server.config import Address
from rapport_server.doctor.report import Report

PACKAGE = "rapport-memory"
PYTHON_MIN = (3, 11)
DISK_WARN_BYTES = 1 << 30
DISK_WARN_SHARE = 0.10
# Postgres stops when it cannot write its log of changes; a checkpoint and a snapshot of a shard need room, too.
DISK_FAIL_BYTES = 256 << 20


def check_programs(report: Report) -> None:
    """Python and the packages that the server needs."""
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < PYTHON_MIN:
        report.fail(
            "python", version, "install Python 3.11 or newer and make a new environment with it"
        )
    else:
        report.ok("python", f"{version}, {PACKAGE} {metadata.version(PACKAGE)}")
    found, bad = _packages()
    if bad:
        report.fail("packages", "; ".join(bad), f"pip install '{PACKAGE}[server]'")
    else:
        report.ok("packages", ", ".join(found))


def _packages() -> tuple[list[str], list[str]]:
    """Those that fit, with versions, and those that are missing or do not fit."""
    from packaging.requirements import Requirement

    found, bad = [], []
    for line in metadata.requires(PACKAGE) or ():
        needed = Requirement(line)
        if needed.marker is not None and not needed.marker.evaluate({"extra": "server"}):
            continue
        try:
            version = metadata.version(needed.name)
        except metadata.PackageNotFoundError:
            bad.append(f"{needed.name} is not installed")
            continue
        if needed.specifier.contains(version, prereleases=True):
            found.append(f"{needed.name} {version}")
        else:
            bad.append(f"{needed.name} is {version}, {needed.specifier} is needed")
    return found, bad


def check_disk(directory: Path, report: Report) -> None:
    """Free space where the data is, or will be."""
    while not directory.exists():
        directory = directory.parent
    usage = shutil.disk_usage(directory)
    share = usage.free / usage.total if usage.total else 0.0
    found = f"{_size(usage.free)} free of {_size(usage.total)} ({share:.0%}) at {directory}"
    if usage.free < DISK_FAIL_BYTES:
        report.fail(
            "disk",
            found,
            "free some space now: without it Postgres cannot write and the server ends",
        )
    elif usage.free < DISK_WARN_BYTES or share < DISK_WARN_SHARE:
        report.warn(
            "disk",
            found,
            "free some space, or move the data directory to a larger disk while stopped",
        )
    else:
        report.ok("disk", found)


def check_port(
    name: str, flag: str, address: Address, is_rapport: Callable[[Address], bool], report: Report
) -> None:
    """Whether a server could listen there; `is_rapport` asks who does when it could not."""
    if address.port == 0:
        report.ok(name, f"{address}: any free port")
        return
    if (code := _cannot_listen(address)) is None:
        report.ok(name, f"{address} is free")
    elif code == errno.EADDRINUSE and is_rapport(address):
        report.warn(
            name,
            f"a Rapport server answers at {address}, but not on this data directory",
            f"give its --data-dir, or choose another {flag} for this one",
        )
    elif code == errno.EADDRINUSE:
        report.fail(
            name,
            f"{address} is taken by another program",
            f"stop that program, or choose another {flag}",
        )
    else:
        report.fail(
            name,
            f"{address}: {errno.errorcode.get(code, code)}",
            f"choose an address of this machine: {flag}",
        )


def _cannot_listen(address: Address) -> int | None:
    """The error number of trying to; None when it works."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        # As the server does: a port whose last connections are still fading counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address.host, address.port))
            probe.listen(1)
        except OSError as error:
            return error.errno or errno.EADDRNOTAVAIL
    return None


def _size(count: int) -> str:
    return f"{count / (1 << 30):.1f} GiB" if count >= 1 << 30 else f"{count / (1 << 20):.0f} MiB"
