"""Where a client connects to, and when its key may travel without TLS."""

import time
from typing import Any

import grpc
import pytest

import rapport
from rapport.channel import connection, is_loopback
from tests.clients.caller import Caller
from tests.clients.scripted import Refusal, ScriptedServer


async def test_the_key_travels_as_a_bearer_token(server: ScriptedServer, caller: Caller) -> None:
    await caller.call(lambda c: c.get_relation("maya"))
    await caller.collect(lambda c: c.watch_end_user("maya"))
    await caller.call(lambda c: c.import_memories("maya", memories=["x"]))
    assert [seen.metadata["authorization"] for seen in server.seen] == ["Bearer rk_test"] * 3


async def test_without_a_key_no_header_is_sent(server: ScriptedServer, connect: Any) -> None:
    await connect().call(lambda c: c.get_relation("maya"))
    assert "authorization" not in server.seen[0].metadata


async def test_target_and_key_come_from_the_environment(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAPPORT_TARGET", server.target)
    monkeypatch.setenv("RAPPORT_API_KEY", "rk_env\n")
    async with rapport.AsyncClient() as client:
        await client.get_relation("maya")
    async with rapport.AsyncClient(api_key="rk_arg") as client:
        await client.get_relation("maya")
    async with rapport.AsyncClient(api_key="") as client:
        await client.get_relation("maya")
    sent = [seen.metadata.get("authorization") for seen in server.seen]
    assert sent == ["Bearer rk_env", "Bearer rk_arg", None]


async def test_a_proxy_in_the_environment_is_not_asked_for_this_machine(
    server: ScriptedServer, connect: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "grpc_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    await connect(max_attempts=1).call(lambda c: c.get_relation("maya"))
    assert len(server.seen) == 1


def test_the_default_target_is_the_servers_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert connection(None, None, None, None).target == "127.0.0.1:50051"


@pytest.mark.parametrize(
    "target",
    [
        "localhost:1",
        "LOCALHOST:1",
        "127.0.0.1:1",
        "127.9.9.9:1",
        "[::1]:1",
        "unix:/run/r.sock",
        "dns:///localhost:1",
        "dns:localhost:1",
        "ipv4:127.0.0.1:1",
    ],
)
def test_this_machine_is_spoken_to_in_plaintext(target: str) -> None:
    assert is_loopback(target)
    assert connection(target, "rk", None, None).credentials is None


@pytest.mark.parametrize(
    "target",
    [
        "rapport.example:443",
        "10.0.0.7:50051",
        "localhost.example:1",
        "[2001:db8::1]:1",
        "dns:///rapport.example:1",
        "127.0.0.1.example:1",
        "0.0.0.0:1",
        "ipv4:10.0.0.7:1",
    ],
)
def test_any_other_machine_gets_tls_unless_told_otherwise(target: str) -> None:
    assert not is_loopback(target)
    assert connection(target, "rk", None, None).credentials is not None
    assert connection(target, "rk", True, None).credentials is None


def test_tls_can_be_asked_for_this_machine_and_own_credentials_are_kept() -> None:
    assert connection("localhost:1", None, False, None).credentials is not None
    own = grpc.ssl_channel_credentials()
    assert connection("localhost:1", None, None, own).credentials is own
    with pytest.raises(ValueError, match="exclude each other"):
        connection("localhost:1", None, True, own)


def test_several_addresses_are_local_only_if_all_are() -> None:
    assert not is_loopback("ipv4:127.0.0.1:1,10.0.0.7:1")


@pytest.mark.parametrize("key", ["rk one", "rk\x07", "ключ", "rk_…", "<operator-key>"])
def test_a_key_that_no_server_made_is_refused_at_once_naming_where_it_came_from(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match=r"^api_key: not an API key but a placeholder"):
        connection(None, key, None, None)
    monkeypatch.setenv("RAPPORT_API_KEY", key)
    with pytest.raises(ValueError, match=r"^RAPPORT_API_KEY: not an API key"):
        connection(None, None, None, None)


@pytest.mark.parametrize(
    "target",
    [
        "http://localhost:50051",
        "https://a.example",
        "localhost",
        "127.0.0.1",
        "::1",
        "[::1]",
        "localhost:",
        ":50051",
        "localhost:port",
        "localhost:0",
        "localhost:65536",
        "a b:1",
    ],
)
@pytest.mark.parametrize("client", [rapport.Client, rapport.AsyncClient])
def test_a_target_that_is_no_address_is_refused_at_once(client: Any, target: str) -> None:
    with pytest.raises(ValueError, match="target must be HOST:PORT, not "):
        client(target)


async def test_without_a_key_a_refusal_says_how_to_give_one(
    server: ScriptedServer, connect: Any
) -> None:
    for _ in range(2):
        server.script("GetRelation", Refusal(grpc.StatusCode.UNAUTHENTICATED))
    for key, hint in (("", "no API key: set RAPPORT_API_KEY or api_key="), ("rk_old", "")):
        with pytest.raises(rapport.UnauthenticatedError) as caught:
            await connect(api_key=key).call(lambda c: c.get_relation("maya"))
        assert caught.value.hint == hint
        assert str(caught.value) == "UNAUTHENTICATED: refused" + (f" – {hint}" if hint else "")
        assert caught.value.message == "refused"


async def test_a_server_without_tls_is_told_from_an_absent_one_at_once(
    server: ScriptedServer, connect: Any
) -> None:
    start = time.monotonic()
    with pytest.raises(rapport.UnavailableError, match="give plaintext=True inside a trusted"):
        await connect(plaintext=False).call(lambda c: c.get_relation("maya"))
    assert time.monotonic() - start < 5
    await server.stop()
    with pytest.raises(rapport.UnavailableError) as caught:
        await connect(plaintext=False, max_attempts=1).call(lambda c: c.get_relation("maya"))
    assert caught.value.hint == ""


def test_neither_key_nor_credentials_are_shown() -> None:
    settled = connection("localhost:1", "rk_secret", None, None)
    assert "rk_secret" not in repr(settled)


def test_no_attempt_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="max_attempts"):
        rapport.Client(max_attempts=0)
