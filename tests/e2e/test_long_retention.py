"""A tenant with 100,000 memories gets a smaller plan: what the plan does not keep goes, and no call notices."""

import itertools
import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import numpy as np
import psycopg
import pytest

from rapport import DeadlineExceededError
from rapport_server.domain.limits import CHANGES_KEPT
from rapport_server.vectors.folder import tenant_folder
from tests.bench.conftest import tell
from tests.fix_rapport import RapportProcess, TenantHandle

pytestmark = pytest.mark.long
DIMENSION = 384
LARGEST, OTHERS, EACH = 50_000, 50, 1_000
KEPT = 500
BEFORE_S = 10.0
# The keeper writes a changed shard after at most 30 s, and looks every quarter of that.
SNAPSHOT_S = 45.0
# What a transaction of the sweep, or any other, may keep others waiting on a busy machine.
TRANSACTION_S_MAX = 0.5


@dataclass
class Crowd:
    """A person with half of the memories, and others with the rest, put straight into the tables."""

    tenant: TenantHandle
    people: list[str] = field(default_factory=list)

    def fill(self) -> None:
        self.people = ["maya", *(f"person-{n}" for n in range(OTHERS))]
        for name in self.people:
            self.tenant.client.process(name, message="Hello, it is me.")
        with psycopg.connect(self.tenant.server.superuser_dsn()) as conn:
            conn.execute("SET search_path TO rapport")
            for number, name in enumerate(self.people):
                self._store(conn, name, EACH if number else LARGEST, seed=number)

    def _store(self, conn: psycopg.Connection, name: str, count: int, seed: int) -> None:
        """Every tenth is an interaction with its message; all are older than what was said by call."""
        tenant_id = self.tenant.tenant_id
        values = {"tenant": tenant_id, "user": name, "count": count}
        conn.execute(_MEMORIES, values)
        conn.execute(_MESSAGES, values)
        rows = conn.execute(_UNINDEXED, values).fetchall()
        vectors = np.random.default_rng(seed).normal(size=(count, DIMENSION))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        packed = vectors.astype("<f2")
        with conn.cursor().copy(_CHUNKS) as copy:
            for (source_id, version, person_no, shard_id), vector in zip(rows, packed, strict=True):
                place = (tenant_id, "MEMORIES", name, source_id, version, person_no, shard_id, 0)
                copy.write_row((*place, vector.tobytes()))
        conn.execute(_CHANGE, values)
        conn.commit()


_MEMORIES = """
INSERT INTO memory (tenant_id, store, end_user_id, source_id, kind, status, person_no, shard_id, text, occurred_at,
                    interaction_id)
SELECT tenant_id, 'MEMORIES', end_user_id, 'm' || n, CASE WHEN n %% 10 = 0 THEN 'INTERACTION' ELSE 'ADDED' END, 'COMPLETED',
       person_no, shard_id, 'memory number ' || n || repeat(' of this person', 8), now() - interval '1 year' + n * interval '1 s',
       CASE WHEN n %% 10 = 0 THEN gen_random_uuid() END
FROM end_user, generate_series(1, %(count)s) AS n WHERE tenant_id = %(tenant)s AND end_user_id = %(user)s"""
_MESSAGES = """
INSERT INTO message (tenant_id, end_user_id, interaction_id, role, text, channel, session_id, occurred_at)
SELECT tenant_id, end_user_id, interaction_id, 'USER', text, '', '', occurred_at FROM memory
WHERE tenant_id = %(tenant)s AND end_user_id = %(user)s AND source_id LIKE 'm%%' AND interaction_id IS NOT NULL"""
_UNINDEXED = """
SELECT source_id, version, person_no, shard_id FROM memory
WHERE tenant_id = %(tenant)s AND end_user_id = %(user)s AND source_id LIKE 'm%%' ORDER BY version"""
_CHUNKS = """
COPY chunk (tenant_id, store, end_user_id, source_id, version, person_no, shard_id, chunk_index, vector) FROM STDIN"""
_CHANGE = """
WITH new AS (
    SELECT shard_id, array_agg(chunk_id) AS ids FROM chunk
    WHERE tenant_id = %(tenant)s AND end_user_id = %(user)s AND source_id LIKE 'm%%' GROUP BY shard_id
), head AS (
    UPDATE shard_head h SET seq = seq + 1, token = gen_random_uuid(), vectors = vectors + cardinality(ids) FROM new
    WHERE h.tenant_id = %(tenant)s AND h.shard_id = new.shard_id RETURNING h.shard_id, seq, token, ids
)
INSERT INTO shard_change (tenant_id, shard_id, seq, token, added, removed, dropped)
SELECT %(tenant)s, shard_id, seq, token, ids, '{}', '{}' FROM head"""


def measure(crowd: Crowd, done: Callable[[], bool]) -> dict[str, list[float]]:
    """Milliseconds of calls, one after the other, until `done`: of the largest person and of another one."""
    client = crowd.tenant.client
    calls: dict[str, Callable[[int], object]] = {
        "Process of the largest": lambda day: client.process("maya", message=f"Day {day} went by."),
        "Recall of the largest": lambda day: client.recall("maya", query=f"How was day {day}?"),
        "Process of another": lambda day: client.process("person-7", message=f"It is day {day}."),
    }
    times: dict[str, list[float]] = {name: [] for name in calls}
    for day in itertools.count(time.time_ns()):
        for name, call in calls.items():
            started = time.perf_counter()
            call(day)
            times[name].append((time.perf_counter() - started) * 1e3)
        if done():
            break
    return times


