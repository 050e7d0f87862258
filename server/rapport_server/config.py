"""The configuration: built once from flags and RAPPORT_* variables, then passed down."""

import ipaddress
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from rapport_server.domain.context import CONTEXT_TOKENS_MIN
from rapport_server.startup import StartupError

LOG_FORMATS = ("console", "json")
LOG_LEVELS = ("debug", "info", "warning", "error")
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


class ConfigError(StartupError, ValueError):
    """A flag or variable has a bad value; the message names both."""


@dataclass(frozen=True, slots=True)
class Address:
    """HOST:PORT; an IPv6 host is written in brackets, port 0 is a free one."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `HOST:PORT`; ValueError says what is wrong."""
        host, colon, port = text.rpartition(":")
        bracketed = host.startswith("[") and host.endswith("]")
        if not colon or not host or (":" in host and not bracketed):
            raise ValueError("must be HOST:PORT, with an IPv6 host in brackets")
        if bracketed:
            host = str(ipaddress.IPv6Address(host[1:-1]))
        if not (port.isascii() and port.isdecimal()) or int(port) > 65_535:
            raise ValueError("must end in a port from 0 to 65535")
        return cls(host, int(port))


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that can be chosen from outside. Units are last in the names."""

    data_dir: Path
    secrets_dir: Path
    model_cache_dir: Path
    listen: Address = Address("127.0.0.1", 50_051)
    metrics_listen: Address = Address("127.0.0.1", 9_464)
    # May hold a password, so it stays out of `repr`.
    database_url: str | None = field(default=None, repr=False)
    embedding_model: str | None = None
    insecure: bool = False
    pg_bin: Path | None = None
    database_connections_max: int = 16
    drain_seconds: float = 10.0
    snapshot_seconds: float = 30.0
    shard_bytes_open_max: int = 1024 * 1024 * 1024
    context_tokens_max: int = 3_000
    log_format: str = "console"
    log_level: str = "info"
    # May hold credentials, as the key does.
    llm_base_url: str | None = field(default=None, repr=False)
    llm_model: str | None = None
    llm_api_key: str | None = field(default=None, repr=False)
    llm_timeout_seconds: float = 60.0
    llm_reply_tokens_max: int = 1_024
    llm_concurrency_max: int = 8
    llm_analysis: bool = False

    def __post_init__(self) -> None:
        if (self.llm_base_url is None) != (self.llm_model is None):
            raise ConfigError(
                "--llm-base-url (RAPPORT_LLM_BASE_URL) and --llm-model (RAPPORT_LLM_MODEL) go together: give both or none"
            )
        if self.llm_analysis and self.llm_base_url is None:
            raise ConfigError(
                "--llm-analysis (RAPPORT_LLM_ANALYSIS) needs an endpoint: --llm-base-url (RAPPORT_LLM_BASE_URL)"
            )
        if self.insecure and not self.listen.is_loopback:
            raise ConfigError(
                f"--insecure (RAPPORT_INSECURE) serves without credentials and therefore only on loopback: "
                f"--listen (RAPPORT_LISTEN) is {self.listen}, use 127.0.0.1:PORT"
            )

    @classmethod
    def load(cls, flags: Mapping[str, Any], environ: Mapping[str, str]) -> Self:
        """Flag beats variable beats default.

        `flags` is keyed by field name; None and a missing key are "not given". An empty variable is "not given" too.
        Raises ConfigError naming flag and variable of the first bad value.
        """
        if unknown := set(flags) - {setting.name for setting in SETTINGS}:
            raise ConfigError(f"there is no setting {', '.join(sorted(unknown))}")
        values = {}
        for setting in SETTINGS:
            given = setting.given(flags, environ)
            if given is not None:
                values[setting.name] = setting.read(given)
        values.setdefault("data_dir", _default_data_dir(environ))
        values.setdefault("secrets_dir", values["data_dir"] / "secrets")
        values.setdefault("model_cache_dir", values["data_dir"] / "models")
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Setting:
    """One field of Config as it is given from outside: `--data-dir` and RAPPORT_DATA_DIR for `data_dir`."""

    name: str
    parse: Callable[[str], Any]
    metavar: str
    help: str
    # Other variables that are looked at after the own one.
    aliases: tuple[str, ...] = ()

    @property
    def flag(self) -> str:
        """The flag of the command line."""
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        """The environment variable."""
        return "RAPPORT_" + self.name.upper()

    def given(self, flags: Mapping[str, Any], environ: Mapping[str, str]) -> Any:
        """What was given from outside, the flag first; None when nothing was."""
        if (value := flags.get(self.name)) is not None:
            return value
        return next(
            (v for name in (self.variable, *self.aliases) if (v := environ.get(name))), None
        )

    def read(self, given: Any) -> Any:
        """The value of what was given; ConfigError names flag and variable."""
        try:
            return self.parse(str(given))
        except ValueError as error:
            # The reason is one of ours or of the standard library; the value itself may be a secret.
            raise ConfigError(f"{self.flag} ({self.variable}) {error}") from None


def _path(text: str) -> Path:
    if not text.strip():
        raise ValueError("must not be empty")
    return Path(text).expanduser().absolute()


def _text(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def _database_url(text: str) -> str:
    if not text.startswith(("postgresql://", "postgres://")) and "=" not in text:
        raise ValueError("must be postgresql://USER@HOST/DATABASE or libpq's key=value form")
    return text


def _http_url(text: str) -> str:
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # its own words may quote the address, which may hold a password
        good = False
    if not good:
        raise ValueError("must be an http:// or https:// address such as http://127.0.0.1:11434/v1")
    return text


def _key(text: str) -> str:
    if not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError("must be printable ASCII without spaces, as it travels in a header")
    return text


def _bool(text: str) -> bool:
    if (lowered := text.strip().lower()) in _TRUE | _FALSE:
        return lowered in _TRUE
    raise ValueError("must be true or false")


def _choice(*choices: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text.lower() not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return text.lower()

    return parse


def _seconds(least: float, most: float) -> Callable[[str], float]:
    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not least <= value <= most:
            raise ValueError(f"must be a number of seconds from {least:g} to {most:g}")
        return value

    return parse


def _count(least: int, most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not (text.isascii() and text.isdecimal()) or not least <= int(text) <= most:
            raise ValueError(f"must be a whole number from {least} to {most}")
        return int(text)

    return parse


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "data_dir",
        _path,
        "DIR",
        "Where everything is kept [/var/lib/rapport, else ~/.local/share/rapport]",
    ),
    Setting(
        "listen",
        Address.parse,
        "HOST:PORT",
        "Where gRPC is served; port 0 is a free one [127.0.0.1:50051]",
    ),
    Setting(
        "metrics_listen", Address.parse, "HOST:PORT", "Where /metrics is served [127.0.0.1:9464]"
    ),
    Setting(
        "secrets_dir",
        _path,
        "DIR",
        "Hash key and signing key, shared by all processes of a database [DATA_DIR/secrets]",
    ),
    Setting(
        "database_url",
        _database_url,
        "URL",
        "A Postgres of your own; best by variable, flags show in ps [embedded]",
    ),
    Setting(
        "embedding_model",
        _text,
        "NAME",
        "A Hugging Face id or a path [the packaged all-MiniLM-L6-v2]",
    ),
    Setting(
        "model_cache_dir",
        _path,
        "DIR",
        "Where the converted model is kept for the next start [DATA_DIR/models]",
    ),
    Setting("insecure", _bool, "BOOL", "Serve without credentials, on loopback only [false]"),
    Setting(
        "pg_bin",
        _path,
        "DIR",
        "The programs of the embedded Postgres [the packaged ones]",
        ("PG_BIN",),
    ),
    Setting(
        "database_connections_max",
        _count(4, 1_000),
        "N",
        "Connections to the database at most [16]",
    ),
    Setting(
        "drain_seconds",
        _seconds(0, 600),
        "SECONDS",
        "How long running calls may take to end at a stop [10]",
    ),
    Setting(
        "snapshot_seconds",
        _seconds(1, 86_400),
        "SECONDS",
        "How often changed shards are written to disk [30]",
    ),
    # A shard has at most 64 MiB of vectors; fewer than two could not be open beside each other.
    Setting(
        "shard_bytes_open_max",
        _count(128 << 20, 1 << 50),
        "BYTES",
        "Memory for open shards [1 GiB]",
    ),
    Setting(
        "context_tokens_max",
        _count(CONTEXT_TOKENS_MIN, 1_000_000),
        "TOKENS",
        "How long the context that Process answers may be [3000]",
    ),
    Setting("log_format", _choice(*LOG_FORMATS), "FORMAT", "console or json [console]"),
    Setting("log_level", _choice(*LOG_LEVELS), "LEVEL", "debug, info, warning or error [info]"),
    Setting(
        "llm_base_url",
        _http_url,
        "URL",
        "An OpenAI-compatible endpoint, for tenants with allow_llm [none: no text leaves the machine]",
    ),
    Setting("llm_model", _text, "NAME", "The model to ask for there"),
    Setting("llm_api_key", _key, "KEY", "Its key; best by variable, flags show in ps [none]"),
    # A caller without a deadline of its own has 90 s.
    Setting(
        "llm_timeout_seconds",
        _seconds(0.1, 600),
        "SECONDS",
        "How long the model may take for a reply [60]",
    ),
    Setting("llm_reply_tokens_max", _count(1, 32_768), "N", "Tokens of a reply at most [1024]"),
    Setting(
        "llm_concurrency_max",
        _count(1, 1_000),
        "N",
        "Requests to the endpoint at a time; others wait [8]",
    ),
    Setting(
        "llm_analysis", _bool, "BOOL", "Let the model read messages, too, not only write [false]"
    ),
)


def _default_data_dir(environ: Mapping[str, str]) -> Path:
    if os.geteuid() == 0:
        return Path("/var/lib/rapport")
    data_home = environ.get("XDG_DATA_HOME", "")
    # A relative XDG path is invalid and to be ignored, says its specification.
    if os.path.isabs(data_home):
        return Path(data_home) / "rapport"
    home = environ.get("HOME", "")
    return (Path(home) if os.path.isabs(home) else Path.home()) / ".local" / "share" / "rapport"
