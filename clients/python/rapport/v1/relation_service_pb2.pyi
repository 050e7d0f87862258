from rapport.v1 import lists_pb2 as _lists_pb2
from rapport.v1 import relation_pb2 as _relation_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetRelationRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ...) -> None: ...

class GetRelationResponse(_message.Message):
    __slots__ = ("relation",)
    RELATION_FIELD_NUMBER: _ClassVar[int]
    relation: _relation_pb2.Relation
    def __init__(self, relation: _Optional[_Union[_relation_pb2.Relation, _Mapping]] = ...) -> None: ...

class ListRelationHistoryRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "order", "page_size", "page_token")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    order: _lists_pb2.ListOrder
    page_size: int
    page_token: str
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., order: _Optional[_Union[_lists_pb2.ListOrder, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListRelationHistoryResponse(_message.Message):
    __slots__ = ("points", "next_page_token")
    POINTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    points: _containers.RepeatedCompositeFieldContainer[_relation_pb2.RelationPoint]
    next_page_token: str
    def __init__(self, points: _Optional[_Iterable[_Union[_relation_pb2.RelationPoint, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RecordEventRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "request_id", "event")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    request_id: str
    event: _relation_pb2.RelationEvent
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., request_id: _Optional[str] = ..., event: _Optional[_Union[_relation_pb2.RelationEvent, _Mapping]] = ...) -> None: ...

class RecordEventResponse(_message.Message):
    __slots__ = ("relation",)
    RELATION_FIELD_NUMBER: _ClassVar[int]
    relation: _relation_pb2.Relation
    def __init__(self, relation: _Optional[_Union[_relation_pb2.Relation, _Mapping]] = ...) -> None: ...

class ListPersonRelationsRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "page_size", "page_token")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    page_size: int
    page_token: str
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListPersonRelationsResponse(_message.Message):
    __slots__ = ("person_relations", "next_page_token")
    PERSON_RELATIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    person_relations: _containers.RepeatedCompositeFieldContainer[_relation_pb2.PersonRelation]
    next_page_token: str
    def __init__(self, person_relations: _Optional[_Iterable[_Union[_relation_pb2.PersonRelation, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class UpsertPersonRelationRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "request_id", "person_relation")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PERSON_RELATION_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    request_id: str
    person_relation: _relation_pb2.PersonRelation
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., request_id: _Optional[str] = ..., person_relation: _Optional[_Union[_relation_pb2.PersonRelation, _Mapping]] = ...) -> None: ...

class UpsertPersonRelationResponse(_message.Message):
    __slots__ = ("person_relation",)
    PERSON_RELATION_FIELD_NUMBER: _ClassVar[int]
    person_relation: _relation_pb2.PersonRelation
    def __init__(self, person_relation: _Optional[_Union[_relation_pb2.PersonRelation, _Mapping]] = ...) -> None: ...

class DeletePersonRelationRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "request_id", "person_relation_id", "allow_missing")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PERSON_RELATION_ID_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    request_id: str
    person_relation_id: str
    allow_missing: bool
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., request_id: _Optional[str] = ..., person_relation_id: _Optional[str] = ..., allow_missing: bool = ...) -> None: ...

class DeletePersonRelationResponse(_message.Message):
    __slots__ = ("deleted_count",)
    DELETED_COUNT_FIELD_NUMBER: _ClassVar[int]
    deleted_count: int
    def __init__(self, deleted_count: _Optional[int] = ...) -> None: ...

class ListTriggersRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "page_size", "page_token")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    page_size: int
    page_token: str
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListTriggersResponse(_message.Message):
    __slots__ = ("triggers", "next_page_token")
    TRIGGERS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    triggers: _containers.RepeatedCompositeFieldContainer[_relation_pb2.Trigger]
    next_page_token: str
    def __init__(self, triggers: _Optional[_Iterable[_Union[_relation_pb2.Trigger, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class UpsertTriggerRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "request_id", "trigger")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    request_id: str
    trigger: _relation_pb2.Trigger
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., request_id: _Optional[str] = ..., trigger: _Optional[_Union[_relation_pb2.Trigger, _Mapping]] = ...) -> None: ...

class UpsertTriggerResponse(_message.Message):
    __slots__ = ("trigger",)
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    trigger: _relation_pb2.Trigger
    def __init__(self, trigger: _Optional[_Union[_relation_pb2.Trigger, _Mapping]] = ...) -> None: ...

class DeleteTriggerRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "request_id", "trigger_id", "allow_missing")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_ID_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    request_id: str
    trigger_id: str
    allow_missing: bool
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., request_id: _Optional[str] = ..., trigger_id: _Optional[str] = ..., allow_missing: bool = ...) -> None: ...

class DeleteTriggerResponse(_message.Message):
    __slots__ = ("deleted_count",)
    DELETED_COUNT_FIELD_NUMBER: _ClassVar[int]
    deleted_count: int
    def __init__(self, deleted_count: _Optional[int] = ...) -> None: ...

class SetAssignmentsRequest(_message.Message):
    __slots__ = ("tenant_id", "end_user_id", "request_id", "assignments")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    ASSIGNMENTS_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    end_user_id: str
    request_id: str
    assignments: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, tenant_id: _Optional[str] = ..., end_user_id: _Optional[str] = ..., request_id: _Optional[str] = ..., assignments: _Optional[_Iterable[str]] = ...) -> None: ...

class SetAssignmentsResponse(_message.Message):
    __slots__ = ("assignments",)
    ASSIGNMENTS_FIELD_NUMBER: _ClassVar[int]
    assignments: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, assignments: _Optional[_Iterable[str]] = ...) -> None: ...
