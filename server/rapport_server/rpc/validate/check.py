"""Collects all violations of one request, each under the path of its field."""

import math
import re
import unicodedata
import uuid
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from rapport_server.domain.limits import CLOCK_SKEW_S_MAX, ID_BYTES_MAX
from rapport_server.errors import FieldViolation, InvalidArgument, Unimplemented
from rapport_server.rpc.convert.times import TIME_MAX, TIME_MIN, from_timestamp
from rapport_server.rpc.validate.zones import is_zone

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_INVISIBLE = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})


class Check:
    """Violations of one request, or of one item of a request (`prefix` is then the item's path).

    The methods answer the value they were given, or a harmless one in place of a bad one, so that a request is read to its
    end whatever is wrong with it; `raise_any` comes before anything is done with the values.
    """

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self.violations: list[FieldViolation] = []
        self.absent: list[str] = []

    def bad(self, field: str, description: str) -> None:
        """Note a violation."""
        self.violations.append(FieldViolation(self._prefix + field, description))

    def not_yet(self, field: str, is_set: bool) -> None:
        """Note a field that is set and whose function this version does not have."""
        if is_set:
            self.absent.append(self._prefix + field)

    def raise_any(self) -> None:
        """InvalidArgument with all violations; without any, Unimplemented for the first absent function."""
        if self.violations:
            raise InvalidArgument(self.violations)
        if self.absent:
            raise Unimplemented(self.absent[0])

    def identifier(self, field: str, value: str, *, required: bool = True) -> str:
        """1–256 bytes without control characters; empty only when not required."""
        if not value:
            if required:
                self.bad(field, "must not be empty")
        elif len(value) > ID_BYTES_MAX or len(value.encode()) > ID_BYTES_MAX:
            self.bad(field, f"must have at most {ID_BYTES_MAX} bytes")
        elif _CONTROL.search(value):
            self.bad(field, "must not hold control characters")
        return value

    def identifiers(self, field: str, values: Iterable[str], most: int) -> list[str]:
        """1 to `most` ids."""
        ids = list(values)
        if not 1 <= len(ids) <= most:
            self.bad(field, f"must have 1 to {most:,} entries")
            return []
        for number, value in enumerate(ids):
            self.identifier(f"{field}[{number}]", value)
        return ids

    def text(self, field: str, value: str, bytes_max: int, *, required: bool = False) -> str:
        """Text of at most `bytes_max` bytes without U+0000, which the database cannot hold; required: not blank."""
        if len(value) > bytes_max or len(value.encode()) > bytes_max:
            self.bad(field, f"must have at most {bytes_max:,} bytes")
        elif required and is_blank(value):
            self.bad(field, "must not be empty or blank")
        elif "\0" in value:
            self.bad(field, "must not hold the character U+0000")
        return value

    def number(self, field: str, value: float, least: float, most: float) -> float:
        """A finite number within bounds, both included."""
        if not (math.isfinite(value) and least <= value <= most):
            self.bad(field, f"must be from {least:g} to {most:g}")
            return least
        return value

    def integer(self, field: str, value: int, least: int, most: int) -> int:
        """A whole number within bounds, both included."""
        if not least <= value <= most:
            self.bad(field, f"must be from {least:,} to {most:,}")
            return least
        return value

    def time(self, field: str, value: Timestamp) -> datetime | None:
        """A time in UTC, to the microsecond; None when it is none."""
        try:
            return from_timestamp(value)
        except ValueError:
            self.bad(field, f"must be a time from {TIME_MIN.date()} to {TIME_MAX.date()}")
            return None

    def past(self, field: str, value: Timestamp, now: datetime) -> datetime | None:
        """A time that is at most the allowed skew of clocks in the future."""
        time = self.time(field, value)
        if time is not None and time > now + timedelta(seconds=CLOCK_SKEW_S_MAX):
            self.bad(field, f"must be at most {CLOCK_SKEW_S_MAX / 60:g} minutes in the future")
        return time

    def duration_s(self, field: str, value: Duration, most_s: float) -> float:
        """Seconds from 0 to `most_s`."""
        seconds = value.seconds + value.nanos / 1e9
        mixed = value.seconds * value.nanos < 0 or abs(value.nanos) > 999_999_999
        if mixed or not 0 <= seconds <= most_s:
            self.bad(field, f"must be from 0 to {most_s:g} s")
            return 0.0
        return seconds

    def time_zone(self, field: str, value: str) -> str:
        """An IANA zone, or empty."""
        if value and not is_zone(value):
            self.bad(field, "must be an IANA time zone such as Europe/Rome")
            return ""
        return value

    def request_id(self, value: str) -> str:
        """A UUID in its canonical form, or empty."""
        if not value:
            return ""
        if not _UUID.fullmatch(value):
            self.bad("request_id", "must be a UUID")
            return ""
        return str(uuid.UUID(value))

    def count(self, field: str, values: Sequence[object], most: int) -> None:
        """At most `most` entries."""
        if len(values) > most:
            self.bad(field, f"must have at most {most:,} entries")


def utc_now() -> datetime:
    """The server's clock."""
    return datetime.now(UTC)


def is_blank(text: str) -> bool:
    """Whether there is nothing to see: empty, or only white space, control and formatting characters."""
    text = text.strip()
    # Almost every text shows itself in its first characters; of the others each distinct one is looked at once.
    return _invisible(text[:64]) and _invisible(set(text))


def _invisible(chars: Iterable[str]) -> bool:
    return all(unicodedata.category(char) in _INVISIBLE for char in chars)
