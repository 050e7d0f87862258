import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import field_mask_pb2 as _field_mask_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from rapport.v1 import analysis_pb2 as _analysis_pb2
from rapport.v1 import audit_pb2 as _audit_pb2
from rapport.v1 import errors_pb2 as _errors_pb2
from rapport.v1 import lists_pb2 as _lists_pb2
from rapport.v1 import memory_pb2 as _memory_pb2
from rapport.v1 import message_pb2 as _message_pb2
from rapport.v1 import process_pb2 as _process_pb2
from rapport.v1 import recall_pb2 as _recall_pb2
from rapport.v1 import relation_pb2 as _relation_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ProcessRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "request_id", "message", "assistant_message", "channel", "session_id", "metadata", "user_name", "time_zone", "recall", "signals", "events", "occurred_at", "infer", "generate_reply", "conversation_history")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    ASSISTANT_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    TIME_ZONE_FIELD_NUMBER: _ClassVar[int]
    RECALL_FIELD_NUMBER: _ClassVar[int]
    SIGNALS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    OCCURRED_AT_FIELD_NUMBER: _ClassVar[int]
    INFER_FIELD_NUMBER: _ClassVar[int]
    GENERATE_REPLY_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_HISTORY_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    request_id: str
    message: str
    assistant_message: str
    channel: str
    session_id: str
    metadata: _struct_pb2.Struct
    user_name: str
    time_zone: str
    recall: _process_pb2.RecallOptions
    signals: _analysis_pb2.Signals
    events: _containers.RepeatedCompositeFieldContainer[_relation_pb2.RelationEvent]
    occurred_at: _timestamp_pb2.Timestamp
    infer: bool
    generate_reply: bool
    conversation_history: _containers.RepeatedCompositeFieldContainer[_message_pb2.ConversationTurn]
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., request_id: _Optional[str] = ..., message: _Optional[str] = ..., assistant_message: _Optional[str] = ..., channel: _Optional[str] = ..., session_id: _Optional[str] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., user_name: _Optional[str] = ..., time_zone: _Optional[str] = ..., recall: _Optional[_Union[_process_pb2.RecallOptions, _Mapping]] = ..., signals: _Optional[_Union[_analysis_pb2.Signals, _Mapping]] = ..., events: _Optional[_Iterable[_Union[_relation_pb2.RelationEvent, _Mapping]]] = ..., occurred_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., infer: bool = ..., generate_reply: bool = ..., conversation_history: _Optional[_Iterable[_Union[_message_pb2.ConversationTurn, _Mapping]]] = ...) -> None: ...

class ProcessResponse(_message.Message):
    __slots__ = ("interaction_id", "source_id", "user", "memory", "context", "analysis", "triggers", "reply")
    INTERACTION_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    USER_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    ANALYSIS_FIELD_NUMBER: _ClassVar[int]
    TRIGGERS_FIELD_NUMBER: _ClassVar[int]
    REPLY_FIELD_NUMBER: _ClassVar[int]
    interaction_id: str
    source_id: str
    user: _relation_pb2.Relation
    memory: _process_pb2.ProcessMemory
    context: _process_pb2.ProcessContext
    analysis: _analysis_pb2.Analysis
    triggers: _containers.RepeatedCompositeFieldContainer[_relation_pb2.Trigger]
    reply: str
    def __init__(self, interaction_id: _Optional[str] = ..., source_id: _Optional[str] = ..., user: _Optional[_Union[_relation_pb2.Relation, _Mapping]] = ..., memory: _Optional[_Union[_process_pb2.ProcessMemory, _Mapping]] = ..., context: _Optional[_Union[_process_pb2.ProcessContext, _Mapping]] = ..., analysis: _Optional[_Union[_analysis_pb2.Analysis, _Mapping]] = ..., triggers: _Optional[_Iterable[_Union[_relation_pb2.Trigger, _Mapping]]] = ..., reply: _Optional[str] = ...) -> None: ...

class ProcessStreamRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "request_id", "message", "assistant_message", "channel", "session_id", "metadata", "user_name", "time_zone", "recall", "signals", "events", "occurred_at", "infer", "generate_reply", "conversation_history")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    ASSISTANT_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    TIME_ZONE_FIELD_NUMBER: _ClassVar[int]
    RECALL_FIELD_NUMBER: _ClassVar[int]
    SIGNALS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    OCCURRED_AT_FIELD_NUMBER: _ClassVar[int]
    INFER_FIELD_NUMBER: _ClassVar[int]
    GENERATE_REPLY_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_HISTORY_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    request_id: str
    message: str
    assistant_message: str
    channel: str
    session_id: str
    metadata: _struct_pb2.Struct
    user_name: str
    time_zone: str
    recall: _process_pb2.RecallOptions
    signals: _analysis_pb2.Signals
    events: _containers.RepeatedCompositeFieldContainer[_relation_pb2.RelationEvent]
    occurred_at: _timestamp_pb2.Timestamp
    infer: bool
    generate_reply: bool
    conversation_history: _containers.RepeatedCompositeFieldContainer[_message_pb2.ConversationTurn]
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., request_id: _Optional[str] = ..., message: _Optional[str] = ..., assistant_message: _Optional[str] = ..., channel: _Optional[str] = ..., session_id: _Optional[str] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., user_name: _Optional[str] = ..., time_zone: _Optional[str] = ..., recall: _Optional[_Union[_process_pb2.RecallOptions, _Mapping]] = ..., signals: _Optional[_Union[_analysis_pb2.Signals, _Mapping]] = ..., events: _Optional[_Iterable[_Union[_relation_pb2.RelationEvent, _Mapping]]] = ..., occurred_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., infer: bool = ..., generate_reply: bool = ..., conversation_history: _Optional[_Iterable[_Union[_message_pb2.ConversationTurn, _Mapping]]] = ...) -> None: ...

class ProcessStreamResponse(_message.Message):
    __slots__ = ("opening", "reply_delta", "final")
    OPENING_FIELD_NUMBER: _ClassVar[int]
    REPLY_DELTA_FIELD_NUMBER: _ClassVar[int]
    FINAL_FIELD_NUMBER: _ClassVar[int]
    opening: ProcessResponse
    reply_delta: str
    final: ProcessResponse
    def __init__(self, opening: _Optional[_Union[ProcessResponse, _Mapping]] = ..., reply_delta: _Optional[str] = ..., final: _Optional[_Union[ProcessResponse, _Mapping]] = ...) -> None: ...

class AttachReplyRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "request_id", "interaction_id", "assistant_message")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    INTERACTION_ID_FIELD_NUMBER: _ClassVar[int]
    ASSISTANT_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    request_id: str
    interaction_id: str
    assistant_message: str
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., request_id: _Optional[str] = ..., interaction_id: _Optional[str] = ..., assistant_message: _Optional[str] = ...) -> None: ...

class AttachReplyResponse(_message.Message):
    __slots__ = ("source_id",)
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    source_id: str
    def __init__(self, source_id: _Optional[str] = ...) -> None: ...

class AddMemoryRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "request_id", "memories", "upsert", "wait")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_FIELD_NUMBER: _ClassVar[int]
    UPSERT_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    request_id: str
    memories: _containers.RepeatedCompositeFieldContainer[_memory_pb2.MemoryItem]
    upsert: bool
    wait: _duration_pb2.Duration
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., request_id: _Optional[str] = ..., memories: _Optional[_Iterable[_Union[_memory_pb2.MemoryItem, _Mapping]]] = ..., upsert: bool = ..., wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class AddMemoryResponse(_message.Message):
    __slots__ = ("results", "success_count", "failed_count")
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    SUCCESS_COUNT_FIELD_NUMBER: _ClassVar[int]
    FAILED_COUNT_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[_memory_pb2.AddMemoryResult]
    success_count: int
    failed_count: int
    def __init__(self, results: _Optional[_Iterable[_Union[_memory_pb2.AddMemoryResult, _Mapping]]] = ..., success_count: _Optional[int] = ..., failed_count: _Optional[int] = ...) -> None: ...

class VerifyProcessingRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "store", "source_ids")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    STORE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_IDS_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    store: _memory_pb2.Store
    source_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., store: _Optional[_Union[_memory_pb2.Store, str]] = ..., source_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class VerifyProcessingResponse(_message.Message):
    __slots__ = ("statuses",)
    STATUSES_FIELD_NUMBER: _ClassVar[int]
    statuses: _containers.RepeatedCompositeFieldContainer[_memory_pb2.ProcessingStatus]
    def __init__(self, statuses: _Optional[_Iterable[_Union[_memory_pb2.ProcessingStatus, _Mapping]]] = ...) -> None: ...

class WatchProcessingRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "store", "source_ids")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    STORE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_IDS_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    store: _memory_pb2.Store
    source_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., store: _Optional[_Union[_memory_pb2.Store, str]] = ..., source_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class WatchProcessingResponse(_message.Message):
    __slots__ = ("status",)
    STATUS_FIELD_NUMBER: _ClassVar[int]
    status: _memory_pb2.ProcessingStatus
    def __init__(self, status: _Optional[_Union[_memory_pb2.ProcessingStatus, _Mapping]] = ...) -> None: ...

class RetryProcessingRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "request_id", "store", "source_ids")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    STORE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_IDS_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    request_id: str
    store: _memory_pb2.Store
    source_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., request_id: _Optional[str] = ..., store: _Optional[_Union[_memory_pb2.Store, str]] = ..., source_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class RetryProcessingResponse(_message.Message):
    __slots__ = ("statuses",)
    STATUSES_FIELD_NUMBER: _ClassVar[int]
    statuses: _containers.RepeatedCompositeFieldContainer[_memory_pb2.ProcessingStatus]
    def __init__(self, statuses: _Optional[_Iterable[_Union[_memory_pb2.ProcessingStatus, _Mapping]]] = ...) -> None: ...

class RecallRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "query", "store", "max_results", "mode", "alpha", "recency_bias", "min_similarity", "metadata_filters", "search_forceful_relations", "graph_context", "additional_context", "as_of", "neighbors")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    STORE_FIELD_NUMBER: _ClassVar[int]
    MAX_RESULTS_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    ALPHA_FIELD_NUMBER: _ClassVar[int]
    RECENCY_BIAS_FIELD_NUMBER: _ClassVar[int]
    MIN_SIMILARITY_FIELD_NUMBER: _ClassVar[int]
    METADATA_FILTERS_FIELD_NUMBER: _ClassVar[int]
    SEARCH_FORCEFUL_RELATIONS_FIELD_NUMBER: _ClassVar[int]
    GRAPH_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    ADDITIONAL_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    AS_OF_FIELD_NUMBER: _ClassVar[int]
    NEIGHBORS_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    query: str
    store: _memory_pb2.Store
    max_results: int
    mode: _recall_pb2.RecallMode
    alpha: float
    recency_bias: float
    min_similarity: float
    metadata_filters: _struct_pb2.Struct
    search_forceful_relations: bool
    graph_context: bool
    additional_context: str
    as_of: _timestamp_pb2.Timestamp
    neighbors: int
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., query: _Optional[str] = ..., store: _Optional[_Union[_memory_pb2.Store, str]] = ..., max_results: _Optional[int] = ..., mode: _Optional[_Union[_recall_pb2.RecallMode, str]] = ..., alpha: _Optional[float] = ..., recency_bias: _Optional[float] = ..., min_similarity: _Optional[float] = ..., metadata_filters: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., search_forceful_relations: bool = ..., graph_context: bool = ..., additional_context: _Optional[str] = ..., as_of: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., neighbors: _Optional[int] = ...) -> None: ...

