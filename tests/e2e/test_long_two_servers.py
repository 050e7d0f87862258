"""Two servers on one Postgres: neither is ever behind the other, and an erase reaches both."""

import threading
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from psycopg import sql
from psycopg.conninfo import make_conninfo

from rapport import AuditEventKind, Client, receipt_payload
from rapport_server.embedded import EmbeddedPostgres
from tests.e2e.evidence import files_with, refusal_reason
from tests.e2e.scene import add, is_stranger, refused, sentences, texts, together
from tests.fix_rapport import RapportProcess, rapport_process, server_directory

pytestmark = pytest.mark.long


@dataclass
class Pair:
    """Two servers, a writer's client of each in a tenant of the test's own, and the database behind both."""

    servers: tuple[RapportProcess, RapportProcess]
    clients: tuple[Client, Client]
    operator: Client
    key: str
    admin_dsn: str


@pytest.fixture(scope="module")
def servers(postgres: EmbeddedPostgres) -> Iterator[tuple[RapportProcess, RapportProcess, str]]:
    """Two servers on a new database of a Postgres that is neither's."""
    name = f"pair_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(postgres.admin_dsn, autocommit=True) as conn:
        conn.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    dsn = make_conninfo(postgres.admin_dsn, dbname=name)
    flags = ("--database-url", dsn, "--snapshot-seconds", "1")
    with ExitStack() as stack:
        directory = stack.enter_context(server_directory())
        first = stack.enter_context(rapport_process(directory, *flags, name="first"))
        secrets = ("--secrets-dir", str(first.data_dir / "secrets"))
        second = stack.enter_context(rapport_process(directory, *flags, *secrets, name="second"))
        second.operator_key = first.operator_key
        yield first, second, dsn
        assert [first.stop(), second.stop()] == [0, 0]
    with psycopg.connect(postgres.admin_dsn, autocommit=True) as conn:
        conn.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def pair(servers: tuple[RapportProcess, RapportProcess, str]) -> Iterator[Pair]:
    first, second, dsn = servers
    tenant_id = f"t-{uuid.uuid4()}"
    with first.operator(tenant_id) as operator:
        operator.create_tenant(tenant_id=tenant_id)
        key = operator.create_api_key(role="WRITER").secret
        with first.client(key) as one, second.client(key) as two:
            yield Pair((first, second), (one, two), operator, key, dsn)


def test_completed_on_one_is_recalled_on_the_other_at_once(pair: Pair):
    one, two = pair.clients
    facts = sentences(300)

    def work(number: int) -> None:
        writer, reader = (one, two) if number % 2 else (two, one)
        if number % 3:
            writer.process("maya", message=facts[number])
            assert texts(reader, "maya", facts[number], max_results=1) == [f"User: {facts[number]}"]
        else:
            answer = writer.add_memory("maya", memories=[facts[number]], wait=60)
            assert answer.results[0].status == 3
            assert texts(reader, "maya", facts[number], max_results=1) == [facts[number]]

    together(6, work, 300)
    for client in pair.clients:
        assert client.get_relation("maya").relation.interaction_count == 200
        assert len(texts(client, "maya", "journal", max_results=1000)) == 300
    assert pair.operator.verify_audit_log().ok


def test_nothing_is_skipped_when_commits_come_in_another_order_than_they_began(pair: Pair):
    one, two = pair.clients
    with psycopg.connect(pair.admin_dsn, autocommit=True) as conn:
        # Whoever says SLOWLY holds its transaction open after it has taken its numbers.
        conn.execute("""
            CREATE FUNCTION rapport.hold() RETURNS trigger LANGUAGE plpgsql AS
            $$BEGIN PERFORM pg_sleep(1.5); RETURN NULL; END$$;
            CREATE TRIGGER hold AFTER INSERT ON rapport.memory FOR EACH ROW
            WHEN (NEW.text LIKE '%SLOWLY%') EXECUTE FUNCTION rapport.hold()""")
        for round_number in range(5):
            slow, quick = (
                f"SLOWLY the glacier moves {round_number}.",
                f"The otter dives {round_number}.",
            )
            add(one, "begun", "This person exists.")
            thread = threading.Thread(target=lambda text=slow: one.process("slow", message=text))
            thread.start()
            while not conn.execute(
                "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
            ).fetchone():
                pass
            two.process("quick", message=quick)
            for client in pair.clients:
                assert texts(client, "quick", quick, max_results=1) == [f"User: {quick}"]
                assert f"User: {slow}" not in texts(client, "slow", slow)
            assert thread.is_alive()
            thread.join()
            for client in reversed(pair.clients):
                assert texts(client, "slow", slow, max_results=1) == [f"User: {slow}"]
            ids = {
                text: (chunk_id, seq, shard_id)
                for text, chunk_id, seq, shard_id in conn.execute(
                    "SELECT m.text, c.chunk_id, s.seq, s.shard_id FROM rapport.memory m"
                    " JOIN rapport.chunk c USING (tenant_id, store, end_user_id, source_id, version)"
                    " JOIN rapport.shard_change s ON s.tenant_id = c.tenant_id AND c.chunk_id = ANY (s.added)"
                    " WHERE m.text = ANY (%s)",
                    ([f"User: {slow}", f"User: {quick}"],),
                )
            }
            began_first, committed_first = ids[f"User: {slow}"], ids[f"User: {quick}"]
            assert began_first[2] == committed_first[2]
            assert began_first[0] < committed_first[0]
            assert began_first[1] > committed_first[1]


