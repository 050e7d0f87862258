"""The surface of a message: words, pairs of words, punctuation and emoji, with a mark for what is negated or drawn out."""

import re
from collections.abc import Iterator

# A message may have 32 KiB; its surface is read from both ends, so that the cost has a bound.
SURFACE_CHARS_MAX = 2_000
NEGATED_REACH = 3
KINDS = frozenset({"pairs", "negation", "emoji", "elongated", "capitals", "punctuation"})

# The heads learnt from messages of up to about this length; a longer one is read in parts when the worst of it counts.
WINDOW_CHARS_MAX = 320

_SENTENCE = re.compile(r"[^.!?\n]*[.!?\n]+\s*|[^.!?\n]+")
_TOKEN = re.compile(
    r"[^\W\d_]+(?:'[^\W\d_]+)*|\d+|[!?]+|\.\.+|[:;=][-']?[)(dp/|]+|<3|[\u2600-\u27bf\U0001f000-\U0001faff]"
)
_DRAWN_OUT = re.compile(r"([^\W\d_])\1{2,}")
_NEGATORS = frozenset(
    "not no never without cannot cant dont didnt doesnt isnt wasnt wont wouldnt couldnt shouldnt aint hardly nothing".split()
)


def tokens(text: str, kinds: frozenset[str] = KINDS) -> list[str]:
    """The features of a text, each once, in order of appearance; `kinds` leaves some out, for ablations."""
    return list(dict.fromkeys(_features(clipped(text), kinds)))


def clipped(text: str) -> str:
    """The text, or the first and last thousand characters of a long one."""
    if len(text) <= SURFACE_CHARS_MAX:
        return text
    half = SURFACE_CHARS_MAX // 2
    return f"{text[:half]} \n {text[-half:]}"


def windows(text: str) -> list[str]:
    """The text itself when it is short, else runs of whole sentences of at most WINDOW_CHARS_MAX where sentences allow."""
    if len(text) <= WINDOW_CHARS_MAX:
        return [text]
    parts = [""]
    for sentence in _SENTENCE.findall(text):
        if parts[-1] and len(parts[-1]) + len(sentence) > WINDOW_CHARS_MAX:
            parts.append("")
        parts[-1] += sentence
    return parts


def _features(text: str, kinds: frozenset[str]) -> Iterator[str]:
    plain = text.replace("’", "'")
    if "capitals" in kinds and _capitals(plain):
        yield "<capitals>"
    plain = plain.lower()
    if "elongated" in kinds:
        plain, drawn_out = _DRAWN_OUT.subn(r"\1\1", plain)
        if drawn_out:
            yield "<elongated>"
    before, negated = "<start>", 0
    for token in filter(None, (_token(found, kinds) for found in _TOKEN.findall(plain))):
        is_word = token[0].isalpha()
        yield token
        if "pairs" in kinds:
            yield f"{before} {token}"
        before = token
        if "negation" not in kinds:
            continue
        if negated and is_word:
            negated -= 1
            yield f"not_{token}"
        if token[0] in "!?.":
            negated = 0
        elif token in _NEGATORS or token.endswith("n't"):
            negated = NEGATED_REACH


def _token(found: str, kinds: frozenset[str]) -> str | None:
    """A match as a feature; None when its kind is left out."""
    first = found[0]
    if first.isalpha():
        return found
    if first.isdigit():
        return "<number>"
    if first in "!?.":
        return first * min(len(found), 3) if "punctuation" in kinds else None
    return found if "emoji" in kinds else None


def _capitals(text: str) -> bool:
    words = re.findall(r"[A-Za-z]{3,}", text)
    in_capitals: int = sum(word.isupper() for word in words)
    return in_capitals * 2 > len(words)
