from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Intent(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    INTENT_UNSPECIFIED: _ClassVar[Intent]
    INTENT_GREETING: _ClassVar[Intent]
    INTENT_FAREWELL: _ClassVar[Intent]
    INTENT_GRATITUDE: _ClassVar[Intent]
    INTENT_INFORMATION_REQUEST: _ClassVar[Intent]
    INTENT_TASK_REQUEST: _ClassVar[Intent]
    INTENT_SMALL_TALK: _ClassVar[Intent]
    INTENT_COMPLAINT: _ClassVar[Intent]
    INTENT_FEEDBACK: _ClassVar[Intent]
    INTENT_CORRECTION: _ClassVar[Intent]
    INTENT_EMOTIONAL_SUPPORT: _ClassVar[Intent]
    INTENT_MEMORY_REQUEST: _ClassVar[Intent]
    INTENT_CRISIS: _ClassVar[Intent]

class AnalysisOrigin(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ANALYSIS_ORIGIN_UNSPECIFIED: _ClassVar[AnalysisOrigin]
    ANALYSIS_ORIGIN_NONE: _ClassVar[AnalysisOrigin]
    ANALYSIS_ORIGIN_LOCAL: _ClassVar[AnalysisOrigin]
    ANALYSIS_ORIGIN_LLM: _ClassVar[AnalysisOrigin]
    ANALYSIS_ORIGIN_CALLER: _ClassVar[AnalysisOrigin]
    ANALYSIS_ORIGIN_MIXED: _ClassVar[AnalysisOrigin]
INTENT_UNSPECIFIED: Intent
INTENT_GREETING: Intent
INTENT_FAREWELL: Intent
INTENT_GRATITUDE: Intent
INTENT_INFORMATION_REQUEST: Intent
INTENT_TASK_REQUEST: Intent
INTENT_SMALL_TALK: Intent
INTENT_COMPLAINT: Intent
INTENT_FEEDBACK: Intent
INTENT_CORRECTION: Intent
INTENT_EMOTIONAL_SUPPORT: Intent
INTENT_MEMORY_REQUEST: Intent
INTENT_CRISIS: Intent
ANALYSIS_ORIGIN_UNSPECIFIED: AnalysisOrigin
ANALYSIS_ORIGIN_NONE: AnalysisOrigin
ANALYSIS_ORIGIN_LOCAL: AnalysisOrigin
ANALYSIS_ORIGIN_LLM: AnalysisOrigin
ANALYSIS_ORIGIN_CALLER: AnalysisOrigin
ANALYSIS_ORIGIN_MIXED: AnalysisOrigin

class DetectedEmotion(_message.Message):
    __slots__ = ("label", "score")
    LABEL_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    label: str
    score: float
    def __init__(self, label: _Optional[str] = ..., score: _Optional[float] = ...) -> None: ...

class Analysis(_message.Message):
    __slots__ = ("detected_emotions", "intent", "mood_delta", "shouting", "crisis", "crisis_phrase", "origin", "field_origins")
    class FieldOriginsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: AnalysisOrigin
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[AnalysisOrigin, str]] = ...) -> None: ...
    DETECTED_EMOTIONS_FIELD_NUMBER: _ClassVar[int]
    INTENT_FIELD_NUMBER: _ClassVar[int]
    MOOD_DELTA_FIELD_NUMBER: _ClassVar[int]
    SHOUTING_FIELD_NUMBER: _ClassVar[int]
    CRISIS_FIELD_NUMBER: _ClassVar[int]
    CRISIS_PHRASE_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    FIELD_ORIGINS_FIELD_NUMBER: _ClassVar[int]
    detected_emotions: _containers.RepeatedCompositeFieldContainer[DetectedEmotion]
    intent: Intent
    mood_delta: float
    shouting: bool
    crisis: bool
    crisis_phrase: str
    origin: AnalysisOrigin
    field_origins: _containers.ScalarMap[str, AnalysisOrigin]
    def __init__(self, detected_emotions: _Optional[_Iterable[_Union[DetectedEmotion, _Mapping]]] = ..., intent: _Optional[_Union[Intent, str]] = ..., mood_delta: _Optional[float] = ..., shouting: bool = ..., crisis: bool = ..., crisis_phrase: _Optional[str] = ..., origin: _Optional[_Union[AnalysisOrigin, str]] = ..., field_origins: _Optional[_Mapping[str, AnalysisOrigin]] = ...) -> None: ...

class Signals(_message.Message):
    __slots__ = ("detected_emotions", "intent", "mood_delta", "shouting", "crisis", "crisis_phrase")
    DETECTED_EMOTIONS_FIELD_NUMBER: _ClassVar[int]
    INTENT_FIELD_NUMBER: _ClassVar[int]
    MOOD_DELTA_FIELD_NUMBER: _ClassVar[int]
    SHOUTING_FIELD_NUMBER: _ClassVar[int]
    CRISIS_FIELD_NUMBER: _ClassVar[int]
    CRISIS_PHRASE_FIELD_NUMBER: _ClassVar[int]
    detected_emotions: _containers.RepeatedCompositeFieldContainer[DetectedEmotion]
    intent: Intent
    mood_delta: float
    shouting: bool
    crisis: bool
    crisis_phrase: str
    def __init__(self, detected_emotions: _Optional[_Iterable[_Union[DetectedEmotion, _Mapping]]] = ..., intent: _Optional[_Union[Intent, str]] = ..., mood_delta: _Optional[float] = ..., shouting: bool = ..., crisis: bool = ..., crisis_phrase: _Optional[str] = ...) -> None: ...
