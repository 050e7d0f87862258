"""The items of AddMemory: each becomes a draft, or the fault that refuses it alone."""

import uuid
from datetime import datetime
from typing import Any

from rapport.v1.memory_pb2 import MemoryItem
from rapport_server.commands.add_memory import Item, ItemFault
from rapport_server.domain.limits import (
    EXPIRY_S_MAX,
    INSTRUCTIONS_BYTES_MAX,
    NAME_BYTES_MAX,
    PAIRS_MAX,
    TEXT_BYTES_MAX,
    TITLE_BYTES_MAX,
)
from rapport_server.domain.memories import MemoryDraft, Pair, rendered
from rapport_server.domain.tenants import Tenant
from rapport_server.rpc.validate import json
from rapport_server.rpc.validate.check import Check

NAMES = ("user_name", "speaker", "channel", "session_id")


def item(index: int, given: MemoryItem, tenant: Tenant, now: datetime) -> Item:
    """The item as the command takes it; one without an id is given one."""
    check = Check(f"memories[{index}].")
    check.identifier("source_id", given.source_id, required=False)
    known = not check.violations
    fields = _fields(check, given, tenant, now)
    source_id = given.source_id if known else ""
    if check.violations:
        worst = check.violations[0]
        return Item(
            source_id,
            fault=ItemFault("INVALID_ARGUMENT", f"{worst.field} {worst.description}", worst.field),
        )
    if check.absent:
        path = check.absent[0]
        return Item(
            source_id,
            fault=ItemFault("UNIMPLEMENTED", f"{path} is not implemented in this version", path),
        )
    source_id = source_id or str(uuid.uuid4())
    return Item(source_id, MemoryDraft(source_id, **fields))


def infers(given: MemoryItem, tenant: Tenant) -> bool:
    """Whether statements are to be derived, the tenant's default applied."""
    return given.infer if given.HasField("infer") else tenant.infer_default


def _fields(check: Check, given: MemoryItem, tenant: Tenant, now: datetime) -> dict[str, Any]:
    pairs = _content(check, given)
    infer = infers(given, tenant)
    check.not_yet("infer", infer)
    check.not_yet("is_markdown", given.is_markdown)
    check.text("custom_instructions", given.custom_instructions, INSTRUCTIONS_BYTES_MAX)
    if given.custom_instructions and not infer:
        check.bad("custom_instructions", "need infer")
    relations = given.relations
    check.not_yet(
        "relations",
        bool(relations.source_ids or relations.properties.fields or relations.allow_unresolved),
    )
    fields: dict[str, Any] = {
        name: check.text(name, getattr(given, name), NAME_BYTES_MAX) for name in NAMES
    }
    if given.HasField("metadata"):
        fields["metadata"] = json.declared(
            check, "metadata", given.metadata, tenant.metadata_schema
        )
    if given.HasField("additional_metadata"):
        fields["additional_metadata"] = json.plain(
            check, "additional_metadata", given.additional_metadata
        )
    if given.HasField("occurred_at"):
        fields["occurred_at"] = check.past("occurred_at", given.occurred_at, now)
    return fields | {
        "text": rendered(pairs, "") if pairs else given.text,
        "pairs": pairs,
        "title": check.text("title", given.title, TITLE_BYTES_MAX),
        "expiry_s": check.integer("expiry_time", given.expiry_time, 0, EXPIRY_S_MAX),
        "time_zone": check.time_zone("time_zone", given.time_zone),
        "pinned": given.pinned,
        "infer": infer,
    }


def _content(check: Check, given: MemoryItem) -> tuple[Pair, ...]:
    """The exchanges, if there are any; exactly one of them and `text` must be given."""
    if given.text and given.user_assistant_pairs:
        check.bad("text", "and user_assistant_pairs must not both be given")
        return ()
    if not given.user_assistant_pairs:
        check.text("text", given.text, TEXT_BYTES_MAX, required=True)
        return ()
    field = "user_assistant_pairs"
    if len(given.user_assistant_pairs) > PAIRS_MAX:
        check.bad(field, f"must have at most {PAIRS_MAX:,} entries")
        return ()
    pairs = tuple(Pair(pair.user, pair.assistant) for pair in given.user_assistant_pairs)
    for number, pair in enumerate(pairs):
        check.text(f"{field}[{number}].user", pair.user, TEXT_BYTES_MAX, required=True)
        check.text(f"{field}[{number}].assistant", pair.assistant, TEXT_BYTES_MAX)
    if (
        sum(len(pair.user.encode()) + len(pair.assistant.encode()) for pair in pairs)
        > TEXT_BYTES_MAX
    ):
        check.bad(field, f"must have at most {TEXT_BYTES_MAX:,} bytes in all")
    return pairs
