"""The retention cut inside a request: at most a few rows, the sweep does the rest."""

from rapport_server.domain.memories import MemoryKind, Scope
from rapport_server.domain.retention import INLINE_CUT_MAX, KEEP
from rapport_server.domain.storage import Transaction
from rapport_server.domain.tenants import Plan


async def cut_inline(tx: Transaction, scope: Scope, kind: MemoryKind, plan: Plan) -> list[int]:
    """Delete the oldest unpinned memories beyond the plan; the removed chunk ids, for the change log."""
    keep = KEEP.get(plan)
    return [] if keep is None else (await tx.memories.cut(scope, kind, keep, INLINE_CUT_MAX))[1]
