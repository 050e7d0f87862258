from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class ListOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LIST_ORDER_UNSPECIFIED: _ClassVar[ListOrder]
    LIST_ORDER_NEWEST: _ClassVar[ListOrder]
    LIST_ORDER_OLDEST: _ClassVar[ListOrder]
LIST_ORDER_UNSPECIFIED: ListOrder
LIST_ORDER_NEWEST: ListOrder
LIST_ORDER_OLDEST: ListOrder
