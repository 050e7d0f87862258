"""Enums of the contract and of the domain: the same names, with and without the prefix."""

import enum
from typing import Any, Generic, TypeVar

from google.protobuf.descriptor import EnumDescriptor

from rapport.v1 import (
    analysis_pb2,
    audit_pb2,
    lists_pb2,
    memory_pb2,
    message_pb2,
    recall_pb2,
    relation_pb2,
    tenant_pb2,
)
from rapport_server.domain.analysis import AnalysisOrigin, Intent
from rapport_server.domain.audit import AuditEventKind
from rapport_server.domain.erasure import ErasureReason
from rapport_server.domain.memories import IndexingStatus, MatchStrength, MemoryKind, Store
from rapport_server.domain.people import MessageRole
from rapport_server.domain.relation import RelationEventKind
from rapport_server.domain.tenants import ApiKeyRole, MetadataType, Plan
from rapport_server.rpc.validate.check import Check

Member = TypeVar("Member", bound=enum.Enum)


class Order(enum.StrEnum):
    """The order of a list by time."""

    NEWEST = "NEWEST"
    OLDEST = "OLDEST"


class Mode(enum.StrEnum):
    """How much work a recall does."""

    FAST = "FAST"
    THINKING = "THINKING"


class AnyStore(enum.StrEnum):
    """Which stores a call means; only a recall can mean both."""

    MEMORIES = "MEMORIES"
    KNOWLEDGE = "KNOWLEDGE"
    ALL = "ALL"


class Mapped(Generic[Member]):
    """One enum in both worlds. `default` is what UNSPECIFIED means; None: it is no input."""

    def __init__(
        self, descriptor: Any, members: type[Member], default: Member | None = None
    ) -> None:
        enum_descriptor: EnumDescriptor = descriptor.DESCRIPTOR
        values = enum_descriptor.values_by_number
        prefix = values[0].name.removesuffix("UNSPECIFIED")
        self._to: dict[Member, int] = {}
        self._from: dict[int, Member] = {}
        self._default = default
        by_name = {str(member.value): member for member in members}
        for number, value in values.items():
            if member := by_name.get(value.name.removeprefix(prefix)):
                self._to[member] = number
                self._from[number] = member
        if missing := set(by_name.values()) - set(self._to):
            raise LookupError(f"{enum_descriptor.full_name} lacks {missing}")

    def to(self, member: Member | None) -> Any:
        """The number on the wire; None is UNSPECIFIED."""
        return 0 if member is None else self._to[member]

    def of(self, check: Check, field: str, number: int) -> Member:
        """The member that a number means, its default for UNSPECIFIED; a violation for one without meaning."""
        found = self._default if number == 0 else self._from.get(number)
        if found is None:
            check.bad(field, "must be given" if number == 0 else "is not a known value")
            return next(iter(self._to))
        return found

    def optional(self, check: Check, field: str, number: int) -> Member | None:
        """As a filter: UNSPECIFIED does not narrow."""
        return None if number == 0 else self.of(check, field, number)


STORE = Mapped(memory_pb2.Store, AnyStore, AnyStore.MEMORIES)
STORED_IN = Mapped(memory_pb2.Store, Store)
MEMORY_KIND = Mapped(memory_pb2.MemoryKind, MemoryKind)
INDEXING_STATUS = Mapped(memory_pb2.IndexingStatus, IndexingStatus)
MATCH_STRENGTH = Mapped(recall_pb2.MatchStrength, MatchStrength)
RECALL_MODE = Mapped(recall_pb2.RecallMode, Mode, Mode.FAST)
LIST_ORDER = Mapped(lists_pb2.ListOrder, Order, Order.NEWEST)
INTENT = Mapped(analysis_pb2.Intent, Intent)
ANALYSIS_ORIGIN = Mapped(analysis_pb2.AnalysisOrigin, AnalysisOrigin)
MESSAGE_ROLE = Mapped(message_pb2.MessageRole, MessageRole)
RELATION_EVENT_KIND = Mapped(relation_pb2.RelationEventKind, RelationEventKind)
PLAN = Mapped(tenant_pb2.Plan, Plan, Plan.ENTERPRISE)
METADATA_TYPE = Mapped(tenant_pb2.MetadataType, MetadataType)
API_KEY_ROLE = Mapped(tenant_pb2.ApiKeyRole, ApiKeyRole)
AUDIT_EVENT_KIND = Mapped(audit_pb2.AuditEventKind, AuditEventKind)
ERASURE_REASON = Mapped(audit_pb2.ErasureReason, ErasureReason, ErasureReason.USER_REQUEST)
