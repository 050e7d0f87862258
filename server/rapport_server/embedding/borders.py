"""Where a long text may be cut: after a sentence, else at whitespace, else between two graphemes."""

import re
import unicodedata

# A border is looked for in the last half of what fits, so that no piece is needlessly short; for a mere
# space more of it, since cutting a word loses its meaning.
_SENTENCE_SHARE = 0.5
_SPACE_SHARE = 0.25
# The longest grapheme that is kept whole. Longer ones exist only as mischief ("zalgo" text).
_GRAPHEME_CHARS_MAX = 64

_SENTENCE_END = re.compile(
    r"""[.!?…]["')\]»”’]*\s+ | \n | [。！？｡][」』）”’]*""",
    re.VERBOSE,
)
_ZERO_WIDTH_JOINER = "\u200d"


def best_cut(text: str, start: int, limit: int) -> int:
    """The best place in (start, limit] to end a piece that begins at `start`; `limit` lies inside the text."""
    floor = limit - max(1, int((limit - start) * _SENTENCE_SHARE))
    # One character beyond the limit is looked at, for the space after a sentence that just fits.
    ends = [match.end() for match in _SENTENCE_END.finditer(text, floor, limit + 1)]
    if ends and ends[-1] > start:
        return min(ends[-1], limit)
    floor = start + max(0, int((limit - start) * _SPACE_SHARE))
    for cut in range(limit, floor, -1):
        if text[cut].isspace() or text[cut - 1].isspace():
            return cut
    return _grapheme_cut(text, start, limit)


def _grapheme_cut(text: str, start: int, limit: int) -> int:
    for cut in range(limit, max(start, limit - _GRAPHEME_CHARS_MAX), -1):
        if not _joined(text, cut):
            return cut
    return limit


def _joined(text: str, cut: int) -> bool:
    """Whether the characters on both sides of `cut` belong to one grapheme: the common part of UAX #29."""
    before, after = text[cut - 1], text[cut]
    if _ZERO_WIDTH_JOINER in (before, after) or _extends(after):
        return True
    if _is_flag_half(before) and _is_flag_half(after):
        run = cut
        while run > 0 and cut - run < _GRAPHEME_CHARS_MAX and _is_flag_half(text[run - 1]):
            run -= 1
        return (cut - run) % 2 == 1
    return False


def _extends(char: str) -> bool:
    """Marks, variation selectors, skin tones, emoji tags and the later letters of a Hangul syllable."""
    return (
        unicodedata.category(char) in ("Mn", "Me", "Mc")
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
        or "\u1160" <= char <= "\u11ff"
    )


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"