class RecallResponse(_message.Message):
    __slots__ = ("results", "additional_context", "graph_context", "timing")
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    ADDITIONAL_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    GRAPH_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    TIMING_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[_recall_pb2.RecallHit]
    additional_context: _containers.RepeatedCompositeFieldContainer[_recall_pb2.RecallHit]
    graph_context: _recall_pb2.GraphContext
    timing: _recall_pb2.RecallTiming
    def __init__(self, results: _Optional[_Iterable[_Union[_recall_pb2.RecallHit, _Mapping]]] = ..., additional_context: _Optional[_Iterable[_Union[_recall_pb2.RecallHit, _Mapping]]] = ..., graph_context: _Optional[_Union[_recall_pb2.GraphContext, _Mapping]] = ..., timing: _Optional[_Union[_recall_pb2.RecallTiming, _Mapping]] = ...) -> None: ...

class EraseRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "request_id", "validate_only", "reason", "ticket")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    VALIDATE_ONLY_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    TICKET_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    request_id: str
    validate_only: bool
    reason: _audit_pb2.ErasureReason
    ticket: str
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., request_id: _Optional[str] = ..., validate_only: bool = ..., reason: _Optional[_Union[_audit_pb2.ErasureReason, str]] = ..., ticket: _Optional[str] = ...) -> None: ...

class EraseResponse(_message.Message):
    __slots__ = ("receipt",)
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    receipt: _audit_pb2.ErasureReceipt
    def __init__(self, receipt: _Optional[_Union[_audit_pb2.ErasureReceipt, _Mapping]] = ...) -> None: ...

class GetMemoryRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "source_id", "store")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    STORE_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    source_id: str
    store: _memory_pb2.Store
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., source_id: _Optional[str] = ..., store: _Optional[_Union[_memory_pb2.Store, str]] = ...) -> None: ...

class GetMemoryResponse(_message.Message):
    __slots__ = ("memory",)
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    memory: _memory_pb2.Memory
    def __init__(self, memory: _Optional[_Union[_memory_pb2.Memory, _Mapping]] = ...) -> None: ...

class ListMemoriesRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "store", "kind", "session_id", "channel", "start_time", "end_time", "metadata_filters", "page_size", "page_token")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    STORE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    METADATA_FILTERS_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    store: _memory_pb2.Store
    kind: _memory_pb2.MemoryKind
    session_id: str
    channel: str
    start_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    metadata_filters: _struct_pb2.Struct
    page_size: int
    page_token: str
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., store: _Optional[_Union[_memory_pb2.Store, str]] = ..., kind: _Optional[_Union[_memory_pb2.MemoryKind, str]] = ..., session_id: _Optional[str] = ..., channel: _Optional[str] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., metadata_filters: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListMemoriesResponse(_message.Message):
    __slots__ = ("memories", "next_page_token")
    MEMORIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    memories: _containers.RepeatedCompositeFieldContainer[_memory_pb2.Memory]
    next_page_token: str
    def __init__(self, memories: _Optional[_Iterable[_Union[_memory_pb2.Memory, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class UpdateMemoryRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "request_id", "source_id", "title", "text", "metadata", "additional_metadata", "pinned", "update_mask")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    ADDITIONAL_METADATA_FIELD_NUMBER: _ClassVar[int]
    PINNED_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    request_id: str
    source_id: str
    title: str
    text: str
    metadata: _struct_pb2.Struct
    additional_metadata: _struct_pb2.Struct
    pinned: bool
    update_mask: _field_mask_pb2.FieldMask
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., request_id: _Optional[str] = ..., source_id: _Optional[str] = ..., title: _Optional[str] = ..., text: _Optional[str] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., additional_metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., pinned: bool = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping]] = ...) -> None: ...

