"""Request messages from plain Python values.

datetime, timedelta, seconds, dicts and enum names become Timestamp, Duration, Struct, nested messages and
enum values. Whatever does not fit its field is a TypeError or ValueError that names the field: nothing is
dropped, rounded or guessed.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias, TypeVar

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct
from google.protobuf.timestamp_pb2 import Timestamp

TimeInput: TypeAlias = datetime | Timestamp
DurationInput: TypeAlias = float | timedelta | Duration
StructInput: TypeAlias = Mapping[str, object] | Struct
FieldMaskInput: TypeAlias = Sequence[str] | FieldMask

MessageT = TypeVar("MessageT", bound=Message)

# Struct holds numbers as doubles: a larger integer would arrive as another one.
INTEGER_MAX = 2**53

_INTEGER, _NUMBER = "an int", "a number"
_NEEDED = {
    FieldDescriptor.CPPTYPE_STRING: "a str",
    FieldDescriptor.CPPTYPE_BOOL: "a bool",
    FieldDescriptor.CPPTYPE_ENUM: "a name or number of the enum",
    FieldDescriptor.CPPTYPE_INT32: _INTEGER,
    FieldDescriptor.CPPTYPE_INT64: _INTEGER,
    FieldDescriptor.CPPTYPE_UINT32: _INTEGER,
    FieldDescriptor.CPPTYPE_UINT64: _INTEGER,
    FieldDescriptor.CPPTYPE_FLOAT: _NUMBER,
    FieldDescriptor.CPPTYPE_DOUBLE: _NUMBER,
}


def build(kind: type[MessageT], fields: Mapping[str, object], path: str = "") -> MessageT:
    """A message with these fields; None means unset."""
    message = kind()
    fill(message, fields, path)
    return message


def fill(message: Message, fields: Mapping[str, object], path: str = "") -> None:
    """Set fields of a message from Python values."""
    known = message.DESCRIPTOR.fields_by_name
    for name, value in fields.items():
        at = f"{path}.{name}" if path else name
        if name not in known:
            raise TypeError(f"{at}: {message.DESCRIPTOR.name} has no such field")
        if value is None:
            continue
        if known[name].is_repeated:
            _fill_repeated(message, known[name], value, at)
        elif known[name].message_type is not None:
            set_message(getattr(message, name), value, at)
        else:
            _set_scalar(message, known[name], value, at)


def _fill_repeated(message: Message, field: Any, value: object, at: str) -> None:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise TypeError(f"{at}: a list is needed, not {type(value).__name__}")
    target = getattr(message, field.name)
    for index, item in enumerate(value):
        place = f"{at}[{index}]"
        if field.message_type is not None:
            set_message(target.add(), item, place)
        else:
            _checked(target.append, field, item, place)


def set_message(target: Message, value: object, at: str) -> None:
    """Copy a Python value into a nested message, which is then set even if it is empty."""
    target.SetInParent()
    if isinstance(value, Message):
        if value.DESCRIPTOR is not target.DESCRIPTOR:
            raise TypeError(f"{at}: {target.DESCRIPTOR.name} is needed, not {type(value).__name__}")
        target.CopyFrom(value)
    elif isinstance(target, Timestamp):
        _set_time(target, value, at)
    elif isinstance(target, Duration):
        _set_duration(target, value, at)
    elif isinstance(target, FieldMask):
        fill(target, {"paths": value}, at)
    elif isinstance(target, Struct):
        _set_struct(target, value, at)
    elif isinstance(value, str) and target.DESCRIPTOR.name == "MemoryItem":
        fill(target, {"text": value}, at)
    elif isinstance(value, Mapping):
        fill(target, value, at)
    else:
        name = target.DESCRIPTOR.name
        raise TypeError(
            f"{at}: {name} or a dict of its fields is needed, not {type(value).__name__}"
        )


def _set_struct(target: Struct, value: object, at: str) -> None:
    try:
        target.update(_json_object(value, at))  # type: ignore[arg-type]
    except UnicodeEncodeError as error:
        raise ValueError(f"{at}: {error}") from None


def _set_time(target: Timestamp, value: object, at: str) -> None:
    if not isinstance(value, datetime):
        raise TypeError(f"{at}: a datetime is needed, not {type(value).__name__}")
    if value.tzinfo is None:
        raise ValueError(
            f"{at}: the datetime has no time zone; give it one, as datetime.now(UTC) has"
        )
    target.FromDatetime(value)


def _set_duration(target: Duration, value: object, at: str) -> None:
    if isinstance(value, timedelta):
        target.FromTimedelta(value)
    elif isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        target.FromNanoseconds(round(value * 1e9))
    else:
        raise TypeError(f"{at}: seconds or a timedelta are needed, not {value!r}")


def _set_scalar(message: Message, field: Any, value: object, at: str) -> None:
    if field.enum_type is not None and isinstance(value, str):
        value = _enum_number(field.enum_type, value, at)
    _checked(lambda given: setattr(message, field.name, given), field, value, at)


def _checked(put: Callable[[Any], object], field: Any, value: object, at: str) -> None:
    """Hand a value to protobuf, whose own type and range errors do not name the field."""
    try:
        put(value)
    except TypeError:
        needed = _NEEDED[field.cpp_type]
        raise TypeError(f"{at}: {needed} is needed, not {type(value).__name__}") from None
    except ValueError as error:
        raise ValueError(f"{at}: {error}") from None


def _enum_number(enum: EnumDescriptor, name: str, at: str) -> int:
    """The value of `STORE_KNOWLEDGE`, `KNOWLEDGE` or `knowledge`."""
    prefix = enum.values[0].name.removesuffix("UNSPECIFIED")
    upper = name.upper()
    found = enum.values_by_name.get(upper) or enum.values_by_name.get(prefix + upper)
    if found is None:
        names = ", ".join(value.name.removeprefix(prefix) for value in enum.values[1:])
        raise ValueError(f"{at}: {name!r} is not one of {names}")
    return found.number


def _json_object(value: object, at: str) -> dict[str, object]:
    if not isinstance(value, Mapping):
        raise TypeError(f"{at}: a dict is needed, not {type(value).__name__}")
    for key in value:
        if not isinstance(key, str):
            raise TypeError(f"{at}: the key {key!r} is not a string")
    return {key: _json_value(item, f"{at}.{key}") for key, item in value.items()}


def _json_value(value: object, at: str) -> object:
    """A value as Struct takes it; times become RFC 3339 strings in UTC."""
    if value is None or isinstance(value, str | bool | float):
        return value
    if isinstance(value, int):
        if abs(value) > INTEGER_MAX:
            raise ValueError(f"{at}: {value} is too large for a JSON number; give it as a string")
        return value
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{at}: the datetime has no time zone")
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, Mapping):
        return _json_object(value, at)
    if isinstance(value, list | tuple):
        return [_json_value(item, f"{at}[{index}]") for index, item in enumerate(value)]
    raise TypeError(f"{at}: {type(value).__name__} is no JSON value")
