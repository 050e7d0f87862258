"""From an exception to a status with details: ErrorInfo always, violations and RetryInfo where they belong."""

from collections.abc import Mapping

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc.code_pb2 import Code  # type: ignore[import-untyped]
from google.rpc.error_details_pb2 import (  # type: ignore[import-untyped]
    BadRequest,
    ErrorInfo,
    RetryInfo,
)
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]

from rapport_server.domain.limits import REPLY_BYTES_MAX
from rapport_server.errors import (
    AlreadyExists,
    Erased,
    Internal,
    InvalidArgument,
    NotFound,
    PageTokenInvalid,
    PermissionDenied,
    RapportError,
    ReplyTooLarge,
    RequestIdReused,
    ResourceExhausted,
    Unavailable,
    Unimplemented,
)
from rapport_server.rpc.call import Call

DOMAIN = "rapport"
DETAILS_KEY = "grpc-status-details-bin"
# Status and details together must fit the 8 KiB of metadata that clients accept by default: base64 takes a third more,
# and the message travels twice, once with its bytes outside ASCII as three characters each.
MESSAGE_BYTES_MAX = 400
VIOLATIONS_BYTES_MAX = 2_500
DESCRIPTION_CHARS_MAX = 160
FIELD_CHARS_MAX = 100

# What names a thing in the request that asked for it.
_ID_FIELDS = {
    "memory": "source_id",
    "interaction": "interaction_id",
    "reply": "interaction_id",
    "tenant": "tenant_id",
    "api_key": "key_id",
    "receipt": "receipt_id",
    "person_relation": "person_relation_id",
    "trigger": "trigger_id",
}
_ID_CHARS_MAX = 256


def status_code(error: RapportError) -> grpc.StatusCode:
    """The gRPC code of a leaf."""
    return grpc.StatusCode[error.code]


def unwrapped(error: BaseException) -> BaseException:
    """The one exception that speaks for a group: a fault that nobody expected before a leaf of the error tree."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    leaves = [unwrapped(inner) for inner in error.exceptions]
    return next((leaf for leaf in leaves if not isinstance(leaf, RapportError)), leaves[0])


def details(error: RapportError, call: Call) -> bytes:
    """The serialised google.rpc.Status of an error."""
    status = Status(code=Code.Value(error.code), message=message_of(error))
    info = ErrorInfo(reason=error.reason, domain=DOMAIN, metadata=_metadata(error, call))
    _add(status, info)
    if isinstance(error, InvalidArgument):
        _add(status, _bad_request(error))
    if isinstance(error, ResourceExhausted | Unavailable) and error.retry_s is not None:
        delay = Duration()
        delay.FromNanoseconds(int(error.retry_s * 1e9))
        _add(status, RetryInfo(retry_delay=delay))
    return bytes(status.SerializeToString())


def message_of(error: RapportError) -> str:
    """The public message, cut where it would be too long for a header."""
    raw = error.message.encode()
    if len(raw) <= MESSAGE_BYTES_MAX:
        return error.message
    return raw[:MESSAGE_BYTES_MAX].decode(errors="ignore") + " …"


def _bad_request(error: InvalidArgument) -> Message:
    """As many violations as there is room for, at least the first."""
    bad = BadRequest()
    for violation in error.violations:
        bad.field_violations.add(
            field=violation.field[:FIELD_CHARS_MAX],
            description=violation.description[:DESCRIPTION_CHARS_MAX],
        )
        if bad.ByteSize() > VIOLATIONS_BYTES_MAX:
            break
    return bad  # type: ignore[no-any-return]


def _add(status: Status, detail: Message) -> None:
    packed = AnyMessage()
    packed.Pack(detail)
    status.details.append(packed)


def _metadata(error: RapportError, call: Call) -> Mapping[str, str]:
    """The keys that the contract shows beside each reason, and whatever the leaf carries itself."""
    metadata = dict(error.metadata)
    match error:
        case RequestIdReused():
            metadata["request_id"] = getattr(call.request, "request_id", "")
        case PageTokenInvalid():
            metadata["field"] = "page_token"
        case InvalidArgument():
            metadata.setdefault("field", error.violations[0].field[:FIELD_CHARS_MAX])
        case PermissionDenied():
            metadata |= {"role": call.caller.role.value, "rpc": call.rpc}
        case NotFound() | AlreadyExists():
            metadata |= _named(error.resource, call)
        case Erased():
            metadata.setdefault("resource", "end_user")
        case Unimplemented():
            metadata.pop("feature", None)
            metadata["rpc" if error.feature == call.rpc else "field"] = error.feature
        case ReplyTooLarge():
            metadata["max_bytes"] = str(REPLY_BYTES_MAX)
        case Internal():
            metadata["request_id"] = call.request_id
    return metadata


def _named(resource: str, call: Call) -> dict[str, str]:
    field = _ID_FIELDS.get(resource, "")
    given = getattr(call.request, field, "") if field else ""
    return {field: given[:_ID_CHARS_MAX]} if given else {}
