"""What the benchmarks share: the floors' server, the bare encoder, texts, and how a figure is told."""

import random
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import grpc
import psycopg
import pytest

from rapport_server.embedding.loading import packaged_model

ROUNDS = 5
SUBJECTS = ["Maya", "Noor", "Elif", "Jonas", "Priya", "Tomas", "Aiko", "Ruth", "Samuel", "Ines"]
DEEDS = [
    "likes",
    "visited",
    "fears",
    "bought",
    "finished",
    "started",
    "forgot",
    "dreams",
    "about",
    "argued",
    "over",
    "sold",
    "painted",
]
THINGS = [
    "the old garden",
    "her knee exercises",
    "a trip to Lisbon",
    "the blue bicycle",
    "chess on Sundays",
    "her brother's wedding",
    "strong coffee",
    "the night shift",
    "a letter from school",
    "the broken boiler",
    "piano lessons",
    "the neighbour's dog",
]


def short_texts(count: int, seed: int = 0) -> list[str]:
    """Distinct sentences of about 15 tokens."""
    pick = random.Random(seed)
    return [
        f"{pick.choice(SUBJECTS)} {pick.choice(DEEDS)} {pick.choice(THINGS)} on day {i} of {pick.choice(THINGS)}"
        for i in range(count)
    ]


def median(values: list[float]) -> float:
    return statistics.median(values)


def tell(name: str, **figures: float) -> None:
    line = "  ".join(f"{key} {value:,.2f}" for key, value in figures.items())
    print(f"\n{name}: {line}", flush=True)


async def timed(work: Callable[[], Awaitable[Any]], count: int) -> list[float]:
    """Milliseconds of each of `count` calls in a row."""
    times = []
    for _ in range(count):
        started = time.perf_counter()
        await work()
        times.append((time.perf_counter() - started) * 1e3)
    return times


@pytest.fixture(scope="session")
def bare_model() -> Any:
    """The model as sentence-transformers gives it."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(packaged_model()), device="cpu")


@pytest.fixture(scope="session")
def floor_address() -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.floor_server"], stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        yield f"127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


class Floor:
    """Calls of the floors' server."""

    def __init__(self, address: str) -> None:
        self._channel = grpc.aio.insecure_channel(address)
        self.noop = self._channel.unary_unary("/bench.Floor/Noop")
        self.embed = self._channel.unary_unary("/bench.Floor/Embed")

    async def close(self) -> None:
        await self._channel.close()


@pytest.fixture
async def floor(floor_address: str) -> Any:
    """A connection to the floors' server."""
    made = Floor(floor_address)
    yield made
    await made.close()


@pytest.fixture
async def commit(rapport: Any) -> Any:
    """One empty commit on the product's own database: a transaction that has a number and nothing else."""
    conn = await psycopg.AsyncConnection.connect(
        host=str(socket_directory(rapport)), user="rapport_app", dbname="rapport", autocommit=True
    )

    async def empty_commit() -> None:
        async with conn.transaction():
            await conn.execute("SELECT pg_current_xact_id()")

    yield empty_commit
    await conn.close()


def socket_directory(rapport: Any) -> str:
    """Where the embedded Postgres of a running server listens."""
    lines = (rapport.data_dir / "postgres" / "postmaster.pid").read_text().splitlines()
    return lines[4]
