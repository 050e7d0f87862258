"""A text as sentences, and a sentence as words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

_WORD = re.compile(r"\w+(?:[-'’]\w+)*|[^\w\s]")
_POSSESSIVE = re.compile(r"(?i)(.+)(['’](?:s|re|m|ll|ve|d))$")
# A full stop after these, after one letter or between a month and its day ends no sentence.
_END = re.compile(
    r"(?<!\b(?:Mr|Ms|Dr|St|Sr|Jr|vs|No))(?<!\b(?:Mrs|Rev))(?<!\bProf)(?<!\b[A-Za-z])(?<!\b[ap]\.m)"
    r"(?<!\b(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?=\. \d))(?<!\bSept(?=\. \d))[.!?…]+[\"'”’)]* (?=\S)"
)
# So that no pattern meets a page without a full stop.
SENTENCE_CHARS_MAX = 600
# What goes on for longer than this in one text is no message.
SENTENCES_MAX = 400


@dataclass(frozen=True, slots=True)
class Word:
    """A word or a mark of a sentence; an ending like 's or 'm stands apart from it.

    `ending` and `lower` (the text) are in lower case, with straight apostrophes.
    """

    text: str
    ending: str
    lower: str

    @property
    def is_mark(self) -> bool:
        """Punctuation."""
        return not self.text[0].isalnum() and self.text[0] != "_"


def sentences(text: str) -> Iterator[str]:
    """The first sentences of a text, with single spaces for all white space; an over-long one in parts."""
    lines = (_of_line(" ".join(line.split())) for line in text.splitlines())
    yield from islice(chain.from_iterable(lines), SENTENCES_MAX)


def _of_line(line: str) -> Iterator[str]:
    start = 0
    for end in [*(found.end() for found in _END.finditer(line)), len(line)]:
        sentence = line[start:end].strip()
        start = end
        for part in range(0, len(sentence), SENTENCE_CHARS_MAX):
            yield sentence[part : part + SENTENCE_CHARS_MAX]


def words(sentence: str) -> list[Word]:
    """The words and marks of a sentence."""
    found = []
    for match in _WORD.finditer(sentence):
        text, ending = match.group(), ""
        if split := _POSSESSIVE.match(text):
            text, ending = split.groups()
        found.append(Word(text, _plain(ending), _plain(text)))
    return found


def _plain(text: str) -> str:
    return text.lower().replace("’", "'")
