"""How what a person says of others becomes person relations: who is meant, and how the feeling towards them moves."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from rapport_server.domain.limits import NAME_BYTES_MAX
from rapport_server.domain.person_relations import PersonRelation
from rapport_server.domain.relation import SENTIMENT_BASELINE

# Half of what a message moves the person's own sentiment: the words tell of somebody else.
MENTION_WEIGHT = 0.35
# Of "my boss shouted at me", which hardly ever sounds like an emotion; about half of what a strong emotion moves.
CONDUCT_MOOD = 0.2
# One has a single one of these at a time, so that "my boss" and "my boss Anna" mean the same.
UNIQUE_KINDS = frozenset(
    "mother father parents stepmother stepfather grandparents mother-in-law father-in-law parents-in-law husband wife partner fiancé "
    "fiancée boyfriend girlfriend ex boss landlord landlady therapist".split()
)
# Somebody who is one of these is no other of them, and no friend or boss of the same name.
FAMILY_KINDS = frozenset(
    "mother father stepmother stepfather grandmother grandfather great-grandmother great-grandfather sister brother twin sibling "
    "stepsister stepbrother daughter son child stepdaughter stepson granddaughter grandson grandchild aunt uncle cousin niece nephew "
    "mother-in-law father-in-law sister-in-law brother-in-law son-in-law daughter-in-law husband wife partner fiancé fiancée boyfriend "
    "girlfriend dog cat horse parrot rabbit hamster".split()
)
_FOUND = uuid.UUID("0f1b8f0a-7c1e-4d0b-8d55-2f5c1c7a9e31")


@dataclass(frozen=True, slots=True)
class Mention:
    """Somebody spoken of: `name` or `kind` may be empty, not both; `mood_delta` in [−1, 1]."""

    name: str
    kind: str
    occurred_at: datetime
    mood_delta: float = 0.0


def mood_of(mood_delta: float, conduct: int) -> float:
    """The sentence's own mood_delta, and CONDUCT_MOOD more or less for what the other did; in [−1, 1]."""
    return min(1.0, max(-1.0, mood_delta + CONDUCT_MOOD * conduct))


def moved(sentiment: float, mood_delta: float) -> float:
    """Towards clamp01(sentiment + mood_delta) by MENTION_WEIGHT, as a message moves the person's own; nothing decays."""
    target = min(1.0, max(0.0, sentiment + mood_delta))
    return sentiment + MENTION_WEIGHT * (target - sentiment)


def acquainted(
    known: Sequence[PersonRelation], mentions: Iterable[Mention]
) -> list[PersonRelation]:
    """The relations that the mentions make or change, in the order in which they first do; each id once."""
    people = {relation.person_relation_id: relation for relation in known}
    changed: dict[str, None] = {}
    for mention in mentions:
        relation = _meant(list(people.values()), mention)
        if relation is None:
            continue
        latest = relation.last_mentioned
        people[relation.person_relation_id] = replace(
            relation,
            sentiment=moved(relation.sentiment, mention.mood_delta),
            last_mentioned=max(latest, mention.occurred_at) if latest else mention.occurred_at,
        )
        changed[relation.person_relation_id] = None
    return [people[person_relation_id] for person_relation_id in changed]


def _meant(people: Sequence[PersonRelation], mention: Mention) -> PersonRelation | None:
    """Whom a mention means, by now or as somebody new; None when that cannot be told."""
    if len(mention.name.encode()) > NAME_BYTES_MAX:
        return None
    found = _by_name(people, mention) if mention.name else _by_kind(people, mention.kind)
    if found is not None or not mention.kind:
        return found
    of_kind = _of_kind(people, mention.kind)
    if not mention.name and of_kind and mention.kind in FAMILY_KINDS:
        # One of several sisters, and nobody knows which.
        return None
    key = f"{mention.kind}\0{mention.name.casefold()}"
    new = PersonRelation(
        str(uuid.uuid5(_FOUND, key)), mention.name or mention.kind, mention.kind, SENTIMENT_BASELINE
    )
    taken = any(person.person_relation_id == new.person_relation_id for person in people)
    return None if taken else new


def _by_name(people: Sequence[PersonRelation], mention: Mention) -> PersonRelation | None:
    same = [
        person
        for person in people
        if _same_name(person.name, mention.name) and _may_be_one(person.kind, mention.kind)
    ]
    if same:
        person = _latest(same)
        longer = max(person.name, mention.name, key=len)
        return replace(person, name=longer, kind=person.kind or mention.kind)
    of_kind = _of_kind(people, mention.kind)
    nameless = [person for person in of_kind if is_nameless(person)]
    gains = mention.kind in UNIQUE_KINDS or (mention.kind in FAMILY_KINDS and len(of_kind) == 1)
    return replace(nameless[0], name=mention.name) if nameless and gains else None


def _by_kind(people: Sequence[PersonRelation], kind: str) -> PersonRelation | None:
    of_kind = _of_kind(people, kind)
    if of_kind and (kind in UNIQUE_KINDS or (kind in FAMILY_KINDS and len(of_kind) == 1)):
        return _latest(of_kind)
    return next((person for person in of_kind if is_nameless(person)), None)


def _of_kind(people: Sequence[PersonRelation], kind: str) -> list[PersonRelation]:
    return [person for person in people if kind and person.kind.casefold() == kind]


def is_nameless(person: PersonRelation) -> bool:
    """Whether only the kind is known; it stands in the name's place."""
    return person.name.casefold() == person.kind.casefold()


def _same_name(one: str, other: str) -> bool:
    """ "Anna" and "Anna Berg" are one, "Dr Novak" and "Dr. Novak" too."""
    first, second = (name.casefold().replace(".", "").split() for name in (one, other))
    shared = min(len(first), len(second))
    return shared > 0 and first[:shared] == second[:shared]


def _may_be_one(kind: str, other: str) -> bool:
    kind, other = kind.casefold(), other.casefold()
    family = kind in FAMILY_KINDS or other in FAMILY_KINDS
    return kind == other or not kind or not other or not family


def _latest(people: Sequence[PersonRelation]) -> PersonRelation:
    return max(
        people, key=lambda person: person.last_mentioned.timestamp() if person.last_mentioned else 0
    )
