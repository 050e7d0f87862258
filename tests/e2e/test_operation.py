"""A running server from its operator's side: metrics, health, a second server, kills of its Postgres."""

import urllib.request

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from prometheus_client.parser import text_string_to_metric_families

from tests.e2e.scene import add, refused
from tests.e2e.test_grpcurl import SERVICES
from tests.fix_rapport import RapportProcess, TenantHandle

SERIES = {
    "rapport_rpc_seconds": {"rpc", "code"},
    "rapport_rpc_in_flight": set(),
    "rapport_step_seconds": {"rpc", "step"},
    "rapport_queue_depth": set(),
    "rapport_queue_age_seconds": set(),
    "rapport_shards_open": set(),
    "rapport_shard_bytes": set(),
    "rapport_vectors": set(),
    "rapport_embed_batch_texts": set(),
}


def page(server: RapportProcess) -> dict[str, list]:
    with urllib.request.urlopen(server.metrics_url, timeout=30) as answer:
        text = answer.read().decode()
    return {family.name: family.samples for family in text_string_to_metric_families(text)}


def value(samples: list, suffix: str, **labels: str) -> float:
    return sum(
        sample.value
        for sample in samples
        if sample.name.endswith(suffix) and labels.items() <= sample.labels.items()
    )


def test_the_metrics_page_has_every_series_and_counts(tenant: TenantHandle):
    before = page(tenant.server)
    add(tenant.client, "maya", "one", "two")
    for _ in range(3):
        tenant.client.recall("maya", query="one")
    with refused("NOT_FOUND"):
        tenant.client.get_memory("maya", source_id="none")
    after = page(tenant.server)
    for name, labels in SERIES.items():
        assert name in after, sorted(after)
        assert all(labels <= set(sample.labels) for sample in after[name]), name

    def grown(name: str, suffix: str, **wanted: str) -> float:
        return value(after[name], suffix, **wanted) - value(before.get(name, []), suffix, **wanted)

    assert grown("rapport_rpc_seconds", "_count", rpc="Recall", code="OK") == 3
    assert grown("rapport_rpc_seconds", "_count", rpc="GetMemory", code="NOT_FOUND") == 1
    for step in ("embed", "search", "fetch"):
        assert grown("rapport_step_seconds", "_count", rpc="Recall", step=step) == 3, step
    assert grown("rapport_vectors", "rapport_vectors") == 2
    assert value(after["rapport_shards_open"], "open") >= 1
    assert value(after["rapport_shard_bytes"], "bytes") > 0
    told = str(after)
    assert "maya" not in told
    assert tenant.tenant_id not in told


@pytest.mark.parametrize("service", ["", *sorted(SERVICES)])
def test_health_is_told_for_all_and_for_each_service(rapport: RapportProcess, service: str):
    with grpc.insecure_channel(rapport.address) as channel:
        answer = health_pb2_grpc.HealthStub(channel).Check(
            health_pb2.HealthCheckRequest(service=service)
        )
    assert answer.status == health_pb2.HealthCheckResponse.SERVING


def test_a_second_server_on_one_data_directory_says_so_and_exits_1(rapport: RapportProcess):
    second = RapportProcess(rapport.data_dir)
    begin = rapport.log.stat().st_size
    second.launch()
    assert second.exit_code() == 1
    said = rapport.log.read_bytes()[begin:].decode()
    assert str(rapport.data_dir) in said
    assert "Traceback" not in said
    with rapport.operator() as operator:
        assert operator.get_tenant().tenant.tenant_id == "default"


def test_the_log_of_a_whole_run_holds_no_traceback_no_key_and_no_text(tenant: TenantHandle):
    said = "The xylophone sleeps under the marmalade."
    tenant.client.process("maya-in-the-log", message=said)
    tenant.client.recall("maya-in-the-log", query=said)
    log = tenant.server.log.read_text()
    assert "rpc=Process" in log
    assert tenant.tenant_id in log
    for secret in (said, "xylophone", "maya-in-the-log", tenant.key, tenant.key.split("_", 2)[2]):
        assert secret not in log
