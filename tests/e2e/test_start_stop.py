"""How a server starts, refuses to start, and stops."""

import os
import socket
import threading
import time
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from rapport import Client, RapportError, UnavailableError
from tests.e2e.scene import add, refused, sentences, texts, wait_for
from tests.fix_rapport import START_S_MAX, RapportProcess, rapport_process, server_directory

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def own():
    """A server of this module's, to be stopped and started."""
    with server_directory() as directory, rapport_process(directory) as server:
        yield server


def tiny_model(directory: Path) -> str:
    """A model of a few kilobytes with random weights, of the packaged model's dimension."""
    from transformers import BertConfig, BertModel, BertTokenizer

    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        "the",
        "dog",
        *"abcdefghijklmnopqrstuvwxyz",
    ]
    path = directory / "tiny"
    path.mkdir()
    (path / "vocab.txt").write_text("\n".join(words))
    BertTokenizer(str(path / "vocab.txt"), model_max_length=64).save_pretrained(path)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=384,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
    )
    BertModel(config).save_pretrained(path)
    return str(path)


def refusal(server: RapportProcess, *flags: str) -> str:
    """What a server says that must not start."""
    server.launch(*flags)
    code = server.exit_code()
    said = server.log_text()
    assert code == 1, said
    assert "Traceback" not in said
    return said


def test_a_stop_drains_the_running_call_and_the_next_start_has_everything(own: RapportProcess):
    facts = sentences(300)
    with own.writer() as client:
        client.process("maya", message="Remember this across a restart.")
        outcome: list[object] = []

        def long_call() -> None:
            try:
                outcome.append(client.add_memory("maya", memories=facts, wait=4, timeout=60))
            except RapportError as error:
                outcome.append(error)

        running = threading.Thread(target=long_call)
        running.start()
        while not list(client.list_memories("maya", kind="ADDED", page_size=1)):
            pass
        stopping = time.monotonic()
        assert own.process
        process = own.process
        code = own.stop()
        took = time.monotonic() - stopping
        running.join()
    said = own.log_text()
    assert code == 0, said
    assert process.returncode == 0
    assert took < 25, took  # 10 s for the calls, and what a busy machine adds to the rest
    (answer,) = outcome
    assert not isinstance(answer, RapportError), repr(answer)
    ids = [result.source_id for result in answer.results]
    assert len(ids) == 300
    assert "Traceback" not in said
    assert "error" not in said.lower().replace("errors", "")
    with (
        pytest.raises(UnavailableError),
        Client(own.address, api_key=own.writer_key, max_attempts=1) as late,
    ):
        late.get_relation("maya")

    # The next start: health says NOT_SERVING until the model is loaded, and calls are told to come back.
    port = free_port()
    own.launch(listen=f"127.0.0.1:{port}")
    seen: dict[str, set[int]] = {"": set(), "rapport.v1.MemoryService": set()}
    starting: list[RapportError] = []
    deadline = time.monotonic() + START_S_MAX
    with (
        grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
        Client(f"127.0.0.1:{port}", api_key=own.writer_key, max_attempts=1) as client,
    ):
        health = health_pb2_grpc.HealthStub(channel)
        while SERVING not in seen[""] and time.monotonic() < deadline:
            for service, states in seen.items():
                try:
                    answer = health.Check(
                        health_pb2.HealthCheckRequest(service=service),
                        wait_for_ready=True,
                        timeout=5,
                    )
                    states.add(answer.status)
                except grpc.RpcError:
                    continue  # it does not listen yet
            if SERVING not in seen[""]:
                try:
                    client.get_relation("maya")
                except RapportError as error:
                    starting.append(error)
        own.wait_until_ready()
        assert all(states == {NOT_SERVING, SERVING} for states in seen.values()), seen
        told = [error for error in starting if error.retry_after is not None]
        assert told
        assert {(error.code, error.reason) for error in told} == {("UNAVAILABLE", "UNAVAILABLE")}
        assert wait_for(client, "maya", ids) == []
        assert texts(client, "maya", "Remember this across a restart.", max_results=1) == [
            "User: Remember this across a restart."
        ]
        for fact in facts[::60]:
            assert texts(client, "maya", fact, max_results=1) == [fact]
    assert "operator key" not in own.log_text()


def test_other_secrets_or_another_model_are_refused_by_name_and_nothing_is_spoilt(
    own: RapportProcess, tmp_path: Path
):
    own.stop()
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    for secret in (own.data_dir / "secrets").iterdir():
        (other / secret.name).write_bytes(secret.read_bytes()[::-1])
        (other / secret.name).chmod(0o600)
    said = refusal(own, "--secrets-dir", str(other))
    assert "secrets" in said

    tiny = tiny_model(tmp_path)
    said = refusal(own, "--embedding-model", tiny)
    assert "vectors were made by sentence-transformers/all-MiniLM-L6-v2" in said
    assert f"the configured model is {tiny} (" in said
    assert "give --embedding-model (RAPPORT_EMBEDDING_MODEL)" in said

    own.start()
    with own.writer() as client:
        add(client, "noor", "And all is well again.")
        assert texts(client, "noor", "well") == ["And all is well again."]


@pytest.mark.long
def test_vectors_of_a_model_in_a_directory_are_refused_to_another_model_by_the_full_path(
    make_rapport, tmp_path: Path
):
    server = make_rapport(start=False)
    # However it was given: what the refusal says must be of use in any directory.
    tiny = tiny_model(tmp_path)
    server.start("--embedding-model", os.path.relpath(tiny))
    assert server.stop() == 0
    said = refusal(server)
    assert f"vectors were made by {tiny} (" in said
    assert "the configured model is sentence-transformers/all-MiniLM-L6-v2 (" in said
    assert "give --embedding-model (RAPPORT_EMBEDDING_MODEL)" in said


def test_an_open_server_is_loud_binds_to_loopback_and_wants_the_tenant_named(make_rapport):
    server = make_rapport("--insecure", start=False)
    for address in ("0.0.0.0:0", "[::]:0"):
        server.launch(listen=address)
        assert server.exit_code() != 0
        assert "--insecure" in server.log_text()
        assert "loopback" in server.log_text()
    server.start()
    assert "OPEN SERVER" in server.log_text()
    with Client(server.address) as client:
        with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", "tenant_id"):
            client.process("maya", message="hello")
        client.process("maya", message="hello", tenant_id="default")
        assert client.get_tenant(tenant_id="default").tenant.tenant_id == "default"
        assert texts(client, "maya", "hello", tenant_id="default") == ["User: hello"]
    assert server.stop() == 0