class UpdateMemoryResponse(_message.Message):
    __slots__ = ("memory",)
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    memory: _memory_pb2.Memory
    def __init__(self, memory: _Optional[_Union[_memory_pb2.Memory, _Mapping]] = ...) -> None: ...

class DeleteMemoryRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "request_id", "source_id", "allow_missing")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    request_id: str
    source_id: str
    allow_missing: bool
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., request_id: _Optional[str] = ..., source_id: _Optional[str] = ..., allow_missing: bool = ...) -> None: ...

class DeleteMemoryResponse(_message.Message):
    __slots__ = ("deleted_count",)
    DELETED_COUNT_FIELD_NUMBER: _ClassVar[int]
    deleted_count: int
    def __init__(self, deleted_count: _Optional[int] = ...) -> None: ...

class ListMessagesRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "order", "channel", "session_id", "start_time", "end_time", "page_size", "page_token")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    order: _lists_pb2.ListOrder
    channel: str
    session_id: str
    start_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    page_size: int
    page_token: str
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., order: _Optional[_Union[_lists_pb2.ListOrder, str]] = ..., channel: _Optional[str] = ..., session_id: _Optional[str] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListMessagesResponse(_message.Message):
    __slots__ = ("messages", "next_page_token")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    next_page_token: str
    def __init__(self, messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ImportHeader(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "upsert", "request_id")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    UPSERT_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    upsert: bool
    request_id: str
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., upsert: bool = ..., request_id: _Optional[str] = ...) -> None: ...

class ImportMemoriesRequest(_message.Message):
    __slots__ = ("header", "memory")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    header: ImportHeader
    memory: _memory_pb2.MemoryItem
    def __init__(self, header: _Optional[_Union[ImportHeader, _Mapping]] = ..., memory: _Optional[_Union[_memory_pb2.MemoryItem, _Mapping]] = ...) -> None: ...

class ImportMemoryError(_message.Message):
    __slots__ = ("index", "source_id", "error")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    index: int
    source_id: str
    error: _errors_pb2.ItemError
    def __init__(self, index: _Optional[int] = ..., source_id: _Optional[str] = ..., error: _Optional[_Union[_errors_pb2.ItemError, _Mapping]] = ...) -> None: ...

class ImportMemoriesResponse(_message.Message):
    __slots__ = ("success_count", "failed_count", "errors")
    SUCCESS_COUNT_FIELD_NUMBER: _ClassVar[int]
    FAILED_COUNT_FIELD_NUMBER: _ClassVar[int]
    ERRORS_FIELD_NUMBER: _ClassVar[int]
    success_count: int
    failed_count: int
    errors: _containers.RepeatedCompositeFieldContainer[ImportMemoryError]
    def __init__(self, success_count: _Optional[int] = ..., failed_count: _Optional[int] = ..., errors: _Optional[_Iterable[_Union[ImportMemoryError, _Mapping]]] = ...) -> None: ...

class ExportEndUserRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ...) -> None: ...

class ExportEndUserResponse(_message.Message):
    __slots__ = ("line",)
    LINE_FIELD_NUMBER: _ClassVar[int]
    line: str
    def __init__(self, line: _Optional[str] = ...) -> None: ...

class WatchEndUserRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ...) -> None: ...

class WatchEndUserResponse(_message.Message):
    __slots__ = ("relation", "interaction_id", "status")
    RELATION_FIELD_NUMBER: _ClassVar[int]
    INTERACTION_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    relation: _relation_pb2.Relation
    interaction_id: str
    status: _memory_pb2.ProcessingStatus
    def __init__(self, relation: _Optional[_Union[_relation_pb2.Relation, _Mapping]] = ..., interaction_id: _Optional[str] = ..., status: _Optional[_Union[_memory_pb2.ProcessingStatus, _Mapping]] = ...) -> None: ...
