"""`rapport doctor`: what it says about healthy and damaged installations, and that it changes nothing."""

import hashlib
import io
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from rich.console import Console

from rapport_server.config import Address, Config
from rapport_server.doctor import database as databases
from rapport_server.doctor.database import Own
from rapport_server.doctor.examine import check_database, examine
from rapport_server.doctor.files import Place, check_postgres, check_secrets
from rapport_server.doctor.language_model import check_language_model
from rapport_server.doctor.model import check_model
from rapport_server.doctor.report import Level, Report, counted
from rapport_server.doctor.server import check_metrics
from rapport_server.domain.audit import AuditEventKind, AuditRecord
from rapport_server.domain.storage import Installation
from rapport_server.embedding.loading import packaged_model
from rapport_server.privacy.secrets import Secrets
from rapport_server.store import inspection, role
from rapport_server.store.database import PostgresDatabase
from tests.fix_llm import LlmServer
from tests.fix_model import model_cache
from tests.fix_postgres import Database
from tests.fix_rapport import RapportProcess, rapport_process, server_directory

FREE = Address("127.0.0.1", 0)
AT_REST = Place(usable=True, server_pid=None, has_cluster=True)


class Findings:
    """A report, and its lines by area."""

    def __init__(self) -> None:
        self.text = io.StringIO()
        self.report = Report(Console(file=self.text, width=10_000))

    def of(self, area: str) -> list[tuple[Level, str]]:
        """Level and words (the advice after an arrow) of each finding."""
        found: list[tuple[Level, str]] = []
        mine = False
        for line in self.text.getvalue().splitlines():
            if line.lstrip().startswith("→"):
                if mine:
                    found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
                continue
            level, name, words = line.split(None, 2)
            if mine := name == area:
                found.append((Level[level], words))
        return found

    def levels(self, area: str) -> set[Level]:
        return {level for level, _ in self.of(area)}


async def looked_into(config: Config) -> Findings:
    """The findings in and around the database."""
    findings = Findings()
    await check_database(config, AT_REST, findings.report)
    return findings


@pytest.fixture(scope="module")
def stopped() -> Iterator[Path]:
    """A data directory with a person and shard files in it, whose server has ended."""
    with server_directory() as directory, rapport_process(directory) as server:
        with server.writer() as client:
            client.add_memory("maya", memories=["Maya likes her tea strong."], wait=30)
            client.recall("maya", query="tea")
        assert server.stop() == 0
        yield server.data_dir


@pytest.fixture
def config(stopped: Path) -> Iterator[Config]:
    """A copy of that directory, to be damaged."""
    with server_directory() as parent:
        copy = parent / "data"
        subprocess.run(["cp", "-a", stopped, copy], check=True)
        yield Config(copy, copy / "secrets", model_cache(), listen=FREE, metrics_listen=FREE)


def contents(directory: Path) -> dict[str, tuple[int, int, str]]:
    """Mode, time and hash of every file but Postgres' own and the lock."""
    found = {}
    for path in sorted(directory.rglob("*")):
        name = str(path.relative_to(directory))
        if name.startswith("postgres") or name == "rapport.lock" or not path.is_file():
            continue
        status = path.stat()
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        found[name] = (status.st_mode, status.st_mtime_ns, digest)
    return found


async def test_a_healthy_installation_is_found_well_and_left_as_it_was(config: Config) -> None:
    before = contents(config.data_dir)
    assert any(name.startswith("shards/") and "g-" in name for name in before)
    findings = Findings()
    await examine(config, findings.report)
    assert findings.report.counts[Level.FAIL] == 0, findings.text.getvalue()
    for area in (
        "data",
        "disk",
        "postgres",
        "database",
        "schema",
        "roles",
        "queue",
        "audit",
        "secrets",
        "model",
        "llm",
    ):
        assert findings.levels(area) - {Level.WARN} == {Level.OK}, findings.of(area)
    assert "1 current" in findings.of("shards")[0][1]
    assert findings.of("processes") == [(Level.OK, "1 known, 0 alive")]
    assert contents(config.data_dir) == before
    assert not (config.data_dir / "postgres" / "postmaster.pid").exists(), (
        "its Postgres was stopped"
    )


