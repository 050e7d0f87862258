"""Metadata filters: what a caller may ask for, parsed into conditions that the store turns into SQL.

The grammar: an object, all of whose entries must hold. A value means equality, a list any of its values, an object holds
operators. Nothing is ignored: an unknown key or operator is an error that names its path. `null` is no operand, because it
could mean "absent" or "any": `$exists` says which. A stored null counts as absent.
"""

import enum
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from rapport_server.domain.analysis import Intent
from rapport_server.domain.memories import MemoryKind
from rapport_server.domain.tenants import MetadataField, MetadataType
from rapport_server.errors import InvalidArgument

CONDITIONS_MAX = 64  # more than anybody types; each becomes a part of one SQL statement
LIST_MAX = 1_000  # as many ids as other calls take

RESERVED = {
    "channel": MetadataType.STRING,
    "session_id": MetadataType.STRING,
    "intent": MetadataType.STRING,
    "detected_emotions": MetadataType.STRING,
    "kind": MetadataType.STRING,
    "occurred_at": MetadataType.TIMESTAMP,
}
FREE_KEYS = ("additional_metadata", "document_metadata")


class Source(enum.StrEnum):
    """Where a condition looks: a column of the memory, its declared metadata, or its free metadata."""

    RESERVED = "reserved"
    METADATA = "metadata"
    ADDITIONAL = "additional_metadata"


class Operator(enum.StrEnum):
    """`$ne` and `$nin` also match what is absent; comparisons never do."""

    EQ = "$eq"
    NE = "$ne"
    GT = "$gt"
    GTE = "$gte"
    LT = "$lt"
    LTE = "$lte"
    IN = "$in"
    NIN = "$nin"
    EXISTS = "$exists"


Scalar = str | float | bool | datetime


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison. `operand` is a scalar, a tuple for IN and NIN, a bool for EXISTS; `type` None means a free key."""

    source: Source
    key: str
    type: MetadataType | None
    operator: Operator
    operand: Scalar | tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions that must all hold; none at all hold for everything."""

    conditions: tuple[Condition, ...]


_ROOT = "metadata_filters"
_COMPARISONS = frozenset({Operator.GT, Operator.GTE, Operator.LT, Operator.LTE})
_LISTS = frozenset({Operator.IN, Operator.NIN})
# What a caller may write; equality is written as the bare value.
_WRITTEN = {operator.value: operator for operator in Operator if operator is not Operator.EQ}
_UNORDERED = frozenset({"intent", "detected_emotions", "kind"})
_ENUMS: Mapping[str, tuple[str, frozenset[str]]] = {
    "intent": ("INTENT_", frozenset(intent.value for intent in Intent)),
    "kind": ("MEMORY_KIND_", frozenset(kind.value for kind in MemoryKind)),
}
_RFC_3339 = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)


@dataclass(frozen=True, slots=True)
class _Field:
    """Where a key looks, and what its operands must be."""

    source: Source
    key: str
    type: MetadataType | None
    path: str

    @property
    def ordered(self) -> bool:
        unordered = self.source is Source.RESERVED and self.key in _UNORDERED
        return not unordered and self.type is not MetadataType.BOOL


def parse_filter(raw: Mapping[str, Any], schema: Sequence[MetadataField]) -> Filter:
    """The conditions of `metadata_filters`, given as plain JSON values (numbers as int or float).

    Reserved keys are what they say even where the schema declares the same name. Raises InvalidArgument with the path of
    the first bad key, operator or operand.
    """
    conditions: list[Condition] = []
    for condition in _conditions(raw, schema):
        conditions.append(condition)
        if len(conditions) > CONDITIONS_MAX:
            raise InvalidArgument(_ROOT, f"has more than {CONDITIONS_MAX} conditions")
    return Filter(tuple(conditions))


def _conditions(raw: Mapping[str, Any], schema: Sequence[MetadataField]) -> Iterator[Condition]:
    declared = {field.name: field for field in schema}
    for key, value in raw.items():
        path = f"{_ROOT}.{key}"
        if key in FREE_KEYS:
            yield from _of_free_keys(value, path)
        elif key in RESERVED:
            yield from _of_field(_Field(Source.RESERVED, key, RESERVED[key], path), value)
        elif key not in declared:
            raise InvalidArgument(
                path,
                f"is neither a field of the tenant's schema nor one of {', '.join((*RESERVED, FREE_KEYS[0]))}",
            )
        elif not declared[key].enable_match:
            raise InvalidArgument(path, "is a field without enable_match")
        else:
            yield from _of_field(_Field(Source.METADATA, key, declared[key].type, path), value)


