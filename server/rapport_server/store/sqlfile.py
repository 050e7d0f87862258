"""Named SQL blocks: `-- name: insert_memory` lines divide a file in `sql/`, and each block is an attribute."""

import re
from functools import cache
from pathlib import Path

from psycopg import sql

_DIRECTORY = Path(__file__).parent / "sql"
_NAME = re.compile(r"^--[ \t]*name:[ \t]*(\S+)[ \t]*$", re.MULTILINE)


class Queries:
    """The blocks of one file; a name that is not in it is an AttributeError naming file and name.

    Bind what a module uses at its top (`INSERT = load("memory").insert_memory`) and a wrong name fails the import.
    """

    def __init__(self, file: str, blocks: dict[str, sql.SQL]) -> None:
        self._file = file
        self._blocks = blocks

    def __getattr__(self, name: str) -> sql.SQL:
        if name.startswith("_") or name not in self._blocks:
            raise AttributeError(f"{self._file} has no block named {name!r}")
        return self._blocks[name]

    def __dir__(self) -> list[str]:
        return sorted(self._blocks)


@cache
def load(noun: str) -> Queries:
    """The blocks of `sql/<noun>.sql`. ValueError when the file is not blocks with distinct names."""
    path = _DIRECTORY / f"{noun}.sql"
    return Queries(path.name, parse(path.name, path.read_text(encoding="utf-8")))


def parse(file: str, text: str) -> dict[str, sql.SQL]:
    """Divide the text of a file into its blocks."""
    head, *parts = _NAME.split(text)
    if any(line.strip() and not line.startswith("--") for line in head.splitlines()):
        raise ValueError(f"{file}: SQL before the first `-- name:` line")
    blocks: dict[str, sql.SQL] = {}
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        if not name.isidentifier() or name.startswith("_") or name in blocks or not body.strip():
            raise ValueError(f"{file}: block {name!r} is empty, repeated or not a name")
        # The text comes from our own file, never from a caller, which is all that LiteralString would say.
        blocks[name] = sql.SQL(body.strip().removesuffix(";"))
    return blocks
