"""Shard files harmed while the server is stopped: the same answers after the start."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.scene import add, sentences
from tests.fix_rapport import RapportProcess

pytestmark = pytest.mark.long


def generation_files(shards: Path) -> list[Path]:
    return [path for path in shards.rglob("*") if path.is_file() and path.name != "process_id"]


def delete_all(shards: Path, _older: Path) -> None:
    shutil.rmtree(shards)


def delete_files(shards: Path, _older: Path) -> None:
    for path in generation_files(shards):
        if path.suffix == ".f16":
            path.unlink()


def truncate(shards: Path, _older: Path) -> None:
    for path in generation_files(shards):
        os.truncate(path, path.stat().st_size // 2)


def noise(shards: Path, _older: Path) -> None:
    for path in generation_files(shards):
        path.write_bytes(os.urandom(path.stat().st_size))


def flip_a_bit(shards: Path, _older: Path) -> None:
    for path in generation_files(shards):
        if path.suffix == ".f16":
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 1
            path.write_bytes(data)


def swap(shards: Path, _older: Path) -> None:
    first, second = sorted(path for path in shards.iterdir() if path.is_dir())[:2]
    spare = shards / "spare"
    first.rename(spare)
    second.rename(first)
    spare.rename(second)


def put_back_older(shards: Path, older: Path) -> None:
    for path in shards.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
    for path in older.iterdir():
        if path.is_dir():
            shutil.copytree(path, shards / path.name)


HARMS: list[Callable[[Path, Path], None]] = [
    delete_all,
    delete_files,
    truncate,
    noise,
    flip_a_bit,
    swap,
    put_back_older,
]


def test_whatever_happens_to_the_files_the_answers_stay_the_same(make_rapport, tmp_path: Path):
    server: RapportProcess = make_rapport()
    facts = sentences(240)
    keys = {}
    with server.operator() as operator:
        for tenant_id in ("one", "two"):
            operator.create_tenant(tenant_id=tenant_id)
            keys[tenant_id] = operator.create_api_key(tenant_id=tenant_id, role="WRITER").secret

    def people() -> list[tuple[str, str, list[str]]]:
        return [
            (tenant, person, facts[start : start + 60])
            for start, (tenant, person) in enumerate(
                [("one", "maya"), ("one", "noor"), ("two", "maya"), ("two", "bo")]
            )
            for start in [start * 60]
        ]

    def answers() -> list[object]:
        told = []
        for tenant_id, person, own in people():
            with server.client(keys[tenant_id]) as client:
                for query in (*own[::15], "journal of the harbour"):
                    hits = client.recall(person, query=query, max_results=20).results
                    told.append(
                        [(hit.source_id, hit.text, round(hit.similarity, 5)) for hit in hits]
                    )
        return told

    for tenant_id, person, own in people():
        with server.client(keys[tenant_id]) as client:
            add(client, person, *own[:40])
    server.stop()
    shutil.copytree(server.data_dir / "shards", tmp_path / "older")
    server.start()
    for tenant_id, person, own in people():
        with server.client(keys[tenant_id]) as client:
            gone = [memory.source_id for memory in client.list_memories(person, page_size=3)][:2]
            for source_id in gone:
                client.delete_memory(person, source_id=source_id)
            add(client, person, *own[40:])
    before = answers()
    assert all(before)
    for harm in HARMS:
        assert server.stop() == 0
        assert generation_files(server.data_dir / "shards"), harm.__name__
        harm(server.data_dir / "shards", tmp_path / "older")
        server.start()
        assert answers() == before, harm.__name__
    assert server.stop() == 0
