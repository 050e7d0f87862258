import datetime

from google.protobuf import field_mask_pb2 as _field_mask_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from rapport.v1 import tenant_pb2 as _tenant_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CreateTenantRequest(_message.Message):
    __slots__ = ("tenant_id", "request_id", "plan", "metadata_schema", "default_end_user_id", "initial_trust", "infer_default", "allow_llm")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    METADATA_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    INITIAL_TRUST_FIELD_NUMBER: _ClassVar[int]
    INFER_DEFAULT_FIELD_NUMBER: _ClassVar[int]
    ALLOW_LLM_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    request_id: str
    plan: _tenant_pb2.Plan
    metadata_schema: _containers.RepeatedCompositeFieldContainer[_tenant_pb2.MetadataField]
    default_end_user_id: str
    initial_trust: float
    infer_default: bool
    allow_llm: bool
    def __init__(self, tenant_id: _Optional[str] = ..., request_id: _Optional[str] = ..., plan: _Optional[_Union[_tenant_pb2.Plan, str]] = ..., metadata_schema: _Optional[_Iterable[_Union[_tenant_pb2.MetadataField, _Mapping]]] = ..., default_end_user_id: _Optional[str] = ..., initial_trust: _Optional[float] = ..., infer_default: bool = ..., allow_llm: bool = ...) -> None: ...

class CreateTenantResponse(_message.Message):
    __slots__ = ("tenant",)
    TENANT_FIELD_NUMBER: _ClassVar[int]
    tenant: _tenant_pb2.Tenant
    def __init__(self, tenant: _Optional[_Union[_tenant_pb2.Tenant, _Mapping]] = ...) -> None: ...

class GetTenantRequest(_message.Message):
    __slots__ = ("tenant_id",)
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    def __init__(self, tenant_id: _Optional[str] = ...) -> None: ...

class GetTenantResponse(_message.Message):
    __slots__ = ("tenant",)
    TENANT_FIELD_NUMBER: _ClassVar[int]
    tenant: _tenant_pb2.Tenant
    def __init__(self, tenant: _Optional[_Union[_tenant_pb2.Tenant, _Mapping]] = ...) -> None: ...

