"""The shard's folder under harm: whatever lies there, a load gives what was saved whole, or nothing."""

import errno
import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rapport_server.domain.ports import Position, ShardKey
from rapport_server.vectors.folder import ShardFolder, forget_others
from rapport_server.vectors.generation import Damaged
from rapport_server.vectors.image import Image

from .database import D, unit

KEY = ShardKey("t", 0)


def image(seq: int, rows: int = 40) -> Image:
    rng = np.random.default_rng(seq)
    persons = np.array([[5, rows - 10], [6, 10]], dtype=np.int64)
    return Image(
        Position(seq, uuid.UUID(int=seq)), persons, np.arange(rows) + 100 * seq, unit(rng, rows)
    )


def folder(root: Path, key: ShardKey = KEY, fingerprint: str = "model-a") -> ShardFolder:
    return ShardFolder(root, key, fingerprint, D)


def same(one: Image | None, other: Image) -> bool:
    return (
        one is not None
        and one.position == other.position
        and one.persons.tolist() == other.persons.tolist()
        and one.ids.tolist() == other.ids.tolist()
        and one.vectors.tobytes() == other.vectors.tobytes()
    )


def generation(place: ShardFolder) -> Path:
    return place.path / str(json.loads((place.path / "CURRENT").read_text())["generation"])


def test_what_is_saved_is_loaded_and_only_the_last_generation_stays(tmp_path: Path) -> None:
    place = folder(tmp_path)
    assert place.load() is None
    for seq in (1, 2, 3):
        place.save(image(seq))
        assert len(list(place.path.iterdir())) == 2
        assert same(folder(tmp_path).load(), image(seq))
    assert {entry.name for entry in place.path.iterdir()} == {"CURRENT", generation(place).name}


def test_files_are_for_the_owner_alone(tmp_path: Path) -> None:
    place = folder(tmp_path)
    place.save(image(1))
    for path in [place.path, *place.path.rglob("*")]:
        assert path.stat().st_mode & 0o077 == 0, path


def test_an_empty_shard_is_saved_and_loaded(tmp_path: Path) -> None:
    nothing = Image(
        Position(4, uuid.uuid4()),
        np.empty((0, 2), dtype=np.int64),
        np.empty(0, dtype=np.int64),
        np.empty((0, D), dtype=np.float16),
    )
    folder(tmp_path).save(nothing)
    assert same(folder(tmp_path).load(), nothing)


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x10
    path.write_bytes(data)


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def _grow(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\0")


def _noise(path: Path) -> None:
    path.write_bytes(np.random.default_rng(0).bytes(path.stat().st_size))


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _missing(path: Path) -> None:
    path.unlink()


def _directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


FILES = ["CURRENT", "manifest.json", "persons.i64", "ids.i64", "vectors.f16"]
HARMS = [_flip, _truncate, _grow, _noise, _empty, _missing, _directory]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__.strip("_"))
def test_any_harm_to_any_file_is_noticed_logged_and_cleared_away(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str, harm: Callable[[Path], None]
) -> None:
    place = folder(tmp_path)
    place.save(image(1))
    harm(place.path / name if name == "CURRENT" else generation(place) / name)
    assert place.load() is None
    assert [r.levelname for r in caplog.records] == ["WARNING"]
    assert "rebuilding" in caplog.text
    assert not place.path.exists()
    place.save(image(2))
    assert same(place.load(), image(2))


@pytest.mark.parametrize(
    "pointer",
    [
        b"[]",
        b"null",
        b"{}",
        b'{"generation": 1, "manifest": 2}',
        b'{"generation": "../../../etc", "manifest": "00"}',
        b"\xff\xfe",
        b"9" * 100_000,
        b"[" * 60_000,
    ],
    ids=lambda pointer: pointer[:8].decode(errors="replace"),
)
def test_a_pointer_that_makes_no_sense_is_not_followed(tmp_path: Path, pointer: bytes) -> None:
    place = folder(tmp_path)
    place.save(image(1))
    (place.path / "CURRENT").write_bytes(pointer)
    assert place.load() is None


@pytest.mark.parametrize("manifest", [b"[" * 60_000, b"[]", b"?"], ids=["deep", "list", "no JSON"])
def test_a_manifest_that_makes_no_sense_is_not_followed_though_the_pointer_vouches_for_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, manifest: bytes
) -> None:
    place = folder(tmp_path)
    place.save(image(1))
    (generation(place) / "manifest.json").write_bytes(manifest)
    pointer = {
        "generation": generation(place).name,
        "manifest": hashlib.sha256(manifest).hexdigest(),
    }
    (place.path / "CURRENT").write_text(json.dumps(pointer))
    assert place.load() is None
    assert "rebuilding" in caplog.text
    place.save(image(2))
    assert same(place.load(), image(2))


def test_a_pointer_out_of_the_folder_is_not_followed_even_to_whole_files(tmp_path: Path) -> None:
    place = folder(tmp_path)
    place.save(image(1))
    pointer = json.loads((place.path / "CURRENT").read_text())
    shutil.copytree(generation(place), place.path.parent / "copy")
    pointer["generation"] = "../copy"
    (place.path / "CURRENT").write_text(json.dumps(pointer))
    assert place.load() is None


