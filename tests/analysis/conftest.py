"""One encoder for all tests of this room, and a way to have a text analysed."""

from collections.abc import Callable

import pytest

from rapport_server.analysis import LocalAnalyser, load_analyser
from rapport_server.domain.analysis import Analysis
from rapport_server.domain.ports import Encoded, Piece
from rapport_server.training.vectors import embed


@pytest.fixture(scope="session")
def encoded_all(runtime) -> Callable[[list[str]], list[Encoded]]:
    def encode(texts: list[str]) -> list[Encoded]:
        made = embed(runtime, texts).of(texts)
        return [
            Encoded((Piece(text, 0, len(text)),), vector[None], inner[None])
            for text, vector, inner in zip(texts, made.vectors, made.inner, strict=True)
        ]

    return encode


@pytest.fixture(scope="session")
def encoded(encoded_all) -> Callable[[str], Encoded]:
    return lambda text: encoded_all([text])[0]


@pytest.fixture(scope="session")
def analyser(runtime) -> LocalAnalyser:
    made = load_analyser(runtime.fingerprint, runtime.inner_dimension)
    assert made is not None
    return made


@pytest.fixture(scope="session")
def analyse(analyser, encoded) -> Callable[[str], Analysis]:
    return lambda text: analyser.analyse(text, encoded(text))
