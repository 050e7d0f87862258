"""A database, a folder, the processes on them, and what is right."""

import itertools
from pathlib import Path

import numpy as np

from rapport_server.domain.ports import Presence, Probe, Ranked, ShardKey, VectorIndex
from rapport_server.vectors import ShardCatalog, ShardLimits

from .database import Database

KEY = ShardKey("acme/../a b", 3)
# Long enough that nothing is written in the background unless a test asks for it.
QUIET = ShardLimits(snapshot_every_s=3600.0)


class House:
    """A database, a folder and the processes that come and go on them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.database = Database()
        self.open: list[ShardCatalog] = []

    def start(
        self, limits: ShardLimits = QUIET, fingerprint: str = "model-a", root: Path | None = None
    ) -> ShardCatalog:
        catalog = ShardCatalog(
            root or self.root, self.database, self.database.dimension, fingerprint, limits
        )
        self.open.append(catalog)
        return catalog

    async def recall(self, catalog: VectorIndex, probe: Probe, key: ShardKey = KEY) -> Ranked:
        """As the command does it: read the head, catch up, search."""
        head = await self.database.head(key)
        assert head is not None
        await catalog.catch_up(key, head)
        return (await catalog.search(key, [probe]))[0]

    async def ids(
        self, catalog: ShardCatalog, person_no: int, key: ShardKey = KEY, k: int = 10_000
    ) -> set[int]:
        query = np.ones(self.database.dimension, dtype=np.float32)
        return set((await self.recall(catalog, Probe(person_no, query, k), key)).ids.tolist())

    def truth(self, person_no: int, key: ShardKey = KEY) -> set[int]:
        rows = self.database.tables[key].rows
        return {chunk_id for chunk_id, (owner, _) in rows.items() if owner == person_no}

    async def assert_right(self, catalog: ShardCatalog, key: ShardKey = KEY) -> None:
        """Every person's whole list is what the database has."""
        for person_no in {owner for owner, _ in self.database.tables[key].rows.values()}:
            assert await self.ids(catalog, person_no, key) == self.truth(person_no, key)

    async def purge(self, catalog: ShardCatalog, person_no: int, key: ShardKey = KEY) -> Presence:
        return await catalog.purge(key, person_no)


def check(ranked: Ranked, expected: dict[int, float], k: int) -> None:
    """The answer equals brute force: all of the k best, right scores, best first, equal scores by the smaller id."""
    ids, scores = ranked.ids.tolist(), ranked.scores.tolist()
    assert len(ids) == len(set(ids)) == min(k, len(expected)), (len(ids), k, len(expected))
    assert np.isfinite(ranked.scores).all()
    best = sorted(expected.values(), reverse=True)[: len(ids)]
    np.testing.assert_allclose(scores, best, atol=1e-4)
    np.testing.assert_allclose(scores, [expected[i] for i in ids], atol=1e-4)
    pairs = list(zip(ids, scores, strict=True))
    for (id_a, score_a), (id_b, score_b) in itertools.pairwise(pairs):
        assert score_a > score_b or (score_a == score_b and id_a < id_b)
