"""A sentence-transformers model: on OpenVINO where the vectors are those of its `encode`, else on torch, else by `encode`."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import structlog
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer
from transformers.utils import logging as transformers_logging

from rapport_server.embedding.conversion import Sentences, convert
from rapport_server.embedding.fingerprint import fingerprint
from rapport_server.embedding.graph import THREADS_MAX, SentenceGraph
from rapport_server.embedding.loading import directory_of
from rapport_server.embedding.model import (
    COSINE_TOLERANCE,
    Forward,
    LoadedModel,
    nearness,
    probe_rows,
)
from rapport_server.embedding.runtime import Row, States, padded, without_inner

# Attention costs the square of the length: a model that sets no bound gets this one.
LENGTH_TOKENS_MAX = 8192

_log = structlog.get_logger(__name__)


def load_library_model(name: str, source: str) -> LoadedModel:
    """Load it with the library. Raises OSError or ValueError when the model or its fast tokenizer cannot be had."""
    # A progress bar in a server's log is noise.
    transformers_logging.disable_progress_bar()
    model: Any = SentenceTransformer(source)
    model.eval()
    # The model loads with its warnings; tracing touches every attribute and earns comments that mean nothing.
    transformers_logging.set_verbosity_error()
    tokenizer = _plain_tokenizer(model.tokenizer)
    length = int(min(model.max_seq_length or LENGTH_TOKENS_MAX, LENGTH_TOKENS_MAX))
    prompt = str(model.prompts.get(model.default_prompt_name) or "")
    # `encode` puts the prompt before each text, where it takes its share of the window.
    row_tokens_max = length - len(tokenizer.encode(prompt, add_special_tokens=False).ids)
    window_tokens = row_tokens_max - int(tokenizer.num_special_tokens_to_add(False))
    if window_tokens < 1:
        raise ValueError(f"{name} has room for no token beside its prompt")
    directory = directory_of(source)
    if directory is None:
        raise OSError(f"{source} has no config.json")
    probes = probe_rows(tokenizer, row_tokens_max)
    forward = _fastest(model, probes, prompted=bool(prompt))
    shown = forward(probes[:1])
    return LoadedModel(
        name,
        fingerprint(directory, length, prompt),
        shown.vectors.shape[1],
        shown.inner.shape[1],
        row_tokens_max,
        window_tokens,
        tokenizer,
        forward,
        _bound_threads,
    )


def _bound_threads() -> None:
    """The setting belongs to the calling thread."""
    torch.set_num_threads(min(torch.get_num_threads(), THREADS_MAX))


def _fastest(model: Any, probes: Sequence[Row], *, prompted: bool) -> Forward:
    """The fastest forward pass whose vectors are those of `encode`, for one row as for several, for short ones as for long."""

    def encode(rows: Sequence[Row]) -> States:
        texts = [row.text for row in rows]
        vectors = model.encode(
            texts, batch_size=len(texts), normalize_embeddings=True, show_progress_bar=False
        )
        return without_inner(np.asarray(vectors, dtype=np.float32))

    # Beside a prompt, `encode` may leave it out of the pooling: its own business.
    if prompted or type(model[0]).__name__ != "Transformer":
        return encode
    wanted = np.vstack([encode([probe]).vectors for probe in probes])
    for make in (_on_openvino, _on_torch):
        try:
            forward = make(model)
            cosine = nearness(forward, probes, wanted)
        except Exception as error:  # whatever a library raises over a model it does not know
            _log.warning("forward_pass_unusable", way=make.__name__[1:], error=repr(error)[:500])
            continue
        if cosine >= 1 - COSINE_TOLERANCE:
            return forward
        _log.warning("forward_pass_inexact", way=make.__name__[1:], cosine=cosine)
    return encode


def _on_openvino(model: Any) -> Forward:
    return SentenceGraph(convert(model), _pad_id(model))


def _on_torch(model: Any) -> Forward:
    sentences = Sentences(model)
    pad_id = _pad_id(model)

    @torch.inference_mode()
    def forward(rows: Sequence[Row]) -> States:
        inputs = [torch.from_numpy(array).to(model.device) for array in padded(rows, pad_id)]
        outputs: list[NDArray[np.float32]] = [one.cpu().numpy() for one in sentences(*inputs)]
        return States(*outputs) if len(outputs) == 2 else without_inner(outputs[0])

    return forward


def _pad_id(model: Any) -> int:
    return int(getattr(model.tokenizer, "pad_token_id", None) or 0)


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