def vectors_of(pair: Pair, end_user_id: str) -> list[bytes]:
    with psycopg.connect(pair.admin_dsn) as conn:
        return [
            bytes(vector)
            for (vector,) in conn.execute(
                "SELECT vector FROM rapport.chunk WHERE tenant_id = %s AND end_user_id = %s ORDER BY chunk_id LIMIT 5",
                (pair.operator.get_tenant().tenant.tenant_id, end_user_id),
            )
        ]


def wait_until_on_disk(server: RapportProcess, vectors: list[bytes]) -> None:
    while not all(files_with([server.data_dir / "shards"], [vector]) for vector in vectors):
        pass


def test_an_erase_reaches_the_other_servers_memory_and_files(pair: Pair):
    for client in pair.clients:
        add(client, "maya", *sentences(20, seed=11))
        client.process("noor", message="Noor stays.")
    vectors, kept = vectors_of(pair, "maya"), vectors_of(pair, "noor")
    for server, client in zip(pair.servers, pair.clients, strict=True):
        texts(client, "maya", "journal")
        wait_until_on_disk(server, [*vectors, *kept])
    receipt = pair.clients[0].erase("maya").receipt
    assert receipt.verified
    assert not receipt.replicas_pending
    for server, client in zip(pair.servers, pair.clients, strict=True):
        assert files_with([server.data_dir / "shards"], vectors) == []
        assert files_with([server.data_dir / "shards"], kept)
        assert is_stranger(client, "maya")
        assert texts(client, "maya", "journal") == []
        assert texts(client, "noor", "Noor stays.", max_results=1) == ["User: Noor stays."]


def test_a_server_that_is_down_is_pending_until_it_has_dropped_the_person(pair: Pair):
    first, second = pair.servers
    add(pair.clients[0], "maya", *sentences(20, seed=12))
    texts(pair.clients[1], "maya", "journal")
    vectors = vectors_of(pair, "maya")
    wait_until_on_disk(second, vectors)
    second.stop()
    assert files_with([second.data_dir / "shards"], vectors)
    receipt = pair.clients[0].erase("maya").receipt
    assert not receipt.verified
    assert len(receipt.replicas_pending) == 1
    assert (
        receipt.replicas_pending[0]
        == (second.data_dir / "shards" / "process_id").read_text().strip()
    )
    assert files_with([first.data_dir / "shards"], vectors) == []

    # The id may come back before everybody has confirmed; the new person is not the old one's leftover.
    pair.clients[0].process("maya", message="I am back.")
    second.start()
    # It serves only after it has dropped everybody who was erased meanwhile.
    assert files_with([second.data_dir / "shards"], vectors) == []
    with second.client(pair.key) as client:
        assert texts(client, "maya", "journal") == ["User: I am back."]
    completed = pair.operator.get_erasure_receipt(receipt_id=receipt.receipt_id).receipt
    assert completed.verified
    assert not completed.replicas_pending
    assert completed.counts == receipt.counts
    keys = {key.key_id: key.public_key for key in pair.operator.get_signing_keys().signing_keys}
    for signed in (receipt, completed):
        Ed25519PublicKey.from_public_bytes(keys[signed.key_id]).verify(
            signed.signature, receipt_payload(signed)
        )
    kinds = [event.kind for event in pair.operator.list_audit_events()]
    assert AuditEventKind.AUDIT_EVENT_KIND_ERASURE_COMPLETED in kinds
    assert pair.operator.verify_audit_log().ok


def test_a_key_revoked_on_one_is_refused_on_the_other(pair: Pair):
    second = pair.servers[1]
    created = pair.operator.create_api_key(role="WRITER")
    with second.client(created.secret) as client:
        client.get_relation("maya")
        pair.operator.revoke_api_key(key_id=created.api_key.key_id)
        # The news travels by notification; the test's own limit is the only clock.
        while not refusal_reason(lambda: client.get_relation("maya")):
            pass
        with refused("UNAUTHENTICATED"):
            client.get_relation("maya")


def test_a_watcher_on_one_is_told_what_happens_on_the_other_also_after_its_line_was_cut(pair: Pair):
    one, two = pair.clients
    with two.watch_end_user("maya") as stream:
        next(stream)
        for number in range(3):
            said = one.process("maya", message=f"Sentence {number}.")
            told = next(stream)
            assert told.interaction_id == said.interaction_id
            assert told.relation.interaction_count == number + 1
        with psycopg.connect(pair.admin_dsn, autocommit=True) as conn:
            conn.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ILIKE 'listen%'"
            )
        said = one.process("maya", message="Does anybody listen?")
        assert next(stream).interaction_id == said.interaction_id
        pair.operator.erase("maya")
        with refused("ABORTED", "ERASED"):
            next(stream)
