import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from rapport.v1 import recall_pb2 as _recall_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RecallOptions(_message.Message):
    __slots__ = ("top_k", "min_similarity", "mode")
    TOP_K_FIELD_NUMBER: _ClassVar[int]
    MIN_SIMILARITY_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    top_k: int
    min_similarity: float
    mode: _recall_pb2.RecallMode
    def __init__(self, top_k: _Optional[int] = ..., min_similarity: _Optional[float] = ..., mode: _Optional[_Union[_recall_pb2.RecallMode, str]] = ...) -> None: ...

class RelevantMemory(_message.Message):
    __slots__ = ("source_id", "text", "similarity", "timestamp", "channel", "metadata")
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    SIMILARITY_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    source_id: str
    text: str
    similarity: float
    timestamp: _timestamp_pb2.Timestamp
    channel: str
    metadata: _struct_pb2.Struct
    def __init__(self, source_id: _Optional[str] = ..., text: _Optional[str] = ..., similarity: _Optional[float] = ..., timestamp: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., channel: _Optional[str] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class ProcessMemory(_message.Message):
    __slots__ = ("relevant_memories", "total_stored", "interaction_count", "known_since", "last_seen")
    RELEVANT_MEMORIES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_STORED_FIELD_NUMBER: _ClassVar[int]
    INTERACTION_COUNT_FIELD_NUMBER: _ClassVar[int]
    KNOWN_SINCE_FIELD_NUMBER: _ClassVar[int]
    LAST_SEEN_FIELD_NUMBER: _ClassVar[int]
    relevant_memories: _containers.RepeatedCompositeFieldContainer[RelevantMemory]
    total_stored: int
    interaction_count: int
    known_since: _timestamp_pb2.Timestamp
    last_seen: _timestamp_pb2.Timestamp
    def __init__(self, relevant_memories: _Optional[_Iterable[_Union[RelevantMemory, _Mapping]]] = ..., total_stored: _Optional[int] = ..., interaction_count: _Optional[int] = ..., known_since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., last_seen: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ProcessContext(_message.Message):
    __slots__ = ("system_prompt", "relation_bias", "tone_grudge_modifier")
    SYSTEM_PROMPT_FIELD_NUMBER: _ClassVar[int]
    RELATION_BIAS_FIELD_NUMBER: _ClassVar[int]
    TONE_GRUDGE_MODIFIER_FIELD_NUMBER: _ClassVar[int]
    system_prompt: str
    relation_bias: float
    tone_grudge_modifier: str
    def __init__(self, system_prompt: _Optional[str] = ..., relation_bias: _Optional[float] = ..., tone_grudge_modifier: _Optional[str] = ...) -> None: ...
