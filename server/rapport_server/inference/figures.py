"""Where "my" and a word for somebody speak of nobody: things, figures of speech, the listener."""

from collections.abc import Sequence

from rapport_server.inference import kinds
from rapport_server.inference.kinds import KindWord
from rapport_server.inference.names import is_name
from rapport_server.inference.words import Word

# With these behind it the word names a thing: "mother tongue", "boss fight".
_COMPOUNDS = frozenset(
    "tongue tongues ship board boards fight fights level levels battle sitter sitters food foods cage company "
    "companies material figure figures appointment appointments visit visits jokes joke day days country land city "
    "nature store house houses shop hotel school show shortage shortages painting paintings picture pictures photo "
    "photos strike strikes friendly lover lovers person people breed breeds insurance nodes node process element".split()
)
_VOCATIVES = frozenset({"friend", "son", "child", "brother"})
_AFTER_COMMA = frozenset("who whose which a an the and on in at".split())


def is_compound(spoken: Sequence[Word], end: int) -> bool:
    """Whether the kind that ends at `end` is a part of another word."""
    return end < len(spoken) and not spoken[end - 1].ending and spoken[end].lower in _COMPOUNDS


def is_figurative(spoken: Sequence[Word], place: int, kind: KindWord, start: int, end: int) -> bool:
    """Whether "my" at `place` with a kind at `start` to `end` says nothing of somebody in the speaker's life."""
    following = spoken[end].text if end < len(spoken) else ""
    if following in ("'", "’") and kind.kind in kinds.PROFESSIONS:
        return True
    if spoken[place].text[0] == "O" and spoken[start].text == "Father":
        return True
    if spoken[start - 1].lower == "own" and kind.kind in ("boss", "friend"):
        return True
    if place and _is_thing_or_listener(spoken, place, kind):
        return True
    return kind.kind in _VOCATIVES and _is_address(spoken, place, end)


def _is_thing_or_listener(spoken: Sequence[Word], place: int, kind: KindWord) -> bool:
    """ "you are my therapist", "my phone is my best friend"."""
    verb = spoken[place - 1]
    subject = spoken[max(place - 2, 0)]
    if verb.ending == "'re" or verb.lower in ("are", "were"):
        return "you" in (verb.lower, subject.lower)
    if kind.kind != "friend" or verb.lower not in ("is", "was"):
        return False
    return not is_name(subject) and subject.lower not in ("he", "she", "they", "who")


def _is_address(spoken: Sequence[Word], place: int, end: int) -> bool:
    """ "My friend, listen", "well done, my friend!"."""
    behind = spoken[end + 1] if end + 1 < len(spoken) else None
    if place == 0 and end < len(spoken) and spoken[end].text == ",":
        return behind is None or not (is_name(behind) or behind.lower in _AFTER_COMMA)
    closes = end >= len(spoken) or (spoken[end].is_mark and spoken[end].text in ".!?")
    return place > 0 and closes and spoken[place - 1].text == ","
