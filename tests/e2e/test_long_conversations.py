"""Conversations of many sessions, as the LoCoMo data set has them: every turn is kept and found by its own words."""

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rapport import AnalysisOrigin
from tests.e2e.scene import DEEDS, NAMES, NOON, THINGS, wait_for
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


CALLERS = 16
PEOPLE = 40
MESSAGES = 25
MOODS = (
    "I am so happy about {thing}, thank you!",
    "I love how you helped me with {thing}.",
    "Why is {thing} still not repaired? This is the third time I ask.",
    "I am really angry. You promised me {thing} and nothing came.",
    "YOU FORGOT {THING} AGAIN, THIS IS RIDICULOUS!",
    "I feel lonely since {name} moved away with {thing}.",
    "I am scared that {thing} will be gone tomorrow.",
    "Can you tell me where {thing} is?",
    "Please remember that {thing} belongs to {name}.",
    "Good morning! {name} and I looked at {thing}.",
    "No, that is wrong, it was {name} who had {thing}.",
    "I do not want to live any more, not even {thing} helps.",
    "Bye, see you when {thing} is here.",
    "Honestly, {thing} was a bit disappointing.",
)


def dialogue(seed: int) -> list[dict[str, Any]]:
    """What one person says, at times that sometimes go back, in some sessions with a reply and an event."""
    rng = random.Random(seed)
    at, calls = NOON - timedelta(days=60), []
    for number in range(MESSAGES):
        at += timedelta(minutes=rng.choice((3, 40, 700, -90)), seconds=number)
        thing = f"the {rng.choice(THINGS)} number {rng.randrange(99)}"
        text = rng.choice(MOODS).format(thing=thing, THING=thing.upper(), name=rng.choice(NAMES))
        call: dict[str, Any] = {"message": text, "occurred_at": at, "session_id": f"s{number // 9}"}
        if rng.random() < 0.4:
            call["assistant_message"] = f"I see what you mean by {thing}."
        if rng.random() < 0.1:
            call["events"] = [{"kind": "BROKEN_PROMISE", "note": thing}]
        calls.append(call)
    return calls


@dataclass
class Told:
    """All that a person's calls answered and left: numbers that may differ in the last digits, and what may not."""

    numbers: list[float]
    facts: list[Any]


def say(client: Any, end_user_id: str, calls: list[dict[str, Any]]) -> Told:
    told = Told([], [])
    for call in calls:
        answer = client.process(end_user_id, **call)
        user, memory, analysis = answer.user, answer.memory, answer.analysis
        told.numbers += [user.trust, user.sentiment, user.grudge, user.familiarity]
        told.numbers += [analysis.mood_delta]
        told.facts.append(
            (
                [emotion.label for emotion in analysis.detected_emotions],
                (analysis.intent, analysis.shouting, analysis.crisis, analysis.origin),
                (memory.total_stored, memory.interaction_count, user.interaction_count),
                (memory.known_since.ToDatetime(), memory.last_seen.ToDatetime()),
                [relevant.text for relevant in memory.relevant_memories],
                settled(answer.context.system_prompt),
            )
        )
    look_back(client, end_user_id, told)
    return told


def settled(prompt: str) -> list[str]:
    """The lines without what is due: a reader in the background finds that, some time after the answer."""
    lines, due = [], False
    for line in prompt.splitlines():
        if not line.startswith("| "):
            due = line.startswith("[to bring up")
        if not (due or "QUOTED MEMORIES" in line or "quoted from memory" in line):
            lines.append(line)
    return lines


def look_back(client: Any, end_user_id: str, told: Told) -> None:
    relation = client.get_relation(end_user_id).relation
    told.facts.append((relation.interaction_count, relation.known_since, relation.last_seen))
    for point in client.list_relation_history(end_user_id, order="OLDEST", page_size=1000):
        told.numbers += [point.trust, point.sentiment, point.grudge, point.familiarity]
        told.numbers.append(point.mood_delta)
        told.facts.append((point.event_kind, point.occurred_at.ToDatetime()))
    for message in client.list_messages(end_user_id, order="OLDEST", page_size=1000):
        told.facts.append(
            (message.role, message.text, message.session_id, message.occurred_at.ToDatetime())
        )
    listed = client.list_memories(end_user_id, page_size=1000)
    told.facts.append(sorted(memory.text for memory in listed))


def test_a_thousand_messages_at_16_callers_equal_the_same_said_one_after_the_other(make_tenant):
    at_once, one_by_one = make_tenant(), make_tenant()
    dialogues = {f"person-{seed}": dialogue(seed) for seed in range(PEOPLE)}
    assert sum(map(len, dialogues.values())) == 1000
    with ThreadPoolExecutor(CALLERS) as pool:
        futures = {
            name: pool.submit(say, at_once.client, name, calls) for name, calls in dialogues.items()
        }
        parallel = {name: future.result() for name, future in futures.items()}
    moved = []
    for name, calls in dialogues.items():
        serial = say(one_by_one.client, name, calls)
        for mine, other in zip(parallel[name].facts, serial.facts, strict=True):
            assert mine == other
        assert parallel[name].numbers == pytest.approx(serial.numbers, abs=1e-3)
        moved += [fact for fact in serial.facts[: len(calls)] if fact[0]]
    # The server read the messages itself, or the curves say nothing.
    assert len(moved) > 500
    assert all(fact[1][3] == AnalysisOrigin.ANALYSIS_ORIGIN_LOCAL for fact in moved)
    counts = [
        {user.end_user_id: user.total_stored for user in tenant.operator.list_end_users()}
        for tenant in (at_once, one_by_one)
    ]
    assert counts[0] == counts[1] == dict.fromkeys(dialogues, MESSAGES)
    assert at_once.operator.verify_audit_log().ok
