"""How many tokens of a language model a text takes at most, without any model's tokenizer."""

import re

# Byte-pair vocabularies keep common words whole and split rare ones into parts of about three letters; many take each digit
# alone; a letter of another script takes up to a token for two bytes, a sign or an emoji up to one for three quarters of them.
_PARTS = re.compile(
    r"(?P<word>[A-Za-z]+)|(?P<digits>[0-9]+)|(?P<spaces> +)|(?P<other>[^A-Za-z0-9 ])"
)
_LETTERS_PER_TOKEN = 3
_SPACES_PER_TOKEN = 16


def tokens_at_most(text: str) -> int:
    """An upper estimate: for English a third above what SmolLM2's small vocabulary counts, for other languages and numbers
    about that; larger vocabularies count less.
    """
    return sum(map(_tokens_of, _PARTS.finditer(text)))


def _tokens_of(part: re.Match[str]) -> int:
    length = part.end() - part.start()
    match part.lastgroup:
        case "word":
            return -(-length // _LETTERS_PER_TOKEN)
        case "digits":
            return length
        case "spaces":
            # A single space belongs to the word after it.
            return 0 if length == 1 else -(-length // _SPACES_PER_TOKEN)
    size = len(part[0].encode())
    return -(-size // 2) if part[0].isalpha() else -(-size * 3 // 4)


def cut_to_tokens(text: str, tokens_max: int) -> str:
    """The longest beginning of the text within the bound, ended between two words where there are any."""
    left = tokens_max
    end = 0
    for part in _PARTS.finditer(text):
        left -= _tokens_of(part)
        if left < 0:
            break
        end = part.end()
    else:
        return text
    last_space = text.rfind(" ", 0, end)
    return text[: last_space if last_space > end // 2 else end].rstrip()
