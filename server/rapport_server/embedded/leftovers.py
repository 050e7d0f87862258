"""Postgres processes that an earlier life left in a cluster: finding them surely, and stopping them."""

import os
import signal
from pathlib import Path

import psutil

from rapport_server.embedded.errors import EmbeddedPostgresError

# How long each step may take: a clean shutdown writes a checkpoint, an immediate one only ends processes.
_CLEAN_SECONDS_MAX = 15.0
_IMMEDIATE_SECONDS_MAX = 5.0


def processes_in(pgdata: Path) -> list[psutil.Process]:
    """The running Postgres processes of exactly this cluster.

    Each of them has the cluster as its working directory; a process number in a file proves nothing, as numbers are reused.
    """
    place = os.path.realpath(pgdata)
    found = []
    for process in psutil.process_iter():
        try:
            if process.name() == "postgres" and process.cwd() == place:
                found.append(process)
        except psutil.Error:
            continue  # Ended meanwhile, or another account's: not ours either way.
    return found


def stop_all(pgdata: Path) -> int:
    """Stop what runs in the cluster, cleanly if it can be, and drop a lock file whose number now belongs to another process.

    Blocking, at most some 25 s. Returns the number of processes found. Call it with the data directory locked.
    """
    lock = pgdata / "postmaster.pid"
    found = processes_in(pgdata)
    # Only the head knows how to shut down cleanly; the others, orphaned, are told to end at once.
    if heads := [process for process in found if process.pid == _pid_in(lock)]:
        _signal(heads, signal.SIGINT)
        psutil.wait_procs(found, timeout=_CLEAN_SECONDS_MAX)
    for sign in (signal.SIGQUIT, signal.SIGKILL):
        if remaining := processes_in(pgdata):
            _signal(remaining, sign)
            psutil.wait_procs(remaining, timeout=_IMMEDIATE_SECONDS_MAX)
    if left := processes_in(pgdata):
        numbers = ", ".join(str(process.pid) for process in left)
        raise EmbeddedPostgresError(
            f"an earlier Postgres still runs in {pgdata} and cannot be stopped: pid {numbers}"
        )
    _drop_foreign_lock(lock)
    return len(found)


def _drop_foreign_lock(lock: Path) -> None:
    # Postgres itself copes with the number of a dead process. When another process has it by now, Postgres refuses to
    # start; no process runs in the cluster, so the file is stale.
    pid = _pid_in(lock)
    if pid is None or psutil.pid_exists(pid):
        lock.unlink(missing_ok=True)


def _pid_in(lock: Path) -> int | None:
    try:
        first = lock.read_text(errors="replace").partition("\n")[0].strip()
    except FileNotFoundError:
        return None
    return int(first) if first.isdecimal() else None


def _signal(processes: list[psutil.Process], sign: signal.Signals) -> None:
    for process in processes:
        try:
            process.send_signal(sign)
        except psutil.NoSuchProcess:
            continue
        except psutil.AccessDenied as error:
            raise EmbeddedPostgresError(
                f"an earlier Postgres (pid {process.pid}) runs under another account: stop it first"
            ) from error
