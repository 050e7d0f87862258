""" "Remind me to …": what, and when."""

import re
from datetime import UTC, datetime, time, timedelta

from rapport_server.domain.mentions import FollowUp
from rapport_server.inference.dates import MORNING, date_phrases

_ASKED = re.compile(
    r"(?i)(?:^|[,;:–—-]\s*(?:and\s+)?|\b(?:please|can you|could you|would you|will you|you to|can u|pls|plz|hey)\s+)"
    r"(?:(?:please|kindly|just|also)\s+)?"
    r"(?:remind (?:me|us)|(?P<forget>(?:don['’]?t|do not) let (?:me|us) forget))\b(?P<rest>.*)"
)
# What is to be done; "remind me what a mortgage is" and "remind me how" ask for knowledge.
_WHAT = re.compile(r"(?i)(?:^|\s)(?P<how>to|that|about|of)\s+(?P<what>.+)")
# "Don't let me forget the rent on the 1st" names it outright.
_WHAT_FORGOTTEN = re.compile(r"(?i)^[\s:]*(?:(?P<how>to|that|about|of)\s+)?(?P<what>.+)")
_KNOWLEDGE = re.compile(
    r"(?i)^\s*(?:what|who|how|why|which|where|when (?:is|was|did|does)|again)\b"
)
_TIME = re.compile(
    r"(?i)\b(?:at|by) (?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?\s*(?P<half>[ap]\.?m\b\.?)?(?P<rest> o['’]clock)?"
    r"(?:\s+in the (?P<part>morning|afternoon|evening))?|\b(?:at )?(?P<named>noon|midday|midnight)\b"
)
_PARTS = {"tonight": time(20), "evening": time(19), "afternoon": time(15)}
_PART = re.compile(rf"(?i)\b(?:{'|'.join(_PARTS)})\b")
_WHAT_CHARS_MAX = 300
# "At 3" without more is in the afternoon, "at 8" in the morning.
_AFTERNOON_UNTIL = 6


def reminder(sentence: str, local: datetime) -> FollowUp | None:
    """The reminder that a sentence asks for; None when it asks for none or for a time that is past."""
    asked = _ASKED.search(sentence)
    if asked is None or _KNOWLEDGE.match(asked["rest"]):
        return None
    what = (_WHAT_FORGOTTEN if asked["forget"] else _WHAT).search(asked["rest"])
    if what is None:
        return None
    due, meant = _due(sentence, local)
    # Whoever says "remind me of you" or "don't let me forget you" wants nothing done.
    if not meant and (what["how"] or "").lower() != "to":
        return None
    quote = what["what"].strip(" .!?")[:_WHAT_CHARS_MAX]
    description = f"Remind them, as they asked on {local.date()}{meant}: “{quote}”"
    return FollowUp(description, due.astimezone(UTC), sentence)


def _due(sentence: str, local: datetime) -> tuple[datetime, str]:
    """When, and the time that the sentence names, in words with a date; empty when it names none."""
    phrase = next(date_phrases(sentence, local), None)
    if phrase is not None and phrase.at is not None:
        return phrase.at, _moment(phrase.at)
    clock = _clock(sentence)
    day = phrase.day if phrase is not None else local.date()
    if clock is not None:
        due = datetime.combine(day, clock, local.tzinfo)
        if phrase is None and due <= local:
            due = datetime.combine(day + timedelta(1), clock, local.tzinfo)
        return max(due, local), _moment(due)
    if phrase is None:
        return datetime.combine(day + timedelta(1), MORNING, local.tzinfo), ""
    part = _PART.search(sentence)
    default = _PARTS[part.group().lower()] if part else MORNING
    return max(datetime.combine(day, default, local.tzinfo), local), f" for {day}"


def _moment(at: datetime) -> str:
    return f" for {at:%Y-%m-%d} at {at:%H:%M}"


def _clock(sentence: str) -> time | None:
    found = _TIME.search(sentence)
    if found is None:
        return None
    if found["named"]:
        return time(0) if found["named"].lower() == "midnight" else time(12)
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    half = (found["half"] or "").lower()[:1]
    afternoon = found["part"] in ("afternoon", "evening")
    plain = not half and not found["part"] and not found["minute"] and hour <= _AFTERNOON_UNTIL
    if hour < 12 and (half == "p" or afternoon or plain):
        hour += 12
    elif hour == 12 and half == "a":
        hour = 0
    return time(hour, minute) if hour < 24 and minute < 60 else None
