"""Random lives of a shard against its plain rows: changes, restarts, kills, restores, pruning, damage, erasure."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from rapport_server.domain.ports import Presence, Probe, ShardKey
from rapport_server.vectors import ShardCatalog, ShardLimits

from .database import Table, plain_scores, unit
from .house import House, check

KEYS = [ShardKey("a", 0), ShardKey("a", 1), ShardKey("b", 0)]
# Small enough that two of the three shards stay open.
LIMITS = ShardLimits(snapshot_every_s=0.05, open_bytes_max=40_000, replay_changes=5)


class Life:
    """One seed's sequence of steps."""

    def __init__(self, house: House, seed: int) -> None:
        self.house, self.database = house, house.database
        self.rng = np.random.default_rng(seed)
        self.catalog: ShardCatalog = house.start(LIMITS)
        self.saved: dict[ShardKey, Table] | None = None
        for key in KEYS:
            self.database.create(key)

    def pick_key(self) -> ShardKey:
        return KEYS[self.rng.integers(len(KEYS))]

    def some_ids(self, table: Table) -> list[int]:
        ids = list(table.rows)
        if not ids:
            return []
        count = int(self.rng.integers(0, min(len(ids), 12) + 1))
        return [int(i) for i in self.rng.choice(ids, count, replace=False)]

    async def change(self) -> None:
        key = self.pick_key()
        table = self.database.tables[key]
        add = {}
        for person_no in self.rng.integers(1, 9, int(self.rng.integers(0, 4))).tolist():
            add[person_no] = unit(self.rng, int(self.rng.integers(1, 15)))
            if self.rng.random() < 0.2:
                add[person_no][:] = add[person_no][0]
        drop = [int(self.rng.integers(1, 9))] if self.rng.random() < 0.08 else []
        self.database.commit(key, add, self.some_ids(table), drop)

    async def erase(self) -> None:
        key, person_no = self.pick_key(), int(self.rng.integers(1, 9))
        self.database.commit(key, drop=[person_no])
        assert await self.catalog.purge(key, person_no) == Presence(0, 0)

    async def restart(self) -> None:
        await self.catalog.close()
        self.catalog = self.house.start(LIMITS)

    async def kill(self) -> None:
        """The process goes without a word: what it had on disk at this moment is what the next one finds."""
        found = {}
        # The keeper may be at work: what goes while this looks is a file that the kill lost.
        for folder, _, names in os.walk(self.house.root):
            for path in [Path(folder, name) for name in names]:
                with suppress(FileNotFoundError):
                    found[path] = path.read_bytes()
        await self.catalog.close()
        shutil.rmtree(self.house.root, ignore_errors=True)
        for path, data in found.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        self.catalog = self.house.start(LIMITS)

    async def damage(self) -> None:
        await self.catalog.close()
        files = sorted(path for path in self.house.root.rglob("*") if path.is_file())
        for path in files:
            if self.rng.random() < 0.2:
                self.harm(path)
        self.catalog = self.house.start(LIMITS)

    def harm(self, path: Path) -> None:
        data = bytearray(path.read_bytes())
        if data and self.rng.random() < 0.6:
            data[int(self.rng.integers(len(data)))] ^= 1 << int(self.rng.integers(8))
            path.write_bytes(data)
        else:
            path.unlink()

    async def prune(self) -> None:
        self.database.prune(self.pick_key(), int(self.rng.integers(0, 5)))

    async def backup(self) -> None:
        self.saved = self.database.backup()

    async def restore(self) -> None:
        if self.saved is not None:
            self.database.restore(self.saved)

    async def search(self) -> None:
        key = self.pick_key()
        table = self.database.tables[key]
        await self.catalog.catch_up(key, table.head)
        probes = []
        for _ in range(int(self.rng.integers(1, 5))):
            allowed = None
            if self.rng.random() < 0.4:
                allowed = np.array([*self.some_ids(table), 10**9], dtype=np.int64)
            probes.append(
                Probe(
                    int(self.rng.integers(1, 11)),
                    unit(self.rng, 1)[0].astype(np.float32),
                    int(self.rng.integers(1, 60)),
                    allowed,
                )
            )
        for probe, ranked in zip(probes, await self.catalog.search(key, probes), strict=True):
            allowed_ids = None if probe.allowed is None else probe.allowed.tolist()
            check(ranked, plain_scores(table, probe.person_no, probe.vector, allowed_ids), probe.k)

    async def run(self, steps: int) -> None:
        deeds = [self.change, self.search, self.erase, self.restart, self.kill]
        deeds += [self.damage, self.prune, self.backup, self.restore]
        weights = np.array([40, 40, 3, 2, 2, 2, 4, 2, 2], dtype=float)
        for _ in range(steps):
            await deeds[self.rng.choice(len(deeds), p=weights / weights.sum())]()
        for key in KEYS:
            await self.house.assert_right(self.catalog, key)


@pytest.mark.parametrize("seed", range(6))
async def test_a_random_life_is_always_answered_as_the_plain_rows_would(
    house: House, seed: int
) -> None:
    await Life(house, seed).run(300)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("start", range(4))
async def test_long_random_lives(house: House, start: int) -> None:
    seed = int(np.random.SeedSequence().entropy) % 2**32 + start  # type: ignore[arg-type]
    print(f"seed {seed}")
    await Life(house, seed).run(5000)
