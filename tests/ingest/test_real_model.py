"""The worker with the real model: what is COMPLETED is found by its own words."""

import asyncio
from collections.abc import AsyncIterator

import numpy as np
import pytest

from rapport_server.domain.memories import IndexingStatus, Scope
from rapport_server.domain.ports import Lane, ShardKey
from rapport_server.embedding import BatchingEncoder, Runtime
from rapport_server.ingest.worker import IngestWorker
from rapport_server.store.database import PostgresDatabase
from rapport_server.store.feed import PostgresFeed
from tests.fix_postgres import Database
from tests.store.seed import Hasher, enqueue, opened

TEXTS = [
    "dog: Our dog Bruno is afraid of thunder.",
    "tea: Maya drinks her tea without sugar.",
    "knee: The surgery on the left knee is planned for March.",
    "job: My brother found a job at the harbour in Lisbon.",
    "song: I cannot stop singing that song from the radio.",
]
BOOK = "book: " + " ".join(
    f"Chapter {n}. On day {n} the crew counted {n * 7} barrels and sailed on." for n in range(520)
)


@pytest.fixture
async def encoder(runtime: Runtime) -> AsyncIterator[BatchingEncoder]:
    encoder = BatchingEncoder(runtime)
    yield encoder
    await encoder.close()


@pytest.mark.timeout(240)
async def test_texts_short_and_long_are_found_by_their_own_words(
    database: Database, encoder: BatchingEncoder
) -> None:
    async with opened(database) as db:
        scope = await enqueue(db, [*TEXTS, BOOK])
        worker = IngestWorker(db, encoder, Hasher())
        running = asyncio.create_task(worker.run())
        ids = [text.partition(":")[0] for text in [*TEXTS, BOOK]]
        await _all_completed(db, worker, scope, ids)
        await worker.stop()
        await running
        (image,) = [i async for i in PostgresFeed(db, encoder.dimension).scan(ShardKey("acme", 0))]
        async with db.session() as session:
            found = await session.memories.fetch_chunks({scope: image.ids.tolist()})
    queries = {text: text.partition(":")[0] for text in TEXTS}
    queries["Chapter 400. On day 400 the crew counted 2800 barrels."] = "book"
    for encoded, source_id in zip(
        await encoder.encode(list(queries), Lane.BULK), queries.values(), strict=True
    ):
        best = int(image.ids[np.argmax(image.vectors.astype(np.float32) @ encoded.mean)])
        assert found[scope, best].memory.source_id == source_id
    chapters = [chunk for chunk in found.values() if chunk.memory.source_id == "book"]
    assert len(chapters) > 10
    assert "day 519 the crew" in max(chapters, key=lambda chunk: chunk.chunk_index).text


async def _all_completed(
    db: PostgresDatabase, worker: IngestWorker, scope: Scope, ids: list[str]
) -> None:
    while True:
        async with db.session() as session:
            found = await session.memories.status(scope, ids)
        if {status.status for status in found.values()} == {IndexingStatus.COMPLETED}:
            return
        assert IndexingStatus.ERRORED not in {status.status for status in found.values()}
        await worker.progress(0.25)
