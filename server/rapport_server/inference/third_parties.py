"""People (and animals) in the speaker's life, by rules over English sentences."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from rapport_server.domain.mentions import ThirdParty
from rapport_server.inference import kinds, naming
from rapport_server.inference.conduct import conduct
from rapport_server.inference.figures import is_compound, is_figurative
from rapport_server.inference.kinds import KIND_WORDS, KindWord
from rapport_server.inference.known import by_first_word, known_in
from rapport_server.inference.names import is_name, name_at
from rapport_server.inference.words import Word, sentences, words

_MODIFIERS_MAX = 3
# What may not stand between "my" and the kind: with one of these the kind is not what "my" belongs to.
_NO_MODIFIERS = frozenset(
    "a an the my our your his her their its and or but nor of in on at to for from with by about like than as is are was were be been am "
    "has have had do does did will would can could may must should i you he she it we they me him us them who whose that which not so "
    "if when because said says told asked".split()
)
# In front of "Mum" or "Aunt Bea" these say that it is not the speaker's.
_OTHERS = frozenset(
    "a an the my our his her their your ur its every each some any no another that this these those whose one single working new other "
    "somebody's someone's of".split()
)
_FIGURES = frozenset(
    {
        ("uncle", "sam"),
        ("uncle", "ben"),
        ("aunt", "jemima"),
        ("granny", "smith"),
        ("grandma", "moses"),
    }
)
_FICTION = frozenset(
    "book books novel film movie series episode season character characters story sitcom play musical game fairy".split()
)
_UNREAL = frozenset("if wish never imagine suppose rather want".split())
_HAVING = frozenset("have had got adopted 've".split())
_COUNTS = frozenset("a an one two three four five six both several".split())
# In small letters "mum" is a name only behind these: "a great mum" is not.
_BEFORE_BARE = frozenset(
    "and or but with to for from at by about when while if that because since until before after than miss love told tell tells asked "
    "ask called call visit visited visiting see saw seeing help helped helping think hope says said where how why does did is was".split()
)
# A text that names more people than this tells a story.
MENTIONS_MAX = 64
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”')


@dataclass(frozen=True, slots=True)
class Found:
    """A mention and the place in its sentence after the kind's words."""

    name: str
    kind: str
    end: int


def third_parties(text: str, own_name: str = "", known: Collection[str] = ()) -> list[ThirdParty]:
    """Every mention, in order; the same person once for each sentence that tells of them.

    `own_name` is the speaker's, who is no third party. `known` are names that tell of somebody without a kind ("Anna called"); such
    a mention has an empty kind.
    """
    mentions: list[ThirdParty] = []
    names = by_first_word(known)
    before: list[Word] = []
    for sentence in sentences(text):
        spoken = words(_unquoted(sentence))
        named = naming.by_pronoun(spoken)
        if named and mentions and not mentions[-1].name:
            mentions[-1] = replace(mentions[-1], name=named)
        found = [(found.name, found.kind) for found in _in_sentence(spoken, before)]
        told = {name for name, _ in found}
        found += [(name, "") for name in known_in(spoken, names) if name not in told]
        mentions += [
            ThirdParty(name, kind, sentence, conduct(sentence))
            for name, kind in dict.fromkeys(found)
            if not name or name.casefold() != own_name.casefold()
        ]
        before = spoken
    return mentions[:MENTIONS_MAX]


def _unquoted(sentence: str) -> str:
    """Without quoted speech of several words, which is another's."""
    return _QUOTED.sub(
        lambda quote: " " if quote.group().count(" ") > 1 else quote.group(), sentence
    )


def _in_sentence(spoken: Sequence[Word], before: Sequence[Word]) -> Iterator[Found]:
    place = 0
    while place < len(spoken):
        several = list(_at(spoken, place, before))
        yield from several
        place = max([found.end for found in several], default=place + 1)


def _at(spoken: Sequence[Word], place: int, before: Sequence[Word]) -> Iterator[Found]:
    word = spoken[place].lower
    if word in ("my", "our"):
        return _own(spoken, place, before)
    if word in ("i", "we"):
        return _had(spoken, place)
    if (found := kind_at(spoken, place)) is not None:
        return _unowned(spoken, place, *found)
    return iter(())


def kind_at(spoken: Sequence[Word], place: int) -> tuple[KindWord, int] | None:
    """The kind whose words begin at a place, and the place after them."""
    for length in range(min(kinds.PHRASE_WORDS_MAX, len(spoken) - place), 0, -1):
        part = spoken[place : place + length]
        if any(word.ending for word in part[:-1]):
            continue
        if (kind := KIND_WORDS.get(" ".join(word.lower for word in part))) is not None:
            return kind, place + length
    return None