def test_beside_a_running_server_it_asks_from_outside_and_exits_0(rapport: RapportProcess) -> None:
    metrics = rapport.metrics_url.removeprefix("http://").removesuffix("/metrics")
    command = [sys.executable, "-m", "rapport_server", "doctor"]
    command += ["--data-dir", str(rapport.data_dir), "--listen", rapport.address]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("RAPPORT_")}
    done = subprocess.run(
        [*command, "--metrics-listen", metrics],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout
    assert f"serving at {rapport.address}" in done.stdout
    assert "a server runs on it (pid " in done.stdout
    assert "loaded by the running server" in done.stdout
    assert "FAIL" not in done.stdout


def test_with_another_data_directory_it_recognizes_the_server_on_its_ports(
    rapport: RapportProcess, tmp_path: Path
) -> None:
    metrics = rapport.metrics_url.removeprefix("http://").removesuffix("/metrics")
    command = [sys.executable, "-m", "rapport_server", "doctor"]
    command += ["--data-dir", str(tmp_path / "other"), "--listen", rapport.address]
    done = subprocess.run(
        [*command, "--metrics-listen", metrics],
        capture_output=True,
        text=True,
        env={k: v for k, v in os.environ.items() if not k.startswith("RAPPORT_")},
        timeout=120,
    )
    assert done.returncode == 0, done.stdout
    words = "but not on this data directory"
    assert f"WARN grpc        a Rapport server answers at {rapport.address}, {words}" in done.stdout
    assert f"WARN metrics     a Rapport server answers at {metrics}, {words}" in done.stdout
    assert "give its --data-dir" in done.stdout
    assert "stop that program" not in done.stdout


def test_metrics_on_a_free_port_are_no_reason_to_warn() -> None:
    findings = Findings()
    check_metrics(FREE, findings.report)
    assert findings.levels("metrics") == {Level.OK}


def test_without_a_directory_nothing_is_made_and_a_taken_port_fails_with_exit_code_1(
    tmp_path: Path,
) -> None:
    missing = tmp_path / "data"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        command = [sys.executable, "-m", "rapport_server", "doctor", "--data-dir", str(missing)]
        done = subprocess.run(
            [*command, "--listen", address, "--embedding-model", str(tmp_path / "none")],
            capture_output=True,
            text=True,
            env={k: v for k, v in os.environ.items() if not k.startswith("RAPPORT_")},
            timeout=120,
        )
    assert done.returncode == 1
    assert f"FAIL grpc        {address} is taken" in done.stdout
    assert "choose another --listen" in done.stdout
    assert f"WARN data        {missing} does not exist yet" in done.stdout
    assert "FAIL model" in done.stdout
    assert "2 to look at." in done.stdout
    assert not missing.exists()


async def test_damaged_shard_files_are_reported_and_not_touched(config: Config) -> None:
    (vectors,) = config.data_dir.glob("shards/*/*/g-*/vectors.f16")
    content = bytearray(vectors.read_bytes())
    content[3] ^= 1
    vectors.write_bytes(content)
    before = contents(config.data_dir)
    findings = await looked_into(config)
    assert any("checksum differs" in words for _, words in findings.of("shards"))
    assert findings.levels("shards") == {Level.OK, Level.WARN}
    assert contents(config.data_dir) == before


async def test_shard_files_behind_the_database_are_said_to_catch_up(config: Config) -> None:
    async with (
        databases.reached(config, AT_REST) as conninfo,
        await role.connect(conninfo.owner) as conn,
    ):
        await conn.execute("UPDATE rapport.shard_head SET seq = seq + 1")
        await conn.commit()
    findings = await looked_into(config)
    ((level, words),) = findings.of("shards")
    assert level is Level.OK
    assert words.endswith("1 behind: caught up when next used")


async def test_shard_files_of_another_history_are_told_from_those_behind(config: Config) -> None:
    (manifest,) = config.data_dir.glob("shards/*/*/g-*/manifest.json")
    pointer = manifest.parents[1] / "CURRENT"
    text = manifest.read_text()
    other = text.replace('"seq": ', '"seq": 9')
    manifest.write_text(other)
    was, now = (hashlib.sha256(t.encode()).hexdigest() for t in (text, other))
    pointer.write_text(pointer.read_text().replace(was, now))
    findings = await looked_into(config)
    assert "1 of another history" in findings.of("shards")[0][1]
    assert "rebuilt when used" in findings.of("shards")[1][1]


def test_one_of_a_thing_is_not_many() -> None:
    assert [counted(number, "chain") for number in (0, 1, 2)] == ["0 chains", "1 chain", "2 chains"]
    assert counted(1, "memory", "memories") == "1 memory"
    assert counted(2, "memory", "memories") == "2 memories"


def test_secrets_open_to_others_fail_with_the_command_that_closes_them(config: Config) -> None:
    (config.secrets_dir / "hash.key").chmod(0o644)
    findings = Findings()
    check_secrets(config.secrets_dir, None, findings.report)
    ((level, words),) = findings.of("secrets")
    assert level is Level.FAIL
    assert f"chmod 600 {config.secrets_dir / 'hash.key'}" in words


def test_secrets_of_another_database_fail_with_both_fingerprints(tmp_path: Path) -> None:
    ours, theirs = (Secrets.create(tmp_path / name).fingerprint for name in ("ours", "theirs"))
    findings = Findings()
    check_secrets(tmp_path / "ours", theirs, findings.report)
    ((level, words),) = findings.of("secrets")
    assert level is Level.FAIL
    assert ours[:16] in words
    assert theirs[:16] in words


def test_secrets_that_a_database_waits_for_are_missed(tmp_path: Path) -> None:
    findings = Findings()
    check_secrets(tmp_path / "secrets", "f" * 64, findings.report)
    assert findings.levels("secrets") == {Level.FAIL}
    assert not (tmp_path / "secrets").exists()


def test_a_cluster_of_another_version_is_not_to_be_started(config: Config) -> None:
    (config.data_dir / "postgres" / "PG_VERSION").write_text("12\n")
    findings = Findings()
    assert not check_postgres(config, AT_REST, findings.report)
    ((level, words),) = findings.of("postgres")
    assert level is Level.FAIL
    assert "PostgreSQL 12" in words


async def test_an_unreachable_database_fails_without_its_password(config: Config) -> None:
    url = "postgresql://u:distinctive-password@127.0.0.1:1/nowhere"
    findings = await looked_into(replace(config, database_url=url))
    ((level, words),) = findings.of("database")
    assert level is Level.FAIL
    assert "RAPPORT_DATABASE_URL" in words
    assert "distinctive-password" not in findings.text.getvalue()


@pytest.mark.parametrize("packaged", [pytest.param(True, marks=pytest.mark.long), False])
def test_a_model_other_than_the_stored_vectors_fails_naming_both(packaged: bool) -> None:
    findings = Findings()
    name = None if packaged else str(packaged_model())
    check_model(
        name, model_cache(), Installation("s", "their/model", "f" * 64, 384), findings.report
    )
    ((level, words),) = findings.of("model")
    assert level is Level.FAIL
    assert (name or "all-MiniLM-L6-v2") in words
    assert "their/model" in words


Change = Callable[[str], None]


@pytest.fixture
def change(database: Database) -> Change:
    """Change the database behind the server's back."""

    def run(statement: str) -> None:
        with psycopg.connect(database.admin_dsn, autocommit=True) as conn:
            conn.execute("SET search_path = rapport")
            conn.execute(sql.SQL(statement))

    return run


async def test_the_doctors_sessions_cannot_write(database: Database) -> None:
    async with await role.connect(inspection.read_only(database.app_dsn)) as conn:
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            await conn.execute("INSERT INTO server_process (process_id) VALUES ('x')")


async def test_a_changed_audit_row_is_found(database: Database, change: Change) -> None:
    async with PostgresDatabase(database.app_dsn, database.owner_dsn, size=2) as pool:
        for tenant in ("acme", "beta"):
            for _ in range(3):
                async with pool.transaction() as tx:
                    await tx.audit.append(tenant, AuditRecord(AuditEventKind.TENANT_UPDATED, "k"))
    findings = Findings()
    async with await role.connect(inspection.read_only(database.app_dsn)) as conn:
        await databases.check_audit(conn, findings.report)
        assert findings.of("audit") == [(Level.OK, "2 chains, 6 events followed")]
        change(
            "ALTER TABLE audit_event DISABLE TRIGGER ALL; "
            "UPDATE audit_event SET actor_key_id = 'm' WHERE tenant_id = 'beta' AND sequence = 2"
        )
        await databases.check_audit(conn, findings.report)
    level, words = findings.of("audit")[1]
    assert level is Level.FAIL
    assert "'beta' is broken at 2" in words


async def test_a_role_that_may_change_audit_rows_fails(database: Database, change: Change) -> None:
    findings = Findings()
    async with await role.connect(inspection.read_only(database.app_dsn)) as conn:
        await databases.check_role(conn, findings.report)
        change("GRANT UPDATE ON audit_event TO rapport_app")
        await databases.check_role(conn, findings.report)
    (fine, _), (bad, words) = findings.of("roles")
    assert (fine, bad) == (Level.OK, Level.FAIL)
    assert "may change audit rows" in words


@pytest.mark.parametrize(
    ("statement", "level", "words"),
    [
        (
            "INSERT INTO schema_migration VALUES (99, '0099_from_afar', '')",
            Level.FAIL,
            "newer than",
        ),
        (
            "UPDATE schema_migration SET checksum = 'x' WHERE version = 1",
            Level.FAIL,
            "another text",
        ),
        ("DELETE FROM schema_migration WHERE version = 2", Level.WARN, "not yet applied: 0002_"),
    ],
)
async def test_the_schema_is_compared_with_this_program(
    database: Database, change: Change, statement: str, level: Level, words: str
) -> None:
    change(statement)
    findings = Findings()
    assert not await databases.check_schema(database.conninfo, findings.report)
    ((found, told),) = findings.of("schema")
    assert found is level
    assert words in told


async def test_erasures_that_wait_are_named_at_once_with_the_process(
    database: Database, change: Change
) -> None:
    change(
        "INSERT INTO server_process (process_id, heartbeat) VALUES ('own', now()), ('new', now() - interval '20 s'), ('gone', now() - interval '3 days'); "
        "INSERT INTO erasure_replica VALUES ('acme', gen_random_uuid(), 'gone'), ('acme', gen_random_uuid(), 'new')"
    )
    findings = Findings()
    async with await role.connect(inspection.read_only(database.app_dsn)) as conn:
        await databases.check_processes(conn, Own("own", runs=True), findings.report)
        assert findings.of("processes") == [(Level.OK, "3 known, 2 alive")]
        # It may have been killed a moment ago: nobody knows until it is silent for longer.
        (at_once, alive), (level, words) = findings.of("erasures")
        assert (at_once, level) == (Level.WARN, Level.WARN)
        assert "1 wait for process new, silent for 2" in alive
        assert "1 wait for process gone, silent for 3 days" in words
        await databases.check_processes(conn, Own("new", runs=False), findings.report)
    assert findings.of("processes")[1] == (Level.OK, "3 known, 1 alive")
    assert "1 wait for this data directory" in findings.of("erasures")[2][1]


async def test_waiting_and_errored_memories_are_counted(database: Database, change: Change) -> None:
    columns = "tenant_id, store, end_user_id, source_id, kind, status, person_no, shard_id, text, occurred_at, create_time"
    change(
        f"INSERT INTO memory ({columns}) VALUES "
        "('acme', 'MEMORIES', 'maya', 'a', 'ADDED', 'QUEUED', 1, 0, 'x', now(), now() - interval '1 hour')"
    )
    change(
        f"INSERT INTO memory ({columns}, error_reason) VALUES "
        "('acme', 'MEMORIES', 'maya', 'b', 'ADDED', 'ERRORED', 1, 0, 'x', now(), now(), 'WORKER_LOST')"
    )
    findings = Findings()
    async with await role.connect(inspection.read_only(database.app_dsn)) as conn:
        await databases.check_queue(conn, findings.report)
    (waiting, first), (errored, second) = findings.of("queue")
    assert (waiting, errored) == (Level.WARN, Level.WARN)
    assert "1 memory waiting, the oldest for 60 minutes" in first
    assert "1 WORKER_LOST" in second


async def test_the_language_models_endpoint_is_asked_whether_it_answers(llm: LlmServer) -> None:
    config = Config(*[Path("/nowhere")] * 3, llm_base_url=llm.base_url, llm_model="m")
    findings = Findings()
    await check_language_model(config, findings.report)
    assert findings.of("llm") == [(Level.OK, "the endpoint answers; m is asked for")]
    assert [(one.path, one.raw) for one in llm.asked] == [("/v1/models", b"")]
    absent = replace(config, llm_base_url="http://127.0.0.1:9/v1", llm_api_key="s3cret")
    findings = Findings()
    await check_language_model(absent, findings.report)
    assert findings.levels("llm") == {Level.WARN}
    assert "s3cret" not in findings.text.getvalue()
