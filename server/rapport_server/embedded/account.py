"""The account that Postgres runs under, and what it may reach."""

import os
import pwd
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rapport_server.embedded import launch
from rapport_server.embedded.errors import EmbeddedPostgresError

_CHOICE = ("postgres", "nobody")


@dataclass(frozen=True, slots=True)
class Account:
    """Who runs the Postgres programs: ourselves, or the account that root drops to."""

    uid: int
    gid: int
    drops: bool
    # Whether the programs keep CAP_DAC_READ_SEARCH, because a directory on their way is closed to the account.
    keeps_search: bool = False

    def command(self, program: str, *arguments: str) -> list[str]:
        """The command line that runs `program` as this account and ends it when this process ends.

        Start it from a thread that lives as long as the program: Linux sends the signal when that thread ends.
        """
        uid, gid = (self.uid, self.gid) if self.drops else (-1, -1)
        launcher = [sys.executable, "-I", "-S", launch.__file__]
        switches = [str(os.getpid()), str(uid), str(gid), str(int(self.keeps_search))]
        return [*launcher, *switches, program, *arguments]

    def give(self, path: Path) -> None:
        """Make the account the owner of `path`."""
        if self.drops:
            os.chown(path, self.uid, self.gid)


def choose(pgdata: Path, reached: Iterable[Path]) -> Account:
    """The account for the cluster in `pgdata`, able to pass to every directory in `reached`.

    Raises EmbeddedPostgresError when there is none.
    """
    account = _owner(pgdata)
    if not account.drops:
        return account
    closed = next((d for path in reached if (d := _closed_directory(path, account))), None)
    if closed is None:
        return account
    if not _holds_search_capability():
        name = pwd.getpwuid(account.uid).pw_name
        raise EmbeddedPostgresError(
            f"Postgres does not run as root, and the account `{name}` may not enter {closed}: choose another "
            f"--data-dir (RAPPORT_DATA_DIR), for example below /var/lib, or `chmod o+x {closed}`"
        )
    return Account(account.uid, account.gid, drops=True, keeps_search=True)


def _owner(pgdata: Path) -> Account:
    uid, gid = os.geteuid(), os.getegid()
    found = pgdata.stat() if pgdata.exists() else None
    if uid != 0:
        if found is not None and found.st_uid != uid:
            raise EmbeddedPostgresError(
                f"{pgdata} belongs to uid {found.st_uid}, this process runs as uid {uid}: run as that account or as "
                "root, or choose another --data-dir (RAPPORT_DATA_DIR)"
            )
        return Account(uid, gid, drops=False)
    if found is not None and found.st_uid != 0:
        return Account(found.st_uid, found.st_gid, drops=True)
    if found is not None and any(pgdata.iterdir()):
        raise EmbeddedPostgresError(
            f"{pgdata} belongs to root, and Postgres does not run as root: `chown -R {_any_account().pw_name} {pgdata}`"
        )
    entry = _any_account()
    return Account(entry.pw_uid, entry.pw_gid, drops=True)


def _any_account() -> pwd.struct_passwd:
    for name in _CHOICE:
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise EmbeddedPostgresError(
        "Postgres does not run as root, and there is neither an account `postgres` nor `nobody` to drop to: "
        "run as a plain user, or use your own server with --database-url (RAPPORT_DATABASE_URL)"
    )


def _closed_directory(path: Path, account: Account) -> Path | None:
    """The first directory on the way to `path` that the mode bits close to the account."""
    for directory in reversed((path.resolve() / "_").parents):
        if not directory.exists():
            return None
        status = directory.stat()
        if status.st_uid == account.uid:
            allowed = status.st_mode & 0o100
        elif status.st_gid == account.gid:
            allowed = status.st_mode & 0o010
        else:
            allowed = status.st_mode & 0o001
        if not allowed:
            return directory
    return None


def _holds_search_capability() -> bool:
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return False
    permitted = next(
        (line for line in status.splitlines() if line.startswith("CapPrm:")), "CapPrm: 0"
    )
    return bool(int(permitted.split()[1], 16) >> launch.CAP_DAC_READ_SEARCH & 1)
