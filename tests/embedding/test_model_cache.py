"""A converted model from disk is the model it was made of, or is not used."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from structlog.testing import capture_logs

from rapport_server.embedding import Runtime, load_encoder, model_cache
from rapport_server.embedding.loading import packaged_model
from rapport_server.embedding.model import LoadedModel
from rapport_server.embedding.model_cache import ModelCache
from rapport_server.embedding.runtime import Row
from tests.embedding.test_fingerprint import add_a_word, flip_a_weight, pool_otherwise
from tests.embedding.test_vectors_equal_encode import TEXTS, library

__all__ = ["library"]


def vectors(model: Runtime, texts: list[str]) -> np.ndarray:
    ids = [model.fit(ids) for ids in model.tokenize(texts)]
    return model.forward([Row(text, one) for text, one in zip(texts, ids, strict=True)]).vectors


@pytest.fixture(scope="module")
def converted(other_model: Path) -> LoadedModel:
    return load_encoder(str(other_model))


@pytest.fixture
def source(other_model: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(other_model, tmp_path / "source"))


@pytest.fixture
def cache(converted: LoadedModel, source: Path, tmp_path: Path) -> ModelCache:
    cache = ModelCache(tmp_path / "models")
    cache.store(converted, source)
    return cache


def test_the_packaged_model_from_the_cache_tokenizes_and_embeds_as_the_library_does(
    runtime: Runtime, library, tmp_path: Path
) -> None:
    source = packaged_model()
    assert source is not None
    assert isinstance(runtime, LoadedModel)
    cache = ModelCache(tmp_path)
    cache.store(runtime, source)
    cached = cache.load("a name", source)
    assert cached is not None
    assert cached.model_name == "a name"
    same = ("fingerprint", "dimension", "row_tokens_max", "window_tokens")
    assert [getattr(cached, name) for name in same] == [getattr(runtime, name) for name in same]
    for text in TEXTS:
        assert cached.spans(text) == runtime.spans(text)
    for ours, theirs in zip(cached.tokenize(TEXTS), runtime.tokenize(TEXTS), strict=True):
        assert ours.tolist() == theirs.tolist()
    wanted = library.encode(TEXTS, normalize_embeddings=True)
    assert ((vectors(cached, TEXTS) * wanted).sum(axis=1) >= 1 - 1e-5).all()


def cut_off(entry: Path) -> None:
    path = entry / "graph.bin"
    path.write_bytes(path.read_bytes()[:-4])


def change_a_weight(entry: Path) -> None:
    path = entry / "graph.bin"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 64
    path.write_bytes(content)


def write_nonsense(entry: Path) -> None:
    (entry / "about.json").write_text("{")


def add_a_field(entry: Path) -> None:
    about = json.loads((entry / "about.json").read_text())
    (entry / "about.json").write_text(json.dumps(about | {"more": 1}))


def give_other_vectors(entry: Path) -> None:
    path = entry / "probes.npy"
    np.save(path, -np.load(path))
    about = json.loads((entry / "about.json").read_text())
    about["files"]["probes.npy"] = model_cache._digest(path)
    (entry / "about.json").write_text(json.dumps(about))


@pytest.mark.parametrize(
    "damage", [cut_off, change_a_weight, write_nonsense, add_a_field, give_other_vectors]
)
def test_a_damaged_entry_is_not_used_and_made_anew(
    cache: ModelCache, converted: LoadedModel, source: Path, damage: Callable[[Path], None]
) -> None:
    (entry,) = cache._directory.iterdir()
    damage(entry)
    with capture_logs() as logs:
        assert cache.load("m", source) is None
    assert [log["event"] for log in logs] == ["cached_model_unusable"]
    cache.store(converted, source)
    again = cache.load("m", source)
    assert again is not None
    assert np.allclose(vectors(again, ["abc"]), vectors(converted, ["abc"]), atol=1e-6)


@pytest.mark.parametrize("change", [flip_a_weight, add_a_word, pool_otherwise])
def test_a_changed_model_is_not_taken_for_the_one_it_was(
    cache: ModelCache, source: Path, change: Callable[[Path], None]
) -> None:
    assert cache.load("m", source) is not None
    change(source)
    with capture_logs() as logs:
        assert cache.load("m", source) is None
    assert logs == []


def test_another_openvino_converts_anew_and_old_entries_go(
    cache: ModelCache,
    converted: LoadedModel,
    source: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for number in range(model_cache.ENTRIES_MAX + 2):
        monkeypatch.setattr(model_cache.openvino, "__version__", f"9.{number}")
        assert cache.load("m", source) is None
        cache.store(converted, source)
        assert cache.load("m", source) is not None
    assert len(list(cache._directory.iterdir())) == model_cache.ENTRIES_MAX


def test_where_nothing_can_be_written_the_model_loads_all_the_same(
    other_model: Path, converted: LoadedModel, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    with capture_logs() as logs:
        loaded = load_encoder(str(other_model), tmp_path / "file" / "models")
    assert "model_not_cached" in [log["event"] for log in logs]
    assert loaded.fingerprint == converted.fingerprint


LOADING = """
import sys
from pathlib import Path
from rapport_server.embedding import load_encoder
load_encoder(sys.argv[1], Path(sys.argv[2]))
print([name for name in ("torch", "transformers", "sentence_transformers", "openvino") if name in sys.modules])
"""


def test_a_load_from_the_cache_needs_neither_torch_nor_the_library(
    cache: ModelCache, source: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADING, str(source), str(cache._directory)],
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "['openvino']"
