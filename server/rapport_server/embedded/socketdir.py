"""The directory of the server's socket: short enough for the kernel, closed to other accounts."""

import hashlib
import os
import stat
from pathlib import Path

from rapport_server.embedded.account import Account
from rapport_server.embedded.errors import EmbeddedPostgresError
from rapport_server.store.conninfo import PORT

# Short, writable by all, and sticky: nobody else can replace a directory of ours in it.
_SHORT_PARENT = Path("/tmp")  # noqa: S108
# sun_path holds 108 bytes with its final zero; macOS' 104 is the smallest we meet.
_PATH_BYTES_MAX = 107 if os.uname().sysname == "Linux" else 103


def open_directory(data_dir: Path, account: Account) -> Path:
    """A directory only the account (and root) can enter, below `data_dir` or, when that is too long, a short one elsewhere.

    Whoever can enter it is trusted by Postgres. Raises EmbeddedPostgresError when no such directory can be had.
    """
    own = data_dir / "socket"
    directory = own if _fits(own) else _short(data_dir, account)
    try:
        directory.mkdir(mode=0o700)
    except FileExistsError:
        pass
    else:
        directory.chmod(0o700)
        account.give(directory)
    status = directory.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid not in (account.uid, os.geteuid()):
        raise EmbeddedPostgresError(
            f"{directory} is not ours: remove it, or choose a shorter --data-dir"
        )
    directory.chmod(0o700)
    account.give(directory)
    return directory


def clear(directory: Path) -> None:
    """Remove what an earlier server left in its socket directory; only while none runs."""
    for name in (f".s.PGSQL.{PORT}", f".s.PGSQL.{PORT}.lock"):
        (directory / name).unlink(missing_ok=True)


def remove(directory: Path) -> None:
    """Remove the directory of a server that has stopped."""
    clear(directory)
    directory.rmdir()


def _fits(directory: Path) -> bool:
    # A comma separates hosts in a connection string and cannot be escaped there.
    return len(os.fsencode(directory / f".s.PGSQL.{PORT}")) <= _PATH_BYTES_MAX and "," not in str(
        directory
    )


def _short(data_dir: Path, account: Account) -> Path:
    # The same data directory always gets the same name, so that one left behind by a killed process is used again.
    name = "rapport-" + hashlib.sha256(os.fsencode(data_dir.resolve())).hexdigest()[:16]
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    parents = (
        [_SHORT_PARENT]
        if account.drops or not os.path.isabs(runtime)
        else [Path(runtime), _SHORT_PARENT]
    )
    for parent in parents:
        if _fits(parent / name) and os.access(parent, os.W_OK | os.X_OK):
            return parent / name
    raise EmbeddedPostgresError(
        f"the path {data_dir} is too long for a socket: choose a shorter --data-dir"
    )
