"""What a person's words say beside their mood: other people, and things to come back to."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ThirdParty:
    """Somebody in the person's life, mentioned in `sentence`; `name` is empty when none is given, `kind` in lower case.

    conduct: −1 when the sentence tells of unkindness towards the person, 1 of kindness, else 0.
    """

    name: str
    kind: str
    sentence: str
    conduct: int = 0


@dataclass(frozen=True, slots=True)
class FollowUp:
    """Something to bring up at `due_at` (UTC), implied or asked for in `sentence`."""

    description: str
    due_at: datetime
    sentence: str


@dataclass(frozen=True, slots=True)
class Mentions:
    """All that was read out of one text, in the order of the text."""

    third_parties: tuple[ThirdParty, ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()
