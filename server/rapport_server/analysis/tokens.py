"""The surface of a message: words, runs of punctuation, and pairs of neighbours."""

import re

# A message may have 32 KiB; its surface is read from both ends, so that the cost has a bound.
SURFACE_CHARS_MAX = 2_000
# The heads learnt from messages of up to about this length; a longer one is read in parts when the worst of it counts.
WINDOW_CHARS_MAX = 320
# What the emotions' head reads of a shouted message beside its words.
SHOUTED = "<shouted>"
KINDS = frozenset({"pairs", "punctuation"})

_SENTENCE = re.compile(r"[^.!?\n]*[.!?\n]+\s*|[^.!?\n]+")
_TOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|\d+|[!?]+|\.\.+")


def tokens(text: str, kinds: frozenset[str] = KINDS) -> list[str]:
    """The features of a text, each once; `kinds` leaves some out, for ablations."""
    plain = clipped(text).replace("’", "'").lower()
    words = [found if found[0].isalpha() else _mark(found) for found in _TOKEN.findall(plain)]
    if "punctuation" not in kinds:
        words = [word for word in words if word[0] not in "!?."]
    if "pairs" not in kinds:
        return list(dict.fromkeys(words))
    pairs = [f"{one} {two}" for one, two in zip(["<start>", *words], words, strict=False)]
    return list(dict.fromkeys(words + pairs))


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


def _mark(found: str) -> str:
    return "<number>" if found[0].isdigit() else found[:3]
