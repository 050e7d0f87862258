"""Tenants and the API keys that open them."""

import enum
from dataclasses import dataclass
from datetime import datetime


class Plan(enum.StrEnum):
    """How many memories per person are kept."""

    COMMUNITY = "COMMUNITY"
    CLINIC = "CLINIC"
    ENTERPRISE = "ENTERPRISE"


class MetadataType(enum.StrEnum):
    """The type of a declared metadata field."""

    STRING = "STRING"
    NUMBER = "NUMBER"
    BOOL = "BOOL"
    TIMESTAMP = "TIMESTAMP"


class ApiKeyRole(enum.StrEnum):
    """What a key may do."""

    OPERATOR = "OPERATOR"
    WRITER = "WRITER"
    READER = "READER"
    AUDITOR = "AUDITOR"


@dataclass(frozen=True, slots=True)
class MetadataField:
    """A declared metadata field; only those with enable_match can be filtered on."""

    name: str
    type: MetadataType
    enable_match: bool


@dataclass(frozen=True, slots=True)
class Tenant:
    """A tenant's settings."""

    tenant_id: str
    plan: Plan
    metadata_schema: tuple[MetadataField, ...]
    default_end_user_id: str
    initial_trust: float
    infer_default: bool
    allow_llm: bool
    create_time: datetime
    update_time: datetime


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """What one store of a tenant holds."""

    memories: int
    chunks: int
    bytes: int
    queued: int


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key without its secret. Operator keys belong to no tenant: tenant_id is ""."""

    tenant_id: str
    key_id: str
    role: ApiKeyRole
    create_time: datetime
    expire_time: datetime | None
    revoked: bool

    def valid_at(self, now: datetime) -> bool:
        """Neither revoked nor expired."""
        return not self.revoked and (self.expire_time is None or now < self.expire_time)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the key's id, role and tenant ("" for an operator or an open server)."""

    key_id: str
    role: ApiKeyRole
    tenant_id: str
