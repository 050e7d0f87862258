"""Texts into rows: each text is split to the window and tokenised, in steps that never take long."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapport_server.domain.ports import Piece
from rapport_server.embedding.borders import best_cut
from rapport_server.embedding.runtime import Row, Runtime

# What one step tokenises at most: some milliseconds, so that whoever waits is not kept from the thread for longer.
STEP_CHARS_MAX = 8 * 1024
STEP_TEXTS_MAX = 64
STEP_PIECES_MAX = 8
# One token can stand for a run of any length (an unknown word, a mebibyte of spaces); a piece is something a
# person will read, so its characters are bounded too. Prose has four or five per token.
CHARS_PER_TOKEN_MAX = 16

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CutPiece:
    """A piece of the text number `text_index`, ready for the model."""

    text_index: int
    piece: Piece
    row: Row


def cut(runtime: Runtime, texts: Sequence[str]) -> Iterator[list[CutPiece]]:
    """All pieces of all texts in order; each `next` is one step of bounded work.

    A text that fits the window is one piece, whole. Of a longer text every character that is not whitespace lies in exactly
    one piece. The time is linear in the length.
    """
    chars_max = runtime.window_tokens * CHARS_PER_TOKEN_MAX
    batch: list[int] = []
    batch_chars = 0
    for index, text in enumerate(texts):
        if len(text) > chars_max:
            if batch:
                yield from _cut_batch(runtime, texts, batch)
                batch, batch_chars = [], 0
            yield from _cut_long(runtime, index, text)
            continue
        batch.append(index)
        batch_chars += len(text)
        if len(batch) >= STEP_TEXTS_MAX or batch_chars >= STEP_CHARS_MAX:
            yield from _cut_batch(runtime, texts, batch)
            batch, batch_chars = [], 0
    if batch:
        yield from _cut_batch(runtime, texts, batch)


def is_last(texts: Sequence[str], cut_piece: CutPiece) -> bool:
    """Whether nothing but whitespace comes after this piece in the last text."""
    text = texts[-1]
    at_last = cut_piece.text_index == len(texts) - 1
    return at_last and _skip_space(text, cut_piece.piece.end, len(text)) == len(text)


def _cut_batch(
    runtime: Runtime, texts: Sequence[str], indexes: Sequence[int]
) -> Iterator[list[CutPiece]]:
    """Texts of ordinary length: tokenised together, and only those that do not fit are split."""
    done: list[CutPiece] = []
    tokenized = runtime.tokenize([texts[index] for index in indexes])
    for index, ids in zip(indexes, tokenized, strict=True):
        text = texts[index]
        if len(ids) <= runtime.row_tokens_max:
            done.append(CutPiece(index, Piece(text, 0, len(text)), Row(text, ids)))
            continue
        if done:
            yield done
            done = []
        yield from _cut_long(runtime, index, text)
    if done:
        yield done


def _cut_long(runtime: Runtime, index: int, text: str) -> Iterator[list[CutPiece]]:
    found = False
    for spans in split(runtime, text, 0, len(text), runtime.window_tokens):
        for first in range(0, len(spans), STEP_PIECES_MAX):
            found = True
            group = spans[first : first + STEP_PIECES_MAX]
            rows = _fitted(runtime, text, group, runtime.window_tokens)
            yield [CutPiece(index, piece, row) for piece, row in rows]
    if not found:  # nothing but whitespace, and a lot of it
        piece = Piece(text[:1], 0, 1)
        yield [CutPiece(index, piece, Row(piece.text, runtime.tokenize([piece.text])[0]))]


def _fitted(
    runtime: Runtime, text: str, spans: Sequence[Span], window: int
) -> Iterator[tuple[Piece, Row]]:
    """The pieces, or the parts of one that has more tokens alone than it had inside the text (a word was cut)."""
    pieces = [Piece(text[start:end], start, end) for start, end in spans]
    tokenized = runtime.tokenize([piece.text for piece in pieces])
    for piece, ids in zip(pieces, tokenized, strict=True):
        if len(ids) <= runtime.row_tokens_max:
            yield piece, Row(piece.text, ids)
        elif len(piece.text) == 1 or window == 1:
            # One code point that normalises to more tokens than the whole window, in a model with a tiny one.
            yield piece, Row(piece.text, runtime.fit(ids))
        else:
            smaller = window // 2
            for parts in split(runtime, text, piece.start, piece.end, smaller):
                yield from _fitted(runtime, text, parts, smaller)


def split(runtime: Runtime, text: str, start: int, end: int, window: int) -> Iterator[list[Span]]:
    """Spans of text[start:end] with at most `window` tokens each, surrounding whitespace left out, block by block."""
    chars_max = window * CHARS_PER_TOKEN_MAX
    block_chars = max(STEP_CHARS_MAX, 2 * chars_max)
    start = _skip_space(text, start, end)
    while start < end:
        block_end = min(end, start + block_chars)
        tokens = [(a + start, b + start) for a, b in runtime.spans(text[start:block_end])]
        spans: list[Span] = []
        first = 0
        while start < block_end:
            limit = min(_token_limit(tokens, first, window, start, block_end), start + chars_max)
            if limit >= block_end and block_end < end:
                break  # the piece may go on in the next block
            cut_at = end if limit >= end else best_cut(text, start, limit)
            spans.append((start, _trim_space(text, start, cut_at)))
            start = _skip_space(text, cut_at, end)
            while first < len(tokens) and tokens[first][1] <= start:
                first += 1
        yield spans


def _token_limit(
    tokens: Sequence[Span], first: int, window: int, start: int, block_end: int
) -> int:
    """Where the token after the last that fits begins; never inside a code point that several tokens share."""
    if first + window >= len(tokens):
        return block_end
    limit = tokens[first + window][0]
    return limit if limit > start else max(tokens[first + window][1], start + 1)


def _skip_space(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start


def _trim_space(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end