class LongestTransaction:
    """How long a writing transaction has been open at most, as seen every few milliseconds."""

    def __init__(self, server: RapportProcess) -> None:
        self._dsn = server.superuser_dsn()
        self._ended = threading.Event()
        self.seconds = 0.0

    def run(self) -> None:
        with psycopg.connect(self._dsn, autocommit=True) as conn:
            while not self._ended.wait(0.003):
                row = conn.execute(
                    "SELECT coalesce(extract(epoch FROM clock_timestamp() - min(xact_start)), 0)::float8 FROM pg_stat_activity"
                    " WHERE backend_xid IS NOT NULL AND backend_type = 'client backend'"
                ).fetchone()
                assert row is not None
                self.seconds = max(self.seconds, row[0])

    def end(self) -> None:
        self._ended.set()


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[int(len(values) * share)]


def rows_of(crowd: Crowd, table: str) -> int:
    with psycopg.connect(crowd.tenant.server.superuser_dsn()) as conn:
        query = f"SELECT count(*) FROM rapport.{table} WHERE tenant_id = %s"
        row = conn.execute(query, (crowd.tenant.tenant_id,)).fetchone()
        assert row is not None
        return int(row[0])


def test_a_smaller_plan_for_a_large_tenant_makes_no_call_slow(tenant: TenantHandle):
    crowd = Crowd(tenant)
    crowd.fill()
    client, operator = tenant.client, tenant.operator
    total = {user.end_user_id: user.total_stored for user in operator.list_end_users()}
    assert total == {name: (EACH if name != "maya" else LARGEST) + 1 for name in crowd.people}
    assert client.recall("maya", query="warm").results

    end = time.monotonic() + BEFORE_S
    before = measure(crowd, lambda: time.monotonic() > end)
    operator.update_tenant(plan="COMMUNITY")
    changes = rows_of(crowd, "shard_change")
    longest = LongestTransaction(tenant.server)
    with ThreadPoolExecutor(2) as pool:
        watching = pool.submit(longest.run)
        started = time.monotonic()
        sweeping = pool.submit(sweep_in_pieces, crowd)
        during = measure(crowd, sweeping.done)
        swept_s = time.monotonic() - started
        longest.end()
        watching.result()
    swept, broken_off = sweeping.result()
    changes = rows_of(crowd, "shard_change") - changes
    tell(
        "Sweep",
        s=swept_s,
        memories=swept,
        longest_transaction_ms=longest.seconds * 1e3,
        changes=changes,
    )
    ratios = []
    for name in before:
        p50, p95 = (percentile(before[name], share) for share in (0.5, 0.95))
        busy_p50, busy_p95 = (percentile(during[name], share) for share in (0.5, 0.95))
        tell(f"{name}, ms", p50=p50, busy_p50=busy_p50, p95=p95, busy_p95=busy_p95)
        ratios.append(busy_p95 / p95)
    assert broken_off
    left = {user.end_user_id: user.total_stored for user in operator.list_end_users()}
    assert left.keys() == total.keys()
    # An interaction of a person who had none beyond the plan is still there; the rest of them are from before the measuring.
    assert left["maya"] == 2 * KEPT
    assert left["person-3"] == KEPT + EACH // 10 + 1
    assert rows_of(crowd, "memory") == rows_of(crowd, "chunk") == sum(left.values())
    assert rows_of(crowd, "message") == sum(
        1 for name in crowd.people for _ in client.list_messages(name, page_size=1000)
    )
    hits = client.recall("maya", query="memory number", max_results=1000).results
    assert len(hits) == 1000
    assert vectors_on_disk(crowd) == sum(left.values())
    a_message_of_long_ago_pushes_nothing_out(crowd)
    assert changes <= CHANGES_KEPT
    assert longest.seconds <= TRANSACTION_S_MAX
    assert max(ratios) <= 2


def a_message_of_long_ago_pushes_nothing_out(crowd: Crowd) -> None:
    client = crowd.tenant.client
    newest = [memory.source_id for memory in client.list_memories("maya", page_size=1000)]
    long_ago = datetime.now(UTC) - timedelta(days=3000)
    told = client.process("maya", message="I was in Ghent.", occurred_at=long_ago)
    assert told.memory.total_stored == 2 * KEPT
    assert told.memory.known_since.ToDatetime(UTC) == long_ago
    assert [memory.source_id for memory in client.list_memories("maya", page_size=1000)] == newest
    texts = [message.text for message in client.list_messages("maya", page_size=1000)]
    assert len(texts) == KEPT
    assert "I was in Ghent." not in texts


def sweep_in_pieces(crowd: Crowd) -> tuple[int, bool]:
    """RunSweep with deadlines that it cannot keep, until one call says that all is done; what its audit says was cut."""
    broken_off = False
    while True:
        try:
            crowd.tenant.operator.run_sweep(timeout=5)
        except DeadlineExceededError:
            broken_off = True
            continue
        events = crowd.tenant.operator.list_audit_events(kind="RETENTION_SWEPT", page_size=1000)
        return int(
            sum(event.details["cut"] for event in events if "cut" in event.details)
        ), broken_off


def vectors_on_disk(crowd: Crowd) -> int:
    """What the newest files of the tenant's shards hold, once they have been written again."""
    folder = crowd.tenant.server.data_dir / "shards" / tenant_folder(crowd.tenant.tenant_id)
    time.sleep(SNAPSHOT_S)
    total = 0
    for pointer in folder.glob("*/CURRENT"):
        (manifest,) = pointer.parent.glob("g-*/manifest.json")
        total += json.loads(manifest.read_text())["vectors"]
    return total
