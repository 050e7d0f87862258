"""Many calls at once on one person equal the same calls one after the other."""

import random
import threading
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.e2e.scene import NOON, refused, texts, together
from tests.fix_rapport import TenantHandle

CALLS = 100


def script(number: int) -> dict[str, Any]:
    """A call that moves everything, at a time out of order and sometimes the same as another's."""
    rng = random.Random(number)
    events = [{"kind": "BROKEN_PROMISE", "note": str(number)}] if number % 5 == 0 else []
    return {
        "message": f"Message number {number}.",
        "occurred_at": NOON + timedelta(minutes=rng.randrange(0, 3000, 20)),
        "signals": {
            "mood_delta": rng.uniform(-1, 1),
            "detected_emotions": [
                {"label": rng.choice(["anger", "frustration", "joy"]), "score": 1}
            ],
            "shouting": rng.random() < 0.3,
            "crisis": rng.random() < 0.1,
        },
        "events": events,
    }


@dataclass
class Replay:
    """The table of the dynamics, written down once more."""

    trust: float = 0.0
    sentiment: float = 0.5
    grudge: float = 0.0
    familiarity: float = 0.0
    time: datetime | None = None

    def interaction(self, call: dict[str, Any]) -> None:
        at, signals = call["occurred_at"], call["signals"]
        hours = max(0.0, (at - (self.time or at)).total_seconds() / 3600)
        self.time = max(self.time or at, at)
        self.sentiment = 0.5 + (self.sentiment - 0.5) * 2 ** (-hours / 6)
        self.grudge *= 2 ** (-hours / 12)
        for _ in call["events"]:
            loss = 0.1 if self.trust >= 0.7 else 0.05 if self.trust >= 0.4 else 0.02
            self.trust = max(0.0, self.trust - loss)
        target = min(1.0, max(0.0, self.sentiment + signals["mood_delta"]))
        self.sentiment = 0.3 * self.sentiment + 0.7 * target
        label = signals["detected_emotions"][0]["label"]
        if label == "anger":
            self.grudge += 0.15 if signals["shouting"] else 0.1
        elif label == "frustration":
            self.grudge += 0.05
        self.grudge = min(1.0, self.grudge + (0.2 if signals["crisis"] else 0.0))
        self.trust = max(self.trust, min(0.95, self.trust + 0.01))
        self.familiarity = min(1.0, self.familiarity + 0.005)


def test_a_hundred_parallel_process_calls_equal_their_serial_replay(tenant: TenantHandle):
    answers = together(
        16, lambda number: (number, tenant.client.process("maya", **script(number))), CALLS
    )
    in_order = sorted(answers, key=lambda answer: answer[1].user.interaction_count)
    assert [a.user.interaction_count for _, a in in_order] == list(range(1, CALLS + 1))
    replay = Replay()
    for number, answer in in_order:
        replay.interaction(script(number))
        user = answer.user
        expected = (replay.trust, replay.sentiment, replay.grudge, replay.familiarity)
        assert (user.trust, user.sentiment, user.grudge, user.familiarity) == pytest.approx(
            expected, abs=1e-12
        ), number
        assert answer.memory.total_stored == user.interaction_count
    relation = tenant.client.get_relation("maya").relation
    assert relation.interaction_count == CALLS
    times = [script(number)["occurred_at"].replace(tzinfo=None) for number in range(CALLS)]
    assert relation.known_since.ToDatetime() <= min(times) + timedelta(0)
    assert relation.last_seen.ToDatetime() == max(times)
    assert len(list(tenant.client.list_messages("maya", page_size=1000))) == CALLS
    points = list(tenant.client.list_relation_history("maya", page_size=1000))
    assert len(points) == CALLS + CALLS // 5
    assert tenant.operator.verify_audit_log().ok


def test_parallel_events_and_messages_lose_nothing(tenant: TenantHandle):
    client = tenant.client

    def work(number: int) -> None:
        if number % 2:
            client.process("maya", message=f"call {number}", occurred_at=NOON)
        else:
            client.record_event("maya", event={"kind": "KEPT_PROMISE", "note": str(number)})

    together(12, work, 60)
    relation = client.get_relation("maya").relation
    assert relation.interaction_count == 30
    assert relation.trust == pytest.approx(0.3)
    assert len(list(client.list_relation_history("maya", page_size=1000))) == 60


def test_newcomers_and_a_tenants_deletion_do_not_cross(make_tenant):
    tenant = make_tenant()
    gone = threading.Event()
    refusals = []

    def work(number: int) -> None:
        if number == 20:
            assert tenant.operator.delete_tenant(tenant.tenant_id).deleted_count == 1
            gone.set()
            return
        try:
            tenant.client.process(f"person-{number}", message="hello")
        except Exception as error:
            refusals.append(getattr(error, "code", repr(error)))

    together(8, work, 60)
    assert set(refusals) <= {"NOT_FOUND", "UNAUTHENTICATED", "ABORTED"}
    with refused("NOT_FOUND"):
        tenant.operator.get_tenant()
    again = tenant.operator.create_tenant(tenant_id=tenant.tenant_id).tenant
    assert list(tenant.operator.list_end_users()) == []
    assert not any(status.memories for status in again.vectorstore_status)


def test_readers_and_writers_at_once_see_only_whole_memories(tenant: TenantHandle):
    client = tenant.client
    seen: list[str] = []

    def work(number: int) -> None:
        if number % 2:
            client.process("maya", message=f"The drawer number {number} holds a map.")
        else:
            seen.extend(texts(client, "maya", "Which drawer holds a map?", max_results=100))

    together(16, work, 120)
    allowed = {f"User: The drawer number {number} holds a map." for number in range(120)}
    assert set(seen) <= allowed
    assert len(texts(client, "maya", "drawer", max_results=100)) == 60
