"""Messages and the history of the relation."""

from uuid import UUID, uuid4

import pytest

from rapport_server.domain.analysis import Analysis, AnalysisOrigin, Emotion, Intent
from rapport_server.domain.memories import Scope
from rapport_server.domain.people import Message, MessageRole
from rapport_server.domain.relation import RelationEventKind, RelationPoint, RelationState
from rapport_server.domain.storage import PageRequest, TimeRange, Transaction
from rapport_server.errors import Conflict
from rapport_server.store.database import PostgresDatabase
from tests.store.house import HOUR, MAYA, NOON, STRANGE_IDS

ANALYSIS = Analysis(
    (Emotion("anger", 0.9), Emotion("neu|es", 0.0)),
    Intent.COMPLAINT,
    -0.4,
    True,
    True,
    "I cannot go on",
    AnalysisOrigin.MIXED,
    {"intent": AnalysisOrigin.CALLER, "crisis": AnalysisOrigin.LOCAL},
)


async def say(
    tx: Transaction,
    text: str,
    *,
    scope: Scope = MAYA,
    hours: float = 0,
    channel: str = "",
    session: str = "",
) -> UUID:
    interaction_id = uuid4()
    at = NOON + hours * HOUR
    await tx.messages.insert(
        scope, interaction_id, MessageRole.USER, text, channel, session, at, Analysis()
    )
    return interaction_id


async def pages(
    store: PostgresDatabase,
    newest_first: bool,
    size: int,
    channel: str = "",
    session_id: str = "",
    times: TimeRange | None = None,
    scope: Scope = MAYA,
) -> list[str]:
    seen: list[Message] = []
    async with store.session() as session:
        while found := await session.messages.page(
            scope,
            newest_first,
            channel,
            session_id,
            times or TimeRange(),
            PageRequest(size, (seen[-1].occurred_at, seen[-1].message_id) if seen else None),
        ):
            seen += found
    return [message.text for message in seen]


async def test_an_interaction_s_messages_come_back_whole_and_in_order(
    store: PostgresDatabase,
) -> None:
    interaction_id = uuid4()
    async with store.transaction() as tx:
        await say(tx, "another interaction")
        for role, text, analysis in (
            (MessageRole.USER, "Grüße 🙂\n", ANALYSIS),
            (MessageRole.ASSISTANT, "Hello", Analysis()),
        ):
            await tx.messages.insert(MAYA, interaction_id, role, text, "web", "s1", NOON, analysis)
        user, assistant = await tx.messages.of_interaction(MAYA, interaction_id)
        assert await tx.messages.of_interaction(Scope("acme", "noor"), interaction_id) == []
    assert (user.role, user.text, user.analysis) == (MessageRole.USER, "Grüße 🙂\n", ANALYSIS)
    assert (user.channel, user.session_id, user.occurred_at) == ("web", "s1", NOON)
    assert (assistant.role, assistant.analysis) == (MessageRole.ASSISTANT, Analysis())
    assert user.message_id < assistant.message_id


async def test_a_second_reply_of_one_interaction_is_a_conflict(store: PostgresDatabase) -> None:
    async def reply() -> None:
        async with store.transaction() as tx:
            await tx.messages.insert(
                MAYA, UUID(int=1), MessageRole.ASSISTANT, "x", "", "", NOON, Analysis()
            )

    await reply()
    with pytest.raises(Conflict):
        await reply()


@pytest.mark.parametrize("newest_first", [True, False])
async def test_pages_follow_the_time_of_events_and_arrival_within_one_instant(
    store: PostgresDatabase, newest_first: bool
) -> None:
    async with store.transaction() as tx:
        for text, hours in (("c", 1), ("a", 0), ("d", 1), ("b", 0.5), ("e", 1)):
            await say(tx, text, hours=hours)
    assert await pages(store, newest_first, 2) == sorted("abcde", reverse=newest_first)


