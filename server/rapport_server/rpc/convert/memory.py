"""Memories, their indexing and messages."""

from rapport.v1 import errors_pb2, memory_pb2, message_pb2
from rapport_server.commands.add_memory import ItemFault, ItemResult
from rapport_server.domain.memories import IndexingStatus, Memory, ProcessingStatus
from rapport_server.domain.people import Message
from rapport_server.rpc.convert.analysis import emotions
from rapport_server.rpc.convert.enums import (
    INDEXING_STATUS,
    INTENT,
    MEMORY_KIND,
    MESSAGE_ROLE,
    STORED_IN,
)
from rapport_server.rpc.convert.structs import to_struct
from rapport_server.rpc.convert.times import to_timestamp


def memory(given: Memory) -> memory_pb2.Memory:
    """A stored memory, whole."""
    return memory_pb2.Memory(
        source_id=given.source_id,
        end_user_id=given.scope.end_user_id,
        store=STORED_IN.to(given.scope.store),
        kind=MEMORY_KIND.to(given.kind),
        text=given.text,
        title=given.title,
        infer=given.infer,
        user_name=given.user_name,
        speaker=given.speaker,
        metadata=to_struct(given.metadata),
        additional_metadata=to_struct(given.additional_metadata),
        pinned=given.pinned,
        occurred_at=to_timestamp(given.occurred_at),
        channel=given.channel,
        session_id=given.session_id,
        time_zone=given.time_zone,
        indexing_status=INDEXING_STATUS.to(given.status),
        create_time=to_timestamp(given.create_time),
        update_time=to_timestamp(given.update_time),
        expires_at=to_timestamp(given.expires_at),
        interaction_id=str(given.interaction_id or ""),
        detected_emotions=emotions(given.detected_emotions),
        intent=INTENT.to(given.intent),
    )


def message(given: Message) -> message_pb2.Message:
    """One message of a conversation."""
    return message_pb2.Message(
        interaction_id=str(given.interaction_id),
        role=MESSAGE_ROLE.to(given.role),
        text=given.text,
        channel=given.channel,
        session_id=given.session_id,
        occurred_at=to_timestamp(given.occurred_at),
        detected_emotions=emotions(given.analysis.detected_emotions),
        intent=INTENT.to(given.analysis.intent),
    )


def processing_status(given: ProcessingStatus) -> memory_pb2.ProcessingStatus:
    """How far a memory has come."""
    return memory_pb2.ProcessingStatus(
        source_id=given.source_id,
        indexing_status=INDEXING_STATUS.to(given.status),
        success=given.status is IndexingStatus.COMPLETED,
        error=item_error(_fault(given)),
        attempts=given.attempts,
        inferred_count=given.inferred_count,
        update_time=to_timestamp(given.update_time),
    )


def item_result(given: ItemResult, title: str, infer: bool) -> memory_pb2.AddMemoryResult:
    """What became of one item; title and infer are the request's."""
    return memory_pb2.AddMemoryResult(
        source_id=given.source_id,
        title=title,
        status=INDEXING_STATUS.to(given.status.status),
        infer=infer,
        error=item_error(given.fault or _fault(given.status)),
    )


def item_error(fault: ItemFault | None) -> errors_pb2.ItemError | None:
    """Why one item failed; None stays unset."""
    if fault is None:
        return None
    reason = f"ERROR_REASON_{fault.reason}"
    return errors_pb2.ItemError(reason=reason, message=fault.message, field=fault.field)


def _fault(status: ProcessingStatus) -> ItemFault | None:
    """What the worker noted; only an ERRORED memory shows it, not one that is tried again."""
    if status.status is not IndexingStatus.ERRORED or not status.error_reason:
        return None
    return ItemFault(status.error_reason, status.error_message)
