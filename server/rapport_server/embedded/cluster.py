"""The files of one Postgres cluster: making them, their version, and the settings the server runs with."""

import os
import shutil
import subprocess
from pathlib import Path

from rapport_server.embedded.account import Account
from rapport_server.embedded.binaries import Binaries
from rapport_server.embedded.errors import EmbeddedPostgresError

SUPERUSER = "postgres"
_INITDB_SECONDS_MAX = 300

# No text of a person may reach Postgres' own log: ERROR messages quote bad values, so only LOG and above are written; terse
# leaves out details, contexts and the statement of a process that died.
_PRIVACY = {
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_statement": "none",
    "log_duration": "off",
    "log_min_duration_statement": "-1",
    "log_min_duration_sample": "-1",
    "log_transaction_sample_rate": "0",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_lock_waits": "off",
    "log_temp_files": "-1",
    "log_checkpoints": "off",
    "log_autovacuum_min_duration": "-1",
    "debug_print_plan": "off",
    "debug_print_parse": "off",
    "debug_print_rewritten": "off",
    # Erased rows live on in the log of changes until a checkpoint: keep it short, and delete old segments instead of
    # keeping them, with their content, for reuse.
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "256MB",
    "min_wal_size": "32MB",
    "wal_recycle": "off",
    "checkpoint_timeout": "5min",
    "summarize_wal": "off",
    "archive_mode": "off",
}
_SIZE = {
    "max_connections": "100",
    "shared_buffers": "128MB",
    "work_mem": "8MB",
    "maintenance_work_mem": "64MB",
    # Containers often have 64 MB of /dev/shm, which one parallel hash join can fill; our queries are small.
    "max_parallel_workers_per_gather": "0",
    "max_logical_replication_workers": "0",
    "jit": "off",
}
_MANNERS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "logging_collector": "off",
    "log_destination": "stderr",
    "log_line_prefix": "%m [%p] ",
    "log_timezone": "UTC",
    "timezone": "UTC",
    "lc_messages": "C",
    "autovacuum": "on",
    "restart_after_crash": "on",
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
}
_NOT_DURABLE = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "autovacuum": "off",
}
_SINCE = {"summarize_wal": 17}


class Cluster:
    """The cluster in one directory, run by one account with one set of programs."""

    def __init__(
        self, pgdata: Path, binaries: Binaries, account: Account, *, durable: bool
    ) -> None:
        self.pgdata = pgdata
        self._binaries = binaries
        self._account = account
        self._durable = durable

    def ensure(self) -> None:
        """Make the cluster if there is none; blocking, a second or two.

        Raises EmbeddedPostgresError when the directory holds something else, or a cluster of another major version.
        """
        version_file = self.pgdata / "PG_VERSION"
        if version_file.is_file():
            self._check_version(version_file.read_text().strip())
            return
        if self.pgdata.exists():
            if any(self.pgdata.iterdir()):
                raise EmbeddedPostgresError(
                    f"{self.pgdata} is not a Postgres cluster: move it away and start again"
                )
            self.pgdata.rmdir()
        self._make()

    def command(self, socket_dir: Path) -> list[str]:
        """The command line of the server, its socket in `socket_dir`."""
        settings = _PRIVACY | _SIZE | _MANNERS
        if not self._durable:
            settings |= _NOT_DURABLE
        quoted = str(socket_dir).replace('"', '""')
        settings["unix_socket_directories"] = f'"{quoted}"'
        arguments = ["-D", str(self.pgdata)]
        for name, value in settings.items():
            if self._binaries.major >= _SINCE.get(name, 0):
                arguments += ["-c", f"{name}={value}"]
        return self._account.command(self._binaries.program("postgres"), *arguments)

    def _check_version(self, made_by: str) -> None:
        if made_by == str(self._binaries.major):
            return
        raise EmbeddedPostgresError(
            f"{self.pgdata} was made by PostgreSQL {made_by}, but the programs in {self._binaries.directory} are "
            f"PostgreSQL {self._binaries.major}. Set PG_BIN (RAPPORT_PG_BIN) to the programs of PostgreSQL {made_by} to go on "
            f"with it; to move up, run `pg_upgrade` of PostgreSQL {self._binaries.major} while Rapport is stopped, or dump with "
            "`pg_dump` and restore into a new --data-dir"
        )

    def _make(self) -> None:
        # Made beside its place and renamed, so that a first start that was interrupted leaves nothing half made.
        fresh = self.pgdata.with_name(self.pgdata.name + ".new")
        if fresh.exists():
            shutil.rmtree(fresh)
        fresh.mkdir(mode=0o700)
        self._account.give(fresh)
        arguments = [
            "-D",
            str(fresh),
            "-U",
            SUPERUSER,
            "-E",
            "UTF8",
            "--auth-local=trust",
            "--auth-host=reject",
        ]
        arguments += ["--locale=C", "--no-instructions"]
        if self._binaries.major >= 17:
            arguments += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        if not self._durable:
            arguments += ["--no-sync"]
        done = subprocess.run(
            self._account.command(self._binaries.program("initdb"), *arguments),
            capture_output=True,
            text=True,
            errors="replace",
            env=environment(),
            stdin=subprocess.DEVNULL,
            cwd="/",
            timeout=_INITDB_SECONDS_MAX,
            start_new_session=True,
        )
        if done.returncode != 0:
            raise EmbeddedPostgresError(
                f"initdb could not make {self.pgdata}:\n{done.stderr.strip()}"
            )
        fresh.rename(self.pgdata)
        _sync_directory(self.pgdata.parent)


def environment() -> dict[str, str]:
    """The environment of the Postgres programs: none of our secrets, none of the caller's PG* or locale variables."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    return kept | {"LC_ALL": "C", "TZ": "UTC"}


def _sync_directory(directory: Path) -> None:
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
