import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AuditEventKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    AUDIT_EVENT_KIND_UNSPECIFIED: _ClassVar[AuditEventKind]
    AUDIT_EVENT_KIND_TENANT_CREATED: _ClassVar[AuditEventKind]
    AUDIT_EVENT_KIND_TENANT_UPDATED: _ClassVar[AuditEventKind]
    AUDIT_EVENT_KIND_TENANT_DELETED: _ClassVar[AuditEventKind]
    AUDIT_EVENT_KIND_API_KEY_CREATED: _ClassVar[AuditEventKind]
    AUDIT_EVENT_KIND_API_KEY_REVOKED: _ClassVar[AuditEventKind]
    AUDIT_EVENT_KIND_INTERACTION_PROCESSED: _ClassVar[AuditEventKind]
    AUDIT_EVENT_KIND_REPLY_ATTACHED: _ClassVar[AuditEventKind]
    AUDIT_EVENT_KIND_MEMORIES_ADDED: _ClassVar[AuditEventKind]
    AUDIT_EVENT_KIND_MEMORY_UPDATED: _ClassVar[AuditEventKind]
    AUDIT_EVENT_KIND_MEMORY_DELETED: _ClassVar[AuditEventKind]
    AUDIT_EVENT_KIND_MEMORIES_RETRIED: _ClassVar[AuditEventKind]
    AUDIT_EVENT_KIND_EVENT_RECORDED: _ClassVar[AuditEventKind]
    AUDIT_EVENT_KIND_END_USER_ERASED: _ClassVar[AuditEventKind]
    AUDIT_EVENT_KIND_ERASURE_COMPLETED: _ClassVar[AuditEventKind]
    AUDIT_EVENT_KIND_RETENTION_SWEPT: _ClassVar[AuditEventKind]
    AUDIT_EVENT_KIND_END_USER_EXPORTED: _ClassVar[AuditEventKind]
    AUDIT_EVENT_KIND_PERSON_RELATION_CHANGED: _ClassVar[AuditEventKind]
    AUDIT_EVENT_KIND_TRIGGER_CHANGED: _ClassVar[AuditEventKind]
    AUDIT_EVENT_KIND_ASSIGNMENTS_SET: _ClassVar[AuditEventKind]
    AUDIT_EVENT_KIND_KNOWLEDGE_ADDED: _ClassVar[AuditEventKind]
    AUDIT_EVENT_KIND_KNOWLEDGE_DELETED: _ClassVar[AuditEventKind]

class ErasureReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERASURE_REASON_UNSPECIFIED: _ClassVar[ErasureReason]
    ERASURE_REASON_USER_REQUEST: _ClassVar[ErasureReason]
    ERASURE_REASON_RETENTION: _ClassVar[ErasureReason]
    ERASURE_REASON_LEGAL: _ClassVar[ErasureReason]
    ERASURE_REASON_OTHER: _ClassVar[ErasureReason]
AUDIT_EVENT_KIND_UNSPECIFIED: AuditEventKind
AUDIT_EVENT_KIND_TENANT_CREATED: AuditEventKind
AUDIT_EVENT_KIND_TENANT_UPDATED: AuditEventKind
AUDIT_EVENT_KIND_TENANT_DELETED: AuditEventKind
AUDIT_EVENT_KIND_API_KEY_CREATED: AuditEventKind
AUDIT_EVENT_KIND_API_KEY_REVOKED: AuditEventKind
AUDIT_EVENT_KIND_INTERACTION_PROCESSED: AuditEventKind
AUDIT_EVENT_KIND_REPLY_ATTACHED: AuditEventKind
AUDIT_EVENT_KIND_MEMORIES_ADDED: AuditEventKind
AUDIT_EVENT_KIND_MEMORY_UPDATED: AuditEventKind
AUDIT_EVENT_KIND_MEMORY_DELETED: AuditEventKind
AUDIT_EVENT_KIND_MEMORIES_RETRIED: AuditEventKind
AUDIT_EVENT_KIND_EVENT_RECORDED: AuditEventKind
AUDIT_EVENT_KIND_END_USER_ERASED: AuditEventKind
AUDIT_EVENT_KIND_ERASURE_COMPLETED: AuditEventKind
AUDIT_EVENT_KIND_RETENTION_SWEPT: AuditEventKind
AUDIT_EVENT_KIND_END_USER_EXPORTED: AuditEventKind
AUDIT_EVENT_KIND_PERSON_RELATION_CHANGED: AuditEventKind
AUDIT_EVENT_KIND_TRIGGER_CHANGED: AuditEventKind
AUDIT_EVENT_KIND_ASSIGNMENTS_SET: AuditEventKind
AUDIT_EVENT_KIND_KNOWLEDGE_ADDED: AuditEventKind
AUDIT_EVENT_KIND_KNOWLEDGE_DELETED: AuditEventKind
ERASURE_REASON_UNSPECIFIED: ErasureReason
ERASURE_REASON_USER_REQUEST: ErasureReason
ERASURE_REASON_RETENTION: ErasureReason
ERASURE_REASON_LEGAL: ErasureReason
ERASURE_REASON_OTHER: ErasureReason

