"""The data directory, its lock, the cluster in it, and the secrets."""

import fcntl
import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

from rapport_server.config import Config
from rapport_server.doctor.report import Report
from rapport_server.embedded import account, binaries, leftovers
from rapport_server.embedded.datadir import LOCK_NAME
from rapport_server.embedded.errors import EmbeddedPostgresError
from rapport_server.privacy.secrets import Secrets, SecretsError, SecretsMissing, verify

_PROBE = b"rapport doctor"


@dataclass(frozen=True, slots=True)
class Place:
    """What is known of the data directory before anything is opened. `server_pid` 0: a server whose number is unknown."""

    usable: bool
    server_pid: int | None
    has_cluster: bool


def check_data_dir(config: Config, report: Report) -> Place:
    """Existence, owner, mode and lock."""
    path = config.data_dir
    if not path.exists():
        report.warn(
            "data",
            f"{path} does not exist yet",
            "`rapport serve` makes it; or name yours with --data-dir",
        )
        return Place(False, None, False)
    if not path.is_dir():
        report.fail(
            "data", f"{path} is not a directory", "name another with --data-dir (RAPPORT_DATA_DIR)"
        )
        return Place(False, None, False)
    status = path.stat()
    mode = stat.S_IMODE(status.st_mode)
    found = f"{path}, mode {mode:04o}, owner {_name(status.st_uid)}"
    usable = os.access(path, os.R_OK | os.W_OK | os.X_OK)
    if not usable:
        report.fail(
            "data",
            f"{found}: not ours to use",
            f"run as {_name(status.st_uid)}, or choose another --data-dir",
        )
    elif mode & 0o022:
        report.fail("data", f"{found}: others may write in it", f"`chmod go-w {path}`")
    else:
        report.ok("data", found)
    pid = _server(path / LOCK_NAME) if usable else None
    if pid is None:
        report.ok("lock", "no server runs on this data directory")
    else:
        report.ok("lock", f"a server runs on it (pid {pid or 'unknown'})")
    has_cluster = (path / "postgres" / "PG_VERSION").is_file() if usable else False
    return Place(usable, pid, has_cluster)


def _server(lock: Path) -> int | None:
    """The pid of the server that holds the lock, 0 when it cannot be read, None when nobody holds it."""
    try:
        fd = os.open(lock, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        text = os.pread(fd, 32, 0).decode("ascii", "replace").strip()
        return int(text) if text.isdecimal() else 0
    finally:
        os.close(fd)
    return None


def check_postgres(config: Config, place: Place, report: Report) -> bool:
    """The programs of the embedded Postgres and whether they fit the cluster; True when it can be started."""
    pgdata = config.data_dir.resolve() / "postgres"
    try:
        programs = binaries.find(config.pg_bin)
        if place.usable:
            account.choose(pgdata, (config.data_dir, programs.directory))
    except EmbeddedPostgresError as error:
        report.fail(
            "postgres",
            str(error),
            "correct that, or use a Postgres of your own with --database-url",
        )
        return False
    found = f"PostgreSQL {programs.major} in {programs.directory}"
    if not place.has_cluster:
        report.ok("postgres", f"{found}; no cluster yet")
        return False
    made_by = (pgdata / "PG_VERSION").read_text().strip()
    if made_by != str(programs.major):
        report.fail(
            "postgres",
            f"{found}, but {pgdata} was made by PostgreSQL {made_by}",
            f"set PG_BIN to the programs of PostgreSQL {made_by}, or move up with pg_upgrade while stopped",
        )
        return False
    report.ok("postgres", f"{found}, the cluster's version")
    if place.server_pid is None and (left := leftovers.processes_in(pgdata)):
        pids = ", ".join(str(process.pid) for process in left)
        report.warn(
            "postgres",
            f"left behind by a server that was killed: pid {pids}",
            "nothing: the next start stops them",
        )
    return True


def check_secrets(directory: Path, wanted: str | None, report: Report) -> None:
    """Presence, modes, fingerprint against the database's (None: not known), and whether signing works."""
    try:
        secrets = Secrets.load(directory)
    except SecretsMissing as error:
        if wanted is None:
            report.warn(
                "secrets", f"none in {directory} yet", "the first start of a database makes them"
            )
        else:
            report.fail(
                "secrets",
                str(error),
                "bring them back from a backup: hashes and receipts depend on them",
            )
        return
    except SecretsError as error:
        report.fail("secrets", str(error), "correct that; the server does not start without")
        return
    if wanted is not None and secrets.fingerprint != wanted:
        report.fail(
            "secrets",
            f"those in {directory} (fingerprint {secrets.fingerprint[:16]}…) are not the database's ({wanted[:16]}…)",
            "name the directory with the right ones: --secrets-dir (RAPPORT_SECRETS_DIR)",
        )
        return
    if not verify(secrets.public_key, _PROBE, secrets.sign(_PROBE)):
        report.fail(
            "secrets", f"signing with {directory} fails", "reinstall the package cryptography"
        )
        return
    same = "the database's" if wanted else "not yet bound to a database"
    report.ok("secrets", f"{directory}, {same}; signs receipts as key {secrets.key_id}")


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"
