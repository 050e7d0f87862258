import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from rapport.v1 import audit_pb2 as _audit_pb2
from rapport.v1 import lists_pb2 as _lists_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListAuditEventsRequest(_message.Message):
    __slots__ = ("tenant_id", "kind", "start_time", "end_time", "order", "page_size", "page_token")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    kind: _audit_pb2.AuditEventKind
    start_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    order: _lists_pb2.ListOrder
    page_size: int
    page_token: str
    def __init__(self, tenant_id: _Optional[str] = ..., kind: _Optional[_Union[_audit_pb2.AuditEventKind, str]] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., order: _Optional[_Union[_lists_pb2.ListOrder, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListAuditEventsResponse(_message.Message):
    __slots__ = ("audit_events", "next_page_token")
    AUDIT_EVENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    audit_events: _containers.RepeatedCompositeFieldContainer[_audit_pb2.AuditEvent]
    next_page_token: str
    def __init__(self, audit_events: _Optional[_Iterable[_Union[_audit_pb2.AuditEvent, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class VerifyAuditLogRequest(_message.Message):
    __slots__ = ("tenant_id",)
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    def __init__(self, tenant_id: _Optional[str] = ...) -> None: ...

class VerifyAuditLogResponse(_message.Message):
    __slots__ = ("ok", "checked", "first_bad_sequence", "head_hash")
    OK_FIELD_NUMBER: _ClassVar[int]
    CHECKED_FIELD_NUMBER: _ClassVar[int]
    FIRST_BAD_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    HEAD_HASH_FIELD_NUMBER: _ClassVar[int]
    ok: bool
    checked: int
    first_bad_sequence: int
    head_hash: str
    def __init__(self, ok: bool = ..., checked: _Optional[int] = ..., first_bad_sequence: _Optional[int] = ..., head_hash: _Optional[str] = ...) -> None: ...

class GetErasureReceiptRequest(_message.Message):
    __slots__ = ("tenant_id", "receipt_id")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_ID_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    receipt_id: str
    def __init__(self, tenant_id: _Optional[str] = ..., receipt_id: _Optional[str] = ...) -> None: ...

class GetErasureReceiptResponse(_message.Message):
    __slots__ = ("receipt",)
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    receipt: _audit_pb2.ErasureReceipt
    def __init__(self, receipt: _Optional[_Union[_audit_pb2.ErasureReceipt, _Mapping]] = ...) -> None: ...

class GetSigningKeysRequest(_message.Message):
    __slots__ = ("tenant_id",)
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    def __init__(self, tenant_id: _Optional[str] = ...) -> None: ...

class GetSigningKeysResponse(_message.Message):
    __slots__ = ("signing_keys",)
    SIGNING_KEYS_FIELD_NUMBER: _ClassVar[int]
    signing_keys: _containers.RepeatedCompositeFieldContainer[_audit_pb2.SigningKey]
    def __init__(self, signing_keys: _Optional[_Iterable[_Union[_audit_pb2.SigningKey, _Mapping]]] = ...) -> None: ...
