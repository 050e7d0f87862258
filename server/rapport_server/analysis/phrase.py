"""The words that a crisis rests on: a span of the text."""

import re
from collections.abc import Callable, Iterator

from rapport_server.analysis.signs import risk_signs

PHRASE_CHARS_MAX = 200
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_CLAUSE = re.compile(r"[^,;:—]+[,;:—]*")


def crisis_phrase(text: str, loudness: Callable[[str], float]) -> str:
    """The clauses with signs within the sentence that is loudest, or all of it; a substring of the text."""
    sentences = list(_spans(text, _SENTENCE))
    sentence = max(sentences, key=loudness) if len(sentences) > 1 else sentences[0]
    clauses = list(_spans(sentence, _CLAUSE))
    signs = risk_signs(sentence)
    if signs:
        start = min(sign.start for sign in signs)
        end = max(sign.end for sign in signs)
        phrase = _whole_clauses(sentence, clauses, start, end)
    else:
        phrase = sentence
    return phrase[:PHRASE_CHARS_MAX].strip()


def _spans(text: str, pattern: re.Pattern[str]) -> Iterator[str]:
    found = [match.group().strip() for match in pattern.finditer(text)]
    yield from [part for part in found if re.search(r"\w", part)] or [text.strip()]


def _whole_clauses(sentence: str, clauses: list[str], start: int, end: int) -> str:
    """The clauses that hold the characters [start, end)."""
    place, first, last = 0, start, end
    for clause in clauses:
        begin = sentence.find(clause, place)
        place = begin + len(clause)
        if begin <= start < place:
            first = begin
        if begin < end <= place:
            last = place
    return sentence[first:last].rstrip(",;:—")
