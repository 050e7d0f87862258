"""How many memories of each kind a plan keeps per person."""

from rapport_server.domain.tenants import Plan

# The newest so many interaction memories and as many added ones; a plan that is not here keeps all. Pinned ones stay.
KEEP = {Plan.COMMUNITY: 500, Plan.CLINIC: 5_000}
INLINE_CUT_MAX = 64  # what one request may cut; the sweep does the rest, so that no request is slow
