import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from rapport.v1 import errors_pb2 as _errors_pb2
from rapport.v1 import memory_pb2 as _memory_pb2
from rapport.v1 import relation_pb2 as _relation_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Plan(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PLAN_UNSPECIFIED: _ClassVar[Plan]
    PLAN_COMMUNITY: _ClassVar[Plan]
    PLAN_CLINIC: _ClassVar[Plan]
    PLAN_ENTERPRISE: _ClassVar[Plan]

class MetadataType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    METADATA_TYPE_UNSPECIFIED: _ClassVar[MetadataType]
    METADATA_TYPE_STRING: _ClassVar[MetadataType]
    METADATA_TYPE_NUMBER: _ClassVar[MetadataType]
    METADATA_TYPE_BOOL: _ClassVar[MetadataType]
    METADATA_TYPE_TIMESTAMP: _ClassVar[MetadataType]

class ApiKeyRole(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    API_KEY_ROLE_UNSPECIFIED: _ClassVar[ApiKeyRole]
    API_KEY_ROLE_OPERATOR: _ClassVar[ApiKeyRole]
    API_KEY_ROLE_WRITER: _ClassVar[ApiKeyRole]
    API_KEY_ROLE_READER: _ClassVar[ApiKeyRole]
    API_KEY_ROLE_AUDITOR: _ClassVar[ApiKeyRole]
PLAN_UNSPECIFIED: Plan
PLAN_COMMUNITY: Plan
PLAN_CLINIC: Plan
PLAN_ENTERPRISE: Plan
METADATA_TYPE_UNSPECIFIED: MetadataType
METADATA_TYPE_STRING: MetadataType
METADATA_TYPE_NUMBER: MetadataType
METADATA_TYPE_BOOL: MetadataType
METADATA_TYPE_TIMESTAMP: MetadataType
API_KEY_ROLE_UNSPECIFIED: ApiKeyRole
API_KEY_ROLE_OPERATOR: ApiKeyRole
API_KEY_ROLE_WRITER: ApiKeyRole
API_KEY_ROLE_READER: ApiKeyRole
API_KEY_ROLE_AUDITOR: ApiKeyRole

class MetadataField(_message.Message):
    __slots__ = ("name", "type", "enable_match")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    ENABLE_MATCH_FIELD_NUMBER: _ClassVar[int]
    name: str
    type: MetadataType
    enable_match: bool
    def __init__(self, name: _Optional[str] = ..., type: _Optional[_Union[MetadataType, str]] = ..., enable_match: bool = ...) -> None: ...

class VectorstoreStatus(_message.Message):
    __slots__ = ("store", "ready", "memories", "chunks", "bytes", "queued", "windows_pending")
    STORE_FIELD_NUMBER: _ClassVar[int]
    READY_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_FIELD_NUMBER: _ClassVar[int]
    CHUNKS_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    QUEUED_FIELD_NUMBER: _ClassVar[int]
    WINDOWS_PENDING_FIELD_NUMBER: _ClassVar[int]
    store: _memory_pb2.Store
    ready: bool
    memories: int
    chunks: int
    bytes: int
    queued: int
    windows_pending: int
    def __init__(self, store: _Optional[_Union[_memory_pb2.Store, str]] = ..., ready: bool = ..., memories: _Optional[int] = ..., chunks: _Optional[int] = ..., bytes: _Optional[int] = ..., queued: _Optional[int] = ..., windows_pending: _Optional[int] = ...) -> None: ...

class Tenant(_message.Message):
    __slots__ = ("tenant_id", "plan", "metadata_schema", "default_end_user_id", "initial_trust", "infer_default", "allow_llm", "create_time", "update_time", "vectorstore_status")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    METADATA_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    INITIAL_TRUST_FIELD_NUMBER: _ClassVar[int]
    INFER_DEFAULT_FIELD_NUMBER: _ClassVar[int]
    ALLOW_LLM_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    VECTORSTORE_STATUS_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    plan: Plan
    metadata_schema: _containers.RepeatedCompositeFieldContainer[MetadataField]
    default_end_user_id: str
    initial_trust: float
    infer_default: bool
    allow_llm: bool
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    vectorstore_status: _containers.RepeatedCompositeFieldContainer[VectorstoreStatus]
    def __init__(self, tenant_id: _Optional[str] = ..., plan: _Optional[_Union[Plan, str]] = ..., metadata_schema: _Optional[_Iterable[_Union[MetadataField, _Mapping]]] = ..., default_end_user_id: _Optional[str] = ..., initial_trust: _Optional[float] = ..., infer_default: bool = ..., allow_llm: bool = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., vectorstore_status: _Optional[_Iterable[_Union[VectorstoreStatus, _Mapping]]] = ...) -> None: ...

class EndUser(_message.Message):
    __slots__ = ("end_user_id", "relation", "total_stored", "assignments")
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    RELATION_FIELD_NUMBER: _ClassVar[int]
    TOTAL_STORED_FIELD_NUMBER: _ClassVar[int]
    ASSIGNMENTS_FIELD_NUMBER: _ClassVar[int]
    end_user_id: str
    relation: _relation_pb2.Relation
    total_stored: int
    assignments: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, end_user_id: _Optional[str] = ..., relation: _Optional[_Union[_relation_pb2.Relation, _Mapping]] = ..., total_stored: _Optional[int] = ..., assignments: _Optional[_Iterable[str]] = ...) -> None: ...

class ApiKey(_message.Message):
    __slots__ = ("key_id", "role", "tenant_id", "create_time", "expire_time", "revoked")
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    REVOKED_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    role: ApiKeyRole
    tenant_id: str
    create_time: _timestamp_pb2.Timestamp
    expire_time: _timestamp_pb2.Timestamp
    revoked: bool
    def __init__(self, key_id: _Optional[str] = ..., role: _Optional[_Union[ApiKeyRole, str]] = ..., tenant_id: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., revoked: bool = ...) -> None: ...

class QueueItem(_message.Message):
    __slots__ = ("source_id", "end_user_id", "status", "attempts", "age_seconds", "error", "store")
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    AGE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    STORE_FIELD_NUMBER: _ClassVar[int]
    source_id: str
    end_user_id: str
    status: _memory_pb2.IndexingStatus
    attempts: int
    age_seconds: float
    error: _errors_pb2.ItemError
    store: _memory_pb2.Store
    def __init__(self, source_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., status: _Optional[_Union[_memory_pb2.IndexingStatus, str]] = ..., attempts: _Optional[int] = ..., age_seconds: _Optional[float] = ..., error: _Optional[_Union[_errors_pb2.ItemError, _Mapping]] = ..., store: _Optional[_Union[_memory_pb2.Store, str]] = ...) -> None: ...
