"""A sentence-transformers model: on OpenVINO where the vectors are those of its `encode`, else on torch, else by `encode`."""

import copy
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import structlog
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer
from transformers.utils import cached_file
from transformers.utils import logging as transformers_logging

from rapport_server.embedding.fingerprint import fingerprint
from rapport_server.embedding.graph import THREADS_MAX, SentenceGraph, Sentences
from rapport_server.embedding.runtime import Row

# Attention costs the square of the length: a model that sets no bound gets this one.
LENGTH_TOKENS_MAX = 8192
# How far (1 - cosine) a faster forward pass may be from `encode` before it is not used.
_COSINE_TOLERANCE = 1e-5
# Short, beyond ASCII, and longer than most windows.
_PROBES = (
    "Maya prefers dark mode.",
    "  Ünïcode — 你好 🙂\n",
    "the hip still hurts at night " * 100,
)

Ids = NDArray[np.int64]
Vectors = NDArray[np.float32]
Forward = Callable[[Sequence[Row]], Vectors]

_log = structlog.get_logger(__name__)


class SentenceTransformersRuntime:
    """Implements `Runtime`. Loading raises OSError or ValueError when the model or its fast tokenizer cannot be had."""

    def __init__(self, name: str, source: str) -> None:
        # A progress bar in a server's log is noise.
        transformers_logging.disable_progress_bar()
        model: Any = SentenceTransformer(source)
        model.eval()
        # The model loads with its warnings; tracing touches every attribute and earns comments that mean nothing.
        transformers_logging.set_verbosity_error()
        self._tokenizer = _plain_tokenizer(model.tokenizer)
        self.model_name = name
        length = int(min(model.max_seq_length or LENGTH_TOKENS_MAX, LENGTH_TOKENS_MAX))
        prompt = str(model.prompts.get(model.default_prompt_name) or "")
        self.fingerprint = fingerprint(_directory(source), length, prompt)
        # `encode` puts the prompt before each text, where it takes its share of the window.
        self.row_tokens_max = length - len(
            self._tokenizer.encode(prompt, add_special_tokens=False).ids
        )
        specials = int(self._tokenizer.num_special_tokens_to_add(False))
        self.window_tokens = self.row_tokens_max - specials
        if self.window_tokens < 1:
            raise ValueError(f"{name} has room for no token beside its prompt")
        ids = [self.fit(ids) for ids in self.tokenize(_PROBES)]
        probes = [Row(text, one) for text, one in zip(_PROBES, ids, strict=True)]
        self._forward = _fastest(model, probes, prompted=bool(prompt))
        self.dimension = int(self._forward(probes[:1]).shape[1])

    def enter_thread(self) -> None:
        """Bound torch's threads; the setting belongs to the calling thread."""
        torch.set_num_threads(min(torch.get_num_threads(), THREADS_MAX))

    def tokenize(self, texts: Sequence[str]) -> list[NDArray[np.int32]]:
        """Token ids per text, special tokens included, never truncated."""
        encodings = self._tokenizer.encode_batch_fast(list(texts))
        return [np.array(encoding.ids, dtype=np.int32) for encoding in encodings]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Character offsets [start, end) of each token, special tokens left out."""
        offsets: list[tuple[int, int]] = self._tokenizer.encode(
            text, add_special_tokens=False
        ).offsets
        return offsets

    def fit(self, ids: NDArray[np.int32]) -> NDArray[np.int32]:
        """The ids cut down to the window, the closing special token kept."""
        if len(ids) <= self.row_tokens_max:
            return ids
        return np.concatenate([ids[: self.row_tokens_max - 1], ids[-1:]])

    def forward(self, rows: Sequence[Row]) -> Vectors:
        """One forward pass: float32 (rows, dimension), rows of length 1 where the model gave a usable vector."""
        return self._forward(rows)


def _fastest(model: Any, probes: Sequence[Row], *, prompted: bool) -> Forward:
    """The fastest forward pass whose vectors are those of `encode`, for one row as for several, for short ones as for long."""

    def encode(rows: Sequence[Row]) -> Vectors:
        texts = [row.text for row in rows]
        vectors = model.encode(
            texts, batch_size=len(texts), normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(vectors, dtype=np.float32)

    # Beside a prompt, `encode` may leave it out of the pooling: its own business.
    if prompted or type(model[0]).__name__ != "Transformer":
        return encode
    wanted = np.vstack([encode([probe]) for probe in probes])
    for make in (_on_openvino, _on_torch):
        try:
            forward = make(model)
            together = forward(probes)
            alone = np.vstack([forward([probe]) for probe in probes])
        except Exception as error:  # whatever a library raises over a model it does not know
            _log.warning("forward_pass_unusable", way=make.__name__[1:], error=repr(error)[:500])
            continue
        cosines = np.concatenate([(got * wanted).sum(axis=1) for got in (together, alone)])
        if bool((cosines >= 1 - _COSINE_TOLERANCE).all()):
            return forward
        _log.warning("forward_pass_inexact", way=make.__name__[1:], cosine=float(cosines.min()))
    return encode


def _on_openvino(model: Any) -> Forward:
    graph = SentenceGraph(model)
    pad_id = _pad_id(model)
    return lambda rows: graph(*_padded(rows, pad_id))


def _on_torch(model: Any) -> Forward:
    sentences = Sentences(model)
    pad_id = _pad_id(model)

    @torch.inference_mode()
    def forward(rows: Sequence[Row]) -> Vectors:
        inputs = [torch.from_numpy(array).to(model.device) for array in _padded(rows, pad_id)]
        vectors: Vectors = sentences(*inputs).cpu().numpy()
        return vectors

    return forward


def _pad_id(model: Any) -> int:
    return int(getattr(model.tokenizer, "pad_token_id", None) or 0)


def _padded(rows: Sequence[Row], pad_id: int) -> tuple[Ids, Ids]:
    """Token ids and mask, both (rows, tokens), padded on the right."""
    shape = (len(rows), max(1, *(len(row.ids) for row in rows)))
    ids = np.full(shape, pad_id, dtype=np.int64)
    mask = np.zeros(shape, dtype=np.int64)
    for place, row in enumerate(rows):
        ids[place, : len(row.ids)] = row.ids
        mask[place, : len(row.ids)] = 1
    return ids, mask


def _plain_tokenizer(tokenizer: Any) -> Any:
    """A copy of the fast tokenizer that neither pads nor truncates; the model's own is changed by `encode`."""
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if not hasattr(backend, "encode_batch_fast"):
        raise ValueError(
            "the model has no fast tokenizer, so long text cannot be split where tokens end"
        )
    plain = copy.deepcopy(backend)
    plain.no_padding()
    plain.no_truncation()
    return plain


def _directory(source: str) -> Path:
    """Where the files of a loaded model are: the directory itself, or the hub's snapshot in the local cache."""
    if os.path.isdir(source):
        return Path(source)
    config = cached_file(source, "config.json", local_files_only=True)
    if config is None:
        raise OSError(f"{source} has no config.json")
    return Path(config).parent
