"""Flags, variables, defaults, and what bad ones get."""

import os
from pathlib import Path
from typing import Any

import pytest

from rapport_server.config import SETTINGS, Address, Config, ConfigError


def load(flags: dict[str, Any] | None = None, **environ: str) -> Config:
    return Config.load(flags or {}, environ)


def test_defaults() -> None:
    found = load(RAPPORT_DATA_DIR="/somewhere")
    assert found.data_dir == Path("/somewhere")
    assert found.secrets_dir == Path("/somewhere/secrets")
    assert found.model_cache_dir == Path("/somewhere/models")
    assert (str(found.listen), str(found.metrics_listen)) == ("127.0.0.1:50051", "127.0.0.1:9464")
    assert (found.database_url, found.embedding_model, found.insecure) == (None, None, False)
    assert found.drain_seconds == 10


def test_a_flag_beats_a_variable_and_a_variable_the_default() -> None:
    assert load(RAPPORT_LISTEN="127.0.0.1:1").listen.port == 1
    assert load({"listen": "127.0.0.1:2"}, RAPPORT_LISTEN="127.0.0.1:1").listen.port == 2
    assert load({"listen": None}, RAPPORT_LISTEN="127.0.0.1:1").listen.port == 1
    assert load(RAPPORT_LISTEN="").listen.port == 50_051


def test_every_field_has_a_flag_and_a_variable() -> None:
    assert {setting.name for setting in SETTINGS} == set(Config.__dataclass_fields__)
    by_name = {setting.name: setting for setting in SETTINGS}
    assert by_name["metrics_listen"].flag == "--metrics-listen"
    assert by_name["metrics_listen"].variable == "RAPPORT_METRICS_LISTEN"


@pytest.mark.parametrize(
    ("user", "environ", "expected"),
    [
        (0, {"XDG_DATA_HOME": "/x", "HOME": "/home/a"}, "/var/lib/rapport"),
        (1000, {"XDG_DATA_HOME": "/x", "HOME": "/home/a"}, "/x/rapport"),
        (1000, {"XDG_DATA_HOME": "x", "HOME": "/home/a"}, "/home/a/.local/share/rapport"),
        (1000, {"HOME": "/home/a"}, "/home/a/.local/share/rapport"),
    ],
)
def test_the_default_data_dir_depends_on_the_user(
    user: int, environ: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert load(**environ).data_dir == Path(expected)


def test_relative_paths_are_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = load({"data_dir": "data"}, RAPPORT_SECRETS_DIR="keys")
    assert (found.data_dir, found.secrets_dir) == (tmp_path / "data", tmp_path / "keys")


@pytest.mark.parametrize(
    ("text", "host", "port", "loopback"),
    [
        ("127.0.0.1:0", "127.0.0.1", 0, True),
        ("127.8.8.8:1", "127.8.8.8", 1, True),
        ("localhost:50051", "localhost", 50_051, True),
        ("[::1]:65535", "::1", 65_535, True),
        ("0.0.0.0:1", "0.0.0.0", 1, False),
        ("[::]:1", "::", 1, False),
        ("memory.example:1", "memory.example", 1, False),
        ("localhost.example:1", "localhost.example", 1, False),
    ],
)
def test_addresses(text: str, host: str, port: int, loopback: bool) -> None:
    address = Address.parse(text)
    assert (address.host, address.port, address.is_loopback) == (host, port, loopback)
    assert str(address) == text


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("listen", "50051"),
        ("listen", "host"),
        ("listen", ":1"),
        ("listen", "::1:1"),
        ("listen", "[nonsense]:1"),
        ("listen", "127.0.0.1:65536"),
        ("listen", "127.0.0.1:-1"),
        ("listen", "127.0.0.1:\N{SUPERSCRIPT TWO}"),
        ("insecure", "perhaps"),
        ("data_dir", " "),
        ("database_url", "mysql://x"),
        ("drain_seconds", "soon"),
        ("drain_seconds", "nan"),
        ("drain_seconds", "-1"),
        ("database_connections_max", "0"),
        ("log_format", "xml"),
        ("log_level", "loud"),
        ("llm_base_url", "127.0.0.1:11434"),
        ("llm_base_url", "ftp://host/v1"),
        ("llm_base_url", "http://:80/v1"),
        ("llm_base_url", "http://host:0/v1"),
        ("llm_base_url", "http://host:port/v1"),
        ("llm_api_key", "a key"),
        ("llm_api_key", "key\n"),
        ("llm_timeout_seconds", "0"),
        ("llm_reply_tokens_max", "0"),
        ("llm_concurrency_max", "0"),
    ],
)
def test_a_bad_value_names_flag_and_variable(name: str, bad: str) -> None:
    flag, variable = "--" + name.replace("_", "-"), "RAPPORT_" + name.upper()
    for give in (lambda: load({name: bad}), lambda: load(**{variable: bad})):
        with pytest.raises(
            ConfigError, match=rf"{flag} \({variable}\) must |Expected 4 octets|At least"
        ):
            give()


@pytest.mark.parametrize(
    ("text", "value"), [("1", True), ("Yes", True), ("off", False), (True, True)]
)
def test_booleans(text: object, value: bool) -> None:
    assert load({"insecure": text}).insecure is value


def test_insecure_is_for_loopback_only() -> None:
    assert load(RAPPORT_INSECURE="true", RAPPORT_LISTEN="[::1]:0").insecure
    with pytest.raises(ConfigError, match=r"--insecure.*--listen.*0\.0\.0\.0:50051"):
        load(RAPPORT_INSECURE="true", RAPPORT_LISTEN="0.0.0.0:50051")


def test_the_password_shows_in_neither_repr_nor_error() -> None:
    assert "s3cret" not in repr(load(RAPPORT_DATABASE_URL="postgresql://u:s3cret@h/d"))
    with pytest.raises(ConfigError) as caught:
        load(RAPPORT_DATABASE_URL="http//u:s3cret@h")
    assert "s3cret" not in str(caught.value)


def test_a_language_model_needs_address_and_name_and_its_key_stays_hidden() -> None:
    assert load().llm_base_url is None
    url = "http://u:s3cret@127.0.0.1:11434/v1"
    found = load(RAPPORT_LLM_BASE_URL=url, RAPPORT_LLM_MODEL="m", RAPPORT_LLM_API_KEY="s3cret")
    assert (found.llm_base_url, found.llm_model, found.llm_api_key) == (url, "m", "s3cret")
    assert not found.llm_analysis
    assert "s3cret" not in repr(found)
    for alone in ({"RAPPORT_LLM_BASE_URL": url}, {"RAPPORT_LLM_MODEL": "m"}):
        with pytest.raises(ConfigError, match=r"RAPPORT_LLM_BASE_URL.*RAPPORT_LLM_MODEL"):
            load(**alone)
    with pytest.raises(ConfigError, match="RAPPORT_LLM_ANALYSIS"):
        load(RAPPORT_LLM_ANALYSIS="true")


def test_an_unknown_setting_is_an_error() -> None:
    with pytest.raises(ConfigError, match="listn"):
        load({"listn": "127.0.0.1:1"})


def test_programs_of_postgres_can_be_named_by_both_variables() -> None:
    assert load(PG_BIN="/a").pg_bin == Path("/a")
    assert load(PG_BIN="/a", RAPPORT_PG_BIN="/b").pg_bin == Path("/b")


def test_only_the_given_environment_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAPPORT_LISTEN", "127.0.0.1:7")
    assert load().listen.port == 50_051
