"""The words that a crisis rests on: a span of the text."""

import re
from collections.abc import Iterator

from rapport_server.analysis.head import Head
from rapport_server.analysis.signs import marks, risk_signs
from rapport_server.analysis.tokens import tokens

PHRASE_CHARS_MAX = 200
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_CLAUSE = re.compile(r"[^,;:—]+[,;:—]*")


def crisis_phrase(text: str, crisis: Head) -> str:
    """The clause with the strongest signs within the sentence that speaks loudest for a crisis; a substring of the text."""
    sentence = max(_spans(text, _SENTENCE), key=lambda part: _loudness(part, crisis))
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


def _loudness(sentence: str, crisis: Head) -> float:
    return float(crisis.word_logits([*tokens(sentence), *marks(sentence)])[0])


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
