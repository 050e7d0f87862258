"""The fingerprint tells models apart, not places."""

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rapport_server.embedding import Runtime, load_encoder
from rapport_server.embedding.fingerprint import fingerprint
from rapport_server.embedding.loading import locate, packaged_model
from rapport_server.startup import StartupError
from tests.fix_model import model_cache


@pytest.fixture
def copied(other_model: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(other_model, tmp_path / "elsewhere"))


def test_the_same_model_at_another_path_is_the_same(other_model: Path, copied: Path) -> None:
    first, second = load_encoder(str(other_model)), load_encoder(str(copied))
    assert first.fingerprint == second.fingerprint
    assert len(first.fingerprint) == 64
    assert first.model_name != second.model_name


def test_another_model_is_another(runtime: Runtime, other_model: Path) -> None:
    assert load_encoder(str(other_model)).fingerprint != runtime.fingerprint


def flip_a_weight(model: Path) -> None:
    weights = model / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)


def add_a_word(model: Path) -> None:
    path = model / "tokenizer.json"
    tokenizer = json.loads(path.read_bytes())
    tokenizer["model"]["vocab"]["abc"] = len(tokenizer["model"]["vocab"])
    path.write_text(json.dumps(tokenizer))


def pool_otherwise(model: Path) -> None:
    path = next(model.glob("*_Pooling/config.json"))
    pooling = json.loads(path.read_bytes())
    pooling["pooling_mode"] = "max"
    path.write_text(json.dumps(pooling))


@pytest.mark.parametrize("change", [flip_a_weight, add_a_word, pool_otherwise])
def test_a_change_of_weights_tokenizer_or_pooling_changes_it(
    copied: Path, change: Callable[[Path], None]
) -> None:
    before = fingerprint(copied, 16, "")
    change(copied)
    assert fingerprint(copied, 16, "") != before


def test_a_change_of_the_length_changes_it(copied: Path) -> None:
    assert fingerprint(copied, 16, "") != fingerprint(copied, 15, "")


def test_saved_padding_and_layout_of_the_tokenizer_do_not_change_it(copied: Path) -> None:
    before = fingerprint(copied, 16, "")
    path = copied / "tokenizer.json"
    tokenizer = json.loads(path.read_bytes())
    tokenizer["truncation"] = {"max_length": 9}
    path.write_text(json.dumps(tokenizer, indent=8))
    assert fingerprint(copied, 16, "") == before


def test_it_is_cheap() -> None:
    model = packaged_model()
    assert model is not None
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        fingerprint(model, 256, "")
        best = min(best, time.process_time() - started)
    assert best < 0.3


@pytest.mark.parametrize("name", ["sentence-transformers/all-MiniLM-L6-v2", "all-MiniLM-L6-v2"])
def test_the_hub_names_of_the_packaged_model_need_no_network(name: str, runtime: Runtime) -> None:
    assert load_encoder(name, model_cache()).fingerprint == runtime.fingerprint


def test_a_hub_id_that_cannot_be_had_names_the_model_and_the_way_out() -> None:
    with pytest.raises(StartupError) as caught:
        load_encoder("acme/not-here-v9")
    for words in ("acme/not-here-v9", "--embedding-model", "HF_HUB_OFFLINE"):
        assert words in str(caught.value)


def test_a_model_in_a_directory_is_named_by_its_full_path_and_one_of_the_hub_by_its_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    mini = tmp_path / "models" / "mini"
    mini.mkdir(parents=True)
    for given in ("models/mini", "./models/mini", "~/models/mini", str(mini)):
        assert locate(given) == (str(mini), str(mini))
    assert locate("acme/mini") == ("acme/mini", "acme/mini")
    for given in ("~/models/none", "~no-such-user/mini"):
        with pytest.raises(StartupError, match="no directory"):
            locate(given)


def test_a_path_that_is_no_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(StartupError, match="no directory"):
        load_encoder(str(tmp_path / "nowhere"))
    with pytest.raises(StartupError, match=r"modules\.json"):
        load_encoder(str(tmp_path))
