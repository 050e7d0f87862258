"""Shouting: written in capitals, in a way that acronyms, "OK" or one stressed word do not trip."""

import re

from rapport_server.analysis.tokens import clipped

# A long word is no acronym, save these; a short one is a word only when listed as common.
_LONG_LETTERS = 6
_LONG_ACRONYMS = frozenset(
    "CAPTCHA UNESCO UNICEF INTERPOL SELECT NSFW HIPAA OPENAI CHATGPT".split()
)
_COMMON = frozenset(
    """
    A I AN AND ANGRY ALL ALONE ALSO ALWAYS ANY ARE AS ASK AT AWAY BACK BAD BE BEEN BEST BUT BY CALL CAN CANT COME DAY DEAD DID DIE
    DO DOES DONE DONT EVEN EVER EVERY FAR FED FIX FOR FROM FUN FURY GET GIVE GO GOD GONE GOOD GOT GREAT GUYS HAD HALF HAPPY HAS
    HATE HAVE HE HELL HELLO HELP HER HERE HEY HIM HIS HOURS HOW IM IN INTO IS ISNT ITS JUST KEEP KILL KNOW LAST LATE LEAVE
    LESS LET LIAR LIE LIES LIKE LOOK LOVE MAD MADE MAKE MAN MANY ME MEAN MONEY MORE MOST MUCH MUM MUST MY NEED NEVER NEW NEXT NO
    NOBODY NOT NOW OF OFF OH ON ONCE ONE ONLY OUR OUT OVER PAID PAY PLEASE QUIT READ REAL RIGHT RUDE SAD SAID SAY SEE SHE SHIT
    SHUT SICK SO SOME SORRY STILL STOP STUPID SUCH TAKE TALK TELL THAN THANK THANKS THAT THATS THE THEM THEN THERE THESE THEY
    THIS TIME TIMES TIRED TO TODAY TOLD TOO TRY TWO UP USE WAIT WANT WAS WASTE WAY WE WELL WENT WERE WHAT WHEN WHERE WHO WHY
    WILL WIN WITH WON WONT WORK WORST WOW WRONG YEAH YEAR YEARS YES YET YOU YOUR YOURE
    """.split()
)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_MANY_MARKS = re.compile(r"![!?]")


def is_shouting(text: str) -> bool:
    """Most of the words are in capitals, or three in a row are, or two with "!!"; a message of one word must be a word."""
    text = clipped(text).replace("’", "'")
    words = [word for word in _WORD.findall(text) if len(word) > 1 or word in "IA"]
    loud = [word.isupper() for word in words]
    sure = [up and _is_word(word) for word, up in zip(words, loud, strict=True)]
    in_capitals = sum(up and len(word) > 1 for word, up in zip(words, loud, strict=True))
    certain = sum(one and len(word) > 1 for word, one in zip(words, sure, strict=True))
    if certain == 0:
        return False
    if len(words) == 1:
        return len(words[0]) > 3
    if in_capitals >= 2 and certain * 2 >= in_capitals and sum(loud) * 2 > len(words):
        return True
    if certain >= 2 and _MANY_MARKS.search(text):
        return True
    return _longest_run(words, loud, sure) >= 3


def _is_word(word: str) -> bool:
    plain = word.replace("'", "")
    if plain in _COMMON:
        return True
    drawn_out = re.search(r"(.)\1\1", plain) is not None
    return drawn_out or (len(plain) >= _LONG_LETTERS and plain not in _LONG_ACRONYMS)


def _longest_run(words: list[str], loud: list[bool], sure: list[bool]) -> int:
    """The most words in a row that are in capitals, of which at least two are surely words."""
    longest = run = certain = 0
    for word, up, one in zip(words, loud, sure, strict=True):
        run, certain = (run + 1, certain + (one and len(word) > 1)) if up else (0, 0)
        if certain >= 2:
            longest = max(longest, run)
    return longest
