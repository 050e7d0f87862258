"""Lists in pages: opaque tokens, and pages that end before a reply is too large.

A token is bound to its list and filters by a keyed hash, so that it goes on with nothing else and cannot be made up.
"""

import asyncio
import base64
import binascii
import hmac
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from google.protobuf.message import Message

from rapport_server.domain.limits import REPLY_BYTES_MAX
from rapport_server.domain.storage import PageRequest
from rapport_server.errors import PageTokenInvalid

Row = TypeVar("Row")
Reply = TypeVar("Reply", bound=Message)
Key = tuple[Any, ...]
Mac = Callable[[bytes], bytes]

PAGE_BYTES_MAX = REPLY_BYTES_MAX - 4 * 1024  # leaves room for the token and the envelope
ENTRY_BYTES = 8  # tag and length of an entry
TOKEN_CHARS_MAX = 4_096  # the longest key is a name and an id of 256 bytes each, escaped
MAC_BYTES = 16
SLICE_ROWS = 32  # converting that many takes less than half a millisecond


@dataclass(frozen=True, slots=True)
class Listing(Generic[Row]):
    """One list: its name, the keyset key of a row with the key's types, and how many rows one query may read."""

    name: str
    key: Callable[[Row], Key]
    types: tuple[type, ...]
    rows_max: int = 1_001


@dataclass(frozen=True, slots=True)
class Cursor(Generic[Row]):
    """A list with the filters of one request: reads and writes the tokens that belong to them."""

    listing: Listing[Row]
    filters: bytes
    mac: Mac

    def key(self, token: str) -> Key | None:
        """The key in a token, None for an empty one. Raises PageTokenInvalid."""
        if not token:
            return None
        if len(token) > TOKEN_CHARS_MAX:
            raise PageTokenInvalid
        try:
            raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
            if not hmac.compare_digest(raw[:MAC_BYTES], self._mac(raw[MAC_BYTES:])):
                raise PageTokenInvalid
            return _read(json.loads(raw[MAC_BYTES:]), self.listing.types)
        except (binascii.Error, ValueError, TypeError):
            raise PageTokenInvalid from None

    def token(self, row: Row) -> str:
        """What the page after this row is asked for with."""
        body = json.dumps(
            [_written(part) for part in self.listing.key(row)], ensure_ascii=False
        ).encode()
        return base64.urlsafe_b64encode(self._mac(body) + body).rstrip(b"=").decode()

    def _mac(self, body: bytes) -> bytes:
        parts = (b"page", self.listing.name.encode(), self.filters, body)
        framed = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
        return self.mac(framed)[:MAC_BYTES]


async def page(
    cursor: Cursor[Row],
    token: str,
    size: int,
    fetch: Callable[[PageRequest], Awaitable[Sequence[Row]]],
    convert: Callable[[Row], Reply],
) -> tuple[list[Reply], str]:
    """Up to `size` converted rows, fewer when the reply would be too large, and the token of the next page."""
    replies: list[Reply] = []
    after = cursor.key(token)
    last: Row | None = None
    bytes_left = PAGE_BYTES_MAX
    while True:
        want = min(cursor.listing.rows_max, size - len(replies) + 1)
        rows = await fetch(PageRequest(want, after))
        for row in rows:
            reply = convert(row)
            bytes_left -= reply.ByteSize() + ENTRY_BYTES
            if len(replies) == size or (bytes_left < 0 and replies):
                assert last is not None
                return replies, cursor.token(last)
            replies.append(reply)
            last = row
            if len(replies) % SLICE_ROWS == 0:
                await asyncio.sleep(0)
        if len(rows) < want or last is None:
            return replies, ""
        after = cursor.listing.key(last)


def _written(part: Any) -> Any:
    return part.isoformat() if isinstance(part, datetime) else part


def _read(parts: Any, types: tuple[type, ...]) -> Key:
    if not isinstance(parts, list) or len(parts) != len(types):
        raise PageTokenInvalid
    return tuple(_part(part, wanted) for part, wanted in zip(parts, types, strict=True))


def _part(part: Any, wanted: type) -> Any:
    if wanted is datetime:
        return datetime.fromisoformat(part)
    if type(part) is not wanted:
        raise PageTokenInvalid
    return part
