import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from rapport.v1 import memory_pb2 as _memory_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AddKnowledgeRequest(_message.Message):
    __slots__ = ("tenant_id", "request_id", "memories", "upsert", "wait")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_FIELD_NUMBER: _ClassVar[int]
    UPSERT_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    request_id: str
    memories: _containers.RepeatedCompositeFieldContainer[_memory_pb2.MemoryItem]
    upsert: bool
    wait: _duration_pb2.Duration
    def __init__(self, tenant_id: _Optional[str] = ..., request_id: _Optional[str] = ..., memories: _Optional[_Iterable[_Union[_memory_pb2.MemoryItem, _Mapping]]] = ..., upsert: bool = ..., wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class AddKnowledgeResponse(_message.Message):
    __slots__ = ("results", "success_count", "failed_count")
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    SUCCESS_COUNT_FIELD_NUMBER: _ClassVar[int]
    FAILED_COUNT_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[_memory_pb2.AddMemoryResult]
    success_count: int
    failed_count: int
    def __init__(self, results: _Optional[_Iterable[_Union[_memory_pb2.AddMemoryResult, _Mapping]]] = ..., success_count: _Optional[int] = ..., failed_count: _Optional[int] = ...) -> None: ...

class ListKnowledgeRequest(_message.Message):
    __slots__ = ("tenant_id", "page_size", "page_token")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    page_size: int
    page_token: str
    def __init__(self, tenant_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListKnowledgeResponse(_message.Message):
    __slots__ = ("knowledge", "next_page_token")
    KNOWLEDGE_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    knowledge: _containers.RepeatedCompositeFieldContainer[_memory_pb2.Memory]
    next_page_token: str
    def __init__(self, knowledge: _Optional[_Iterable[_Union[_memory_pb2.Memory, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class DeleteKnowledgeRequest(_message.Message):
    __slots__ = ("tenant_id", "request_id", "source_id", "allow_missing")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    request_id: str
    source_id: str
    allow_missing: bool
    def __init__(self, tenant_id: _Optional[str] = ..., request_id: _Optional[str] = ..., source_id: _Optional[str] = ..., allow_missing: bool = ...) -> None: ...

class DeleteKnowledgeResponse(_message.Message):
    __slots__ = ("deleted_count",)
    DELETED_COUNT_FIELD_NUMBER: _ClassVar[int]
    deleted_count: int
    def __init__(self, deleted_count: _Optional[int] = ...) -> None: ...
