"""The name that a sentence gives somebody, found right or left of what they are to the speaker."""

from collections.abc import Sequence

from rapport_server.inference.kinds import KIND_WORDS, KindWord
from rapport_server.inference.names import is_name, name_at, name_before
from rapport_server.inference.words import Word

_CALLED = ("called", "named")
# How far from the kind ", a retired pilot named Cyril" and "since school, Dorothy," may reach.
_REACH = 10
_PLACES = frozenset("since from across in at of on for next over down who, that".split())
_BE = frozenset("is was became isn't wasn't".split())
_SOFTENERS = frozenset("just now also still then really only actually".split())
_POINTING = frozenset({"that", "who", "this"})
_PRONOUNS = frozenset({"he", "she", "they", "it"})
_THEIR = frozenset({"his", "her", "their", "its"})
_FOLLOW_SMALL = frozenset(
    "is was has had makes says said does did will can used got gets gave gives keeps came comes lives".split()
)
_ENDINGS = frozenset(",.!?;:)…-–—")


def adjacent(words: Sequence[Word], kind: KindWord, end: int) -> list[str]:
    """The name right behind the kind: "my boss Anna"."""
    return [] if kind.plural or words[end - 1].ending else _at(words, end)


def right(words: Sequence[Word], kind: KindWord, end: int) -> list[str]:
    """Names behind the kind, which ends at `end`; several only for a plural."""
    if end >= len(words):
        return []
    if words[end - 1].ending:
        return _of_whose(words, end)
    if words[end].text in "'’":
        return []
    if kind.plural:
        return _row(words, end + (words[end].text in ",:("))
    return (
        adjacent(words, kind, end)
        or _apposed(words, end)
        or _called(words, end)
        or _apposed_later(words, end)
    )


def left(
    words: Sequence[Word], place: int, end: int, before: Sequence[Word]
) -> tuple[list[str], bool]:
    """The name in front of a determiner at `place` (the kind ends at `end`), and whether the relation is denied."""
    if place == 0:
        return _last_of(before) if len(words) - end <= 1 else [], False
    here = place - 1
    while here > 0 and words[here].lower in _SOFTENERS:
        here -= 1
    word = words[here]
    if word.text in ",(–—-":
        return _apposed_before(words, here, end), False
    denied = word.lower == "not" or word.lower.endswith("n't")
    if word.lower == "not":
        here -= 1
        word = words[here]
    if denied and (word.lower in _BE or word.ending):
        return [], True
    if word.lower in _BE:
        return _subject(words, here), False
    if [w.lower for w in words[max(here - 2, 0) : here + 1]] == ["used", "to", "be"]:
        return _subject(words, here - 2), False
    if word.ending == "'s":
        return _subject(words, here + 1), False
    return [], False


def by_pronoun(words: Sequence[Word]) -> str:
    """The name in "She's called Noor" or "His name is Max" at the beginning of a sentence, else an empty one."""
    lower = [word.lower for word in words[:4]]
    if len(lower) > 2 and lower[0] in _PRONOUNS:
        called = 1 if words[0].ending else 2
        if len(lower) > called and lower[called] in _CALLED:
            return name_at(words, called + 1)[0]
    if len(lower) > 2 and lower[0] in _THEIR and lower[1] == "name":
        return name_at(words, _behind_is(words, 1))[0]
    return ""


def in_small_letters(words: Sequence[Word], place: int) -> str:
    """A name behind a title in a sentence without capitals ("uncle femi is here"): only before a verb."""
    if place + 1 >= len(words) or any(word.text[0].isupper() for word in words):
        return ""
    word, following = words[place], words[place + 1].lower
    is_plain = word.text.isalpha() and len(word.text) > 2 and not word.lower.endswith(("s", "ly"))
    verb = following in _FOLLOW_SMALL
    return word.text if is_plain and verb and word.lower not in _SOFTENERS | {"never"} else ""


def _at(words: Sequence[Word], place: int) -> list[str]:
    name, _ = name_at(words, place)
    return [name] if name else []


def _before(words: Sequence[Word], place: int) -> list[str]:
    name, _ = name_before(words, place)
    return [name] if name else []


def _behind_is(words: Sequence[Word], place: int) -> int:
    """The place behind the verb in "name is Max" or "name's Max"; "name" is at `place`."""
    return place + 1 if words[place].ending else place + 2


