"""The vectors are those of the library's own `encode`."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import openvino
import pytest
import torch
from sentence_transformers import SentenceTransformer
from structlog.testing import capture_logs

from rapport_server.domain.ports import Encoded, Lane
from rapport_server.embedding import BatchingEncoder, Runtime, load_encoder
from rapport_server.embedding.graph import SentenceGraph
from rapport_server.embedding.loading import packaged_model

TEXTS = [
    "Maya prefers dark mode.",
    "The hip still hurts at night, mostly when I turn over.",
    "x",
    "   ",
    "你好，世界",
    "👩‍👩‍👧 we are a family",
    "été naïve coöperate",
    "word " * 150,
    "TRAIN AT 7:45!!!",
]


@pytest.fixture(scope="module")
def library() -> SentenceTransformer:
    return SentenceTransformer(str(packaged_model()))


@pytest.mark.parametrize("lane", list(Lane))
async def test_each_short_text_has_the_vector_that_encode_gives(
    encoder: BatchingEncoder, library: SentenceTransformer, lane: Lane
) -> None:
    wanted = library.encode(TEXTS, normalize_embeddings=True)
    got = await encoder.encode(TEXTS, lane)
    assert [len(one.pieces) for one in got] == [1] * len(TEXTS)
    assert [one.pieces[0].text for one in got] == TEXTS
    cosines = [float(one.vectors[0] @ vector) for one, vector in zip(got, wanted, strict=True)]
    assert min(cosines) >= 1 - 1e-5
    assert all(one.vectors.dtype == np.float32 and one.vectors.shape == (1, 384) for one in got)


async def test_each_piece_of_a_long_text_has_the_vector_that_encode_gives_for_it(
    encoder: BatchingEncoder, library: SentenceTransformer
) -> None:
    text = "The garden was full of bees this morning. I counted until I lost count. " * 60
    (encoded,) = await encoder.encode([text], Lane.BULK)
    wanted = library.encode([piece.text for piece in encoded.pieces], normalize_embeddings=True)
    assert len(encoded.pieces) >= 4
    assert ((encoded.vectors * wanted).sum(axis=1) >= 1 - 1e-5).all()
    assert np.linalg.norm(encoded.mean) == pytest.approx(1.0, abs=1e-5)


async def test_the_inner_state_is_the_mean_of_the_tokens_two_thirds_up(
    encoder: BatchingEncoder, library: SentenceTransformer
) -> None:
    got = await encoder.encode(TEXTS, Lane.BULK)
    for text, one in zip(TEXTS, got, strict=True):
        asked = library.tokenizer(text, return_tensors="pt")
        with torch.inference_mode():
            layers = library[0].auto_model(**asked, output_hidden_states=True).hidden_states
        assert one.inner.shape == (1, encoder.inner_dimension) == (1, 384)
        wanted = layers[4][0].mean(dim=0).numpy()
        np.testing.assert_allclose(one.inner[0], wanted, rtol=1e-3, atol=1e-4)


async def test_nothing_to_encode_is_no_work(encoder: BatchingEncoder) -> None:
    assert await encoder.encode([], Lane.INTERACTIVE) == []


def test_the_packaged_model_runs_on_openvino(runtime: Runtime) -> None:
    # Falling back would give the same vectors, only slower: nothing else would show it.
    assert isinstance(runtime.forward, SentenceGraph)


@pytest.mark.parametrize("fault", ["refuses", "differs"])
async def test_a_model_that_openvino_cannot_run_runs_on_torch_and_the_log_says_why(
    other_model: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise RuntimeError("no such operator")

    if fault == "refuses":
        monkeypatch.setattr(openvino, "convert_model", refuse)
    else:
        call = SentenceGraph.__call__
        monkeypatch.setattr(
            SentenceGraph,
            "__call__",
            lambda *args: replace(made := call(*args), vectors=np.roll(made.vectors, 1)),
        )
    with capture_logs() as logs:
        loaded = load_encoder(str(other_model))
    event = {"refuses": "forward_pass_unusable", "differs": "forward_pass_inexact"}[fault]
    assert [(log["event"], log["way"]) for log in logs] == [(event, "on_openvino")]
    (encoded,) = await one_encode(loaded, ["hello again."])
    wanted = SentenceTransformer(str(other_model)).encode("hello again.", normalize_embeddings=True)
    assert float(encoded.vectors[0] @ wanted) >= 1 - 1e-5
    assert encoded.inner.shape == (1, 16)


async def one_encode(loaded: Runtime, texts: list[str]) -> list[Encoded]:
    encoder = BatchingEncoder(loaded)
    try:
        return await encoder.encode(texts, Lane.INTERACTIVE)
    finally:
        await encoder.close()


LISTENING = """
import sys
reached = []
sys.addaudithook(
    lambda event, args: reached.append((event, args)) if event in ("socket.connect", "socket.getaddrinfo") else None
)
from rapport_server.embedding import load_encoder
load_encoder()
import time; time.sleep(0.5)
print(reached, "openvino" in sys.modules, "openvino_telemetry.main" in sys.modules)
"""


def test_loading_the_packaged_model_reaches_for_no_network_and_leaves_nothing_at_home(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    env = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    done = subprocess.run(
        [sys.executable, "-c", LISTENING],
        env=env | {"HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[] True False"
    assert not list(home.iterdir())


async def test_a_model_whose_default_prompt_is_set_is_used_with_its_prompt(
    other_model: Path, tmp_path: Path
) -> None:
    library = SentenceTransformer(str(other_model), prompts={"q": "ask "}, default_prompt_name="q")
    library.save(str(tmp_path / "prompted"))
    prompted, plain = load_encoder(str(tmp_path / "prompted")), load_encoder(str(other_model))
    assert prompted.fingerprint != plain.fingerprint
    assert prompted.window_tokens == plain.window_tokens - 3
    encoder = BatchingEncoder(prompted)
    (encoded,) = await encoder.encode(["b c d"], Lane.INTERACTIVE)
    await encoder.close()
    wanted = library.encode("b c d", normalize_embeddings=True)
    unprompted = library.encode("b c d", prompt="", normalize_embeddings=True)
    assert float(encoded.vectors[0] @ wanted) >= 1 - 1e-5
    assert float(encoded.vectors[0] @ unprompted) < 1 - 1e-4


async def test_another_model_by_path_is_loaded_and_equals_its_encode(other_model: Path) -> None:
    other = load_encoder(str(other_model))
    encoder = BatchingEncoder(other)
    texts = ["abc def", "q", "hello world.", ". . ."]
    got = await encoder.encode(texts, Lane.BULK)
    await encoder.close()
    wanted = SentenceTransformer(str(other_model)).encode(texts, normalize_embeddings=True)
    assert other.dimension == encoder.dimension == 16
    for one, vector in zip(got, wanted, strict=True):
        assert float(one.vectors[0] @ vector) >= 1 - 1e-5
