"""The error tree: one leaf class per ErrorReason of the contract.

RapportError
├── InvalidArgument        INVALID_ARGUMENT      INVALID_ARGUMENT, with field violations
│   ├── RequestIdReused                          REQUEST_ID_REUSED
│   └── PageTokenInvalid                         PAGE_TOKEN_INVALID
├── Unauthenticated        UNAUTHENTICATED       UNAUTHENTICATED
├── PermissionDenied       PERMISSION_DENIED     PERMISSION_DENIED
├── NotFound               NOT_FOUND             NOT_FOUND
├── AlreadyExists          ALREADY_EXISTS        ALREADY_EXISTS
├── Unimplemented          UNIMPLEMENTED         UNIMPLEMENTED
├── Aborted                ABORTED
│   ├── Erased                                   ERASED
│   └── Conflict                                 CONFLICT
├── FailedPrecondition     FAILED_PRECONDITION   FAILED_PRECONDITION
│   ├── LlmNotConfigured                         LLM_NOT_CONFIGURED
│   └── LlmNotAllowed                            LLM_NOT_ALLOWED
├── ResourceExhausted      RESOURCE_EXHAUSTED    RESOURCE_EXHAUSTED
│   └── ReplyTooLarge                            REPLY_TOO_LARGE
├── Unavailable            UNAVAILABLE           UNAVAILABLE
│   └── LlmFailed                                LLM_FAILED
├── DeadlineExceeded       DEADLINE_EXCEEDED     DEADLINE_EXCEEDED
└── Internal               INTERNAL              INTERNAL
    └── EmbeddingFailed                          EMBEDDING_FAILED

SUPERSEDED_IN_CALL, WORKER_LOST and CANCELLED never travel as exceptions: the first two are reasons of single items, the
last is set by the rpc layer when the caller has gone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldViolation:
    """One bad field: its path in the request (`memories[3].text`) and what is wrong with it."""

    field: str
    description: str


class RapportError(Exception):
    """Something went wrong. The message is public: it never holds text, ids of others, SQL or paths."""

    reason = "INTERNAL"
    code = "INTERNAL"

    def __init__(self, message: str | None = None, **metadata: str) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip().splitlines()[0])
        self.metadata: Mapping[str, str] = metadata

    @property
    def message(self) -> str:
        """The public message."""
        return str(self.args[0])


class InvalidArgument(RapportError):
    """The request has a bad field."""

    reason = code = "INVALID_ARGUMENT"

    def __init__(
        self,
        field: str | Sequence[FieldViolation],
        description: str = "is not valid",
        **metadata: str,
    ) -> None:
        violations = (
            (FieldViolation(field, description),) if isinstance(field, str) else tuple(field)
        )
        super().__init__("; ".join(f"{v.field} {v.description}" for v in violations), **metadata)
        self.violations = violations


class RequestIdReused(InvalidArgument):
    """The request_id was used before with another body."""

    reason = "REQUEST_ID_REUSED"

    def __init__(self) -> None:
        super().__init__("request_id", "was used before with another body")


class PageTokenInvalid(InvalidArgument):
    """The page_token is not one of this list with these filters."""

    reason = "PAGE_TOKEN_INVALID"

    def __init__(self) -> None:
        super().__init__("page_token", "is not a token of this list with these filters")


class Unauthenticated(RapportError):
    """The call needs a valid API key in `authorization: Bearer <key>`."""

    reason = code = "UNAUTHENTICATED"


class PermissionDenied(RapportError):
    """The API key does not permit this call."""

    reason = code = "PERMISSION_DENIED"


class NotFound(RapportError):
    """The named thing does not exist."""

    reason = code = "NOT_FOUND"

    def __init__(self, resource: str) -> None:
        super().__init__(f"{resource} does not exist", resource=resource)
        self.resource = resource


class AlreadyExists(RapportError):
    """The thing exists already."""

    reason = code = "ALREADY_EXISTS"

    def __init__(self, resource: str) -> None:
        super().__init__(f"{resource} exists already", resource=resource)
        self.resource = resource


class Unimplemented(RapportError):
    """This version does not have the function."""

    reason = code = "UNIMPLEMENTED"

    def __init__(self, feature: str) -> None:
        super().__init__(f"{feature} is not implemented in this version", feature=feature)
        self.feature = feature


class Aborted(RapportError):
    """The work was overtaken by other work."""

    code = "ABORTED"


class Erased(Aborted):
    """The person was erased after this call was first sent; nothing of it is stored."""

    reason = "ERASED"


class Conflict(Aborted):
    """Other work on the same rows won; call again."""

    reason = "CONFLICT"


class FailedPrecondition(RapportError):
    """The system is not in the state that the call needs."""

    reason = code = "FAILED_PRECONDITION"


class LlmNotConfigured(FailedPrecondition):
    """No language model endpoint is configured."""

    reason = "LLM_NOT_CONFIGURED"


class LlmNotAllowed(FailedPrecondition):
    """The tenant does not allow text to be sent to a language model."""

    reason = "LLM_NOT_ALLOWED"


class ResourceExhausted(RapportError):
    """A limit was reached; call again later or with less."""

    reason = code = "RESOURCE_EXHAUSTED"

    def __init__(
        self, message: str | None = None, *, retry_s: float = 1.0, **metadata: str
    ) -> None:
        super().__init__(message, **metadata)
        self.retry_s = retry_s


class ReplyTooLarge(ResourceExhausted):
    """The answer would be over 3 MiB; ask for less."""

    reason = "REPLY_TOO_LARGE"


class Unavailable(RapportError):
    """The server cannot answer right now; call again."""

    reason = code = "UNAVAILABLE"

    def __init__(
        self, message: str | None = None, *, retry_s: float | None = 1.0, **metadata: str
    ) -> None:
        super().__init__(message, **metadata)
        self.retry_s = retry_s


class LlmFailed(Unavailable):
    """The language model endpoint failed.

    retry_s is None where the same would fail again, as with a wrong key.
    """

    reason = "LLM_FAILED"


class DeadlineExceeded(RapportError):
    """The call's deadline passed."""

    reason = code = "DEADLINE_EXCEEDED"


class Internal(RapportError):
    """Something broke inside the server; the log has the details under the request id."""

    reason = code = "INTERNAL"


class EmbeddingFailed(Internal):
    """The embedding model gave no usable vector for the text."""

    reason = "EMBEDDING_FAILED"


# Not the fault of what was worked on: the same will work later.
PASSING = (Unavailable, ResourceExhausted, DeadlineExceeded, Conflict)
