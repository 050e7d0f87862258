"""Words for what the tests of whole servers do again and again."""

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import pytest

from rapport import Client, RapportError
from rapport.v1.errors_pb2 import ErrorReason
from rapport.v1.memory_pb2 import IndexingStatus

T = TypeVar("T")
COMPLETED = IndexingStatus.INDEXING_STATUS_COMPLETED
ERRORED = IndexingStatus.INDEXING_STATUS_ERRORED
NOT_FOUND = IndexingStatus.INDEXING_STATUS_NOT_FOUND
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
# Never seen by an encoder's vocabulary as words of its own, and by no other test.
NAMES = [
    "Biscuit",
    "Marlow",
    "Tamsin",
    "Quill",
    "Osric",
    "Wren",
    "Hettie",
    "Bram",
    "Isolde",
    "Pip",
    "Rufus",
    "Saffi",
    "Dorrit",
    "Kes",
]
THINGS = [
    "kettle",
    "bicycle",
    "violin",
    "passport",
    "greenhouse",
    "sonnet",
    "telescope",
    "omelette",
    "ferry",
    "lantern",
    "chessboard",
    "wardrobe",
    "harbour",
    "thermometer",
    "umbrella",
    "cathedral",
    "notebook",
    "sunflower",
    "microscope",
    "carousel",
]
DEEDS = [
    "repaired",
    "lost",
    "painted",
    "borrowed",
    "photographed",
    "inherited",
    "auctioned",
    "polished",
    "measured",
    "forgot",
    "buried",
    "weighed",
    "insured",
    "dismantled",
    "donated",
]


def sentences(count: int, seed: int = 1) -> list[str]:
    """As many different short sentences; each has a number in it, so that none is another's twin."""
    rng = random.Random(seed)
    return [
        f"{rng.choice(NAMES)} {rng.choice(DEEDS)} the {rng.choice(THINGS)} and the {rng.choice(THINGS)}"
        f" in year {1000 + number} of journal {seed}."
        for number in range(count)
    ]


def add(client: Client, end_user_id: str, *items: Any, **settings: Any) -> list[str]:
    """Add memories and wait until all can be recalled; their ids."""
    answer = client.add_memory(end_user_id, memories=items, wait=60, timeout=600, **settings)
    ids = [result.source_id for result in answer.results]
    pending = [r.source_id for r in answer.results if r.status != COMPLETED]
    for _ in range(20):
        if not pending:
            return ids
        pending = wait_for(client, end_user_id, pending)
    raise AssertionError(f"not completed: {pending[:3]}")


def wait_for(client: Client, end_user_id: str, source_ids: list[str]) -> list[str]:
    """Watch until all are terminal; those that are not COMPLETED."""
    last: dict[str, int] = {}
    for start in range(0, len(source_ids), 1000):
        for change in client.watch_processing(
            end_user_id, source_ids=source_ids[start : start + 1000], timeout=600
        ):
            last[change.status.source_id] = change.status.indexing_status
    return [source_id for source_id in source_ids if last[source_id] != COMPLETED]


def texts(client: Client, end_user_id: str, query: str, **settings: Any) -> list[str]:
    """The texts that Recall answers, best first."""
    return [hit.text for hit in client.recall(end_user_id, query=query, **settings).results]


def is_stranger(client: Client, end_user_id: str) -> bool:
    """Whether nothing at all is known of a person."""
    relation = client.get_relation(end_user_id).relation
    state = relation.trust, relation.sentiment, relation.grudge, relation.familiarity
    return (
        state == (0, 0.5, 0, 0)
        and not relation.interaction_count
        and not relation.HasField("known_since")
        and not list(client.list_memories(end_user_id))
        and not list(client.list_messages(end_user_id))
        and not list(client.list_person_relations(end_user_id))
        and not list(client.list_triggers(end_user_id))
    )


def found(client: Client, end_user_id: str, text: str) -> bool:
    """Whether a text is recalled by itself, at rank 1."""
    return texts(client, end_user_id, text, max_results=1) == [text]


@contextmanager
def refused(code: str, reason: str = "", *fields: str) -> Iterator[RapportError]:
    """The call inside is refused with that code and reason (the code, unless given), naming these fields."""
    holder = RapportError()
    with pytest.raises(RapportError) as raised:
        yield holder
    error = raised.value
    holder.__dict__.update(error.__dict__)
    assert (error.code, error.reason) == (code, reason or code), repr(error)
    assert reason_is_declared(error.reason)
    if code == "INVALID_ARGUMENT" and error.reason != "REQUEST_ID_REUSED":
        assert error.violations, repr(error)
    if fields:
        assert [violation.field for violation in error.violations] == list(fields)


def reason_is_declared(reason: str) -> bool:
    return f"ERROR_REASON_{reason}" in ErrorReason.DESCRIPTOR.values_by_name


def together(count: int, work: Callable[[int], T], jobs: int) -> list[T]:
    """Run `work(0) … work(jobs - 1)` on so many threads."""
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, range(jobs)))


def minutes(count: float) -> timedelta:
    return timedelta(minutes=count)
