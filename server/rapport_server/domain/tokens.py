"""How many tokens of a language model a text takes at most, without any model's tokenizer."""

import re

# Each match is one token. Byte-pair vocabularies keep common words whole and split rare ones into parts of about three letters;
# many take each digit alone; a single space belongs to the word after it.
_TOKEN = re.compile(r"[A-Za-z]{1,3}|[0-9]| {2,16}|[^A-Za-z0-9 ]")
_CHARS_PER_TOKEN_MAX = 16
_OTHER_SCRIPT = re.compile(r"[^\x00-\x7f]")


def tokens_at_most(text: str) -> int:
    """An upper estimate: for English a third above what SmolLM2's small vocabulary counts, for other languages and numbers
    about that; larger vocabularies count less.
    """
    count = len(_TOKEN.findall(text))
    if text.isascii():
        return count
    return count + sum(_tokens_of(char) - 1 for char in _OTHER_SCRIPT.findall(text))


def _tokens_of(char: str) -> int:
    """A letter of another script takes up to a token for two bytes, a sign or an emoji up to three for four."""
    size = len(char.encode())
    return -(-size // 2) if char.isalpha() else -(-size * 3 // 4)


def cut_to_tokens(text: str, tokens_max: int) -> str:
    """The longest beginning of the text within the bound, ended between two words where there are any."""
    if len(text) <= tokens_max * _CHARS_PER_TOKEN_MAX and tokens_at_most(text) <= tokens_max:
        return text
    left = tokens_max
    end = 0
    for part in _TOKEN.finditer(text):
        left -= 1 if part[0].isascii() else _tokens_of(part[0])
        if left < 0:
            break
        end = part.end()
    last_space = text.rfind(" ", 0, end + 1)
    return text[: last_space if last_space > end // 2 else end].rstrip()
