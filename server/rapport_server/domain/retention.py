"""How many memories of each kind a plan keeps per person."""

from rapport_server.domain.tenants import Plan

KEEP = {Plan.COMMUNITY: 500, Plan.CLINIC: 5_000, Plan.ENTERPRISE: None}
INLINE_CUT_MAX = 64  # what one request may cut; the sweep does the rest, so that no request is slow


def kept(plan: Plan) -> int | None:
    """The newest so many interaction memories and as many added ones; None keeps all. Pinned ones stay in any case."""
    return KEEP[plan]
