"""What a list asks for: the span of time and the page."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class TimeRange:
    """start ≤ t < end; None is open."""

    start: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Keyset paging: at most `size` rows after the row whose key is `after` (None: from the start)."""

    size: int
    after: tuple[Any, ...] | None = None
