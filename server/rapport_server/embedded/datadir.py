"""The data directory and the lock that gives it to one server at a time."""

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from rapport_server.startup import StartupError

LOCK_NAME = "rapport.lock"


class DataDirError(StartupError):
    """The data directory cannot be made, entered or locked."""


class DataDirInUse(DataDirError):
    """Another server holds the data directory."""

    def __init__(self, path: Path, pid: int | None) -> None:
        who = f"another rapport server (pid {pid})" if pid else "another rapport server"
        super().__init__(
            f"{who} uses {path}: stop it, or give this one another --data-dir (RAPPORT_DATA_DIR)"
        )
        self.path = path
        self.pid = pid


class DataDir:
    """An existing data directory, locked by this process until `release` or its end, however it ends."""

    def __init__(self, path: Path, lock_fd: int) -> None:
        self.path = path
        self._lock_fd: int | None = lock_fd

    @classmethod
    def open(cls, path: Path) -> Self:
        """Make the directory if it is missing and lock it.

        Raises DataDirInUse when another process holds it, DataDirError when it cannot be made or written.
        """
        path = path.absolute()
        try:
            _make(path)
            fd = os.open(path / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise DataDirError(
                f"cannot use the data directory {path}: {error.strerror}; "
                "make it writable for this account or choose another --data-dir (RAPPORT_DATA_DIR)"
            ) from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pid = _read_pid(fd)
            os.close(fd)
            raise DataDirInUse(path, pid) from None
        except OSError as error:
            os.close(fd)
            raise DataDirError(f"cannot lock {path / LOCK_NAME}: {error.strerror}") from error
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
        return cls(path, fd)

    def release(self) -> None:
        """Give the directory back; a second call does nothing."""
        if self._lock_fd is not None:
            os.ftruncate(self._lock_fd, 0)
            os.close(self._lock_fd)
            self._lock_fd = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()


def _make(path: Path) -> None:
    if path.is_dir():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    # Root's Postgres runs under another account, which has to pass through to its own directory; what must stay private
    # inside has a mode of its own. Nobody but the owner can list either kind.
    mode = 0o711 if os.geteuid() == 0 else 0o700
    path.mkdir(mode=mode)
    path.chmod(mode)


def _read_pid(fd: int) -> int | None:
    text = os.pread(fd, 32, 0).decode("ascii", "replace").strip()
    return int(text) if text.isdecimal() else None
