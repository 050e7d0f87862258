"""/metrics on a port of its own."""

import urllib.request
from types import SimpleNamespace
from typing import Any

import pytest

from rapport_server.config import Address
from rapport_server.domain.ports import IndexStats, Lane
from rapport_server.obs.metrics import Metrics
from rapport_server.startup import StartupError


def scrape(address: Address) -> str:
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=5) as reply:
        return reply.read().decode()


def test_every_figure_is_served():
    metrics = Metrics()
    address = metrics.serve(Address("127.0.0.1", 0))
    try:
        assert address.port
        metrics.call_started()
        metrics.call_ended("Recall", "OK", 0.01)
        metrics.step("Recall", "embed", 0.002)
        metrics.embedding.batch(Lane.BULK, 8, 200, 0.05)
        metrics.embedding.queue_depth(Lane.INTERACTIVE, 3)
        metrics.ingest.indexed(5, 6, 0.1, 0.01)
        metrics.ingest.failed("EMBEDDING_FAILED", True)
        metrics.ingest.read(4, 3, 2, 0.01)
        index: Any = SimpleNamespace(stats=lambda: IndexStats(2, 4096, 77))
        database: Any = None
        metrics.watch(index, database)
        text = scrape(address)
    finally:
        metrics.close()
    for line in (
        'rapport_rpc_seconds_count{code="OK",rpc="Recall"} 1.0',
        'rapport_step_seconds_count{rpc="Recall",step="embed"} 1.0',
        'rapport_step_seconds_count{rpc="ingest",step="commit"} 1.0',
        'rapport_embed_batch_texts_sum{lane="bulk"} 8.0',
        'rapport_embed_batch_tokens_sum{lane="bulk"} 200.0',
        'rapport_embed_queue_depth{lane="interactive"} 3.0',
        "rapport_ingest_memories_total 5.0",
        'rapport_ingest_failures_total{final="true",reason="EMBEDDING_FAILED"} 1.0',
        "rapport_reading_memories_total 4.0",
        'rapport_reading_found_total{what="person"} 3.0',
        'rapport_reading_found_total{what="follow_up"} 2.0',
        "rapport_shards_open 2.0",
        "rapport_shard_bytes 4096.0",
        "rapport_vectors 77.0",
        "rapport_queue_depth 0.0",
        "rapport_queue_age_seconds 0.0",
    ):
        assert line in text.splitlines()


def test_a_taken_port_says_which_flag_to_change():
    first, second = Metrics(), Metrics()
    address = first.serve(Address("127.0.0.1", 0))
    try:
        with pytest.raises(StartupError, match="--metrics-listen"):
            second.serve(address)
    finally:
        first.close()
