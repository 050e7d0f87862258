"""Settings of tenants and what keys are made of."""

import re
from collections.abc import Sequence
from datetime import datetime

from google.protobuf.timestamp_pb2 import Timestamp

from rapport.v1.tenant_pb2 import MetadataField as FieldMessage
from rapport.v1.tenant_service_pb2 import CreateTenantRequest
from rapport_server.domain.filters import FREE_KEYS, RESERVED
from rapport_server.domain.limits import METADATA_FIELDS_MAX
from rapport_server.domain.tenants import MetadataField, Plan, Tenant
from rapport_server.rpc.convert.enums import METADATA_TYPE, PLAN
from rapport_server.rpc.validate.check import Check

_NAME = re.compile(r"[A-Za-z0-9_]{1,64}", re.ASCII)


def new_tenant(check: Check, request: CreateTenantRequest, now: datetime) -> Tenant:
    """A tenant as asked for; its times are the database's in the end."""
    check.not_yet("infer_default", request.infer_default)
    return Tenant(
        check.identifier("tenant_id", request.tenant_id),
        plan(check, request.plan),
        metadata_schema(check, request.metadata_schema),
        default_person(check, request.default_end_user_id),
        initial_trust(check, request.initial_trust),
        request.infer_default,
        request.allow_llm,
        now,
        now,
    )


def plan(check: Check, given: int) -> Plan:
    """How much is kept."""
    return PLAN.of(check, "plan", given)


def default_person(check: Check, given: str) -> str:
    """The person meant by an empty end_user_id, or empty."""
    return check.identifier("default_end_user_id", given, required=False)


def initial_trust(check: Check, given: float) -> float:
    """The trust that a stranger starts with."""
    return check.number("initial_trust", given, 0, 1)


def metadata_schema(check: Check, given: Sequence[FieldMessage]) -> tuple[MetadataField, ...]:
    """The declared fields."""
    check.count("metadata_schema", given, METADATA_FIELDS_MAX)
    names: set[str] = set()
    fields = []
    for number, entry in enumerate(given[:METADATA_FIELDS_MAX]):
        path = f"metadata_schema[{number}]"
        if not _NAME.fullmatch(entry.name):
            check.bad(f"{path}.name", "must be 1 to 64 letters, digits and underscores")
        elif entry.name in RESERVED or entry.name in FREE_KEYS:
            check.bad(f"{path}.name", "is a reserved key")
        elif entry.name in names:
            check.bad(f"{path}.name", "is declared twice")
        names.add(entry.name)
        kind = METADATA_TYPE.of(check, f"{path}.type", entry.type)
        fields.append(MetadataField(entry.name, kind, entry.enable_match))
    return tuple(fields)


def expire_time(check: Check, given: Timestamp, now: datetime) -> datetime | None:
    """When a key ends, which must be yet to come."""
    time = check.time("expire_time", given)
    if time is not None and time <= now:
        check.bad("expire_time", "must be in the future")
    return time
