import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from rapport.v1 import analysis_pb2 as _analysis_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MessageRole(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MESSAGE_ROLE_UNSPECIFIED: _ClassVar[MessageRole]
    MESSAGE_ROLE_USER: _ClassVar[MessageRole]
    MESSAGE_ROLE_ASSISTANT: _ClassVar[MessageRole]
MESSAGE_ROLE_UNSPECIFIED: MessageRole
MESSAGE_ROLE_USER: MessageRole
MESSAGE_ROLE_ASSISTANT: MessageRole

class Message(_message.Message):
    __slots__ = ("interaction_id", "role", "text", "channel", "session_id", "occurred_at", "detected_emotions", "intent")
    INTERACTION_ID_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    OCCURRED_AT_FIELD_NUMBER: _ClassVar[int]
    DETECTED_EMOTIONS_FIELD_NUMBER: _ClassVar[int]
    INTENT_FIELD_NUMBER: _ClassVar[int]
    interaction_id: str
    role: MessageRole
    text: str
    channel: str
    session_id: str
    occurred_at: _timestamp_pb2.Timestamp
    detected_emotions: _containers.RepeatedCompositeFieldContainer[_analysis_pb2.DetectedEmotion]
    intent: _analysis_pb2.Intent
    def __init__(self, interaction_id: _Optional[str] = ..., role: _Optional[_Union[MessageRole, str]] = ..., text: _Optional[str] = ..., channel: _Optional[str] = ..., session_id: _Optional[str] = ..., occurred_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., detected_emotions: _Optional[_Iterable[_Union[_analysis_pb2.DetectedEmotion, _Mapping]]] = ..., intent: _Optional[_Union[_analysis_pb2.Intent, str]] = ...) -> None: ...

class ConversationTurn(_message.Message):
    __slots__ = ("role", "content")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    role: MessageRole
    content: str
    def __init__(self, role: _Optional[_Union[MessageRole, str]] = ..., content: _Optional[str] = ...) -> None: ...
