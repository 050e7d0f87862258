"""English date phrases: found by rules, resolved against the speaker's own day with dateutil's calendar arithmetic."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import Enum

from dateutil.relativedelta import relativedelta, weekday


def _numbered(names: str, start: int = 1) -> dict[str, int]:
    """Each name of "first 1st|second 2nd" with the number of its group."""
    groups = enumerate(names.split("|"), start)
    return {name: number for number, group in groups for name in group.split()}


# When to come back to something, on a day for which no hour is named.
MORNING = time(9)
_WEEKDAYS = _numbered("monday|tuesday|wednesday|thursday|friday|saturday|sunday", 0)
# Short forms mean a day only behind "on", "next" or "this": "sun" and "sat" are words of their own.
_WEEKDAYS_AND_SHORT = _WEEKDAYS | _numbered("mon|tue tues|wed weds|thu thur thurs|fri|sat|sun", 0)
_MONTHS = _numbered(
    "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|october oct|november nov|"
    "december dec"
)
_NUMBERS = _numbered("a an one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve") | {
    "a couple of": 2,
    "a few": 3,
}
_NAMED = {
    "christmas eve": (12, 24),
    "christmas day": (12, 25),
    "christmas": (12, 25),
    "boxing day": (12, 26),
    "new year's eve": (12, 31),
    "new year's day": (1, 1),
    "new year's": (1, 1),
    "valentine's day": (2, 14),
    "halloween": (10, 31),
}
_ORDINALS = _numbered("first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth")
# A date without a year that would be farther away than this was more likely a slip, or past.
_AHEAD_DAYS_MAX = 300
# "in 200 years": dates far away are of no use to come back to.
_COUNT_MAX = 400


def _one_of(names: Iterable[str]) -> str:
    """The longest first: "a few" is not "a"."""
    return "|".join(sorted(names, key=len, reverse=True))


_COUNT = rf"(?P<count>\d{{1,3}}|{_one_of(_NUMBERS)})"
_DAY = rf"(?P<day>{_one_of(_WEEKDAYS)})"
_ANY_DAY = rf"(?P<day>{_one_of(_WEEKDAYS_AND_SHORT)})"
_MONTH = rf"(?P<month>{_one_of(_MONTHS)})\.?"
_NUMBER = r"(?P<number>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:,? (?P<year>\d{4}))?"
_UNIT = r"(?P<unit>day|week|fortnight|month|hour|minute)s?"


class Certainty(Enum):
    """How surely a phrase lies in the future, whatever the tense around it."""

    FUTURE = 1
    OPEN = 2
    SAME_DAY = 3


_CERTAINTY = {"today": Certainty.SAME_DAY} | dict.fromkeys(
    ("day", "this_weekend", "iso", "numeric", "month_day", "named", "ordinal"), Certainty.OPEN
)


@dataclass(frozen=True, slots=True)
class DatePhrase:
    """A phrase of a sentence, at `start` to `end`, and the day that it means; `at` only when it names a moment by itself."""

    start: int
    end: int
    day: date
    certainty: Certainty
    at: datetime | None = None


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'-])(?:{text})(?![\w-]|'(?!s\b))")


# Earlier ones win where two overlap. Phrases that tell of the past are found too, so that no later pattern takes a part of them.
_PATTERNS = [
    (
        "past",
        _pattern(
            rf"(?:last|since|until|till) (?:night|week|weekend|month|year|{_ANY_DAY}|the \d+\w*)"
        ),
    ),
    ("past", _pattern(rf"yesterday|{_COUNT} {_UNIT} ago")),
    ("after_tomorrow", _pattern(r"(?:the )?day after (?:tomorrow|tmrw|tmr)")),
    (
        "ahead",
        _pattern(
            rf"{_COUNT} {_UNIT} (?:from (?=now)|(?:from )?(?=to))(?P<base>now|today|tomorrow)"
        ),
    ),
    ("week_on", _pattern(rf"(?:a )?week on {_DAY}")),
    ("week_on", _pattern(rf"(?:on )?{_DAY} week")),
    (
        "ahead",
        _pattern(rf"in (?:about |just |exactly |less than )?{_COUNT} {_UNIT}(?:'?s?'? time)?"),
    ),
    ("next_period", _pattern(r"next (?P<period>week|weekend|month)")),
    ("this_weekend", _pattern(r"(?:this|at the|over the) weekend")),
    ("iso", _pattern(r"(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})")),
    ("numeric", _pattern(r"(?P<a>\d{1,2})[/.](?P<b>\d{1,2})[/.](?P<y>\d{4})")),
    ("month_day", _pattern(rf"(?:on )?(?:the )?{_NUMBER}(?: of)? {_MONTH}{_YEAR}")),
    (
        "month_day",
        _pattern(rf"(?:on )?the (?P<word>{_one_of(_ORDINALS)}) of {_MONTH}{_YEAR}"),
    ),
    ("month_day", _pattern(rf"(?:on )?{_MONTH} (?:the )?{_NUMBER}{_YEAR}")),
    ("next_day", _pattern(rf"next {_ANY_DAY}")),
    ("day", _pattern(rf"(?:on|this|this coming|on this) {_ANY_DAY}")),
    ("day", _pattern(rf"(?:by )?{_DAY}")),
    ("named", _pattern(rf"on (?P<name>{_one_of(_NAMED)})")),
    ("named", _pattern(r"for (?P<name>christmas (?:eve|day)|new year's (?:eve|day))")),
    (
        "ordinal",
        _pattern(
            r"(?:(?<=on )|(?<=is )|(?<='s )|(?<=for )|(?<=by )|(?<=from )|(?<=are ))the (?P<number>\d{1,2})(?:st|nd|rd|th)"
            r"(?! (?:time|floor|century|birthday|place|grade|street|attempt|day|of))"
        ),
    ),
    ("tomorrow", _pattern(r"tomorrow|tmrw|tmr|tomorow|tommorow|tomoz")),
    ("today", _pattern(r"today|tonight|tonite|this (?:morning|afternoon|evening|lunchtime)")),
]


def date_phrases(sentence: str, local: datetime) -> Iterator[DatePhrase]:
    """The future or present days that a sentence names, in its order; `local` is when it was said, in the speaker's own time."""
    lower = sentence.lower().replace("’", "'")
    taken: set[int] = set()
    found = []
    for name, pattern in _PATTERNS:
        for match in pattern.finditer(lower):
            place = range(*match.span())
            if taken.isdisjoint(place):
                taken.update(place)
                found.append((place.start, name, match))
    for _, name, match in sorted(found, key=lambda each: each[0]):
        if name != "past" and (phrase := _resolved(name, match, local)) is not None:
            yield phrase


