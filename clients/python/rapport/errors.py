"""What goes wrong in a call: one class per gRPC code, with the server's reason and the bad fields.

RapportError
├── InvalidArgumentError      the request has bad fields: `violations`
├── UnauthenticatedError      no API key, or one that is unknown, expired or revoked
├── PermissionDeniedError     the key's role or tenant does not allow the call
├── NotFoundError             the named thing does not exist
├── AlreadyExistsError        the named thing exists already
├── FailedPreconditionError   the thing is not in the state that the call needs
├── AbortedError              overtaken by other work: reason ERASED or CONFLICT, nothing was written
├── ResourceExhaustedError    a limit is reached; `retry_after` says when to come back
├── UnimplementedError        this version of the server does not have it
├── UnavailableError          the server cannot be reached or cannot serve now
├── DeadlineExceededError     the call's time was up before it was done
├── CallCancelledError        the call was cancelled, or the client closed under it
└── InternalError             a fault of the server; `request_id` finds it in the server's log

What cannot be sent at all, such as a naive datetime or an unknown field, is none of these but a ValueError or
TypeError that names the field. Codes without a class of their own (UNKNOWN, OUT_OF_RANGE, DATA_LOSS) are RapportError itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldViolation:
    """One bad field: its path in the request (`memories[3].text`) and what is wrong with it."""

    field: str
    description: str


class RapportError(Exception):
    """A call failed.

    code: the name of the gRPC code ("NOT_FOUND").
    reason: the name in the contract's ErrorReason ("REQUEST_ID_REUSED"); for an error that did not come
        from a Rapport server, such as a refused connection, the code again.
    message: one sentence for a person.
    violations: the bad fields of an INVALID_ARGUMENT, else empty.
    metadata: details by name, as the contract lists them beside each reason.
    hint: what to change on this side, where the SDK can tell; else empty.
    request_id: the server's own id of the failed call, to be found in its log; empty if it sent none.
    retry_request_id: the request_id that a mutating call was sent with; the same call repeated with it
        within 24 hours is done once. Empty for calls that only read.
    retry_after: seconds after which the server asks to come back; None if it does not say.
    """

    code = "UNKNOWN"

    def __init__(
        self,
        message: str = "",
        *,
        code: str = "",
        reason: str = "",
        violations: Sequence[FieldViolation] = (),
        metadata: Mapping[str, str] | None = None,
        request_id: str = "",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.reason = reason or self.code
        self.violations = tuple(violations)
        self.metadata = dict(metadata or {})
        self.request_id = request_id
        self.retry_request_id = ""
        self.retry_after = retry_after
        self.hint = ""

    def __str__(self) -> str:
        told = f"{self.reason}: {self.message}" if self.message else self.reason
        # Most messages name their details already.
        more = [
            f"{name}={value}" for name, value in self.metadata.items() if value not in self.message
        ]
        told += f" ({', '.join(more)})" if more else ""
        return f"{told} – {self.hint}" if self.hint else told


class InvalidArgumentError(RapportError):
    """The request has bad fields; `violations` names each."""

    code = "INVALID_ARGUMENT"


class UnauthenticatedError(RapportError):
    """There is no API key, or it is unknown, expired or revoked."""

    code = "UNAUTHENTICATED"


class PermissionDeniedError(RapportError):
    """The API key's role or tenant does not allow the call."""

    code = "PERMISSION_DENIED"


class NotFoundError(RapportError):
    """The named thing does not exist in this scope."""

    code = "NOT_FOUND"


class AlreadyExistsError(RapportError):
    """The named thing exists already."""

    code = "ALREADY_EXISTS"


class FailedPreconditionError(RapportError):
    """The thing is not in the state that the call needs, or the server is not set up for it."""

    code = "FAILED_PRECONDITION"


class AbortedError(RapportError):
    """Other work overtook the call and nothing was written; reason ERASED or CONFLICT."""

    code = "ABORTED"


class ResourceExhaustedError(RapportError):
    """A limit of the server is reached."""

    code = "RESOURCE_EXHAUSTED"


class UnimplementedError(RapportError):
    """The server's version does not have the RPC, or the function behind a field that was set."""

    code = "UNIMPLEMENTED"


class UnavailableError(RapportError):
    """The server cannot be reached or cannot serve now, retries included."""

    code = "UNAVAILABLE"


class DeadlineExceededError(RapportError):
    """The time given to the call was up before it was done."""

    code = "DEADLINE_EXCEEDED"


class CallCancelledError(RapportError):
    """The call was cancelled by the server, or the client was closed."""

    code = "CANCELLED"


class InternalError(RapportError):
    """A fault of the server."""

    code = "INTERNAL"


_BY_CODE = {error.code: error for error in RapportError.__subclasses__()}


def from_status(
    code: str, message: str, trailing: Iterable[tuple[str, str | bytes]] | None
) -> RapportError:
    """The error of a failed call, from its code, message and trailing metadata."""
    error = _BY_CODE.get(code, RapportError)(message, code=code)
    for key, value in trailing or ():
        if key == "x-request-id":
            error.request_id = value if isinstance(value, str) else value.decode("ascii", "replace")
        elif key == "grpc-status-details-bin" and isinstance(value, bytes):
            _add_details(error, value)
    return error


def _add_details(error: RapportError, encoded: bytes) -> None:
    """Read a google.rpc.Status into an error; details that are not readable leave it as it is."""
    from google.protobuf.message import DecodeError
    from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]

    info, bad, retry = (
        error_details_pb2.ErrorInfo(),
        error_details_pb2.BadRequest(),
        error_details_pb2.RetryInfo(),
    )
    try:
        for detail in status_pb2.Status.FromString(encoded).details:
            if detail.Unpack(info) and info.domain == "rapport":
                error.reason = info.reason
                error.metadata = dict(info.metadata)
            elif detail.Unpack(bad):
                error.violations = tuple(
                    FieldViolation(one.field, one.description) for one in bad.field_violations
                )
            elif detail.Unpack(retry):
                error.retry_after = max(0.0, retry.retry_delay.ToTimedelta().total_seconds())
    except DecodeError:
        # A proxy's details, or damaged ones: code and message still say what happened.
        return