def test_another_models_files_are_not_used_and_the_log_names_both(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder(tmp_path).save(image(1))
    assert folder(tmp_path, fingerprint="model-b").load() is None
    assert "model-a" in caplog.text
    assert "model-b" in caplog.text


def test_another_shards_files_put_in_its_place_are_not_used(tmp_path: Path) -> None:
    mine, yours = folder(tmp_path), folder(tmp_path, ShardKey("t", 1))
    mine.save(image(1))
    yours.save(image(2))
    shutil.rmtree(mine.path)
    shutil.copytree(yours.path, mine.path)
    assert mine.load() is None
    assert same(yours.load(), image(2))


def test_an_older_generations_files_swapped_in_are_not_used(tmp_path: Path) -> None:
    place = folder(tmp_path)
    place.save(image(1))
    shutil.copytree(generation(place), tmp_path / "old")
    place.save(image(2))
    shutil.copy(tmp_path / "old" / "vectors.f16", generation(place) / "vectors.f16")
    assert place.load() is None


def test_a_file_where_the_folder_should_be_is_replaced(tmp_path: Path) -> None:
    place = folder(tmp_path)
    place.path.parent.mkdir(parents=True)
    place.path.write_text("?")
    assert place.load() is None
    place.save(image(1))
    assert same(place.load(), image(1))


class Killed(BaseException):
    """The process is gone: no handler runs."""


class Faults:
    """Lets the first `after` calls that change the disk pass and fails the next, or all that follow."""

    def __init__(
        self, patch: pytest.MonkeyPatch, failure: BaseException, lasting: bool = True
    ) -> None:
        self.lasting = lasting
        self.after = self.calls = 0
        self.armed = False
        self.failure = failure
        for name in ("fsync", "replace", "mkdir", "unlink", "rmdir"):
            patch.setattr(os, name, self._wrapped(getattr(os, name)))

    def _wrapped(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.calls += 1
            if self.armed and (
                self.calls == self.after + 1 or (self.calls > self.after and self.lasting)
            ):
                raise self.failure
            return real(*args, **kwargs)

        return call

    def run(self, after: int, work: Callable[[], object]) -> bool:
        """Whether `work` was hit."""
        self.after, self.calls, self.armed = after, 0, True
        try:
            work()
        except type(self.failure):
            return True
        finally:
            self.armed = False
        return self.calls > after


@pytest.mark.parametrize("first", [True, False], ids=["first save", "later save"])
def test_a_kill_at_every_step_leaves_the_old_or_the_new_shard_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: bool
) -> None:
    faults = Faults(monkeypatch, Killed())
    seen: set[int | None] = set()
    for step in range(100):
        root = tmp_path / str(step)
        place = folder(root)
        if not first:
            place.save(image(1))
        hit = faults.run(step, lambda place=place: place.save(image(2)))  # type: ignore[misc]
        found = folder(root).load()
        assert found is not None or first
        assert found is None or same(found, image(found.position.seq))
        seen.add(None if found is None else found.position.seq)
        left = {entry.name for entry in place.path.iterdir()} if place.path.exists() else set()
        assert left <= {"CURRENT", *([generation(place).name] if found else [])}
        place.save(image(3))
        assert same(folder(root).load(), image(3))
        if not hit:
            break
    assert step > 8
    assert seen == ({None, 2} if first else {1, 2})


def test_a_disk_that_fails_at_any_step_keeps_a_whole_shard_and_gets_its_space_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    faults = Faults(monkeypatch, full, lasting=False)
    for step in range(100):
        place = folder(tmp_path / str(step))
        place.save(image(1))
        hit = faults.run(step, lambda place=place: place.save(image(2)))  # type: ignore[misc]
        # Already before anything is loaded: the pointer, its generation, and one old one if that could not be removed.
        assert len(list(place.path.iterdir())) <= 3
        assert not list(place.path.glob("tmp-*"))
        found = place.load()
        assert found is not None
        assert same(found, image(found.position.seq))
        assert len(list(place.path.iterdir())) == 2
        if not hit:
            break
    assert step > 8


def test_deleting_removes_all_and_the_tenants_folder_with_its_last_shard(tmp_path: Path) -> None:
    one, two = folder(tmp_path), folder(tmp_path, ShardKey("t", 1))
    for place in (one, two):
        place.save(image(1))
    one.delete()
    assert not one.path.exists()
    assert same(two.load(), image(1))
    two.delete()
    assert list(tmp_path.iterdir()) == []
    two.delete()


def test_shards_of_tenants_that_are_gone_are_forgotten_and_others_stay(tmp_path: Path) -> None:
    keys = [ShardKey("t", 0), ShardKey("t", 1), ShardKey("u", 0)]
    for key in keys:
        folder(tmp_path, key).save(image(1))
    (tmp_path / "notes").mkdir()
    assert forget_others(tmp_path, keys[:1]) == 2
    assert same(folder(tmp_path, keys[0]).load(), image(1))
    assert not folder(tmp_path, keys[2]).path.parent.exists()
    assert (tmp_path / "notes").is_dir()
    assert forget_others(tmp_path / "missing", keys) == 0


def test_a_person_is_counted_in_the_files(tmp_path: Path) -> None:
    place = folder(tmp_path)
    assert place.count(5) == 0
    place.save(image(1))
    assert [place.count(person_no) for person_no in (5, 6, 7)] == [30, 10, 0]


def test_counting_refuses_to_speak_for_what_lies_beside_the_generation_that_counts(
    tmp_path: Path,
) -> None:
    place = folder(tmp_path)
    place.save(image(1))
    (place.path / "tmp-1").mkdir()
    with pytest.raises(Damaged, match="left beside"):
        place.count(5)