class ListTenantsRequest(_message.Message):
    __slots__ = ("tenant_id", "page_size", "page_token")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    page_size: int
    page_token: str
    def __init__(self, tenant_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListTenantsResponse(_message.Message):
    __slots__ = ("tenants", "next_page_token")
    TENANTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tenants: _containers.RepeatedCompositeFieldContainer[_tenant_pb2.Tenant]
    next_page_token: str
    def __init__(self, tenants: _Optional[_Iterable[_Union[_tenant_pb2.Tenant, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class UpdateTenantRequest(_message.Message):
    __slots__ = ("tenant_id", "request_id", "plan", "metadata_schema", "default_end_user_id", "initial_trust", "infer_default", "allow_llm", "update_mask")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    METADATA_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_END_USER_ID_FIELD_NUMBER: _ClassVar[int]
    INITIAL_TRUST_FIELD_NUMBER: _ClassVar[int]
    INFER_DEFAULT_FIELD_NUMBER: _ClassVar[int]
    ALLOW_LLM_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    request_id: str
    plan: _tenant_pb2.Plan
    metadata_schema: _containers.RepeatedCompositeFieldContainer[_tenant_pb2.MetadataField]
    default_end_user_id: str
    initial_trust: float
    infer_default: bool
    allow_llm: bool
    update_mask: _field_mask_pb2.FieldMask
    def __init__(self, tenant_id: _Optional[str] = ..., request_id: _Optional[str] = ..., plan: _Optional[_Union[_tenant_pb2.Plan, str]] = ..., metadata_schema: _Optional[_Iterable[_Union[_tenant_pb2.MetadataField, _Mapping]]] = ..., default_end_user_id: _Optional[str] = ..., initial_trust: _Optional[float] = ..., infer_default: bool = ..., allow_llm: bool = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping]] = ...) -> None: ...

class UpdateTenantResponse(_message.Message):
    __slots__ = ("tenant",)
    TENANT_FIELD_NUMBER: _ClassVar[int]
    tenant: _tenant_pb2.Tenant
    def __init__(self, tenant: _Optional[_Union[_tenant_pb2.Tenant, _Mapping]] = ...) -> None: ...

class DeleteTenantRequest(_message.Message):
    __slots__ = ("tenant_id", "request_id", "allow_missing")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    request_id: str
    allow_missing: bool
    def __init__(self, tenant_id: _Optional[str] = ..., request_id: _Optional[str] = ..., allow_missing: bool = ...) -> None: ...

class DeleteTenantResponse(_message.Message):
    __slots__ = ("deleted_count", "end_users_erased")
    DELETED_COUNT_FIELD_NUMBER: _ClassVar[int]
    END_USERS_ERASED_FIELD_NUMBER: _ClassVar[int]
    deleted_count: int
    end_users_erased: int
    def __init__(self, deleted_count: _Optional[int] = ..., end_users_erased: _Optional[int] = ...) -> None: ...

class ListEndUsersRequest(_message.Message):
    __slots__ = ("tenant_id", "assignment", "page_size", "page_token")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    ASSIGNMENT_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    assignment: str
    page_size: int
    page_token: str
    def __init__(self, tenant_id: _Optional[str] = ..., assignment: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListEndUsersResponse(_message.Message):
    __slots__ = ("end_users", "next_page_token")
    END_USERS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    end_users: _containers.RepeatedCompositeFieldContainer[_tenant_pb2.EndUser]
    next_page_token: str
    def __init__(self, end_users: _Optional[_Iterable[_Union[_tenant_pb2.EndUser, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class CreateApiKeyRequest(_message.Message):
    __slots__ = ("tenant_id", "request_id", "role", "expire_time")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    request_id: str
    role: _tenant_pb2.ApiKeyRole
    expire_time: _timestamp_pb2.Timestamp
    def __init__(self, tenant_id: _Optional[str] = ..., request_id: _Optional[str] = ..., role: _Optional[_Union[_tenant_pb2.ApiKeyRole, str]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CreateApiKeyResponse(_message.Message):
    __slots__ = ("api_key", "secret")
    API_KEY_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    api_key: _tenant_pb2.ApiKey
    secret: str
    def __init__(self, api_key: _Optional[_Union[_tenant_pb2.ApiKey, _Mapping]] = ..., secret: _Optional[str] = ...) -> None: ...

class ListApiKeysRequest(_message.Message):
    __slots__ = ("tenant_id", "page_size", "page_token")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    page_size: int
    page_token: str
    def __init__(self, tenant_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListApiKeysResponse(_message.Message):
    __slots__ = ("api_keys", "next_page_token")
    API_KEYS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    api_keys: _containers.RepeatedCompositeFieldContainer[_tenant_pb2.ApiKey]
    next_page_token: str
    def __init__(self, api_keys: _Optional[_Iterable[_Union[_tenant_pb2.ApiKey, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RevokeApiKeyRequest(_message.Message):
    __slots__ = ("tenant_id", "request_id", "key_id")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    request_id: str
    key_id: str
    def __init__(self, tenant_id: _Optional[str] = ..., request_id: _Optional[str] = ..., key_id: _Optional[str] = ...) -> None: ...

class RevokeApiKeyResponse(_message.Message):
    __slots__ = ("api_key",)
    API_KEY_FIELD_NUMBER: _ClassVar[int]
    api_key: _tenant_pb2.ApiKey
    def __init__(self, api_key: _Optional[_Union[_tenant_pb2.ApiKey, _Mapping]] = ...) -> None: ...

class ListQueueRequest(_message.Message):
    __slots__ = ("tenant_id", "page_size", "page_token")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    page_size: int
    page_token: str
    def __init__(self, tenant_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListQueueResponse(_message.Message):
    __slots__ = ("queue", "next_page_token")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    queue: _containers.RepeatedCompositeFieldContainer[_tenant_pb2.QueueItem]
    next_page_token: str
    def __init__(self, queue: _Optional[_Iterable[_Union[_tenant_pb2.QueueItem, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RunSweepRequest(_message.Message):
    __slots__ = ("tenant_id", "request_id")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    request_id: str
    def __init__(self, tenant_id: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class RunSweepResponse(_message.Message):
    __slots__ = ("expired_count", "retention_count")
    EXPIRED_COUNT_FIELD_NUMBER: _ClassVar[int]
    RETENTION_COUNT_FIELD_NUMBER: _ClassVar[int]
    expired_count: int
    retention_count: int
    def __init__(self, expired_count: _Optional[int] = ..., retention_count: _Optional[int] = ...) -> None: ...
