"""Follow-ups: what a person says is going to happen, the exact moment to ask about it, and how well that is found."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from rapport_server.inference.follow_ups import follow_ups
from tests.inference.scores import DEVELOPMENT, HERE, Score, rows

BERLIN = ZoneInfo("Europe/Berlin")
# A Friday, 10:00 in Berlin.
FRIDAY = datetime(2026, 3, 6, 9, tzinfo=UTC)


def dues(text: str, at: datetime = FRIDAY, zone: str = "Europe/Berlin") -> list[str]:
    """When the follow-ups of a text are due, in the speaker's own time."""
    there = ZoneInfo(zone)
    return [
        f"{found.due_at.astimezone(there):%Y-%m-%dT%H:%M}" for found in follow_ups(text, at, there)
    ]


def test_sentences_that_were_written_before_the_rules_were_measured_are_read_well() -> None:
    score = Score()
    for at, zone, text, due in rows(HERE / "follow_ups.tsv"):
        score.add(dues(text, datetime.fromisoformat(at), zone), [due] if due else [])
    print(f"follow-ups, test: {score}")
    assert score.precision >= 0.95
    assert score.recall >= 0.95


def test_the_sentences_that_the_rules_were_made_with_stay_read() -> None:
    score = Score()
    for _, at, zone, text, day, _what in rows(DEVELOPMENT / "follow_ups.tsv"):
        wanted = [f"{day}T09:00"] if day else []
        score.add(dues(text, datetime.fromisoformat(at), zone), wanted)
    print(f"follow-ups, development: {score}")
    assert score.precision >= 0.97
    assert score.recall >= 0.97


@pytest.mark.parametrize(
    ("phrase", "day"),
    [
        ("tomorrow", "03-08"),
        ("the day after tomorrow", "03-09"),
        ("on Friday", "03-14"),
        ("this Saturday", "03-08"),
        ("next Friday", "03-14"),
        ("next Saturday", "03-15"),
        ("Friday week", "03-21"),
        ("a week on Monday", "03-17"),
        ("in two weeks", "03-21"),
        ("in a fortnight", "03-21"),
        ("three days from now", "03-10"),
        ("a week today", "03-14"),
        ("in a month", "04-07"),
        ("on the 6th", "03-07"),
        ("on the 5th", "04-06"),
        ("on the 31st", "04-01"),
        ("on March 3rd", None),
        ("on 29 February", None),
        ("on 30 February", None),
        ("on Mar. 10", "03-11"),
        ("on Sept. 10", "09-11"),
        ("on 2026-03-10", "03-11"),
        ("on 13/03/2026", "03-14"),
        ("on 04/05/2026", None),
        ("next week", "03-14"),
        ("this weekend", "03-09"),
        ("next month", "05-01"),
        ("last Friday", None),
        ("two days ago", None),
        ("in 300 days", "2027-01-01"),
    ],
)
def test_a_date_is_resolved_against_the_day_on_which_it_is_said(
    phrase: str, day: str | None
) -> None:
    year = "" if day and len(day) > 5 else "2026-"
    assert dues(f"My exam is {phrase}.") == ([f"{year}{day}T09:00"] if day else [])


def test_the_morning_after_is_the_speakers_own_also_where_the_clocks_change() -> None:
    before = datetime(2026, 3, 27, 9, tzinfo=UTC)
    (found,) = follow_ups("My exam is on Saturday.", before, BERLIN)
    assert found.due_at == datetime(2026, 3, 29, 7, tzinfo=UTC)
    # 20:00 UTC is already the next day in Auckland.
    late = datetime(2026, 6, 1, 20, tzinfo=UTC)
    assert dues("My exam is tomorrow.", late, "Pacific/Auckland") == ["2026-06-04T09:00"]


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("Remind me to call Mum on Monday at 3pm.", "2026-03-09T15:00"),
        ("Remind me to call Mum on Monday.", "2026-03-09T09:00"),
        ("Please remind me at 14:30 to leave.", "2026-03-06T14:30"),
        ("Remind me to leave at 8.", "2026-03-07T08:00"),
        ("Remind me tonight to pay.", "2026-03-06T20:00"),
        ("Remind me to pay today.", "2026-03-06T10:00"),
        ("Remind me to turn it off in 20 minutes.", "2026-03-06T10:20"),
        ("Don't let me forget to water the plants tomorrow.", "2026-03-07T09:00"),
        ("Don't let me forget the rent on the 1st.", "2026-04-01T09:00"),
        ("Don't let me forget that the rent is due on the 1st.", "2026-04-01T09:00"),
        ("Don't let me forget you.", None),
        ("Don't let me forget what I said on Monday.", None),
        ("Remind me to buy milk.", "2026-03-07T09:00"),
        ("Remind me what a mortgage is.", None),
        ("You remind me of my sister.", None),
        ("Good friends remind me that life is good.", None),
    ],
)
def test_a_reminder_is_due_when_it_was_asked_for(text: str, due: str | None) -> None:
    assert dues(text) == ([due] if due else [])


def test_the_clock_of_a_reminder_in_hours_runs_through_a_change_of_the_clocks() -> None:
    before = datetime(2026, 3, 28, 23, tzinfo=UTC)
    (found,) = follow_ups("Remind me to leave in 3 hours.", before, BERLIN)
    assert found.due_at == datetime(2026, 3, 29, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "description"),
    [
        ("My surgery is tomorrow.", "Ask how the surgery on 2026-03-07 went"),
        ("My mother's surgery is tomorrow.", "Ask how their mother's surgery on 2026-03-07 went"),
        ("Mum's scan is on Monday.", "Ask how their mum's scan on 2026-03-09 went"),
        ("Anna's exam is on Monday.", "Ask how Anna's exam on 2026-03-09 went"),
        ("We fly home tomorrow.", "Ask how it went on 2026-03-07: “We fly home tomorrow.”"),
        (
            "The meeting with Mr. Carvalho is on Thursday at 10.",
            "Ask how it went on 2026-03-12: “The meeting with Mr. Carvalho is on Thursday at 10.”",
        ),
        (
            "Remind me to take my pills.",
            "Remind them, as they asked on 2026-03-06: “take my pills”",
        ),
        (
            "Remind me to pay the plumber tomorrow.",
            "Remind them, as they asked on 2026-03-06 for 2026-03-07: “pay the plumber tomorrow”",
        ),
        (
            "Remind me at 5pm to leave.",
            "Remind them, as they asked on 2026-03-06 for 2026-03-06 at 17:00: “leave”",
        ),
    ],
)
def test_the_description_says_what_to_bring_up(text: str, description: str) -> None:
    assert [found.description for found in follow_ups(text, FRIDAY, BERLIN)] == [description]


def test_each_sentence_counts_for_itself() -> None:
    text = "My exam is on Monday. I don't fly on Tuesday. On Wednesday I see the surgeon."
    assert dues(text) == ["2026-03-10T09:00", "2026-03-12T09:00"]
    assert len(dues("My exam is tomorrow. " * 1000)) == 16
