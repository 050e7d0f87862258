"""The real model, loaded once, and ways to hold it still or watch it."""

import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rapport_server.domain.ports import Lane
from rapport_server.embedding import BatchingEncoder, Runtime
from rapport_server.embedding.runtime import Row, States


@pytest.fixture(scope="session")
def other_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another model: a tiny BERT with random weights, a small vocabulary and a window of 16 tokens."""
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    root = tmp_path_factory.mktemp("other-model")
    letters = [chr(c) for c in range(ord("a"), ord("z") + 1)]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", *letters]
    vocabulary += [f"##{letter}" for letter in letters]
    source = root / "bert"
    source.mkdir()
    words = {word: number for number, word in enumerate(vocabulary)}
    BertTokenizerFast(vocab=words, model_max_length=16).save_pretrained(source)
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
    )
    BertModel(config).save_pretrained(source)
    # A bare transformer gets mean pooling.
    SentenceTransformer(str(source)).save(str(root / "model"))
    return root / "model"


class HeldRuntime:
    """The real model behind a gate: tests decide when a forward pass may run, and see what was in it."""

    def __init__(self, real: Runtime) -> None:
        self._real = real
        self.gate = threading.Event()
        self.entered = threading.Semaphore(0)
        self.passes: list[list[str]] = []
        self.threads: set[str] = set()
        self.before: Callable[[Sequence[Row]], None] = lambda rows: None
        self.after: Callable[[NDArray[np.float32]], None] = lambda vectors: None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def tokenize(self, texts: Sequence[str]) -> list[NDArray[np.int32]]:
        self.threads.add(threading.current_thread().name)
        return self._real.tokenize(texts)

    def forward(self, rows: Sequence[Row]) -> States:
        self.threads.add(threading.current_thread().name)
        self.passes.append([row.text for row in rows])
        self.entered.release()
        assert self.gate.wait(30)
        self.before(rows)
        states = self._real.forward(rows)
        self.after(states.vectors)
        return states


@pytest.fixture
def held(runtime: Runtime) -> Iterator[HeldRuntime]:
    held = HeldRuntime(runtime)
    yield held
    held.gate.set()


class Watcher:
    """An observer that keeps what it hears."""

    def __init__(self) -> None:
        self.batches: list[tuple[Lane, int, int, float]] = []
        self.depths: list[tuple[Lane, int]] = []

    def batch(self, lane: Lane, texts: int, tokens: int, seconds: float) -> None:
        self.batches.append((lane, texts, tokens, seconds))

    def queue_depth(self, lane: Lane, depth: int) -> None:
        self.depths.append((lane, depth))


@pytest.fixture
def watcher() -> Watcher:
    return Watcher()


@pytest.fixture
async def encoder(runtime: Runtime, watcher: Watcher) -> AsyncIterator[BatchingEncoder]:
    encoder = BatchingEncoder(runtime, observer=watcher)
    yield encoder
    await encoder.close()
