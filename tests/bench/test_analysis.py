"""What the local analysis costs beyond the embedding: at most 0.5 ms a message."""

import time

import pytest

from rapport_server.analysis import load_analyser
from rapport_server.domain.ports import Encoded, Piece
from rapport_server.embedding import load_encoder
from rapport_server.embedding.runtime import Row
from tests.bench.conftest import ROUNDS, median, short_texts

pytestmark = pytest.mark.bench
COST_S_MAX = 0.5e-3


def test_analysis_costs_half_a_millisecond():
    runtime = load_encoder()
    analyser = load_analyser(runtime.fingerprint, runtime.inner_dimension)
    assert analyser is not None
    texts = [f"{text}, and I'm really worried about it!" for text in short_texts(200)]
    rows = [Row(text, ids) for text, ids in zip(texts, runtime.tokenize(texts), strict=True)]
    states = runtime.forward(rows)
    messages = [
        (text, Encoded((Piece(text, 0, len(text)),), vector[None], inner[None]))
        for text, vector, inner in zip(texts, states.vectors, states.inner, strict=True)
    ]
    costs = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for text, encoded in messages:
            analyser.analyse(text, encoded)
        costs.append((time.perf_counter() - begin) / len(messages))
    print(f"\nlocal analysis: {median(costs) * 1e3:.3f} ms a message")
    assert median(costs) <= COST_S_MAX
