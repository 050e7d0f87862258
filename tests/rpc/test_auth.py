"""Who may call what, and in which tenant."""

from collections.abc import Callable
from typing import Any

import grpc
import grpc.aio
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from rapport_server.domain.tenants import ApiKeyRole
from rapport_server.rpc.roles import ROLES
from rapport_server.rpc.server import RpcServer
from tests.fix_server import HASHER, TENANT, Script, key_of
from tests.rpc.wire import METHODS, Refusal, ask, path_of, refused, request_of

READS = {
    "VerifyProcessing", "WatchProcessing", "Recall", "GetMemory", "ListMemories", "ListMessages",
    "WatchEndUser", "GetRelation", "ListRelationHistory", "ListPersonRelations", "ListTriggers",
    "ListKnowledge",
}  # fmt: skip
WRITABLE = {"MemoryService", "RelationService", "KnowledgeService"}
ABSENT = {
    "ImportMemories", "ExportEndUser", "AddKnowledge", "ListKnowledge", "DeleteKnowledge",
}  # fmt: skip


def allowed(rpc: str, role: str) -> bool:
    """The contract's sentence, written another way than the table."""
    service = METHODS[rpc].containing_service.name
    match role:
        case "OPERATOR":
            return True
        case "AUDITOR":
            return service == "AuditService" or rpc == "ListQueue"
        case "WRITER":
            return service in WRITABLE or rpc == "ListEndUsers"
        case _:
            return rpc in READS | {"ListEndUsers"}


def test_the_table_has_every_rpc_and_no_other():
    assert set(ROLES) == {path_of(method) for method in METHODS.values()}


async def test_a_role_may_call_what_the_contract_gives_it(grpc_channel: grpc.aio.Channel):
    # The requests are bad on purpose: who is told so may call.
    for rpc in METHODS:
        for role in ApiKeyRole.__members__:
            request = request_of(rpc)
            if hasattr(request, "page_size"):
                request.page_size = -1
            if rpc in {"VerifyAuditLog", "GetSigningKeys"} and role == "AUDITOR":
                continue  # nothing about them can be wrong
            refusal = await refused(grpc_channel, rpc, request, key_of(role))
            assert (refusal.info.reason != "PERMISSION_DENIED") == allowed(rpc, role), (rpc, role)
            if not allowed(rpc, role):
                assert dict(refusal.info.metadata) == {"role": role, "rpc": rpc}


@pytest.mark.parametrize(
    "metadata",
    [
        (),
        (("authorization", ""),),
        (("authorization", "Bearer"),),
        (("authorization", "Bearer nobody:clinic"),),
        (("authorization", "Bearer WRITER:clinic"), ("authorization", "Bearer WRITER:clinic")),
        (("authorization", "Bearer " + "x" * 600),),
    ],
)
async def test_every_call_needs_a_key(metadata: Any, grpc_channel: grpc.aio.Channel):
    for rpc in METHODS:
        refusal = await refused(grpc_channel, rpc, request_of(rpc), metadata)
        assert (refusal.code, refusal.info.reason) == ("UNAUTHENTICATED", "UNAUTHENTICATED"), rpc


async def test_what_this_version_lacks_is_unimplemented_by_name(grpc_channel: grpc.aio.Channel):
    for rpc in ABSENT:
        refusal = await refused(grpc_channel, rpc, request_of(rpc), key_of("OPERATOR"))
        assert (refusal.code, refusal.info.reason) == ("UNIMPLEMENTED", "UNIMPLEMENTED")
        assert dict(refusal.info.metadata) == {"rpc": rpc}


async def test_health_needs_no_key(grpc_channel: grpc.aio.Channel):
    stub = health_pb2_grpc.HealthStub(grpc_channel)
    reply = await stub.Check(health_pb2.HealthCheckRequest())
    assert reply.status == health_pb2.HealthCheckResponse.SERVING


@pytest.mark.parametrize(
    ("role", "tenant_id", "reason"),
    [
        ("WRITER", "", None),
        ("WRITER", "clinic", None),
        ("WRITER", "shared", "PERMISSION_DENIED"),
        ("WRITER", "nowhere", "PERMISSION_DENIED"),
        ("WRITER", "Clinic", "PERMISSION_DENIED"),
        ("OPERATOR", "", "INVALID_ARGUMENT"),
        ("OPERATOR", "clinic", None),
        ("OPERATOR", "nowhere", "NOT_FOUND"),
    ],
)
async def test_a_call_works_in_the_tenant_of_its_key(
    role: str, tenant_id: str, reason: str | None, script: Script, grpc_channel: grpc.aio.Channel
):
    script.answers["processing.verify"] = []
    request = request_of(
        "VerifyProcessing", tenant_id=tenant_id, end_user_id="maya", source_ids=["a"]
    )
    if reason:
        refusal = await refused(grpc_channel, "VerifyProcessing", request, key_of(role))
        assert refusal.info.reason == reason
        assert not script.calls
        if reason == "INVALID_ARGUMENT":
            assert list(refusal.violations) == ["tenant_id"]
    else:
        await ask(grpc_channel, "VerifyProcessing", request, key_of(role))
        scope, _ = script.arguments("processing.verify")
        assert (scope.tenant_id, scope.end_user_id) == ("clinic", "maya")


async def test_an_open_server_asks_no_key_but_a_tenant(
    make_server: Callable[..., RpcServer], commands: Any, script: Script
):
    script.answers["tenants.get"] = (TENANT, {})
    server = make_server(insecure=True)
    address = await server.start()
    server.open(commands, HASHER)
    async with grpc.aio.insecure_channel(str(address)) as channel:
        request = request_of("GetTenant", tenant_id="clinic")
        assert (await ask(channel, "GetTenant", request, ())).tenant.tenant_id == "clinic"
        refusal = await refused(channel, "GetTenant", request_of("GetTenant"), ())
        assert list(refusal.violations) == ["tenant_id"]
    await server.stop(0.1)


@pytest.mark.parametrize(
    ("rpc", "uses_default"),
    [
        ("Process", True), ("AttachReply", True), ("AddMemory", True), ("VerifyProcessing", True),
        ("WatchProcessing", True), ("RetryProcessing", True), ("Recall", True), ("GetMemory", True),
        ("ListMemories", True), ("UpdateMemory", True), ("ListMessages", True), ("GetRelation", True),
        ("ListRelationHistory", True), ("RecordEvent", True), ("WatchEndUser", True),
        ("Erase", False), ("DeleteMemory", False),
        ("ListPersonRelations", False), ("UpsertPersonRelation", False), ("DeletePersonRelation", False),
        ("ListTriggers", True), ("UpsertTrigger", True), ("DeleteTrigger", False), ("SetAssignments", True),
    ],
)  # fmt: skip
async def test_the_default_person_serves_all_but_what_deletes(
    rpc: str, uses_default: bool, grpc_channel: grpc.aio.Channel
):
    for tenant_id, known in (("shared", uses_default), ("clinic", False)):
        request = (
            request_of(rpc, request_id="x")
            if hasattr(request_of(rpc), "request_id")
            else request_of(rpc)
        )
        if hasattr(request, "page_size"):
            request.page_size = -1
        if rpc in {"GetRelation", "WatchEndUser"} and known:
            continue  # nothing else about it can be wrong
        refusal: Refusal = await refused(grpc_channel, rpc, request, key_of("WRITER", tenant_id))
        assert ("end_user_id" in refusal.violations) is not known