def _resolved(name: str, match: re.Match[str], local: datetime) -> DatePhrase | None:
    parts = match.groupdict()
    day, at = _ahead(parts, local) if name == "ahead" else (_day(name, parts, local.date()), None)
    if day is None or day < local.date():
        return None
    return DatePhrase(*match.span(), day, _CERTAINTY.get(name, Certainty.FUTURE), at)


def _day(name: str, parts: dict[str, str | None], today: date) -> date | None:
    given = parts.get("day") or ""
    match name:
        case "today":
            return today
        case "tomorrow":
            return today + timedelta(1)
        case "after_tomorrow":
            return today + timedelta(2)
        case "week_on":
            return _coming(today, given) + timedelta(7)
        case "next_period":
            return _end_of_next(parts["period"] or "", today)
        case "this_weekend":
            return today + relativedelta(weekday=weekday(6))
        case "next_day":
            # That of the next week, weeks beginning on Monday; said on a Saturday, "next Friday" is the coming one.
            return _next_monday(today) + timedelta(_WEEKDAYS_AND_SHORT[given])
        case "day":
            return _coming(today, given)
        case _:
            return _of_calendar(name, parts, today)


def _next_monday(today: date) -> date:
    return today + relativedelta(days=1, weekday=weekday(0))


def _ahead(parts: dict[str, str | None], local: datetime) -> tuple[date | None, datetime | None]:
    base = local + timedelta(parts.get("base") == "tomorrow")
    written = parts["count"] or ""
    count = int(written) if written.isdigit() else _NUMBERS[written]
    if count > _COUNT_MAX:
        return None, None
    match parts["unit"]:
        case "hour" | "minute" as unit:
            # In elapsed time, also where the clocks change.
            length = timedelta(hours=count) if unit == "hour" else timedelta(minutes=count)
            moment = (base.astimezone(UTC) + length).astimezone(base.tzinfo)
            return moment.date(), moment
        case "day":
            day = base.date() + relativedelta(days=count)
        case "week":
            day = base.date() + relativedelta(weeks=count)
        case "fortnight":
            day = base.date() + relativedelta(weeks=2 * count)
        case _:
            day = base.date() + relativedelta(months=count)
    return day, None


def _coming(today: date, name: str) -> date:
    """The first such weekday after today."""
    return today + relativedelta(days=1, weekday=weekday(_WEEKDAYS_AND_SHORT[name]))


def _end_of_next(period: str, today: date) -> date:
    """The last day on which something "next week" (Friday), "next weekend" (Sunday) or "next month" has happened."""
    if period == "month":
        return today + relativedelta(months=1, day=31)
    return _next_monday(today) + timedelta(4 if period == "week" else 6)


def _of_calendar(name: str, parts: dict[str, str | None], today: date) -> date | None:
    try:
        match name:
            case "iso":
                return date(int(parts["y"] or 0), int(parts["m"] or 0), int(parts["d"] or 0))
            case "numeric":
                return _numeric(int(parts["a"] or 0), int(parts["b"] or 0), int(parts["y"] or 0))
            case "ordinal":
                return _day_of_month(int(parts["number"] or 0), today)
            case "named":
                month, number = _NAMED[parts["name"] or ""]
            case _:
                month = _MONTHS[parts["month"] or ""]
                word = parts.get("word")
                number = _ORDINALS[word] if word else int(parts["number"] or 0)
        if parts.get("year"):
            return date(int(parts["year"] or 0), month, number)
        return _next_such(month, number, today)
    except ValueError:
        # No such day: "30 February" is a slip of the pen.
        return None


def _numeric(a: int, b: int, year: int) -> date | None:
    """Day first or month first is known only when one of them is no month."""
    if a == b or a > 12:
        return date(year, b, a)
    return date(year, a, b) if b > 12 else None


def _day_of_month(number: int, today: date) -> date | None:
    for months in range(3):
        first = today.replace(day=1) + relativedelta(months=months)
        day = first + relativedelta(day=number)
        if day.day == number and day >= today:
            return day
    return None


def _next_such(month: int, number: int, today: date) -> date | None:
    day = date(today.year, month, number)
    if day < today:
        day = date(today.year + 1, month, number)
    return day if (day - today).days <= _AHEAD_DAYS_MAX else None
