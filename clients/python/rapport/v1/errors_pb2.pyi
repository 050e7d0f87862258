from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ErrorReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERROR_REASON_UNSPECIFIED: _ClassVar[ErrorReason]
    ERROR_REASON_INVALID_ARGUMENT: _ClassVar[ErrorReason]
    ERROR_REASON_REQUEST_ID_REUSED: _ClassVar[ErrorReason]
    ERROR_REASON_PAGE_TOKEN_INVALID: _ClassVar[ErrorReason]
    ERROR_REASON_UNAUTHENTICATED: _ClassVar[ErrorReason]
    ERROR_REASON_PERMISSION_DENIED: _ClassVar[ErrorReason]
    ERROR_REASON_NOT_FOUND: _ClassVar[ErrorReason]
    ERROR_REASON_ALREADY_EXISTS: _ClassVar[ErrorReason]
    ERROR_REASON_UNIMPLEMENTED: _ClassVar[ErrorReason]
    ERROR_REASON_ERASED: _ClassVar[ErrorReason]
    ERROR_REASON_CONFLICT: _ClassVar[ErrorReason]
    ERROR_REASON_RESOURCE_EXHAUSTED: _ClassVar[ErrorReason]
    ERROR_REASON_UNAVAILABLE: _ClassVar[ErrorReason]
    ERROR_REASON_DEADLINE_EXCEEDED: _ClassVar[ErrorReason]
    ERROR_REASON_FAILED_PRECONDITION: _ClassVar[ErrorReason]
    ERROR_REASON_EMBEDDING_FAILED: _ClassVar[ErrorReason]
    ERROR_REASON_REPLY_TOO_LARGE: _ClassVar[ErrorReason]
    ERROR_REASON_LLM_NOT_CONFIGURED: _ClassVar[ErrorReason]
    ERROR_REASON_LLM_NOT_ALLOWED: _ClassVar[ErrorReason]
    ERROR_REASON_LLM_FAILED: _ClassVar[ErrorReason]
    ERROR_REASON_SUPERSEDED_IN_CALL: _ClassVar[ErrorReason]
    ERROR_REASON_WORKER_LOST: _ClassVar[ErrorReason]
    ERROR_REASON_CANCELLED: _ClassVar[ErrorReason]
    ERROR_REASON_INTERNAL: _ClassVar[ErrorReason]
ERROR_REASON_UNSPECIFIED: ErrorReason
ERROR_REASON_INVALID_ARGUMENT: ErrorReason
ERROR_REASON_REQUEST_ID_REUSED: ErrorReason
ERROR_REASON_PAGE_TOKEN_INVALID: ErrorReason
ERROR_REASON_UNAUTHENTICATED: ErrorReason
ERROR_REASON_PERMISSION_DENIED: ErrorReason
ERROR_REASON_NOT_FOUND: ErrorReason
ERROR_REASON_ALREADY_EXISTS: ErrorReason
ERROR_REASON_UNIMPLEMENTED: ErrorReason
ERROR_REASON_ERASED: ErrorReason
ERROR_REASON_CONFLICT: ErrorReason
ERROR_REASON_RESOURCE_EXHAUSTED: ErrorReason
ERROR_REASON_UNAVAILABLE: ErrorReason
ERROR_REASON_DEADLINE_EXCEEDED: ErrorReason
ERROR_REASON_FAILED_PRECONDITION: ErrorReason
ERROR_REASON_EMBEDDING_FAILED: ErrorReason
ERROR_REASON_REPLY_TOO_LARGE: ErrorReason
ERROR_REASON_LLM_NOT_CONFIGURED: ErrorReason
ERROR_REASON_LLM_NOT_ALLOWED: ErrorReason
ERROR_REASON_LLM_FAILED: ErrorReason
ERROR_REASON_SUPERSEDED_IN_CALL: ErrorReason
ERROR_REASON_WORKER_LOST: ErrorReason
ERROR_REASON_CANCELLED: ErrorReason
ERROR_REASON_INTERNAL: ErrorReason

class ItemError(_message.Message):
    __slots__ = ("reason", "message", "field")
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    reason: ErrorReason
    message: str
    field: str
    def __init__(self, reason: _Optional[_Union[ErrorReason, str]] = ..., message: _Optional[str] = ..., field: _Optional[str] = ...) -> None: ...