async def test_messages_written_between_two_pages_neither_repeat_nor_hide_others(
    store: PostgresDatabase,
) -> None:
    async with store.transaction() as tx:
        for number in range(6):
            await say(tx, str(number), hours=number)
        first = await tx.messages.page(MAYA, True, "", "", TimeRange(), PageRequest(3))
        await say(tx, "newest", hours=9)
        await say(tx, "between", hours=4.5)
        await say(tx, "late", hours=1.5)
        after = (first[-1].occurred_at, first[-1].message_id)
        rest = await tx.messages.page(MAYA, True, "", "", TimeRange(), PageRequest(10, after))
    assert [message.text for message in first] == ["5", "4", "3"]
    assert [message.text for message in rest] == ["2", "late", "1", "0"]


async def test_channel_session_and_time_narrow_the_list_exactly(store: PostgresDatabase) -> None:
    async with store.transaction() as tx:
        for hours, channel, session in (
            (0, "web", "s"),
            (1, "we%", "s"),
            (2, "web", "S"),
            (3, "", ""),
        ):
            await say(tx, str(hours), hours=hours, channel=channel, session=session)
    assert await pages(store, False, 10, channel="web") == ["0", "2"]
    assert await pages(store, False, 10, channel="we%") == ["1"]
    assert await pages(store, False, 10, session_id="s") == ["0", "1"]
    assert await pages(store, False, 10, channel="web", session_id="S") == ["2"]
    bounds = TimeRange(NOON + HOUR, NOON + 3 * HOUR)
    assert await pages(store, False, 10, times=bounds) == ["1", "2"]
    assert await pages(store, True, 10, times=TimeRange(start=NOON + HOUR)) == ["3", "2", "1"]
    assert await pages(store, True, 10, times=TimeRange(end=NOON + HOUR)) == ["0"]


async def test_people_with_ids_alike_never_see_each_other_s_messages(
    store: PostgresDatabase,
) -> None:
    async with store.transaction() as tx:
        for name in STRANGE_IDS:
            await say(tx, name, scope=Scope("acme", name))
            await say(tx, "foreign", scope=Scope("globex", name))
    for name in STRANGE_IDS:
        assert await pages(store, True, 10, scope=Scope("acme", name)) == [name]


def point(number: int, hours: float = 0, **fields: object) -> RelationPoint:
    state = RelationState(0.1, 0.2, 0.3, number / 100, NOON + hours * HOUR)
    return RelationPoint(0, state, NOON + hours * HOUR, **fields)  # type: ignore[arg-type]


async def test_the_history_keeps_every_point_in_the_order_of_arrival(
    store: PostgresDatabase,
) -> None:
    interaction_id = uuid4()
    given = [
        point(
            1,
            3,
            event_kind=RelationEventKind.BROKEN_PROMISE,
            note="forgot",
            interaction_id=interaction_id,
        ),
        point(2, 3, interaction_id=interaction_id, mood_delta=-0.5),
        point(5, 3, event_kind=RelationEventKind.KEPT_PROMISE, interaction_id=interaction_id),
        point(3, 1),
        point(4, 2),
    ]
    async with store.transaction() as tx:
        for one in given:
            await tx.messages.insert_point(MAYA, one)
        await tx.messages.insert_point(Scope("acme", "noor"), point(99))
        oldest = await tx.messages.list_points(MAYA, TimeRange(), False, PageRequest(10))
        newest = await tx.messages.list_points(MAYA, TimeRange(), True, PageRequest(2))
        rest = await tx.messages.list_points(
            MAYA, TimeRange(), True, PageRequest(10, (newest[-1].point_id,))
        )
        narrowed = await tx.messages.list_points(
            MAYA, TimeRange(NOON + HOUR, NOON + 3 * HOUR), False, PageRequest(10)
        )
        own = await tx.messages.point_of_interaction(MAYA, interaction_id)
        assert await tx.messages.point_of_interaction(Scope("acme", "noor"), interaction_id) is None
    assert [
        (p.state, p.occurred_at, p.event_kind, p.note, p.mood_delta, p.interaction_id)
        for p in oldest
    ] == [
        (p.state, p.occurred_at, p.event_kind, p.note, p.mood_delta, p.interaction_id)
        for p in given
    ]
    assert newest + rest == oldest[::-1]
    assert narrowed == oldest[3:]
    assert own == oldest[1]
