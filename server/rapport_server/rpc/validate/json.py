"""google.protobuf.Struct to plain JSON values, and metadata against a tenant's schema."""

import json
import math
import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from google.protobuf.struct_pb2 import Struct, Value

from rapport_server.domain.limits import JSON_DEPTH_MAX, METADATA_BYTES_MAX
from rapport_server.domain.tenants import MetadataField, MetadataType
from rapport_server.rpc.validate.check import Check

Json = dict[str, Any]

# A value takes at most about this many times its JSON bytes on the wire ({"a":1} has 7 and 18), so that what is far too
# large is refused before it is unpacked.
_WIRE_FACTOR = 8
_INTEGERS_TO = 2.0**53
_RFC_3339 = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)


def plain(check: Check, field: str, struct: Struct, bytes_max: int = METADATA_BYTES_MAX) -> Json:
    """The struct as plain JSON values; an empty object in place of a bad one."""
    if struct.ByteSize() > bytes_max * _WIRE_FACTOR:
        check.bad(field, f"must have at most {bytes_max:,} bytes as JSON")
        return {}
    before = len(check.violations)
    value = _object(check, field, struct, 1)
    if len(check.violations) > before:
        return {}
    if len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()) > bytes_max:
        check.bad(field, f"must have at most {bytes_max:,} bytes as JSON")
        return {}
    return value


def declared(check: Check, field: str, struct: Struct, schema: Iterable[MetadataField]) -> Json:
    """Values for the tenant's declared fields, each of its type."""
    values = plain(check, field, struct)
    types = {entry.name: entry.type for entry in schema}
    for name, value in values.items():
        if name not in types:
            check.bad(f"{field}.{name}", "is not a field of the tenant's metadata_schema")
        elif not _fits(value, types[name]):
            check.bad(f"{field}.{name}", f"must be a {types[name].value}")
    return values


def _object(check: Check, field: str, struct: Struct, depth: int) -> Json:
    plain: Json = {}
    for key, value in struct.fields.items():
        if "\0" in key:
            check.bad(field, "must not hold the character U+0000 in a key")
        plain[key] = _value(check, f"{field}.{key}", value, depth)
    return plain


def _value(check: Check, field: str, value: Value, depth: int) -> Any:
    match value.WhichOneof("kind"):
        case "string_value":
            return check.text(field, value.string_value, METADATA_BYTES_MAX)
        case "number_value":
            return _number(check, field, value.number_value)
        case "bool_value":
            return value.bool_value
        case "null_value":
            return None
        case _ if depth >= JSON_DEPTH_MAX:
            check.bad(field, f"is nested deeper than {JSON_DEPTH_MAX} levels")
        case "struct_value":
            return _object(check, field, value.struct_value, depth + 1)
        case "list_value":
            return [
                _value(check, f"{field}[{number}]", entry, depth + 1)
                for number, entry in enumerate(value.list_value.values)
            ]
        case _:
            check.bad(field, "has no value")
    return None


def _number(check: Check, field: str, number: float) -> float | int:
    if not math.isfinite(number):
        check.bad(field, "must be a finite number")
        return 0
    return int(number) if number.is_integer() and abs(number) < _INTEGERS_TO else number


def _fits(value: Any, wanted: MetadataType) -> bool:
    match wanted:
        case MetadataType.STRING:
            return isinstance(value, str)
        case MetadataType.BOOL:
            return isinstance(value, bool)
        case MetadataType.NUMBER:
            return isinstance(value, int | float) and not isinstance(value, bool)
        case MetadataType.TIMESTAMP:
            return isinstance(value, str) and _is_rfc_3339(value)


def _is_rfc_3339(text: str) -> bool:
    if not _RFC_3339.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text.upper())
    except ValueError:
        return False
    return True