def _of_free_keys(value: Any, path: str) -> Iterator[Condition]:
    if not isinstance(value, Mapping) or not value:
        raise InvalidArgument(path, "must be an object with at least one key")
    for key, operand in value.items():
        inner = f"{path}.{key}"
        if key.startswith("$"):
            raise InvalidArgument(inner, "is an operator where a key must be")
        _require_storable(key, inner)
        yield from _of_field(_Field(Source.ADDITIONAL, key, None, inner), operand)


def _of_field(field: _Field, value: Any) -> Iterator[Condition]:
    if not isinstance(value, Mapping):
        operator = Operator.IN if _is_list(value) else Operator.EQ
        yield _condition(field, operator, value, field.path)
        return
    if not value:
        raise InvalidArgument(field.path, "is an empty object")
    for name, operand in value.items():
        path = f"{field.path}.{name}"
        if name not in _WRITTEN:
            known = " ".join(_WRITTEN)
            raise InvalidArgument(path, f"is not an operator; known are {known}")
        yield _condition(field, _WRITTEN[name], operand, path)


def _condition(field: _Field, operator: Operator, operand: Any, path: str) -> Condition:
    parsed: Scalar | tuple[Scalar, ...]
    if operator is Operator.EXISTS:
        if not isinstance(operand, bool):
            raise InvalidArgument(path, "must be true or false")
        parsed = operand
    elif operator in _LISTS:
        parsed = _operands(field, operand, path)
    else:
        parsed = _operand(field, operand, path)
        if operator in _COMPARISONS and (not field.ordered or isinstance(parsed, bool)):
            raise InvalidArgument(path, "compares values that have no order")
    return Condition(field.source, field.key, field.type, operator, parsed)


def _operands(field: _Field, value: Any, path: str) -> tuple[Scalar, ...]:
    if not _is_list(value) or not 1 <= len(value) <= LIST_MAX:
        raise InvalidArgument(path, f"must be a list of 1 to {LIST_MAX:,} values")
    return tuple(_operand(field, one, f"{path}[{number}]") for number, one in enumerate(value))


def _operand(field: _Field, value: Any, path: str) -> Scalar:
    if value is None:
        raise InvalidArgument(path, "must not be null; use $exists")
    if isinstance(value, Mapping) or _is_list(value):
        raise InvalidArgument(path, "must be a single value")
    scalar = _scalar(value, path)
    match field.type:
        case None:
            return scalar
        case MetadataType.TIMESTAMP:
            return _timestamp(scalar, path)
        case MetadataType.STRING if isinstance(scalar, str):
            return _enum_name(field, scalar, path)
        case MetadataType.BOOL if isinstance(scalar, bool):
            return scalar
        case MetadataType.NUMBER if isinstance(scalar, int | float) and not isinstance(
            scalar, bool
        ):
            return scalar
        case wanted:
            raise InvalidArgument(path, f"must be a {wanted.value}")


def _scalar(value: Any, path: str) -> str | float | bool:
    if isinstance(value, str):
        _require_storable(value, path)
        return value
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        if not math.isfinite(value):
            raise InvalidArgument(path, "must be a finite number")
        return value
    raise InvalidArgument(path, "must be a string, a number or a boolean")


def _timestamp(value: Scalar, path: str) -> datetime:
    if isinstance(value, str) and _RFC_3339.fullmatch(value):
        try:
            return datetime.fromisoformat(value.upper()).astimezone(UTC)
        except (ValueError, OverflowError):
            pass  # falls through to the one error for everything that is no time
    raise InvalidArgument(path, "must be an RFC 3339 time, such as 2025-01-31T09:30:00Z")


def _enum_name(field: _Field, value: str, path: str) -> str:
    """Reserved enum keys take a value's name with or without its prefix; other strings are as they are."""
    if field.source is not Source.RESERVED or field.key not in _ENUMS:
        return value
    prefix, names = _ENUMS[field.key]
    name = value.removeprefix(prefix)
    if name not in names:
        raise InvalidArgument(path, f"must be one of {', '.join(sorted(names))}")
    return name


def _require_storable(text: str, path: str) -> None:
    if "\0" in text:
        raise InvalidArgument(path, "must not hold the character U+0000")


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)
