"""Names that are known already, found without what their bearers are to the speaker."""

from collections.abc import Collection, Iterator, Sequence

from rapport_server.inference.names import is_name
from rapport_server.inference.words import Word, words

Names = dict[str, list[tuple[str, list[str]]]]


def by_first_word(names: Collection[str]) -> Names:
    """Each name with its words, longest first, by the first of them."""
    table: Names = {}
    for name in sorted(names, key=len, reverse=True):
        parts = [word.text for word in words(name)]
        if parts:
            table.setdefault(parts[0], []).append((name, parts))
    return table


def known_in(spoken: Sequence[Word], names: Names) -> Iterator[str]:
    """The known names that stand in a sentence for whom they belong to."""
    for place, word in enumerate(spoken):
        for name, parts in names.get(word.text, ()):
            end = place + len(parts)
            if [part.text for part in spoken[place:end]] != parts:
                continue
            # "Anna Karenina" is not the Anna that is known, and "will" is not Will.
            longer = end < len(spoken) and is_name(spoken[end]) and not spoken[end - 1].ending
            after_name = place > 1 and is_name(spoken[place - 1])
            if not longer and not after_name and (is_name(word) or word.text.islower()):
                yield name
            break
