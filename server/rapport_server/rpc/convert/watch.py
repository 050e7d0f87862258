"""What changed about a person."""

from rapport.v1 import memory_service_pb2 as pb
from rapport_server.commands.watch_end_user import EndUserChange
from rapport_server.domain.relation import stranger
from rapport_server.rpc.convert.memory import processing_status
from rapport_server.rpc.convert.relation import relation, relation_of


def watch_response(given: EndUserChange, initial_trust: float) -> pb.WatchEndUserResponse:
    """One change; a stranger's relation is that of the tenant's settings."""
    if given.person is None:
        now = relation(stranger(initial_trust, given.now))
    else:
        now = relation_of(given.person)
    return pb.WatchEndUserResponse(
        relation=now,
        interaction_id=str(given.interaction_id or ""),
        status=processing_status(given.status) if given.status else None,
    )
