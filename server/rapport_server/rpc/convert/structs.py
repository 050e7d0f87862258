"""Plain JSON values to google.protobuf.Struct."""

from collections.abc import Mapping
from typing import Any

from google.protobuf.struct_pb2 import NULL_VALUE, Struct, Value


def to_struct(values: Mapping[str, Any] | None) -> Struct | None:
    """A struct of the values; None for none at all, so that the field stays unset."""
    if not values:
        return None
    struct = Struct()
    _fill(struct, values)
    return struct


def _fill(struct: Struct, values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        _set(struct.fields[key], value)


def _set(target: Value, value: Any) -> None:
    match value:
        case None:
            target.null_value = NULL_VALUE
        case bool():
            target.bool_value = value
        case int() | float():
            target.number_value = value
        case str():
            target.string_value = value
        case Mapping():
            target.struct_value.SetInParent()
            _fill(target.struct_value, value)
        case list() | tuple():
            target.list_value.SetInParent()
            for entry in value:
                _set(target.list_value.values.add(), entry)
        case _:
            raise TypeError(f"{type(value).__name__} is no JSON value")
