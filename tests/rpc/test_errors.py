"""Every leaf of the error tree leaves as the contract says, whatever the kind of RPC."""

import asyncio
import logging

import grpc.aio
import pytest
import structlog

from rapport.v1.errors_pb2 import ErrorReason
from rapport_server import errors
from rapport_server.obs import logs
from tests.fix_server import Script
from tests.rpc.wire import refused, request_of

MEMORY = {"resource": "memory", "source_id": "note-17"}
# By leaf: an instance, its code, its metadata.
LEAVES = {
    errors.InvalidArgument: (
        errors.InvalidArgument("a.b", "is bad"),
        "INVALID_ARGUMENT",
        {"field": "a.b"},
    ),
    errors.RequestIdReused: (errors.RequestIdReused(), "INVALID_ARGUMENT", {"request_id": ""}),
    errors.PageTokenInvalid: (
        errors.PageTokenInvalid(),
        "INVALID_ARGUMENT",
        {"field": "page_token"},
    ),
    errors.Unauthenticated: (errors.Unauthenticated(), "UNAUTHENTICATED", {}),
    errors.PermissionDenied: (
        errors.PermissionDenied(),
        "PERMISSION_DENIED",
        {"role": "WRITER", "rpc": "GetMemory"},
    ),
    errors.NotFound: (errors.NotFound("memory"), "NOT_FOUND", MEMORY),
    errors.AlreadyExists: (errors.AlreadyExists("memory"), "ALREADY_EXISTS", MEMORY),
    errors.Unimplemented: (errors.Unimplemented("infer"), "UNIMPLEMENTED", {"field": "infer"}),
    errors.Erased: (errors.Erased(), "ABORTED", {"resource": "end_user"}),
    errors.Conflict: (errors.Conflict(), "ABORTED", {}),
    errors.FailedPrecondition: (errors.FailedPrecondition(), "FAILED_PRECONDITION", {}),
    errors.LlmNotConfigured: (errors.LlmNotConfigured(), "FAILED_PRECONDITION", {}),
    errors.LlmNotAllowed: (errors.LlmNotAllowed(), "FAILED_PRECONDITION", {}),
    errors.ResourceExhausted: (
        errors.ResourceExhausted(retry_s=2.5, limit="embed_queue", max="4096"),
        "RESOURCE_EXHAUSTED",
        {"limit": "embed_queue", "max": "4096"},
    ),
    errors.ReplyTooLarge: (errors.ReplyTooLarge(), "RESOURCE_EXHAUSTED", {"max_bytes": "3145728"}),
    errors.Unavailable: (
        errors.Unavailable(component="database"),
        "UNAVAILABLE",
        {"component": "database"},
    ),
    errors.LlmFailed: (
        errors.LlmFailed(interaction_id="i"),
        "UNAVAILABLE",
        {"interaction_id": "i"},
    ),
    errors.DeadlineExceeded: (
        errors.DeadlineExceeded(step="embed"),
        "DEADLINE_EXCEEDED",
        {"step": "embed"},
    ),
    errors.Internal: (errors.Internal(), "INTERNAL", {"request_id": "rid-1"}),
    errors.EmbeddingFailed: (
        errors.EmbeddingFailed(model="m"),
        "INTERNAL",
        {"model": "m", "request_id": "rid-1"},
    ),
}
REQUEST = request_of("GetMemory", end_user_id="maya", source_id="note-17")


def subclasses(kind: type) -> set[type]:
    return {kind} | {leaf for child in kind.__subclasses__() for leaf in subclasses(child)}


def test_the_table_covers_every_leaf():
    inner = {errors.RapportError, errors.Aborted}
    assert set(LEAVES) == subclasses(errors.RapportError) - inner


def test_every_reason_is_one_of_the_contract():
    for leaf in LEAVES:
        assert f"ERROR_REASON_{leaf.reason}" in ErrorReason.keys()  # noqa: SIM118


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.__name__)
async def test_a_leaf_leaves_with_code_reason_and_metadata(
    leaf: type[errors.RapportError], script: Script, grpc_channel: grpc.aio.Channel
):
    error, code, metadata = LEAVES[leaf]
    script.answers["reads.memory"] = error
    key = (("authorization", "Bearer WRITER:clinic"), ("x-request-id", "rid-1"))
    refusal = await refused(grpc_channel, "GetMemory", REQUEST, key)
    assert refusal.code == code
    assert refusal.info.reason == leaf.reason
    assert dict(refusal.info.metadata) == metadata
    assert refusal.message == error.message
    assert bool(refusal.violations) == isinstance(error, errors.InvalidArgument)
    retries = isinstance(error, errors.ResourceExhausted | errors.Unavailable)
    assert refusal.retry_s == (error.retry_s if retries else None)
    assert refusal.request_id == "rid-1"


async def test_an_unexpected_exception_is_internal_and_tells_nothing(
    script: Script, grpc_channel: grpc.aio.Channel
):
    script.answers["reads.memory"] = ValueError("SELECT secret FROM /var/lib")
    refusal = await refused(grpc_channel, "GetMemory", REQUEST)
    assert (refusal.code, refusal.info.reason) == ("INTERNAL", "INTERNAL")
    assert refusal.info.metadata["request_id"] == refusal.request_id
    assert "secret" not in refusal.message


async def test_a_group_speaks_with_its_leaf(script: Script, grpc_channel: grpc.aio.Channel):
    group = ExceptionGroup("g", [ExceptionGroup("h", [errors.Erased()])])
    script.answers["reads.memory"] = group
    assert (await refused(grpc_channel, "GetMemory", REQUEST)).info.reason == "ERASED"


async def test_a_group_with_a_fault_is_internal(script: Script, grpc_channel: grpc.aio.Channel):
    script.answers["reads.memory"] = ExceptionGroup("g", [errors.Erased(), KeyError("x")])
    assert (await refused(grpc_channel, "GetMemory", REQUEST)).info.reason == "INTERNAL"


async def test_a_stream_that_fails_on_its_way_ends_with_details(
    script: Script, grpc_channel: grpc.aio.Channel
):
    async def watch():
        await asyncio.sleep(0)
        raise errors.Unavailable(component="database")
        yield

    script.answers["processing.watch"] = watch()
    request = request_of("WatchProcessing", end_user_id="maya", source_ids=["a"])
    refusal = await refused(grpc_channel, "WatchProcessing", request)
    assert (refusal.code, refusal.info.reason) == ("UNAVAILABLE", "UNAVAILABLE")


async def test_many_violations_still_fit_the_metadata(grpc_channel: grpc.aio.Channel):
    request = request_of("VerifyProcessing", end_user_id="é" * 300, source_ids=["é" * 300] * 1000)
    refusal = await refused(grpc_channel, "VerifyProcessing", request)
    assert refusal.code == "INVALID_ARGUMENT"
    assert "source_ids[0]" in refusal.violations


def test_the_log_of_a_fault_holds_its_stack_and_not_its_message(tmp_path):
    path = tmp_path / "log"
    root = logging.getLogger()
    before = root.handlers[:], root.level
    with path.open("w") as stream:
        try:
            logs.configure("json", "info", stream)
            try:
                raise ValueError("what the person said")
            except ValueError:
                logging.getLogger("rapport.test").exception("fault")
        finally:
            root.handlers[:], level = before
            root.setLevel(level)
            structlog.reset_defaults()
    text = path.read_text()
    assert "ValueError" in text
    assert "test_errors.py" in text
    assert "what the person said" not in text
