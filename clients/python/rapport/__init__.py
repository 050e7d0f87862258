"""Rapport: relational memory for AI agents. `Client` for blocking code, `AsyncClient` for asyncio."""

from rapport import messages
from rapport.client import AsyncClient, Client
from rapport.errors import (
    AbortedError,
    AlreadyExistsError,
    CallCancelledError,
    DeadlineExceededError,
    FailedPreconditionError,
    FieldViolation,
    InternalError,
    InvalidArgumentError,
    NotFoundError,
    PermissionDeniedError,
    RapportError,
    ResourceExhaustedError,
    UnauthenticatedError,
    UnavailableError,
    UnimplementedError,
)
from rapport.messages import *  # noqa: F403 - every message and enum of the contract
from rapport.receipts import receipt_payload
from rapport.streams import AsyncPager, AsyncStream, Pager, Stream

__all__ = [
    "AbortedError",
    "AlreadyExistsError",
    "AsyncClient",
    "AsyncPager",
    "AsyncStream",
    "CallCancelledError",
    "Client",
    "DeadlineExceededError",
    "FailedPreconditionError",
    "FieldViolation",
    "InternalError",
    "InvalidArgumentError",
    "NotFoundError",
    "Pager",
    "PermissionDeniedError",
    "RapportError",
    "ResourceExhaustedError",
    "Stream",
    "UnauthenticatedError",
    "UnavailableError",
    "UnimplementedError",
    "receipt_payload",
]
__all__ += messages.__all__
