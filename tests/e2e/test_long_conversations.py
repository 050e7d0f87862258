"""Conversations of many sessions, as the LoCoMo data set has them: every turn is kept and found by its own words."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.e2e.scene import DEEDS, NAMES, THINGS, wait_for
from tests.fix_rapport import TenantHandle

pytestmark = pytest.mark.long
TIME = "%I:%M %p on %d %B, %Y"
OPENINGS = (
    "Hey {other}, guess what!",
    "So, {other},",
    "You know what?",
    "Well,",
    "Honestly,",
    "Last week",
)
ENDINGS = (
    "Can you believe it?",
    "What do you think?",
    "I was so proud.",
    "It took all day.",
    "Never again!",
)
REPLIES = ("That's great!", "Oh no!", "Really?", "Take care!", "Thanks, {other}!")


def conversation(seed: int, sessions: int = 14, turns: int = 26) -> dict[str, Any]:
    """Two speakers, numbered sessions with a date each, turns with dialogue ids; short replies come again and again."""
    rng = random.Random(seed)
    speakers = rng.sample(NAMES, 2)
    day = datetime(2023, 1, 1, 9, tzinfo=UTC)
    data: dict[str, Any] = {"speaker_a": speakers[0], "speaker_b": speakers[1]}
    for session in range(1, sessions + 1):
        day += timedelta(days=rng.randrange(1, 20), minutes=rng.randrange(600))
        data[f"session_{session}_date_time"] = day.strftime(TIME)
        data[f"session_{session}"] = [
            {
                "speaker": speakers[number % 2],
                "dia_id": f"D{session}:{number + 1}",
                "text": turn_text(rng, speakers[1 - number % 2]),
            }
            for number in range(turns)
        ]
    return data


def turn_text(rng: random.Random, other: str) -> str:
    if rng.random() < 0.15:
        return rng.choice(REPLIES).format(other=other)
    opening = rng.choice(OPENINGS).format(other=other)
    what = f"I {rng.choice(DEEDS)} the {rng.choice(THINGS)} next to the {rng.choice(THINGS)}"
    where = f"with {rng.choice(NAMES)} for {rng.randrange(2, 99)} {rng.choice(('hours', 'euros', 'neighbours'))}."
    return f"{opening} {what} {where} {rng.choice(ENDINGS)}"


def items_of(data: dict[str, Any]) -> list[dict[str, Any]]:
    items = []
    for session in range(1, 100):
        if f"session_{session}" not in data:
            break
        began = datetime.strptime(data[f"session_{session}_date_time"], TIME).replace(tzinfo=UTC)
        items += [
            {
                "source_id": turn["dia_id"],
                "text": turn["text"],
                "speaker": turn["speaker"],
                "session_id": f"session_{session}",
                "occurred_at": began + timedelta(seconds=number),
            }
            for number, turn in enumerate(data[f"session_{session}"])
        ]
    return items


def test_every_turn_is_completed_and_recalled_by_its_own_text(tenant: TenantHandle):
    client = tenant.client
    people = {f"conversation-{seed}": items_of(conversation(seed)) for seed in range(4)}
    for end_user_id, items in people.items():
        answer = client.add_memory(end_user_id, memories=items)
        assert answer.failed_count == 0
    twins = 0
    for end_user_id, items in people.items():
        assert wait_for(client, end_user_id, [item["source_id"] for item in items]) == []
        by_id = {item["source_id"]: item for item in items}
        for item in items:
            (hit,) = client.recall(end_user_id, query=item["text"], max_results=1).results
            assert hit.text == item["text"]
            assert item["source_id"] in {hit.source_id, *hit.duplicate_source_ids}
            twins += item["source_id"] != hit.source_id
            assert hit.session_id == by_id[hit.source_id]["session_id"]
            assert hit.timestamp.ToDatetime(UTC) == by_id[hit.source_id]["occurred_at"]
        listed = list(client.list_memories(end_user_id, session_id="session_3"))
        assert {m.speaker for m in listed} == {item["speaker"] for item in items}
        assert len(listed) == 26
    assert twins  # the data has exact duplicates, or this says nothing about them
