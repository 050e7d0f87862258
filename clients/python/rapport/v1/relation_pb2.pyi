import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from rapport.v1 import analysis_pb2 as _analysis_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RelationEventKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RELATION_EVENT_KIND_UNSPECIFIED: _ClassVar[RelationEventKind]
    RELATION_EVENT_KIND_BROKEN_PROMISE: _ClassVar[RelationEventKind]
    RELATION_EVENT_KIND_KEPT_PROMISE: _ClassVar[RelationEventKind]
RELATION_EVENT_KIND_UNSPECIFIED: RelationEventKind
RELATION_EVENT_KIND_BROKEN_PROMISE: RelationEventKind
RELATION_EVENT_KIND_KEPT_PROMISE: RelationEventKind

class Relation(_message.Message):
    __slots__ = ("trust", "sentiment", "grudge", "familiarity", "interaction_count", "known_since", "last_seen", "update_time")
    TRUST_FIELD_NUMBER: _ClassVar[int]
    SENTIMENT_FIELD_NUMBER: _ClassVar[int]
    GRUDGE_FIELD_NUMBER: _ClassVar[int]
    FAMILIARITY_FIELD_NUMBER: _ClassVar[int]
    INTERACTION_COUNT_FIELD_NUMBER: _ClassVar[int]
    KNOWN_SINCE_FIELD_NUMBER: _ClassVar[int]
    LAST_SEEN_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    trust: float
    sentiment: float
    grudge: float
    familiarity: float
    interaction_count: int
    known_since: _timestamp_pb2.Timestamp
    last_seen: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    def __init__(self, trust: _Optional[float] = ..., sentiment: _Optional[float] = ..., grudge: _Optional[float] = ..., familiarity: _Optional[float] = ..., interaction_count: _Optional[int] = ..., known_since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., last_seen: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class RelationEvent(_message.Message):
    __slots__ = ("kind", "note", "occurred_at")
    KIND_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    OCCURRED_AT_FIELD_NUMBER: _ClassVar[int]
    kind: RelationEventKind
    note: str
    occurred_at: _timestamp_pb2.Timestamp
    def __init__(self, kind: _Optional[_Union[RelationEventKind, str]] = ..., note: _Optional[str] = ..., occurred_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class RelationPoint(_message.Message):
    __slots__ = ("occurred_at", "trust", "sentiment", "grudge", "familiarity", "interaction_id", "event_kind", "mood_delta")
    OCCURRED_AT_FIELD_NUMBER: _ClassVar[int]
    TRUST_FIELD_NUMBER: _ClassVar[int]
    SENTIMENT_FIELD_NUMBER: _ClassVar[int]
    GRUDGE_FIELD_NUMBER: _ClassVar[int]
    FAMILIARITY_FIELD_NUMBER: _ClassVar[int]
    INTERACTION_ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_KIND_FIELD_NUMBER: _ClassVar[int]
    MOOD_DELTA_FIELD_NUMBER: _ClassVar[int]
    occurred_at: _timestamp_pb2.Timestamp
    trust: float
    sentiment: float
    grudge: float
    familiarity: float
    interaction_id: str
    event_kind: RelationEventKind
    mood_delta: float
    def __init__(self, occurred_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., trust: _Optional[float] = ..., sentiment: _Optional[float] = ..., grudge: _Optional[float] = ..., familiarity: _Optional[float] = ..., interaction_id: _Optional[str] = ..., event_kind: _Optional[_Union[RelationEventKind, str]] = ..., mood_delta: _Optional[float] = ...) -> None: ...

class PersonRelation(_message.Message):
    __slots__ = ("person_relation_id", "name", "kind", "sentiment", "note", "last_mentioned")
    PERSON_RELATION_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SENTIMENT_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    LAST_MENTIONED_FIELD_NUMBER: _ClassVar[int]
    person_relation_id: str
    name: str
    kind: str
    sentiment: float
    note: str
    last_mentioned: _timestamp_pb2.Timestamp
    def __init__(self, person_relation_id: _Optional[str] = ..., name: _Optional[str] = ..., kind: _Optional[str] = ..., sentiment: _Optional[float] = ..., note: _Optional[str] = ..., last_mentioned: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Trigger(_message.Message):
    __slots__ = ("trigger_id", "description", "due_at", "origin", "source_id", "done")
    TRIGGER_ID_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    DUE_AT_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    DONE_FIELD_NUMBER: _ClassVar[int]
    trigger_id: str
    description: str
    due_at: _timestamp_pb2.Timestamp
    origin: _analysis_pb2.AnalysisOrigin
    source_id: str
    done: bool
    def __init__(self, trigger_id: _Optional[str] = ..., description: _Optional[str] = ..., due_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., origin: _Optional[_Union[_analysis_pb2.AnalysisOrigin, str]] = ..., source_id: _Optional[str] = ..., done: bool = ...) -> None: ...