class AuditEvent(_message.Message):
    __slots__ = ("sequence", "time", "kind", "actor_key_id", "subject_hash", "details", "hash", "previous_hash")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    ACTOR_KEY_ID_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_HASH_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    HASH_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_HASH_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    time: _timestamp_pb2.Timestamp
    kind: AuditEventKind
    actor_key_id: str
    subject_hash: str
    details: _struct_pb2.Struct
    hash: str
    previous_hash: str
    def __init__(self, sequence: _Optional[int] = ..., time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., kind: _Optional[_Union[AuditEventKind, str]] = ..., actor_key_id: _Optional[str] = ..., subject_hash: _Optional[str] = ..., details: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., hash: _Optional[str] = ..., previous_hash: _Optional[str] = ...) -> None: ...

class ErasureCounts(_message.Message):
    __slots__ = ("messages", "memories", "chunks", "vectors", "person_relations", "relation_state", "triggers", "queued_items", "idempotency_records")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_FIELD_NUMBER: _ClassVar[int]
    CHUNKS_FIELD_NUMBER: _ClassVar[int]
    VECTORS_FIELD_NUMBER: _ClassVar[int]
    PERSON_RELATIONS_FIELD_NUMBER: _ClassVar[int]
    RELATION_STATE_FIELD_NUMBER: _ClassVar[int]
    TRIGGERS_FIELD_NUMBER: _ClassVar[int]
    QUEUED_ITEMS_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_RECORDS_FIELD_NUMBER: _ClassVar[int]
    messages: int
    memories: int
    chunks: int
    vectors: int
    person_relations: int
    relation_state: int
    triggers: int
    queued_items: int
    idempotency_records: int
    def __init__(self, messages: _Optional[int] = ..., memories: _Optional[int] = ..., chunks: _Optional[int] = ..., vectors: _Optional[int] = ..., person_relations: _Optional[int] = ..., relation_state: _Optional[int] = ..., triggers: _Optional[int] = ..., queued_items: _Optional[int] = ..., idempotency_records: _Optional[int] = ...) -> None: ...

class ErasureReceipt(_message.Message):
    __slots__ = ("receipt_id", "tenant_id", "subject_hash", "counts", "verified", "replicas_pending", "erased_at", "audit_sequence", "audit_hash", "signature", "key_id", "reason", "ticket")
    RECEIPT_ID_FIELD_NUMBER: _ClassVar[int]
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_HASH_FIELD_NUMBER: _ClassVar[int]
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    VERIFIED_FIELD_NUMBER: _ClassVar[int]
    REPLICAS_PENDING_FIELD_NUMBER: _ClassVar[int]
    ERASED_AT_FIELD_NUMBER: _ClassVar[int]
    AUDIT_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    AUDIT_HASH_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    TICKET_FIELD_NUMBER: _ClassVar[int]
    receipt_id: str
    tenant_id: str
    subject_hash: str
    counts: ErasureCounts
    verified: bool
    replicas_pending: _containers.RepeatedScalarFieldContainer[str]
    erased_at: _timestamp_pb2.Timestamp
    audit_sequence: int
    audit_hash: str
    signature: bytes
    key_id: str
    reason: ErasureReason
    ticket: str
    def __init__(self, receipt_id: _Optional[str] = ..., tenant_id: _Optional[str] = ..., subject_hash: _Optional[str] = ..., counts: _Optional[_Union[ErasureCounts, _Mapping]] = ..., verified: bool = ..., replicas_pending: _Optional[_Iterable[str]] = ..., erased_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., audit_sequence: _Optional[int] = ..., audit_hash: _Optional[str] = ..., signature: _Optional[bytes] = ..., key_id: _Optional[str] = ..., reason: _Optional[_Union[ErasureReason, str]] = ..., ticket: _Optional[str] = ...) -> None: ...

class SigningKey(_message.Message):
    __slots__ = ("key_id", "algorithm", "public_key")
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    ALGORITHM_FIELD_NUMBER: _ClassVar[int]
    PUBLIC_KEY_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    algorithm: str
    public_key: bytes
    def __init__(self, key_id: _Optional[str] = ..., algorithm: _Optional[str] = ..., public_key: _Optional[bytes] = ...) -> None: ...