def _of_whose(words: Sequence[Word], end: int) -> list[str]:
    """ "my wife's name is Ingeborg", "my kitten's called Biscuit"."""
    if words[end].lower == "name":
        return _at(words, _behind_is(words, end))
    return _at(words, end + 1) if words[end].lower in _CALLED else []


def _row(words: Sequence[Word], place: int) -> list[str]:
    """ "Ruth, Naomi and Esther"."""
    names = []
    while place < len(words):
        name, after = name_at(words, place)
        if not name:
            break
        names.append(name)
        if after >= len(words) or words[after].lower not in (",", "and", "&"):
            break
        place = after + 1
        if place < len(words) and words[place].lower == "and":
            place += 1
    return names


def _apposed(words: Sequence[Word], end: int) -> list[str]:
    """ "my boss, Anna, …"."""
    if words[end].text not in ",(–—-":
        return []
    name, after = name_at(words, end + 1)
    closes = (
        after >= len(words) or words[after].text in _ENDINGS or words[after].lower in ("who", "is")
    )
    return [name] if name and closes and not _continues_row(words, after) else []


def _continues_row(words: Sequence[Word], after: int) -> bool:
    """ "my sister, Tom, and Eve" is a row of people."""
    return (
        after + 2 < len(words)
        and words[after].text == ","
        and words[after + 1].lower == "and"
        and is_name(words[after + 2])
    )


def _called(words: Sequence[Word], end: int) -> list[str]:
    """ "a grandson called Theo", "my kitten is called Biscuit", "my physio, a chap called Owen"; "my aunt; Astrid is her name"."""
    for here in range(end, min(end + _REACH, len(words))):
        word = words[here]
        if word.lower in _CALLED:
            between = words[end:here]
            is_verb = not between and word.lower == "called" and not _has_article(words, end)
            return [] if is_verb else _at(words, here + 1)
        if word.lower == "name" and words[here - 1].lower in _THEIR:
            behind = _at(words, _behind_is(words, here))
            return behind or (_before(words, here - 2) if here > 2 else [])
        if word.lower in KIND_WORDS or word.text in ".!?":
            return []
    return []


def _has_article(words: Sequence[Word], end: int) -> bool:
    return any(word.lower in ("a", "an", "one") for word in words[max(end - 4, 0) : end])


def _apposed_later(words: Sequence[Word], end: int) -> list[str]:
    """ "my best friend since school, Dorothy, …"."""
    if words[end].lower not in _PLACES and words[end].text != ",":
        return []
    for here in range(end + 1, min(end + _REACH, len(words) - 1)):
        if words[here].lower in KIND_WORDS or words[here].lower in ("my", "our", "and"):
            return []
        if words[here].text == ",":
            name, after = name_at(words, here + 1)
            closes = after >= len(words) or words[after].text in _ENDINGS
            if name and closes:
                return [name]
    return []


def _apposed_before(words: Sequence[Word], mark: int, end: int) -> list[str]:
    """ "Anna, my boss, …", "Tom (my ex)"."""
    name, start = name_before(words, mark)
    if not name:
        alone = words[mark].text == "(" and mark == 1 and words[0].text.isalpha()
        return [words[0].text] if alone else []
    closed = end >= len(words) or words[end].text in _ENDINGS or words[end - 1].ending
    return [name] if closed or (start > 0 and words[end].lower not in ("and", "or")) else []


def _subject(words: Sequence[Word], verb: int) -> list[str]:
    """The name that a verb at `verb` belongs to: "Tyler is", "Hugo, that's", "Kate …, she's"."""
    if names := _before(words, verb):
        return names
    subject = words[verb - 1] if verb > 0 else None
    if subject is None or subject.lower not in _POINTING | _PRONOUNS:
        return []
    if subject.lower in _POINTING:
        return _before(words, verb - 2) if verb > 2 else []
    earlier = (_before(words, here) for here in range(verb - 1, 0, -1))
    return next(filter(None, earlier), [])


def _last_of(before: Sequence[Word]) -> list[str]:
    """ "It's Boris. My cat."."""
    ends = [place for place, word in enumerate(before) if not word.is_mark]
    return _before(before, ends[-1] + 1) if len(ends) > 1 else []
