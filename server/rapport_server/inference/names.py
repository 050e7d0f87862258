"""Which capitalised words can be somebody's name."""

from collections.abc import Sequence

from rapport_server.inference.words import Word

TITLES = frozenset(
    "mr mrs ms miss mx dr prof professor sir lady frau herr sister father rabbi reverend doctor".split()
)
_NO_NAMES = frozenset(
    # Capitalised anywhere.
    "i god ok monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september "
    "october november december christmas easter english french german spanish italian english british american "
    # Capitalised where a sentence begins.
    "a an the this that these those it he she they we you who what when where why how which whose here there my our your his her "
    "their and but so or if as at in on to of for from with by about after before since until while because although though then now "
    "today tomorrow yesterday tonight yes no yeah yep nope oh ah well ok okay hi hey hello thanks thank please sorry honestly "
    "actually basically anyway maybe perhaps sure right great good still even just only also not never always sometimes lately "
    "recently apparently luckily sadly unfortunately fortunately first second last next one two three both all some any every "
    "nobody everybody everyone someone somebody nothing everything something later earlier once meanwhile however instead besides "
    "like another other each either neither half is are was were do does did can could will would should may might must have has had "
    "let tell ask guess meet man bro dude lol omg alexa siri".split()
)
_WORDS_MAX = 3


def is_name(word: Word) -> bool:
    """Whether it may be a part of a name: a capital and small letters, no word that is written so for another reason."""
    text = word.text
    return (
        text[0].isupper()
        and (len(text) == 1 or not text.isupper())
        and word.lower not in _NO_NAMES
        and word.ending in ("", "'s")
        and not any(character.isdigit() for character in text)
    )


def name_at(words: Sequence[Word], place: int) -> tuple[str, int]:
    """The name that begins at a place, and the place after it; an empty one and the same place when there is none."""
    parts: list[Word] = []
    here = place
    titled = False
    while here < len(words) and len(parts) < _WORDS_MAX + titled:
        word = words[here]
        if not parts and word.lower in TITLES and word.text[0].isupper():
            titled = True
        elif word.text == "." and titled and len(parts) == 1:
            here += 1
            continue
        elif not is_name(word):
            break
        parts.append(word)
        here += 1
        if word.ending:
            break
    if not parts or (titled and len(parts) == 1):
        return "", place
    return _joined(words, place, parts), here


def name_before(words: Sequence[Word], place: int) -> tuple[str, int]:
    """The name that ends right before a place, and where it begins."""
    start = place
    while start > 0 and place - start < _WORDS_MAX and is_name(words[start - 1]):
        start -= 1
        if words[start].ending and start < place - 1:
            start += 1
            break
    titled = start
    if start > 1 and words[start - 1].text == "." and words[start - 2].lower in TITLES:
        titled = start - 2
    elif start > 0 and words[start - 1].lower in TITLES and words[start - 1].text[0].isupper():
        titled = start - 1
    name, end = name_at(words, titled)
    return (name, titled) if end == place else ("", place)


def _joined(words: Sequence[Word], start: int, parts: Sequence[Word]) -> str:
    text = [part.text for part in parts]
    if words[start].lower in TITLES and len(words) > start + 1 and words[start + 1].text == ".":
        text[0] += "."
    return " ".join(text)
