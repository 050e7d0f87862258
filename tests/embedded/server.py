"""A process that holds an embedded Postgres until its stdin ends; prints what it started as one JSON line."""

import asyncio
import json
import sys
from pathlib import Path

from rapport_server.embedded import DataDir, EmbeddedPostgres
from rapport_server.startup import StartupError


async def hold(data_dir: Path) -> None:
    with DataDir.open(data_dir):
        async with EmbeddedPostgres(data_dir, durable=False) as server:
            print(json.dumps({"pid": server.pid, "owner_dsn": server.owner_dsn}), flush=True)
            await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    try:
        asyncio.run(hold(Path(sys.argv[1])))
    except StartupError as error:
        sys.exit(f"{type(error).__name__}: {error}")
