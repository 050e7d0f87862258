"""What a person says is going to happen, as things to ask about the day after; and what they ask to be reminded of."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import islice, pairwise

from rapport_server.domain.mentions import FollowUp
from rapport_server.inference import evidence, reminders
from rapport_server.inference.dates import MORNING, Certainty, DatePhrase, date_phrases
from rapport_server.inference.kinds import KIND_WORDS
from rapport_server.inference.words import sentences

# What happens within the hour is over before anybody can ask the day after about it in earnest.
_SOON = timedelta(hours=1)
_QUOTE_CHARS_MAX = 300
# Nobody announces more in a sentence; a list of dates is something else.
_PHRASES_MAX = 4
FOLLOW_UPS_MAX = 16
_CLAUSE = re.compile(
    r"\s*(?:[,;:()–—!?]+\s|\s-\s)\s*|\s+(?=(?:and|but|because|although|though|while|so|then)\s)"
)
_SUBJECT = re.compile(
    r"(?i)\b(?P<whose>my|our|the|(?!it|that|he|she|there|what|who|here|let)[a-z]\w*['’]s) (?P<event>(?:[\w'’-]+ ){0,4}?[\w'’-]+?)(?:['’]s)?"
    r" (?=(?:is|are|starts?|begins?|takes place|has been|will be|comes|leaves|on|in|next|this|today|tomorrow|tonight|tmrw)\b)"
)
_VERBS = frozenset("has have had gets got does do is are was wants needs goes".split())
_WITH = re.compile(r" (?:with|about|of|at|for|to|from|in|on) ")


def follow_ups(text: str, occurred_at: datetime, zone: tzinfo) -> list[FollowUp]:
    """Each with the moment when it is due, in UTC; at most one for a sentence and a day.

    An event is asked about the day after at 09:00 in `zone`. A reminder is due when it was asked for, at 09:00 of its day without a
    time, at once when that is past, and on the next morning when no day is named.
    """
    local = occurred_at.astimezone(zone)
    found = (told for sentence in sentences(text) for told in _told(sentence, local))
    return list(islice(found, FOLLOW_UPS_MAX))


def _told(sentence: str, local: datetime) -> Iterator[FollowUp]:
    if (reminder := reminders.reminder(sentence, local)) is not None:
        yield reminder
        return
    if not evidence.may_tell_of_plans(sentence):
        return
    zone = local.tzinfo
    days: set[date] = set()
    for phrase in islice(date_phrases(sentence, local), _PHRASES_MAX):
        if phrase.day in days or (phrase.at is not None and phrase.at - local < _SOON):
            continue
        clause = _clause_around(sentence, phrase)
        if not evidence.tells_of_a_plan(
            clause,
            same_day=phrase.certainty is Certainty.SAME_DAY,
            surely_ahead=phrase.certainty is Certainty.FUTURE,
        ):
            continue
        days.add(phrase.day)
        due = datetime.combine(phrase.day + timedelta(1), MORNING, zone).astimezone(UTC)
        yield FollowUp(_question(sentence, clause, phrase.day), due, sentence)


def _clause_around(sentence: str, phrase: DatePhrase) -> str:
    """The part of the sentence that the phrase belongs to; with its neighbour where it holds nothing but the phrase."""
    borders = [(0, 0), *(cut.span() for cut in _CLAUSE.finditer(sentence)), (len(sentence),) * 2]
    parts = [(left[1], right[0]) for left, right in pairwise(borders)]
    here = max(n for n, (start, _) in enumerate(parts) if start <= phrase.start)
    start, end = parts[here]
    end = max(end, phrase.end)
    rest = sentence[start : phrase.start] + sentence[phrase.end : end]
    if len(rest.split()) < 2 and not evidence.names_an_event(rest):
        if here + 1 < len(parts):
            end = parts[here + 1][1]
        elif here > 0:
            start = parts[here - 1][0]
    return sentence[start:end]


def _question(sentence: str, clause: str, day: date) -> str:
    """ "Ask how the surgery on 2026-12-01 went"."""
    subject = _SUBJECT.search(clause)
    if subject is not None and _is_event(subject["event"]):
        return (
            f"Ask how {_whose(subject['whose'], subject['event'])} {subject['event']} on {day} went"
        )
    quote = sentence if len(sentence) <= _QUOTE_CHARS_MAX else clause[:_QUOTE_CHARS_MAX]
    return f"Ask how it went on {day}: “{quote}”"


def _is_event(phrase: str) -> bool:
    if _VERBS & set(phrase.split()):
        return False
    head = _WITH.split(phrase)[0].split()[-1]
    return evidence.names_an_event(head) and not head.endswith(("ing", "operates"))


def _whose(owner: str, event: str) -> str:
    """ "my surgery" → "the", "my mother's surgery" and "mum's surgery" → "their", "Anna's surgery" → "Anna's"."""
    if owner.lower() in ("my", "our", "the"):
        first, *more = event.split()
        return "their" if more and first.endswith(("'s", "’s")) else "the"
    return f"their {owner.lower()}" if owner.lower()[:-2] in KIND_WORDS else owner
