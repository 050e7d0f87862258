"""A sentence-transformers model on torch, without the overhead of its `encode` where the results are the same."""

import copy
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer
from torch import Tensor
from transformers.utils import cached_file
from transformers.utils import logging as transformers_logging

from rapport_server.embedding.bert import FusedBert
from rapport_server.embedding.fingerprint import fingerprint
from rapport_server.embedding.runtime import Row

# Passes of a few hundred tokens do not divide over more cores than this.
THREADS_MAX = 8
# Attention costs the square of the length: a model that sets no bound gets this one.
LENGTH_TOKENS_MAX = 8192
# How far (1 - cosine) the direct forward pass may be from `encode` before it is not used.
_COSINE_TOLERANCE = 1e-5
_PROBES = ("Maya prefers dark mode.", "  Ünïcode — 你好 🙂\n", "the hip still hurts at night " * 8)

Body = Callable[[Tensor, Tensor], Tensor]


class SentenceTransformersRuntime:
    """Implements `Runtime`. Loading raises OSError or ValueError when the model or its fast tokenizer cannot be had."""

    def __init__(self, name: str, source: str) -> None:
        # A progress bar in a server's log is noise.
        transformers_logging.disable_progress_bar()
        self._model: Any = SentenceTransformer(source)
        self._model.eval()
        self._tokenizer = _plain_tokenizer(self._model.tokenizer)
        self._pad_id = int(getattr(self._model.tokenizer, "pad_token_id", None) or 0)
        self.model_name = name
        self.dimension = int(self._encode([_PROBES[0]]).shape[1])
        length = int(min(self._model.max_seq_length or LENGTH_TOKENS_MAX, LENGTH_TOKENS_MAX))
        prompt = str(self._model.prompts.get(self._model.default_prompt_name) or "")
        self.fingerprint = fingerprint(_directory(source), length, prompt)
        # `encode` puts the prompt before each text, where it takes its share of the window.
        self.row_tokens_max = length - len(
            self._tokenizer.encode(prompt, add_special_tokens=False).ids
        )
        specials = int(self._tokenizer.num_special_tokens_to_add(False))
        self.window_tokens = self.row_tokens_max - specials
        if self.window_tokens < 1:
            raise ValueError(f"{name} has room for no token beside its prompt")
        self._body = None if prompt else self._agreeing_body()

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

    def forward(self, rows: Sequence[Row]) -> NDArray[np.float32]:
        """One forward pass: float32 (rows, dimension), rows of length 1 where the model gave a usable vector."""
        if self._body is None:
            return self._encode([row.text for row in rows])
        return self._direct(self._body, rows)

    def _encode(self, texts: list[str]) -> NDArray[np.float32]:
        vectors = self._model.encode(
            texts, batch_size=len(texts), normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(vectors, dtype=np.float32)

    @torch.inference_mode()
    def _direct(self, body: Body, rows: Sequence[Row]) -> NDArray[np.float32]:
        shape = (len(rows), max(1, *(len(row.ids) for row in rows)))
        ids = np.full(shape, self._pad_id, dtype=np.int64)
        mask = np.zeros(shape, dtype=np.int64)
        for place, row in enumerate(rows):
            ids[place, : len(row.ids)] = row.ids
            mask[place, : len(row.ids)] = 1
        device = self._model.device
        seen = torch.from_numpy(mask).to(device)
        features = {
            "token_embeddings": body(torch.from_numpy(ids).to(device), seen),
            "attention_mask": seen,
        }
        for module in list(self._model)[1:]:
            features = module(features)
        vectors = torch.nn.functional.normalize(features["sentence_embedding"].float(), dim=1)
        array: NDArray[np.float32] = vectors.cpu().numpy()
        return array

    def _agreeing_body(self) -> Body | None:
        """The fastest way to token embeddings whose vectors equal those of `encode`; None when only `encode` will do."""
        first = self._model[0]
        if type(first).__name__ != "Transformer" or not hasattr(first, "auto_model"):
            return None
        wanted = self._encode(list(_PROBES))
        rows = [Row(text, ids) for text, ids in zip(_PROBES, self.tokenize(_PROBES), strict=True)]
        if any(len(row.ids) > self.row_tokens_max for row in rows):
            rows = [Row(row.text, self.fit(row.ids)) for row in rows]
        for body in (FusedBert.of(first.auto_model), _own_body(first)):
            if body is None:
                continue
            cosines = (self._direct(body, rows) * wanted).sum(axis=1)
            if bool((cosines >= 1 - _COSINE_TOLERANCE).all()):
                return body
        return None


def _own_body(transformer: Any) -> Body:
    def body(ids: Tensor, mask: Tensor) -> Tensor:
        output: Tensor = transformer({"input_ids": ids, "attention_mask": mask})["token_embeddings"]
        return output

    return body


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
