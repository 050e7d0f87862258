"""The database: reaching it, its schema, roles, queue, processes and audit chains."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from rapport_server.config import Config
from rapport_server.doctor.files import Place
from rapport_server.doctor.report import Report, counted
from rapport_server.domain.storage import Installation
from rapport_server.embedded import DataDir, EmbeddedPostgres
from rapport_server.embedded.postgres import DATABASE
from rapport_server.startup import StartupError
from rapport_server.store import inspection, role
from rapport_server.store.conninfo import Conninfo
from rapport_server.store.database import PostgresTransaction
from rapport_server.store.query import Connection

# Beyond it a backlog is worth a look: a worker indexes some hundred short texts a second.
QUEUE_AGE_WARN_S = 300.0
# A process gives a sign of life every 10 s.
SILENT_S = 60.0
# Rows of audit chains that are read; about a second for each 50,000.
AUDIT_ROWS_MAX = 200_000
TENANTS_MAX = 10_000
# postmaster.pid: the fifth line is the directory of the socket.
_SOCKET_LINE = 4


@dataclass(frozen=True, slots=True)
class Own:
    """This data directory's server: its id if it ever ran, and whether it runs now, which its lock tells at once."""

    process_id: str | None
    runs: bool


@asynccontextmanager
async def reached(config: Config, place: Place) -> AsyncIterator[Conninfo]:
    """The database: the operator's, the running server's, or the embedded one, started for the time being.

    Raises StartupError when it cannot be had.
    """
    if config.database_url:
        yield Conninfo.from_url(config.database_url)
    elif place.server_pid is not None:
        yield Conninfo.from_socket(_socket_dir(config.data_dir / "postgres"), DATABASE)
    else:
        with DataDir.open(config.data_dir):
            async with EmbeddedPostgres(config.data_dir, bin_dir=config.pg_bin) as postgres:
                yield postgres.conninfo


def _socket_dir(pgdata: Path) -> Path:
    try:
        lines = (pgdata / "postmaster.pid").read_text().splitlines()
    except OSError as error:
        raise StartupError(f"the server's Postgres cannot be found: {error.strerror}") from error
    if len(lines) <= _SOCKET_LINE:
        raise StartupError("the server's Postgres is starting: try again in a moment")
    return Path(lines[_SOCKET_LINE].strip())


async def check_schema(conninfo: Conninfo, report: Report) -> bool:
    """Whether the role that migrates can connect, and what it would do; True when the schema is this program's.

    Raises StartupError.
    """
    async with await role.connect(inspection.read_only(conninfo.owner)) as conn:
        version, size = await inspection.server(conn)
        state = await inspection.migrations(conn)
    report.ok("database", f"PostgreSQL {version.split()[0]}, {size / (1 << 20):.0f} MiB")
    if state.unknown:
        newer = ", ".join(state.unknown)
        report.fail("schema", f"newer than this program: {newer}", "install the newer Rapport")
    elif state.changed:
        changed = ", ".join(state.changed)
        report.fail(
            "schema", f"made with another text of {changed}", "use the Rapport it was made with"
        )
    elif state.missing:
        missing = ", ".join(state.missing)
        report.warn(
            "schema", f"not yet applied: {missing}", "the next `rapport serve` applies them"
        )
    else:
        report.ok("schema", "all migrations are applied")
        return True
    return False


async def check_role(conn: Connection, report: Report) -> None:
    """What the serving role may do beyond serving."""
    found = await inspection.role(conn)
    powers = [
        words
        for has, words in (
            (found.superuser, "is a superuser"),
            (found.administers, "may make roles or databases, replicate or bypass row security"),
            (found.owns_tables, "owns the tables"),
            (found.changes_audit, "may change audit rows"),
        )
        if has
    ]
    if powers:
        report.fail(
            "roles",
            f"{found.name} {', '.join(powers)}",
            f"take that from {found.name}: see docs/operations.md",
        )
    elif found.login_superuser:
        report.warn(
            "roles",
            f"{found.name} is bound, but its login {found.login} is a superuser",
            "give --database-url a user that only owns this database: see docs/operations.md",
        )
    else:
        report.ok("roles", f"{found.name} serves; it may not change audit rows or the schema")


async def installation(conn: Connection) -> Installation:
    """What the database was set up with."""
    return await PostgresTransaction(conn).installation.get()


async def check_queue(conn: Connection, report: Report) -> None:
    """What waits to be indexed, and what could not be."""
    depth, age_s = await PostgresTransaction(conn).queue.depth()
    if age_s > QUEUE_AGE_WARN_S:
        report.warn(
            "queue",
            f"{counted(depth, 'memory', 'memories')} waiting, the oldest for {age_s / 60:.0f} minutes",
            "is a server running? if so look at rapport_ingest_failures_total and at its log",
        )
    else:
        report.ok("queue", f"{counted(depth, 'memory', 'memories')} waiting" if depth else "empty")
    errored = await inspection.errored(conn)
    if errored:
        reasons = ", ".join(f"{count} {reason}" for reason, count in errored)
        report.warn(
            "queue",
            f"not indexed: {reasons}",
            "see them with ListQueue, then RetryProcessing or DeleteMemory",
        )


async def check_processes(conn: Connection, own: Own, report: Report) -> None:
    """Server processes, and erasures that wait for them."""
    known = await inspection.processes(conn)
    silent = [
        process
        for process in known
        if process.silent_s >= SILENT_S or (process.process_id == own.process_id and not own.runs)
    ]
    report.ok("processes", f"{len(known)} known, {len(known) - len(silent)} alive")
    for process in known:
        if process.pending:
            mine = process.process_id == own.process_id
            report.warn(
                "erasures",
                f"{process.pending} wait for {'this data directory' if mine else f'process {process.process_id}'}, "
                f"silent for {_duration(process.silent_s)}",
                "start that server: it drops them before it serves; gone for ever: see docs/operations.md"
                if process in silent
                else "if it runs it confirms within seconds; else start it: it drops them before it serves",
            )
    if count := await inspection.unverified(conn):
        report.warn(
            "erasures",
            f"not verified: {counted(count, 'receipt')}, and no known process has still to confirm",
            "a process was forgotten before it confirmed: see docs/operations.md",
        )


async def check_audit(conn: Connection, report: Report) -> None:
    """Recompute the audit chains, as many as the bound allows."""
    audit = PostgresTransaction(conn).audit
    checked = rows = broken = 0
    chains = await inspection.chains(conn, TENANTS_MAX)
    for tenant_id, length in chains:
        if rows + length > AUDIT_ROWS_MAX:
            break
        verdict = await audit.verify(tenant_id)
        if not verdict.ok:
            broken += 1
            report.fail(
                "audit",
                f"the chain of tenant {tenant_id!r} is broken at {verdict.first_bad_sequence}",
                "somebody changed rows beneath the server: keep a copy, compare with a backup",
            )
        checked += 1
        rows += verdict.checked
    if checked == len(chains) < TENANTS_MAX:
        if not broken:
            report.ok("audit", f"{counted(checked, 'chain')}, {counted(rows, 'event')} followed")
    else:
        report.warn(
            "audit",
            f"{counted(checked, 'chain')} with {counted(rows, 'event')} followed, the longer ones not",
            "VerifyAuditLog follows a tenant's whole chain",
        )


def _duration(seconds: float) -> str:
    for unit, length in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} seconds"
