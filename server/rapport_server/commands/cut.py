"""The retention cut inside a request: at most a few rows, the sweep does the rest."""

from rapport_server.domain.memories import MemoryKind, Scope
from rapport_server.domain.retention import INLINE_CUT_MAX, kept
from rapport_server.domain.storage import Transaction
from rapport_server.domain.tenants import Plan


async def cut_inline(tx: Transaction, scope: Scope, kind: MemoryKind, plan: Plan) -> list[int]:
    """Delete the oldest unpinned memories beyond the plan; the removed chunk ids, for the change log."""
    keep = kept(plan)
    if keep is None:
        return []
    surplus = await tx.memories.oldest_beyond(scope, kind, keep, INLINE_CUT_MAX)
    if not surplus:
        return []
    _, removed = await tx.memories.delete(scope, surplus)
    return removed