def _kind_behind(spoken: Sequence[Word], place: int) -> tuple[KindWord, int, int] | None:
    """The kind that a determiner right before `place` belongs to: kind, its start and the place after it."""
    for start in range(place, min(place + _MODIFIERS_MAX + 1, len(spoken))):
        if (found := kind_at(spoken, start)) is not None:
            kind, end = found
            while not spoken[end - 1].ending and (later := kind_at(spoken, end)):
                kind, end = later
            return None if is_compound(spoken, end) else (kind, start, end)
        word = spoken[start]
        if word.is_mark or word.ending or word.lower in _NO_MODIFIERS:
            return None
    return None


def _own(spoken: Sequence[Word], place: int, before: Sequence[Word]) -> Iterator[Found]:
    found = _kind_behind(spoken, place + 1)
    if found is None:
        return
    kind, start, end = found
    if is_figurative(spoken, place, kind, start, end):
        return
    names = naming.adjacent(spoken, kind, end)
    if not names and not kind.plural:
        names, denied = naming.left(spoken, place, end, before)
        if denied:
            return
    for name in names or naming.right(spoken, kind, end) or [""]:
        yield Found(name, kind.kind, end)


def _had(spoken: Sequence[Word], place: int) -> Iterator[Found]:
    """ "I have a sister in Toronto and a brother in Cork"."""
    here = place + 1
    having = spoken[place].ending == "'ve"
    while here < len(spoken) and spoken[here].lower in _HAVING:
        having, here = True, here + 1
    if not having or any(word.lower in _UNREAL for word in spoken[: place + 3]):
        return
    while here < len(spoken) and spoken[here].lower in _COUNTS:
        found = _kind_behind(spoken, here + 1)
        if found is None or spoken[found[2] - 1].ending:
            return
        kind, _, end = found
        for name in naming.right(spoken, kind, end) or [""]:
            yield Found(name, kind.kind, end)
        here = _next_in_row(spoken, end)


def _next_in_row(spoken: Sequence[Word], end: int) -> int:
    for here in range(end, min(end + 4, len(spoken) - 1)):
        if spoken[here].lower == "and":
            return here + 1
    return len(spoken)


def _unowned(spoken: Sequence[Word], place: int, kind: KindWord, end: int) -> Iterator[Found]:
    """Without "my": "a friend of mine", "Mum", "Aunt Bea"."""
    if [word.lower for word in spoken[end : end + 2]] == ["of", "mine"]:
        names = naming.right(spoken, kind, end + 2)
        if not names:
            names, _ = naming.left(spoken, _article_before(spoken, place), end + 2, ())
        for name in names or [""]:
            yield Found(name, kind.kind, end + 2)
        return
    if _belongs_to_others(spoken, place) or is_compound(spoken, end):
        return
    word = spoken[place]
    name = ""
    if word.lower in kinds.TITLES and not word.ending:
        name = _titled(spoken, place, end)
    if not name and not _is_bare(spoken, place, end):
        return
    yield Found(name, kind.kind, end)


def _article_before(spoken: Sequence[Word], place: int) -> int:
    for here in range(place - 1, max(place - 1 - _MODIFIERS_MAX, -1), -1):
        if spoken[here].lower in ("a", "an", "this", "that"):
            return here
    return place


def _belongs_to_others(spoken: Sequence[Word], place: int) -> bool:
    if place == 0:
        return False
    word = spoken[place - 1]
    plural_owner = word.text in "'’" and place > 1 and spoken[place - 2].lower.endswith("s")
    return word.lower in _OTHERS or word.ending == "'s" or plural_owner


def _titled(spoken: Sequence[Word], place: int, end: int) -> str:
    if end >= len(spoken) or any(word.lower in _FICTION for word in spoken):
        return ""
    title, following = spoken[place].lower, spoken[end]
    if (title, following.lower) in _FIGURES:
        return ""
    name, _ = name_at(spoken, end)
    return name or naming.in_small_letters(spoken, end)


def _lets_stand_bare(word: Word) -> bool:
    return word.is_mark or bool(word.ending) or word.lower in _BEFORE_BARE


def _is_bare(spoken: Sequence[Word], place: int, end: int) -> bool:
    word = spoken[place]
    capital = word.text[0].isupper()
    if not (word.lower in kinds.BARE or (capital and word.lower in kinds.BARE_CAPITAL)):
        return False
    if not capital and place and not _lets_stand_bare(spoken[place - 1]):
        return False
    if end >= len(spoken):
        return True
    following = spoken[end]
    if word.lower in kinds.BARE_CAPITAL and (is_name(following) or following.lower == "of"):
        return False
    return following.lower not in ("day", "-") and not (
        following.text[0].isupper() and following.text != "I" and following.text.isalpha()
    )
