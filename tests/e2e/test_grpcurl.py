"""The same contract from grpcurl, by reflection, as a person at a shell sees it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.scene import add
from tests.fix_rapport import TenantHandle

GRPCURL = Path(sys.executable).with_name("grpcurl")
SERVICES = {
    f"rapport.v1.{name}Service" for name in ("Memory", "Relation", "Knowledge", "Tenant", "Audit")
}


def grpcurl(
    tenant: TenantHandle, *arguments: str, data: object = None
) -> subprocess.CompletedProcess[str]:
    command = [str(GRPCURL), "-plaintext", "-max-time", "60"]
    if data is not None:
        command += ["-H", f"authorization: Bearer {tenant.key}", "-d", json.dumps(data)]
    return subprocess.run(
        [*command, tenant.server.address, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=90,
    )


def called(
    tenant: TenantHandle, method: str, *, service: str = "MemoryService", **data: object
) -> dict:
    done = grpcurl(tenant, f"rapport.v1.{service}/{method}", data=data)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_list_and_describe_need_no_key(tenant: TenantHandle):
    listed = set(grpcurl(tenant, "list").stdout.split())
    assert listed >= SERVICES | {"grpc.health.v1.Health"}
    methods = grpcurl(tenant, "list", "rapport.v1.MemoryService").stdout.split()
    assert "rapport.v1.MemoryService.Recall" in methods
    assert len(methods) == 17
    described = grpcurl(tenant, "describe", "rapport.v1.RecallRequest").stdout
    assert "metadata_filters" in described
    assert "rpc Erase" in grpcurl(tenant, "describe", "rapport.v1.MemoryService").stdout
    health = grpcurl(tenant, "grpc.health.v1.Health/Check").stdout
    assert json.loads(health) == {"status": "SERVING"}


def test_the_five_calls(tenant: TenantHandle):
    said = called(tenant, "Process", end_user_id="maya", message="I have a dog called Biscuit.")
    assert said["user"]["interactionCount"] == 1
    added = called(
        tenant,
        "AddMemory",
        endUserId="maya",
        memories=[{"sourceId": "tea", "text": "She likes tea."}],
        wait="30s",
    )
    assert added["results"][0]["status"] == "INDEXING_STATUS_COMPLETED"
    verified = called(tenant, "VerifyProcessing", endUserId="maya", sourceIds=["tea"])
    assert verified["statuses"][0]["success"] is True
    hit = called(tenant, "Recall", endUserId="maya", query="What does she drink?")["results"][0]
    assert (hit["sourceId"], hit["text"]) == ("tea", "She likes tea.")
    receipt = called(tenant, "Erase", endUserId="maya")["receipt"]
    assert receipt["verified"] is True
    assert receipt["counts"]["memories"] == 2
    assert "results" not in called(tenant, "Recall", endUserId="maya", query="What does she drink?")


def test_relations_triggers_and_assignments(tenant: TenantHandle):
    def related(method: str, **data: object) -> dict:
        return called(tenant, method, service="RelationService", endUserId="maya", **data)

    called(tenant, "Process", endUserId="maya", message="I keep bees.")
    anna = {"personRelationId": "anna", "name": "Anna", "kind": "sister", "sentiment": 0.9}
    related("UpsertPersonRelation", personRelation=anna)
    assert related("ListPersonRelations")["personRelations"] == [anna]
    ask = {"triggerId": "ask", "description": "The exam?", "dueAt": "2026-03-01T12:00:00Z"}
    stored = related("UpsertTrigger", trigger=ask)["trigger"]
    assert stored == {**ask, "origin": "ANALYSIS_ORIGIN_CALLER"}
    said = called(tenant, "Process", endUserId="maya", message="Hello.")
    assert said["triggers"] == related("ListTriggers")["triggers"] == [stored]
    assert related("SetAssignments", assignments=["b", "a"]) == {"assignments": ["a", "b"]}
    listed = called(tenant, "ListEndUsers", service="TenantService", assignment="a")
    assert listed["endUsers"][0]["assignments"] == ["a", "b"]
    assert related("DeleteTrigger", triggerId="ask") == {"deletedCount": 1}
    assert related("DeletePersonRelation", personRelationId="anna") == {"deletedCount": 1}


def test_an_unknown_field_is_an_error_and_an_errors_details_can_be_read(tenant: TenantHandle):
    done = grpcurl(
        tenant,
        "rapport.v1.MemoryService/Recall",
        data={"endUserId": "m", "query": "x", "limitless": 1},
    )
    assert done.returncode != 0
    assert "limitless" in done.stderr
    done = grpcurl(tenant, "rapport.v1.MemoryService/Recall", data={"endUserId": "", "query": "x"})
    assert "Code: InvalidArgument" in done.stderr
    told = "".join(done.stderr.split())
    for detail in ('"reason":"INVALID_ARGUMENT"', '"field":"end_user_id"', '"domain":"rapport"'):
        assert detail in told


@pytest.mark.parametrize("method", ["ListKnowledge", "AddKnowledge"])
def test_what_is_not_there_yet_says_so_with_details(tenant: TenantHandle, method: str):
    done = grpcurl(tenant, f"rapport.v1.KnowledgeService/{method}", data={})
    assert "Code: Unimplemented" in done.stderr
    assert '"reason":"UNIMPLEMENTED"' in "".join(done.stderr.split())


def test_many_heavy_results_stay_below_grpcurls_limit_or_say_so(tenant: TenantHandle):
    # Metadata costs bytes and no work for the encoder.
    heavy = {"a": "y" * 16_000}
    add(
        tenant.client,
        "maya",
        *({"text": f"Page {n}", "additional_metadata": heavy} for n in range(220)),
    )
    done = grpcurl(
        tenant,
        "rapport.v1.MemoryService/Recall",
        data={"endUserId": "maya", "query": "page", "maxResults": 1000},
    )
    assert "Code: ResourceExhausted" in done.stderr
    assert "REPLY_TOO_LARGE" in done.stderr
    listed = called(tenant, "ListMemories", endUserId="maya", pageSize=1000)
    assert 0 < len(listed["memories"]) < 220
    assert listed["nextPageToken"]
