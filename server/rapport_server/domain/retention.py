"""How many memories of each kind a plan keeps per person, and how many are deleted at a time."""

from dataclasses import dataclass

from rapport_server.domain.memories import MemoryKind, Scope
from rapport_server.domain.tenants import Plan

# The newest so many interaction memories and as many added ones; a plan that is not here keeps all. Pinned ones stay.
KEEP = {Plan.COMMUNITY: 500, Plan.CLINIC: 5_000}
CUT_KINDS = (MemoryKind.INTERACTION, MemoryKind.ADDED)
INLINE_CUT_MAX = 64  # what one request may cut; the sweep does the rest, so that no request is slow
CUT_MAX = (
    64  # memories that one transaction of the sweep deletes: calls for that person wait for it
)
CUT_BYTES_MAX = 256 * 1024  # of their texts, for a long one has hundreds of chunks


@dataclass(frozen=True, slots=True)
class Surplus:
    """The kinds of which a person has more than the plan keeps, none of them if there are no more."""

    scope: Scope
    kinds: tuple[MemoryKind, ...]
