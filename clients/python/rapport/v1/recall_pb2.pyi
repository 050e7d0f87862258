import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from rapport.v1 import memory_pb2 as _memory_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RecallMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RECALL_MODE_UNSPECIFIED: _ClassVar[RecallMode]
    RECALL_MODE_FAST: _ClassVar[RecallMode]
    RECALL_MODE_THINKING: _ClassVar[RecallMode]

class MatchStrength(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MATCH_STRENGTH_UNSPECIFIED: _ClassVar[MatchStrength]
    MATCH_STRENGTH_STRONG: _ClassVar[MatchStrength]
    MATCH_STRENGTH_MODERATE: _ClassVar[MatchStrength]
    MATCH_STRENGTH_WEAK: _ClassVar[MatchStrength]
RECALL_MODE_UNSPECIFIED: RecallMode
RECALL_MODE_FAST: RecallMode
RECALL_MODE_THINKING: RecallMode
MATCH_STRENGTH_UNSPECIFIED: MatchStrength
MATCH_STRENGTH_STRONG: MatchStrength
MATCH_STRENGTH_MODERATE: MatchStrength
MATCH_STRENGTH_WEAK: MatchStrength

class ScoreParts(_message.Message):
    __slots__ = ("semantic", "window", "lexical", "speaker", "recency", "relation", "rerank")
    SEMANTIC_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    LEXICAL_FIELD_NUMBER: _ClassVar[int]
    SPEAKER_FIELD_NUMBER: _ClassVar[int]
    RECENCY_FIELD_NUMBER: _ClassVar[int]
    RELATION_FIELD_NUMBER: _ClassVar[int]
    RERANK_FIELD_NUMBER: _ClassVar[int]
    semantic: float
    window: float
    lexical: float
    speaker: float
    recency: float
    relation: float
    rerank: float
    def __init__(self, semantic: _Optional[float] = ..., window: _Optional[float] = ..., lexical: _Optional[float] = ..., speaker: _Optional[float] = ..., recency: _Optional[float] = ..., relation: _Optional[float] = ..., rerank: _Optional[float] = ...) -> None: ...

class RecallNeighbor(_message.Message):
    __slots__ = ("source_id", "chunk_index", "offset", "text", "speaker", "timestamp")
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    CHUNK_INDEX_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    SPEAKER_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    source_id: str
    chunk_index: int
    offset: int
    text: str
    speaker: str
    timestamp: _timestamp_pb2.Timestamp
    def __init__(self, source_id: _Optional[str] = ..., chunk_index: _Optional[int] = ..., offset: _Optional[int] = ..., text: _Optional[str] = ..., speaker: _Optional[str] = ..., timestamp: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class RecallHit(_message.Message):
    __slots__ = ("source_id", "end_user_id", "chunk_index", "text", "title", "store", "kind", "similarity", "score", "score_parts", "match_strength", "match_reasons", "timestamp", "expires_at", "channel", "session_id", "metadata", "additional_metadata", "inferred_from", "duplicate_source_ids", "linked_from", "neighbors")
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    CHUNK_INDEX_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    STORE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SIMILARITY_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    SCORE_PARTS_FIELD_NUMBER: _ClassVar[int]
    MATCH_STRENGTH_FIELD_NUMBER: _ClassVar[int]
    MATCH_REASONS_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    ADDITIONAL_METADATA_FIELD_NUMBER: _ClassVar[int]
    INFERRED_FROM_FIELD_NUMBER: _ClassVar[int]
    DUPLICATE_SOURCE_IDS_FIELD_NUMBER: _ClassVar[int]
    LINKED_FROM_FIELD_NUMBER: _ClassVar[int]
    NEIGHBORS_FIELD_NUMBER: _ClassVar[int]
    source_id: str
    end_user_id: str
    chunk_index: int
    text: str
    title: str
    store: _memory_pb2.Store
    kind: _memory_pb2.MemoryKind
    similarity: float
    score: float
    score_parts: ScoreParts
    match_strength: MatchStrength
    match_reasons: _containers.RepeatedScalarFieldContainer[str]
    timestamp: _timestamp_pb2.Timestamp
    expires_at: _timestamp_pb2.Timestamp
    channel: str
    session_id: str
    metadata: _struct_pb2.Struct
    additional_metadata: _struct_pb2.Struct
    inferred_from: str
    duplicate_source_ids: _containers.RepeatedScalarFieldContainer[str]
    linked_from: _containers.RepeatedScalarFieldContainer[str]
    neighbors: _containers.RepeatedCompositeFieldContainer[RecallNeighbor]
    def __init__(self, source_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., chunk_index: _Optional[int] = ..., text: _Optional[str] = ..., title: _Optional[str] = ..., store: _Optional[_Union[_memory_pb2.Store, str]] = ..., kind: _Optional[_Union[_memory_pb2.MemoryKind, str]] = ..., similarity: _Optional[float] = ..., score: _Optional[float] = ..., score_parts: _Optional[_Union[ScoreParts, _Mapping]] = ..., match_strength: _Optional[_Union[MatchStrength, str]] = ..., match_reasons: _Optional[_Iterable[str]] = ..., timestamp: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., channel: _Optional[str] = ..., session_id: _Optional[str] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., additional_metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., inferred_from: _Optional[str] = ..., duplicate_source_ids: _Optional[_Iterable[str]] = ..., linked_from: _Optional[_Iterable[str]] = ..., neighbors: _Optional[_Iterable[_Union[RecallNeighbor, _Mapping]]] = ...) -> None: ...

class GraphNode(_message.Message):
    __slots__ = ("id", "kind", "label")
    ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    id: str
    kind: str
    label: str
    def __init__(self, id: _Optional[str] = ..., kind: _Optional[str] = ..., label: _Optional[str] = ...) -> None: ...

class GraphEdge(_message.Message):
    __slots__ = ("from_id", "to_id", "kind", "evidence_source_id")
    FROM_ID_FIELD_NUMBER: _ClassVar[int]
    TO_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    from_id: str
    to_id: str
    kind: str
    evidence_source_id: str
    def __init__(self, from_id: _Optional[str] = ..., to_id: _Optional[str] = ..., kind: _Optional[str] = ..., evidence_source_id: _Optional[str] = ...) -> None: ...

class GraphPath(_message.Message):
    __slots__ = ("node_ids",)
    NODE_IDS_FIELD_NUMBER: _ClassVar[int]
    node_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, node_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class GraphContext(_message.Message):
    __slots__ = ("nodes", "edges", "paths")
    NODES_FIELD_NUMBER: _ClassVar[int]
    EDGES_FIELD_NUMBER: _ClassVar[int]
    PATHS_FIELD_NUMBER: _ClassVar[int]
    nodes: _containers.RepeatedCompositeFieldContainer[GraphNode]
    edges: _containers.RepeatedCompositeFieldContainer[GraphEdge]
    paths: _containers.RepeatedCompositeFieldContainer[GraphPath]
    def __init__(self, nodes: _Optional[_Iterable[_Union[GraphNode, _Mapping]]] = ..., edges: _Optional[_Iterable[_Union[GraphEdge, _Mapping]]] = ..., paths: _Optional[_Iterable[_Union[GraphPath, _Mapping]]] = ...) -> None: ...

class RecallTiming(_message.Message):
    __slots__ = ("embed_ms", "search_ms", "fetch_ms", "total_ms")
    EMBED_MS_FIELD_NUMBER: _ClassVar[int]
    SEARCH_MS_FIELD_NUMBER: _ClassVar[int]
    FETCH_MS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_MS_FIELD_NUMBER: _ClassVar[int]
    embed_ms: float
    search_ms: float
    fetch_ms: float
    total_ms: float
    def __init__(self, embed_ms: _Optional[float] = ..., search_ms: _Optional[float] = ..., fetch_ms: _Optional[float] = ..., total_ms: _Optional[float] = ...) -> None: ...
