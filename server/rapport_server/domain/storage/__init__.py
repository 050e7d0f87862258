"""The storage port: one transaction, and on it one Protocol per table group, in the module of its name.

Every method works inside the caller's transaction; the caller owns order and commit. Order of locks, the same everywhere: person
(sorted) → rows → audit head → shard heads (sorted), so that no two transactions can wait for each other.
"""

from rapport_server.domain.storage.database import Database, Transaction
from rapport_server.domain.storage.installation import Installation
from rapport_server.domain.storage.people import Placed
from rapport_server.domain.storage.ranges import PageRequest, TimeRange
from rapport_server.domain.storage.requests import RequestRecord

__all__ = [
    "Database",
    "Installation",
    "PageRequest",
    "Placed",
    "RequestRecord",
    "TimeRange",
    "Transaction",
]
