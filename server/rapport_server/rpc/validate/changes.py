"""Updates under a mask: which fields change, and to what."""

from collections.abc import Collection, Mapping
from typing import Any

from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message

from rapport.v1.memory_service_pb2 import UpdateMemoryRequest
from rapport.v1.tenant_service_pb2 import UpdateTenantRequest
from rapport_server.commands.update_memory import Changes
from rapport_server.domain.limits import TEXT_BYTES_MAX, TITLE_BYTES_MAX
from rapport_server.domain.tenants import Tenant
from rapport_server.rpc.validate import json
from rapport_server.rpc.validate.check import Check
from rapport_server.rpc.validate.tenants import default_person, initial_trust, metadata_schema, plan

MEMORY_FIELDS = ("title", "text", "metadata", "additional_metadata", "pinned")
TENANT_FIELDS = (
    "plan",
    "metadata_schema",
    "default_end_user_id",
    "initial_trust",
    "infer_default",
    "allow_llm",
)


def memory_changes(check: Check, request: UpdateMemoryRequest, tenant: Tenant) -> Changes:
    """New values of a memory's fields."""
    fields: dict[str, Any] = {}
    for name in _masked(check, request, request.update_mask, MEMORY_FIELDS):
        match name:
            case "title":
                fields[name] = check.text(name, request.title, TITLE_BYTES_MAX)
            case "text":
                fields[name] = check.text(name, request.text, TEXT_BYTES_MAX, required=True)
            case "metadata":
                fields[name] = json.declared(check, name, request.metadata, tenant.metadata_schema)
            case "additional_metadata":
                fields[name] = json.plain(check, name, request.additional_metadata)
            case "pinned":
                fields[name] = request.pinned
    return Changes(fields)


def tenant_changes(check: Check, request: UpdateTenantRequest) -> Mapping[str, Any]:
    """New values of a tenant's settings."""
    fields: dict[str, Any] = {}
    for name in _masked(check, request, request.update_mask, TENANT_FIELDS):
        match name:
            case "plan":
                fields[name] = plan(check, request.plan)
            case "metadata_schema":
                fields[name] = metadata_schema(check, request.metadata_schema)
            case "default_end_user_id":
                fields[name] = default_person(check, request.default_end_user_id)
            case "initial_trust":
                fields[name] = initial_trust(check, request.initial_trust)
            case "infer_default":
                check.not_yet(name, request.infer_default)
                fields[name] = request.infer_default
            case "allow_llm":
                fields[name] = request.allow_llm
    return fields


def _masked(check: Check, request: Message, mask: FieldMask, known: Collection[str]) -> list[str]:
    """The fields that the mask names; without a mask those that are set."""
    paths = list(dict.fromkeys(mask.paths))
    if not paths:
        given = {field.name for field, _ in request.ListFields()}
        paths = [name for name in known if name in given]
        if not paths:
            check.bad("update_mask", "names nothing, and no field is set")
    for number, path in enumerate(paths):
        if path not in known:
            check.bad(f"update_mask.paths[{number}]", f"must be one of {', '.join(known)}")
    return [path for path in paths if path in known]
