import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from rapport.v1 import analysis_pb2 as _analysis_pb2
from rapport.v1 import errors_pb2 as _errors_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Store(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STORE_UNSPECIFIED: _ClassVar[Store]
    STORE_MEMORIES: _ClassVar[Store]
    STORE_KNOWLEDGE: _ClassVar[Store]
    STORE_ALL: _ClassVar[Store]

class MemoryKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEMORY_KIND_UNSPECIFIED: _ClassVar[MemoryKind]
    MEMORY_KIND_INTERACTION: _ClassVar[MemoryKind]
    MEMORY_KIND_ADDED: _ClassVar[MemoryKind]
    MEMORY_KIND_DERIVED: _ClassVar[MemoryKind]

class IndexingStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    INDEXING_STATUS_UNSPECIFIED: _ClassVar[IndexingStatus]
    INDEXING_STATUS_QUEUED: _ClassVar[IndexingStatus]
    INDEXING_STATUS_PROCESSING: _ClassVar[IndexingStatus]
    INDEXING_STATUS_COMPLETED: _ClassVar[IndexingStatus]
    INDEXING_STATUS_ERRORED: _ClassVar[IndexingStatus]
    INDEXING_STATUS_NOT_FOUND: _ClassVar[IndexingStatus]
STORE_UNSPECIFIED: Store
STORE_MEMORIES: Store
STORE_KNOWLEDGE: Store
STORE_ALL: Store
MEMORY_KIND_UNSPECIFIED: MemoryKind
MEMORY_KIND_INTERACTION: MemoryKind
MEMORY_KIND_ADDED: MemoryKind
MEMORY_KIND_DERIVED: MemoryKind
INDEXING_STATUS_UNSPECIFIED: IndexingStatus
INDEXING_STATUS_QUEUED: IndexingStatus
INDEXING_STATUS_PROCESSING: IndexingStatus
INDEXING_STATUS_COMPLETED: IndexingStatus
INDEXING_STATUS_ERRORED: IndexingStatus
INDEXING_STATUS_NOT_FOUND: IndexingStatus

class UserAssistantPair(_message.Message):
    __slots__ = ("user", "assistant")
    USER_FIELD_NUMBER: _ClassVar[int]
    ASSISTANT_FIELD_NUMBER: _ClassVar[int]
    user: str
    assistant: str
    def __init__(self, user: _Optional[str] = ..., assistant: _Optional[str] = ...) -> None: ...

class MemoryRelations(_message.Message):
    __slots__ = ("source_ids", "properties", "allow_unresolved")
    SOURCE_IDS_FIELD_NUMBER: _ClassVar[int]
    PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    ALLOW_UNRESOLVED_FIELD_NUMBER: _ClassVar[int]
    source_ids: _containers.RepeatedScalarFieldContainer[str]
    properties: _struct_pb2.Struct
    allow_unresolved: bool
    def __init__(self, source_ids: _Optional[_Iterable[str]] = ..., properties: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., allow_unresolved: bool = ...) -> None: ...

class MemoryItem(_message.Message):
    __slots__ = ("source_id", "text", "user_assistant_pairs", "is_markdown", "infer", "custom_instructions", "user_name", "speaker", "title", "expiry_time", "metadata", "additional_metadata", "pinned", "relations", "occurred_at", "channel", "session_id", "time_zone")
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    USER_ASSISTANT_PAIRS_FIELD_NUMBER: _ClassVar[int]
    IS_MARKDOWN_FIELD_NUMBER: _ClassVar[int]
    INFER_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    SPEAKER_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    EXPIRY_TIME_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    ADDITIONAL_METADATA_FIELD_NUMBER: _ClassVar[int]
    PINNED_FIELD_NUMBER: _ClassVar[int]
    RELATIONS_FIELD_NUMBER: _ClassVar[int]
    OCCURRED_AT_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TIME_ZONE_FIELD_NUMBER: _ClassVar[int]
    source_id: str
    text: str
    user_assistant_pairs: _containers.RepeatedCompositeFieldContainer[UserAssistantPair]
    is_markdown: bool
    infer: bool
    custom_instructions: str
    user_name: str
    speaker: str
    title: str
    expiry_time: int
    metadata: _struct_pb2.Struct
    additional_metadata: _struct_pb2.Struct
    pinned: bool
    relations: MemoryRelations
    occurred_at: _timestamp_pb2.Timestamp
    channel: str
    session_id: str
    time_zone: str
    def __init__(self, source_id: _Optional[str] = ..., text: _Optional[str] = ..., user_assistant_pairs: _Optional[_Iterable[_Union[UserAssistantPair, _Mapping]]] = ..., is_markdown: bool = ..., infer: bool = ..., custom_instructions: _Optional[str] = ..., user_name: _Optional[str] = ..., speaker: _Optional[str] = ..., title: _Optional[str] = ..., expiry_time: _Optional[int] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., additional_metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., pinned: bool = ..., relations: _Optional[_Union[MemoryRelations, _Mapping]] = ..., occurred_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., channel: _Optional[str] = ..., session_id: _Optional[str] = ..., time_zone: _Optional[str] = ...) -> None: ...

class Memory(_message.Message):
    __slots__ = ("source_id", "end_user_id", "store", "kind", "text", "title", "is_markdown", "infer", "custom_instructions", "user_name", "speaker", "metadata", "additional_metadata", "pinned", "relations", "occurred_at", "channel", "session_id", "time_zone", "indexing_status", "inferred_from", "superseded_by", "valid_from", "valid_to", "confirmations", "last_confirmed", "unresolved_source_ids", "create_time", "update_time", "expires_at", "interaction_id", "detected_emotions", "intent")
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    STORE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    IS_MARKDOWN_FIELD_NUMBER: _ClassVar[int]
    INFER_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    SPEAKER_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    ADDITIONAL_METADATA_FIELD_NUMBER: _ClassVar[int]
    PINNED_FIELD_NUMBER: _ClassVar[int]
    RELATIONS_FIELD_NUMBER: _ClassVar[int]
    OCCURRED_AT_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TIME_ZONE_FIELD_NUMBER: _ClassVar[int]
    INDEXING_STATUS_FIELD_NUMBER: _ClassVar[int]
    INFERRED_FROM_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_BY_FIELD_NUMBER: _ClassVar[int]
    VALID_FROM_FIELD_NUMBER: _ClassVar[int]
    VALID_TO_FIELD_NUMBER: _ClassVar[int]
    CONFIRMATIONS_FIELD_NUMBER: _ClassVar[int]
    LAST_CONFIRMED_FIELD_NUMBER: _ClassVar[int]
    UNRESOLVED_SOURCE_IDS_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    INTERACTION_ID_FIELD_NUMBER: _ClassVar[int]
    DETECTED_EMOTIONS_FIELD_NUMBER: _ClassVar[int]
    INTENT_FIELD_NUMBER: _ClassVar[int]
    source_id: str
    end_user_id: str
    store: Store
    kind: MemoryKind
    text: str
    title: str
    is_markdown: bool
    infer: bool
    custom_instructions: str
    user_name: str
    speaker: str
    metadata: _struct_pb2.Struct
    additional_metadata: _struct_pb2.Struct
    pinned: bool
    relations: MemoryRelations
    occurred_at: _timestamp_pb2.Timestamp
    channel: str
    session_id: str
    time_zone: str
    indexing_status: IndexingStatus
    inferred_from: str
    superseded_by: str
    valid_from: _timestamp_pb2.Timestamp
    valid_to: _timestamp_pb2.Timestamp
    confirmations: int
    last_confirmed: _timestamp_pb2.Timestamp
    unresolved_source_ids: _containers.RepeatedScalarFieldContainer[str]
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    expires_at: _timestamp_pb2.Timestamp
    interaction_id: str
    detected_emotions: _containers.RepeatedCompositeFieldContainer[_analysis_pb2.DetectedEmotion]
    intent: _analysis_pb2.Intent
    def __init__(self, source_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., store: _Optional[_Union[Store, str]] = ..., kind: _Optional[_Union[MemoryKind, str]] = ..., text: _Optional[str] = ..., title: _Optional[str] = ..., is_markdown: bool = ..., infer: bool = ..., custom_instructions: _Optional[str] = ..., user_name: _Optional[str] = ..., speaker: _Optional[str] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., additional_metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., pinned: bool = ..., relations: _Optional[_Union[MemoryRelations, _Mapping]] = ..., occurred_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., channel: _Optional[str] = ..., session_id: _Optional[str] = ..., time_zone: _Optional[str] = ..., indexing_status: _Optional[_Union[IndexingStatus, str]] = ..., inferred_from: _Optional[str] = ..., superseded_by: _Optional[str] = ..., valid_from: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., valid_to: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., confirmations: _Optional[int] = ..., last_confirmed: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., unresolved_source_ids: _Optional[_Iterable[str]] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., interaction_id: _Optional[str] = ..., detected_emotions: _Optional[_Iterable[_Union[_analysis_pb2.DetectedEmotion, _Mapping]]] = ..., intent: _Optional[_Union[_analysis_pb2.Intent, str]] = ...) -> None: ...

class ProcessingStatus(_message.Message):
    __slots__ = ("source_id", "indexing_status", "success", "error", "attempts", "inferred_count", "update_time")
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    INDEXING_STATUS_FIELD_NUMBER: _ClassVar[int]
    SUCCESS_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    INFERRED_COUNT_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    source_id: str
    indexing_status: IndexingStatus
    success: bool
    error: _errors_pb2.ItemError
    attempts: int
    inferred_count: int
    update_time: _timestamp_pb2.Timestamp
    def __init__(self, source_id: _Optional[str] = ..., indexing_status: _Optional[_Union[IndexingStatus, str]] = ..., success: bool = ..., error: _Optional[_Union[_errors_pb2.ItemError, _Mapping]] = ..., attempts: _Optional[int] = ..., inferred_count: _Optional[int] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class AddMemoryResult(_message.Message):
    __slots__ = ("source_id", "title", "status", "infer", "error")
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    INFER_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    source_id: str
    title: str
    status: IndexingStatus
    infer: bool
    error: _errors_pb2.ItemError
    def __init__(self, source_id: _Optional[str] = ..., title: _Optional[str] = ..., status: _Optional[_Union[IndexingStatus, str]] = ..., infer: bool = ..., error: _Optional[_Union[_errors_pb2.ItemError, _Mapping]] = ...) -> None: ...
