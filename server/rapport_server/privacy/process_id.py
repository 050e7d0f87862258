"""Which server process a shard directory belongs to, so that every erasure reaches its files."""

import os
import shutil
import uuid
from pathlib import Path

NAME = "process_id"


def process_id(shards_dir: Path) -> str:
    """The id kept in the directory; made, and the directory emptied, when there is none that can be read.

    Files without an id may hold anybody who was erased meanwhile. They are only a cache. Raises OSError.
    """
    path = shards_dir / NAME
    if known := _read(path):
        return known
    # Emptied rather than removed: it may be a link to another disk, or where that is mounted.
    if shards_dir.is_dir():
        for entry in shards_dir.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()
    else:
        shards_dir.unlink(missing_ok=True)
        shards_dir.mkdir(mode=0o700, parents=True)
    shards_dir.chmod(0o700)
    made = str(uuid.uuid4())
    temporary = path.with_suffix(".new")
    with temporary.open("w") as file:
        file.write(f"{made}\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.rename(path)
    return made


def _read(path: Path) -> str | None:
    if not path.is_file():
        return None
    try:
        return str(uuid.UUID(path.read_bytes().decode().strip()))
    except ValueError:
        return None
