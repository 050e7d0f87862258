"""Times on the wire and in the domain: UTC, whole microseconds."""

from datetime import UTC, datetime, timedelta

from google.protobuf.timestamp_pb2 import Timestamp

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
# A day within what `datetime` can hold, so that a time can always be shown in any zone.
TIME_MIN = datetime(1, 1, 2, tzinfo=UTC)
TIME_MAX = datetime(9999, 12, 30, tzinfo=UTC)
_SECONDS_MIN = (TIME_MIN - EPOCH) // timedelta(seconds=1)
_SECONDS_MAX = (TIME_MAX - EPOCH) // timedelta(seconds=1)
_NANOS_MAX = 999_999_999


def from_timestamp(value: Timestamp) -> datetime:
    """The time, cut to the microsecond. ValueError outside TIME_MIN … TIME_MAX."""
    if not (_SECONDS_MIN <= value.seconds <= _SECONDS_MAX and 0 <= value.nanos <= _NANOS_MAX):
        raise ValueError("out of range")
    return EPOCH + timedelta(seconds=value.seconds, microseconds=value.nanos // 1_000)


def to_timestamp(time: datetime | None) -> Timestamp | None:
    """Exact to the microsecond; None stays unset."""
    if time is None:
        return None
    seconds, micros = divmod((time - EPOCH) // MICROSECOND, 1_000_000)
    return Timestamp(seconds=seconds, nanos=micros * 1_000)
