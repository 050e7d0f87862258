"""What the heads read of a text's surface, and what was tried beside it and left out because it did not help."""

import re
from collections.abc import Callable, Iterator

from rapport_server.analysis.tokens import KINDS, tokens

Surface = Callable[[str], list[str]]

NEGATED_REACH = 3
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|[.!?]")
_EMOJI = re.compile(r"[:;=][-']?[)(dp/|]+|<3|[\u2600-\u27bf\U0001f000-\U0001faff]")
_DRAWN_OUT = re.compile(r"([^\W\d_])\1{2,}")
_NEGATORS = frozenset(
    "not no never without cannot cant dont didnt doesnt isnt wasnt wont wouldnt couldnt shouldnt aint hardly nothing".split()
)


def none(_: str) -> list[str]:
    """No surface: the model's states alone."""
    return []


def negation(text: str) -> Iterator[str]:
    """A mark for each of the three words after a negation, up to the end of the sentence."""
    left = 0
    for word in _WORD.findall(text.replace("’", "'").lower()):
        if not word[0].isalpha():
            left = 0
            continue
        if left:
            left -= 1
            yield f"not_{word}"
        if word in _NEGATORS or word.endswith("n't"):
            left = NEGATED_REACH


def emoji(text: str) -> Iterator[str]:
    """Each emoji and emoticon."""
    yield from _EMOJI.findall(text.lower())


def elongated(text: str) -> Iterator[str]:
    """A mark for "sooo", and the word with two of the letter."""
    if _DRAWN_OUT.search(text):
        yield "<elongated>"
        yield from tokens(_DRAWN_OUT.sub(r"\1\1", text))


def capitals(text: str) -> Iterator[str]:
    """A mark when most words are in capitals."""
    words = re.findall(r"[A-Za-z]{3,}", text)
    if sum(word.isupper() for word in words) * 2 > len(words):
        yield "<capitals>"


def cases() -> Iterator[tuple[str, Surface]]:
    """The surfaces of an ablation by name."""
    yield "none", none
    yield "words, pairs and punctuation", tokens
    for kind in sorted(KINDS):
        yield f"without {kind}", _without(kind)
    for extra in (negation, emoji, elongated, capitals):
        yield f"with {extra.__name__}", _with(extra)


def _without(kind: str) -> Surface:
    return lambda text: tokens(text, KINDS - {kind})


def _with(extra: Callable[[str], Iterator[str]]) -> Surface:
    return lambda text: list(dict.fromkeys([*tokens(text), *extra(text)]))
