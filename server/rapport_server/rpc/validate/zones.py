"""Names of time zones."""

import zoneinfo
from functools import cache

# Files that some systems keep beside the zones and that mean another one on every machine.
_OF_THE_HOST = {"localtime", "posixrules"}


@cache
def _names() -> frozenset[str]:
    # Asking the database file by file would let a caller make the event loop touch the disk for every name.
    return frozenset(zoneinfo.available_timezones()) - _OF_THE_HOST


def is_zone(name: str) -> bool:
    """Whether the name is one of the IANA database."""
    return name in _names()
