"""What a person says of others and of things to come is found in the background and lasts as long as the person."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from string import ascii_lowercase

import pytest

from rapport import AnalysisOrigin, Client
from tests.e2e.evidence import rows_with, wait_until_read
from tests.e2e.scene import add
from tests.fix_rapport import RapportProcess, TenantHandle

# 2 March, a Monday evening in New York.
EVENING = datetime(2026, 3, 3, 1, tzinfo=UTC)
SHOUTED = "My boss Anna shouted at me again."
SURGERY = "My surgery is tomorrow."
NAMES = [
    f"Zebulon{first}{second}" for first in ascii_lowercase[:20] for second in ascii_lowercase[:20]
]


def eventually(of: Callable[[], list], count: int) -> list:
    """What is listed, as soon as it is so many."""
    deadline = time.monotonic() + 60
    while len(found := of()) != count:
        assert time.monotonic() < deadline, found
        time.sleep(0.05)
    return found


def people(client: Client, end_user_id: str = "maya") -> list:
    return list(client.list_person_relations(end_user_id))


def triggers(client: Client, end_user_id: str = "maya") -> list:
    return list(client.list_triggers(end_user_id))


def test_a_boss_who_shouts_becomes_known_and_less_liked(tenant: TenantHandle):
    client = tenant.client
    client.process("maya", message=SHOUTED, occurred_at=EVENING)
    (anna,) = eventually(lambda: people(client), 1)
    assert (anna.name, anna.kind) == ("Anna", "boss")
    assert anna.sentiment < 0.5
    assert anna.last_mentioned.ToDatetime(UTC) == EVENING
    later = EVENING + timedelta(hours=1)
    client.process("maya", message="Anna praised me, I am so happy!", occurred_at=later)
    while people(client)[0].last_mentioned.ToDatetime(UTC) != later:
        time.sleep(0.05)
    (again,) = people(client)
    assert again.person_relation_id == anna.person_relation_id
    assert again.sentiment > anna.sentiment


def test_a_surgery_is_asked_about_the_day_after(tenant: TenantHandle):
    client = tenant.client
    said = client.process(
        "maya", message=SURGERY, occurred_at=EVENING, time_zone="America/New_York"
    )
    (trigger,) = eventually(lambda: triggers(client), 1)
    assert trigger.description == "Ask how the surgery on 2026-03-03 went"
    assert trigger.due_at.ToDatetime(UTC) == datetime(2026, 3, 4, 14, tzinfo=UTC)
    assert trigger.source_id == said.source_id
    assert trigger.origin == AnalysisOrigin.ANALYSIS_ORIGIN_LOCAL
    early = client.process("maya", message="Hello", occurred_at=EVENING + timedelta(days=1))
    assert not early.triggers
    due = client.process("maya", message="Hello", occurred_at=EVENING + timedelta(days=2))
    assert [t.trigger_id for t in due.triggers] == [trigger.trigger_id]


def test_added_memories_are_read_where_the_person_speaks(tenant: TenantHandle):
    client = tenant.client
    pairs = [{"user": "My cousin Dana is here.", "assistant": "My aunt Vera too."}]
    by_bob = {"text": "My uncle Cem is here.", "speaker": "Bob"}
    add(client, "maya", {"user_assistant_pairs": pairs}, by_bob, "My niece Tilda is here.")
    found = eventually(lambda: people(client), 2)
    assert [(p.name, p.kind) for p in found] == [("Dana", "cousin"), ("Tilda", "niece")]


def test_an_erasure_takes_what_is_being_read_with_it(rapport: RapportProcess, tenant: TenantHandle):
    client = tenant.client
    for name in NAMES[:20]:
        client.process("maya", message=f"My friend {name} has surgery tomorrow.")
    client.process("noor", message=SHOUTED)
    client.erase("maya")
    eventually(lambda: people(client, "noor"), 1)
    wait_until_read(rapport.superuser_dsn())
    assert people(client) == triggers(client) == []
    assert rows_with(rapport.superuser_dsn(), ["Zebulon"]) == []


@pytest.mark.long
@pytest.mark.timeout(900)
def test_kill_9_in_the_middle_of_reading_loses_nothing_and_doubles_nothing(make_rapport):
    server: RapportProcess = make_rapport()
    shouted = [{"text": SHOUTED} for _ in range(3)]
    with server.writer() as client:
        client.add_memory("twin", memories=shouted)
        eventually(lambda: people(client, "twin"), 1)
        wait_until_read(server.superuser_dsn())
        texts = [f"My friend {name} has an exam tomorrow." for name in NAMES]
        client.add_memory("maya", memories=[{"text": text} for text in texts])
        client.add_memory("noor", memories=shouted)
    for share in (0.1, 0.3, 0.6):
        with server.writer() as client:
            while len(people(client)) < share * len(NAMES):
                time.sleep(0.01)
        server.kill()
        server.start()
    with server.writer() as client:
        eventually(lambda: triggers(client), len(NAMES))
        wait_until_read(server.superuser_dsn())
        assert sorted(person.name for person in people(client)) == NAMES
        assert len(triggers(client)) == len(NAMES)
        (noor,), (twin,) = people(client, "noor"), people(client, "twin")
    assert noor.sentiment == pytest.approx(twin.sentiment)
