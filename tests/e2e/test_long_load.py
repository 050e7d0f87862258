"""Many clients, many calls, long runs: what was acknowledged is there, and COMPLETED means recallable."""

import asyncio
import random
import threading
import time
from collections.abc import Callable

import pytest

from rapport import Client, RapportError
from rapport.v1.memory_pb2 import IndexingStatus
from tests.e2e.scene import COMPLETED, add, found, is_stranger, sentences, texts, wait_for
from tests.fix_rapport import RapportProcess, TenantHandle

pytestmark = pytest.mark.long
CLIENTS = 64
SOAK_S = 150


async def test_a_thousand_acknowledged_by_64_clients_are_a_thousand_recallable(
    tenant: TenantHandle,
):
    facts = sentences(1000)
    clients = [tenant.server.async_writer(tenant.key) for _ in range(CLIENTS)]
    try:

        async def write(number: int) -> str:
            client = clients[number % CLIENTS]
            if number % 4 == 0:
                return (await client.process("maya", message=facts[number])).source_id
            answer = await client.add_memory("maya", memories=[facts[number]])
            return answer.results[0].source_id

        ids = await asyncio.gather(*(write(number) for number in range(1000)))
        assert len(set(ids)) == 1000
        assert await asyncio.to_thread(wait_for, tenant.client, "maya", ids) == []

        async def read(number: int) -> bool:
            answer = await clients[number % CLIENTS].recall(
                "maya", query=facts[number], max_results=1
            )
            return [hit.source_id for hit in answer.results] == [ids[number]]

        assert all(await asyncio.gather(*(read(number) for number in range(1000))))
        relation = await clients[0].get_relation("maya")
        assert relation.relation.interaction_count == 250
    finally:
        for client in clients:
            await client.close()


def test_completed_is_recallable_at_once_a_thousand_times(tenant: TenantHandle):
    for number, fact in enumerate(sentences(1000, seed=9)):
        source_id = f"m{number}"
        tenant.client.add_memory("maya", memories=[{"source_id": source_id, "text": fact}])
        state = IndexingStatus.INDEXING_STATUS_QUEUED
        while state != COMPLETED:
            (status,) = tenant.client.verify_processing("maya", source_ids=[source_id]).statuses
            state = status.indexing_status
        assert found(tenant.client, "maya", fact)


def test_25000_rows_go_in_one_erase(tenant: TenantHandle):
    client = tenant.client
    add(client, "noor", "Noor's only memory.")
    for start in range(0, 25_000, 1000):
        client.add_memory("maya", memories=[f"n {number}" for number in range(start, start + 1000)])
    while any(s.queued for s in tenant.operator.get_tenant().tenant.vectorstore_status):
        time.sleep(1)
    assert len(texts(client, "maya", "n 17", max_results=1000)) == 1000
    receipt = client.erase("maya", timeout=600).receipt
    assert receipt.verified
    assert receipt.counts.memories == receipt.counts.chunks == receipt.counts.vectors == 25_000
    assert is_stranger(client, "maya")
    assert texts(client, "maya", "n 17") == []
    assert texts(client, "noor", "memory") == ["Noor's only memory."]
    assert tenant.operator.verify_audit_log().ok
    again = client.erase("maya").receipt.counts
    assert not any(getattr(again, field.name) for field in again.DESCRIPTOR.fields)


class Life:
    """One person, changed at random by one thread that knows what must be there after each step."""

    def __init__(self, client: Client, end_user_id: str, seed: int) -> None:
        self.client = client
        self.end_user_id = end_user_id
        self.rng = random.Random(seed)
        self.facts = iter(sentences(100_000, seed=seed))
        self.added: dict[str, str] = {}
        self.said: dict[str, str] = {}
        self.steps = 0

    def step(self) -> None:
        choices: list[tuple[Callable[[], None], int]] = [
            (self.process, 5),
            (self.add, 5),
            (self.upsert, 2),
            (self.update, 2),
            (self.delete, 2),
            (self.recall, 6),
            (self.listed, 1),
            (self.erase, 1 if self.steps % 40 == 39 else 0),
        ]
        self.rng.choices([work for work, _ in choices], [weight for _, weight in choices])[0]()
        self.steps += 1

    def process(self) -> None:
        fact = next(self.facts)
        answer = self.client.process(self.end_user_id, message=fact)
        self.said[answer.source_id] = f"User: {fact}"
        assert answer.user.interaction_count == len(self.said)
        assert answer.memory.total_stored == len(self.said) + len(self.added)

    def add(self) -> None:
        own = [next(self.facts) for _ in range(self.rng.randrange(1, 8))]
        ids = add(self.client, self.end_user_id, *own)
        self.added.update(zip(ids, own, strict=True))

    def upsert(self) -> None:
        if self.added:
            source_id, fact = self.rng.choice(list(self.added)), next(self.facts)
            add(self.client, self.end_user_id, {"source_id": source_id, "text": fact})
            self.added[source_id] = fact

    def update(self) -> None:
        if self.added:
            source_id, fact = self.rng.choice(list(self.added)), next(self.facts)
            self.client.update_memory(self.end_user_id, source_id=source_id, text=fact)
            assert wait_for(self.client, self.end_user_id, [source_id]) == []
            self.added[source_id] = fact

    def delete(self) -> None:
        if self.added:
            source_id = self.rng.choice(list(self.added))
            self.client.delete_memory(self.end_user_id, source_id=source_id)
            gone = self.added.pop(source_id)
            assert gone not in texts(self.client, self.end_user_id, gone)

    def recall(self) -> None:
        everything = {**self.added, **self.said}
        hits = self.client.recall(self.end_user_id, query="journal", max_results=1000).results
        assert {hit.source_id: hit.text for hit in hits} == everything
        if self.added:
            assert found(self.client, self.end_user_id, self.rng.choice(list(self.added.values())))

    def listed(self) -> None:
        listed = self.client.list_memories(self.end_user_id, page_size=7)
        assert {memory.source_id: memory.text for memory in listed} == {**self.added, **self.said}

    def erase(self) -> None:
        counts = self.client.erase(self.end_user_id).receipt.counts
        assert counts.memories == len(self.added) + len(self.said)
        self.added.clear()
        self.said.clear()
        assert is_stranger(self.client, self.end_user_id)


def test_minutes_of_mixed_calls_leave_exactly_what_they_should(
    make_tenant, rapport: RapportProcess
):
    tenants = [make_tenant(), make_tenant()]
    end = time.monotonic() + SOAK_S
    lives = [Life(tenants[n % 2].client, f"person-{n // 2}", seed=40 + n) for n in range(10)]
    failures: list[BaseException] = []

    def live(life: Life) -> None:
        try:
            while time.monotonic() < end and not failures:
                life.step()
            life.recall()
            life.listed()
        except (AssertionError, RapportError) as error:
            failures.append(error)

    threads = [threading.Thread(target=live, args=(life,)) for life in lives]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    assert sum(life.steps for life in lives) > 100
    for tenant in tenants:
        assert tenant.operator.verify_audit_log().ok
        assert list(tenant.operator.list_queue()) == []
    assert "Traceback" not in rapport.log_text()
