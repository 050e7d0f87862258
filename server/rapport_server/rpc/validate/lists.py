"""What lists are asked for: pages, times, order."""

from typing import Any, Protocol

from google.protobuf.timestamp_pb2 import Timestamp

from rapport.v1.memory_service_pb2 import ListMemoriesRequest, ListMessagesRequest
from rapport_server.commands.reads import MemoryQuery, MessageQuery
from rapport_server.domain.limits import NAME_BYTES_MAX, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX
from rapport_server.domain.storage import TimeRange
from rapport_server.domain.tenants import Tenant
from rapport_server.rpc.convert.enums import LIST_ORDER, MEMORY_KIND, Order
from rapport_server.rpc.validate.check import Check
from rapport_server.rpc.validate.person import scope, stored_scope
from rapport_server.rpc.validate.recall import filters


class Timed(Protocol):
    """A request with `start_time` and `end_time`."""

    @property
    def start_time(self) -> Timestamp:
        """From this time on."""
        ...

    @property
    def end_time(self) -> Timestamp:
        """Until before this time."""
        ...

    def HasField(self, field_name: Any, /) -> bool:  # noqa: N802
        """Whether it is set."""
        ...


def page_size(check: Check, given: int) -> int:
    """0 means the default, too much is coerced, negative is a violation."""
    if given < 0:
        check.bad("page_size", "must not be negative")
    return min(given or PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX)


def times(check: Check, request: Timed) -> TimeRange:
    """From `start_time` to before `end_time`; unset ends are open."""
    start = check.time("start_time", request.start_time) if request.HasField("start_time") else None
    end = check.time("end_time", request.end_time) if request.HasField("end_time") else None
    if start is not None and end is not None and end <= start:
        check.bad("end_time", "must be after start_time")
    return TimeRange(start, end)


def newest_first(check: Check, order: int) -> bool:
    """The order of a list by time."""
    return LIST_ORDER.of(check, "order", order) is Order.NEWEST


def memory_query(check: Check, request: ListMemoriesRequest, tenant: Tenant) -> MemoryQuery:
    """Which memories to list."""
    return MemoryQuery(
        stored_scope(check, request, tenant),
        MEMORY_KIND.optional(check, "kind", request.kind),
        check.text("channel", request.channel, NAME_BYTES_MAX),
        check.text("session_id", request.session_id, NAME_BYTES_MAX),
        times(check, request),
        filters(check, request.metadata_filters, tenant),
    )


def message_query(check: Check, request: ListMessagesRequest, tenant: Tenant) -> MessageQuery:
    """Which messages to list."""
    return MessageQuery(
        scope(check, request.end_user_id, tenant),
        newest_first(check, request.order),
        check.text("channel", request.channel, NAME_BYTES_MAX),
        check.text("session_id", request.session_id, NAME_BYTES_MAX),
        times(check, request),
    )
