"""What Recall answers."""

from rapport.v1 import recall_pb2
from rapport.v1.memory_service_pb2 import RecallResponse
from rapport_server.commands.recall import Recalled
from rapport_server.domain.memories import MatchStrength
from rapport_server.domain.ranking import Hit
from rapport_server.rpc.convert.enums import MATCH_STRENGTH, MEMORY_KIND, STORED_IN
from rapport_server.rpc.convert.structs import to_struct
from rapport_server.rpc.convert.times import to_timestamp

_REASONS = {
    MatchStrength.STRONG: "It says much the same as what was asked.",
    MatchStrength.MODERATE: "It is about what was asked.",
    MatchStrength.WEAK: "It may have to do with what was asked.",
}


def recall_response(given: Recalled) -> RecallResponse:
    """Hits, best first, and where the time went."""
    return RecallResponse(
        results=[hit(one) for one in given.hits],
        timing=recall_pb2.RecallTiming(
            embed_ms=given.embed_ms,
            search_ms=given.search_ms,
            fetch_ms=given.fetch_ms,
            total_ms=given.total_ms,
        ),
    )


def hit(given: Hit) -> recall_pb2.RecallHit:
    """One hit; by meaning alone, the score is the similarity."""
    memory = given.chunk.memory
    similarity = min(1.0, max(-1.0, given.similarity))  # half precision may land a hair outside
    return recall_pb2.RecallHit(
        source_id=memory.source_id,
        end_user_id=memory.scope.end_user_id,
        chunk_index=given.chunk.chunk_index,
        text=given.chunk.text,
        title=memory.title,
        store=STORED_IN.to(memory.scope.store),
        kind=MEMORY_KIND.to(memory.kind),
        similarity=similarity,
        score=similarity,
        score_parts=recall_pb2.ScoreParts(semantic=similarity),
        match_strength=MATCH_STRENGTH.to(given.strength),
        match_reasons=[_REASONS[given.strength]],
        timestamp=to_timestamp(memory.occurred_at),
        expires_at=to_timestamp(memory.expires_at),
        channel=memory.channel,
        session_id=memory.session_id,
        metadata=to_struct(memory.metadata),
        additional_metadata=to_struct(memory.additional_metadata),
        duplicate_source_ids=given.duplicate_source_ids,
    )
