"""The server's own log: one bounded file and its predecessor."""

import os
from pathlib import Path

# Little is written (see `cluster`), so a few megabytes hold weeks; a crash loop must not fill the disk.
BYTES_MAX = 4 * 1024 * 1024
_KEPT_BYTES = 256 * 1024
_TAIL_BYTES = 2_000


class LogFile:
    """A file that Postgres appends to for as long as it runs."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def open(self) -> int:
        """A descriptor for appending, for the child's stderr; the caller closes it."""
        return os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)

    def bound(self) -> None:
        """Keep the end of an overgrown log as `….1` and empty it; the writer goes on in the same file."""
        try:
            size = self.path.stat().st_size
        except FileNotFoundError:
            return
        if size <= BYTES_MAX:
            return
        self.path.with_name(self.path.name + ".1").write_bytes(self._end(_KEPT_BYTES))
        os.truncate(self.path, 0)

    def tail(self) -> str:
        """The last lines, for an error message."""
        return self._end(_TAIL_BYTES).decode("utf-8", "replace").strip()

    def _end(self, count: int) -> bytes:
        try:
            with self.path.open("rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - count))
                return file.read(count)
        except FileNotFoundError:
            return b""
