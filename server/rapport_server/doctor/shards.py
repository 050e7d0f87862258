"""The shard files against their checksums and the database; only reads."""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from rapport_server.doctor.report import Report
from rapport_server.domain.ports import Position, ShardKey
from rapport_server.store import inspection
from rapport_server.store.query import Connection
from rapport_server.vectors.folder import tenant_folder
from rapport_server.vectors.generation import Damaged, Identity, read_generation, read_small

# At most so many are read; a shard has at most 64 MiB and is read at some 500 MB/s.
SHARDS_MAX = 1_000
_SHOWN_MAX = 5
# A running server replaces a generation now and then while it is being read.
_TRIES = 3


@dataclass(frozen=True, slots=True)
class Model:
    """The model whose vectors the files must hold."""

    fingerprint: str
    dimension: int


async def check_shards(root: Path, model: Model, conn: Connection, report: Report) -> None:
    """Every folder: readable, of this model, and somewhere in the database's history."""
    heads = await inspection.heads(conn, SHARDS_MAX)
    known = {f"{tenant_folder(key.tenant_id)}/{key.shard_id}": key for key in heads}
    folders = _folders(root)
    if not folders:
        report.ok("shards", f"no files yet, {len(heads)} in the database; they are made when used")
        return
    states: Counter[str] = Counter()
    bad: list[tuple[str, str]] = []
    for folder in folders[:SHARDS_MAX]:
        name = f"{folder.parent.name}/{folder.name}"
        key = known.get(name)
        if key is None:
            bad.append((name, "the database has no such shard"))
            continue
        try:
            position = _position(folder, Identity(name, model.fingerprint, model.dimension))
        except (Damaged, OSError, ValueError, KeyError) as error:
            bad.append((name, str(error)))
            continue
        states[await _standing(conn, key, position, heads[key])] += 1
    _tell(root, states, bad, len(folders), report)


def _folders(root: Path) -> list[Path]:
    return sorted(path for path in root.glob("*/*") if path.is_dir())


def _position(folder: Path, identity: Identity) -> Position:
    """Where the files stand. Raises Damaged, OSError, ValueError or KeyError when they are not usable."""
    for left in reversed(range(_TRIES)):
        try:
            pointer = json.loads(read_small(folder / "CURRENT"))
            generation = folder / str(pointer["generation"])
            return read_generation(generation, str(pointer["manifest"]), identity).position
        except FileNotFoundError:
            if left == 0:
                raise
    raise AssertionError


async def _standing(conn: Connection, key: ShardKey, files: Position, head: Position) -> str:
    if files == head:
        return "current"
    if files.seq < head.seq and await inspection.token_at(conn, key, files.seq) == files.token:
        return "behind"
    if files.seq < head.seq and await inspection.token_at(conn, key, files.seq) is None:
        return "older than the log"
    # A running server may have moved on since the heads were read.
    if files.seq > head.seq and await inspection.token_at(conn, key, files.seq) == files.token:
        return "current"
    return "of another history"


def _tell(
    root: Path, states: Counter[str], bad: list[tuple[str, str]], folders: int, report: Report
) -> None:
    fine = states["current"] + states["behind"]
    words = ", ".join(f"{count} {state}" for state, count in states.items()) or "none is usable"
    if states["behind"]:
        words += ": caught up when next used"
    report.ok("shards", f"{folders} in {root}: {words}")
    if folders > SHARDS_MAX:
        report.warn(
            "shards",
            f"only {SHARDS_MAX} of them were read",
            "nothing: damage is found when a shard is opened",
        )
    if rebuilt := sum(states.values()) - fine:
        report.warn(
            "shards",
            f"{rebuilt} do not continue the database's log",
            "nothing: they are rebuilt when used; was the database restored?",
        )
    for name, reason in bad[:_SHOWN_MAX]:
        report.warn(
            "shards",
            f"{name}: {reason}",
            "nothing: it is rebuilt or removed when used; if it comes again, check the disk",
        )
    if len(bad) > _SHOWN_MAX:
        report.warn(
            "shards",
            f"{len(bad) - _SHOWN_MAX} more are not usable",
            "nothing; if it comes again, check the disk",
        )
