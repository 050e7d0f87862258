"""WatchEndUser: who watches a person is told what changes, and nothing of anybody else."""

import pytest

from rapport import RapportError
from rapport.v1.memory_pb2 import IndexingStatus
from tests.e2e.scene import COMPLETED, NOT_FOUND, refused
from tests.fix_rapport import TenantHandle

# Watchers look by themselves every 30 s: only news that travel end such a stream's test in time.
NEWS_S = 28.0
STEPS = [
    IndexingStatus.INDEXING_STATUS_QUEUED,
    IndexingStatus.INDEXING_STATUS_PROCESSING,
    COMPLETED,
]


def test_interactions_events_and_indexing_are_told_as_they_happen_until_an_erase_ends_it(
    tenant: TenantHandle,
):
    client = tenant.client
    with tenant.caller("READER") as reader, reader.watch_end_user("maya", timeout=NEWS_S) as stream:
        first = next(stream)
        assert first.relation.interaction_count == 0
        assert not first.relation.HasField("known_since")

        said = client.process("maya", message="I have a dog called Biscuit.")
        told = next(stream)
        assert told.interaction_id == said.interaction_id
        assert told.relation.interaction_count == 1
        assert told.relation.trust == pytest.approx(said.user.trust)
        assert not told.HasField("status")

        after = client.record_event("maya", event={"kind": "BROKEN_PROMISE"}).relation
        told = next(stream)
        assert (told.interaction_id, told.HasField("status")) == ("", False)
        assert told.relation.trust == pytest.approx(after.trust)

        client.process("noor", message="Somebody else speaks.")
        (added,) = client.add_memory("maya", memories=["She likes tea."], wait=60).results
        steps = []
        while not steps or steps[-1] != COMPLETED:
            told = next(stream)
            assert told.status.source_id == added.source_id
            steps.append(told.status.indexing_status)
        assert steps == [step for step in STEPS if step in steps]

        client.erase("maya")
        with refused("ABORTED", "ERASED"):
            next(stream)
        with reader.watch_end_user("maya", timeout=NEWS_S) as again:
            assert next(again).relation.interaction_count == 0


def test_one_that_waits_and_is_deleted_is_told_as_not_found(tenant: TenantHandle):
    client = tenant.client
    long = "A very long story about the sea. " * 30_000
    with client.watch_end_user("maya", timeout=NEWS_S) as stream:
        next(stream)
        (added,) = client.add_memory("maya", memories=[long]).results
        # The person is known from now on: that is told, too.
        begun = next(stream)
        assert begun.relation.HasField("known_since")
        assert not begun.HasField("status")
        assert next(stream).status.source_id == added.source_id
        client.delete_memory("maya", source_id=added.source_id)
        last = next(told for told in stream if told.status.indexing_status not in STEPS[:2])
        assert last.status.indexing_status == NOT_FOUND


async def test_the_async_client_is_told_every_interaction_in_order(tenant: TenantHandle):
    async with (
        tenant.server.async_writer(tenant.key) as client,
        client.watch_end_user("maya", timeout=NEWS_S) as stream,
    ):
        assert (await anext(stream)).relation.interaction_count == 0
        said = [
            (await client.process("maya", message=f"This is sentence {number}.")).interaction_id
            for number in range(20)
        ]
        told = [await anext(stream) for _ in said]
        assert [change.interaction_id for change in told] == said
        assert told[-1].relation.interaction_count == 20


def test_it_ends_when_the_key_is_revoked_and_when_the_tenant_is_deleted(tenant: TenantHandle):
    created = tenant.operator.create_api_key(role="READER")
    with tenant.server.client(created.secret) as reader:
        stream = reader.watch_end_user("maya", timeout=NEWS_S)
        next(stream)
        tenant.operator.revoke_api_key(key_id=created.api_key.key_id)
        with refused("UNAUTHENTICATED"):
            next(stream)
    with tenant.operator.watch_end_user("maya", timeout=NEWS_S) as stream:
        next(stream)
        tenant.operator.delete_tenant(tenant.tenant_id)
        with pytest.raises(RapportError) as ended:
            next(stream)
        assert ended.value.code == "NOT_FOUND"
