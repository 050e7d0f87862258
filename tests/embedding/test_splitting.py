"""Long text is split, never cut off."""

import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from rapport_server.embedding import Runtime, load_encoder
from rapport_server.embedding.pieces import CutPiece, cut

SETTINGS = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
# Words, sentences, scripts without spaces, graphemes of several code points, and junk, repeated to be long.
parts = st.sampled_from(
    [
        "hello ",
        "Ok. ",
        "x",
        "  \n",
        "你好。",
        "é",
        "👩‍👩‍👧‍👦",
        "🇩🇪",
        "ﷺ",
        "\x00",
        "supercalifragilistic",
        "한",
        "\u200d",
        "!?",
    ]
)
long_texts = st.lists(st.tuples(parts, st.integers(1, 300)), max_size=12).map(
    lambda runs: "".join(part * count for part, count in runs)
)


@pytest.fixture(scope="module")
def tiny(other_model: Path) -> Runtime:
    return load_encoder(str(other_model))


def pieces_of(runtime: Runtime, text: str) -> list[CutPiece]:
    return [piece for step in cut(runtime, [text]) for piece in step]


def check(runtime: Runtime, text: str) -> None:
    found = pieces_of(runtime, text)
    assert found, "every text has a piece"
    covered = [False] * len(text)
    last_end = 0
    for one in found:
        piece = one.piece
        assert piece.text == text[piece.start : piece.end]
        assert one.row.text == piece.text
        assert piece.start >= last_end, "in order, without overlap"
        last_end = piece.end
        assert len(one.row.ids) <= runtime.row_tokens_max
        if len(piece.text) > 1:
            assert one.row.ids.tolist() == runtime.tokenize([piece.text])[0].tolist(), "not cut off"
        covered[piece.start : piece.end] = [True] * (piece.end - piece.start)
    assert all(done or char.isspace() for done, char in zip(covered, text, strict=True))


@SETTINGS
@example("")
@example(" " * 5000)
@example("a" + " " * 9000 + "b")
@given(long_texts)
def test_every_character_is_in_exactly_one_piece_that_fits(runtime: Runtime, text: str) -> None:
    check(runtime, text)


@SETTINGS
@example("ﷺﷺ" * 30)
@given(st.one_of(long_texts, st.text(max_size=400)))
def test_a_window_of_a_few_tokens_loses_nothing_either(tiny: Runtime, text: str) -> None:
    check(tiny, text)


def test_a_text_that_fits_is_one_piece_as_it_stands(runtime: Runtime) -> None:
    text = "  spaces around \n"
    (only,) = pieces_of(runtime, text)
    assert (only.piece.start, only.piece.end) == (0, len(text))


def test_pieces_end_with_sentences_where_there_are_any(runtime: Runtime) -> None:
    text = "I went to the doctor on Monday and she was late. " * 80
    found = pieces_of(runtime, text)
    assert len(found) > 2
    assert all(one.piece.text.endswith("late.") for one in found)
    assert all(one.piece.text.startswith("I went") for one in found)


def test_pieces_end_with_words_where_there_is_no_sentence(runtime: Runtime) -> None:
    found = pieces_of(runtime, "lighthouse keeper " * 400)
    assert len(found) > 2
    assert {word for one in found for word in one.piece.text.split()} == {"lighthouse", "keeper"}


@pytest.mark.parametrize(
    ("grapheme", "count"),
    [
        ("👩\u200d👩\u200d👧\u200d👦", 2000),
        ("e\u0301", 6000),
        ("🇩🇪", 6000),
        ("👍🏽", 4000),
        ("\u1112\u1161\u11ab", 4000),
    ],
)
def test_graphemes_stay_whole(runtime: Runtime, grapheme: str, count: int) -> None:
    found = pieces_of(runtime, grapheme * count)
    assert len(found) > 1
    assert all(one.piece.text == grapheme * (len(one.piece.text) // len(grapheme)) for one in found)


def test_sentences_without_spaces_are_cut_after_their_full_stop(runtime: Runtime) -> None:
    found = pieces_of(runtime, "今天我去看医生了，膝盖还是很疼。" * 60)
    assert len(found) > 2
    assert all(one.piece.text.endswith("。") for one in found)


@pytest.mark.parametrize(
    "unit", ["a", "0Z+/9", "The hip hurts. ", "字", " ", "\n", '."', "a\u0301"]
)
def test_splitting_takes_linear_time(runtime: Runtime, unit: str) -> None:
    def seconds(length: int) -> float:
        text = unit * (length // len(unit))
        best = float("inf")
        for _ in range(2):
            started = time.process_time()
            pieces_of(runtime, text)
            best = min(best, time.process_time() - started)
        return best

    # Eight times the length in quadratic time would be 64 times the seconds.
    assert seconds(128 * 1024) < 20 * seconds(16 * 1024) + 0.2


def test_a_mebibyte_without_any_space_is_split_in_bounded_steps(runtime: Runtime) -> None:
    text = "abcdefghij" * (1024 * 1024 // 10)
    steps = list(cut(runtime, [text]))
    assert "".join(one.piece.text for step in steps for one in step) == text
    assert max(len(step) for step in steps) <= 16
    assert max(len(one.piece.text) for step in steps for one in step) <= 4096
