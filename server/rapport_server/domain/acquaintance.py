"""How what a person says of others becomes person relations: who is meant, and how the feeling towards them moves."""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from rapport_server.domain.limits import NAME_BYTES_MAX
from rapport_server.domain.person_relations import PersonRelation
from rapport_server.domain.relation import SENTIMENT_BASELINE, SENTIMENT_WEIGHT, moved

# The words tell of somebody else. Nothing decays.
MENTION_WEIGHT = SENTIMENT_WEIGHT / 2
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


def acquainted(
    known: Sequence[PersonRelation], mentions: Iterable[Mention]
) -> list[PersonRelation]:
    """The relations that the mentions make or change, in the order in which they first do; each id once."""
    circle = _Circle(known)
    changed: dict[str, PersonRelation] = {}
    for mention in mentions:
        relation = circle.meant(mention)
        if relation is None:
            continue
        latest = relation.last_mentioned
        moved_on = replace(
            relation,
            sentiment=moved(relation.sentiment, mention.mood_delta, MENTION_WEIGHT),
            last_mentioned=max(latest, mention.occurred_at) if latest else mention.occurred_at,
        )
        circle.put(moved_on)
        changed[relation.person_relation_id] = moved_on
    return list(changed.values())


class _Circle:
    """Everybody known so far, found by the first word of the name and by the kind: a diary mentions thousands."""

    def __init__(self, known: Iterable[PersonRelation]) -> None:
        self._people: dict[str, PersonRelation] = {}
        self._by_word: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._by_kind: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for relation in known:
            self.put(relation)

    def put(self, relation: PersonRelation) -> None:
        """Somebody new, or somebody who has changed."""
        self._people[relation.person_relation_id] = relation
        self._by_word[_first_word(relation.name)][relation.person_relation_id] = None
        self._by_kind[relation.kind.casefold()][relation.person_relation_id] = None

    def meant(self, mention: Mention) -> PersonRelation | None:
        """Whom a mention means, by now or as somebody new; None when that cannot be told."""
        name, kind = mention.name, mention.kind
        if len(name.encode()) > NAME_BYTES_MAX:
            return None
        found = self._by_name(name, kind) if name else self._the_one(kind) or self._nameless(kind)
        if found is not None or not kind:
            return found
        if not name and kind in FAMILY_KINDS and self._of_kind(kind):
            # One of several sisters, and nobody knows which.
            return None
        new_id = str(uuid.uuid5(_FOUND, f"{kind}\0{name.casefold()}"))
        if new_id in self._people:
            return None
        return PersonRelation(new_id, name or kind, kind, SENTIMENT_BASELINE)

    def _by_name(self, name: str, kind: str) -> PersonRelation | None:
        same = [person for person in self._called(name) if _may_be_one(person.kind, kind)]
        if same:
            person = _latest(same)
            longer = max(person.name, name, key=len)
            return replace(person, name=longer, kind=person.kind or kind)
        nameless = self._nameless(kind)
        return replace(nameless, name=name) if nameless and self._the_one(kind) else None

    def _the_one(self, kind: str) -> PersonRelation | None:
        """Whom the kind means without a name, where one has a single one of it or only one is known."""
        of_kind = self._of_kind(kind) if kind in UNIQUE_KINDS | FAMILY_KINDS else []
        is_one = kind in UNIQUE_KINDS or len(of_kind) == 1
        return _latest(of_kind) if of_kind and is_one else None

    def _nameless(self, kind: str) -> PersonRelation | None:
        same = (person for person in self._called(kind) if person.kind.casefold() == kind)
        return next(filter(is_nameless, same), None)

    def _called(self, name: str) -> Iterator[PersonRelation]:
        for person_relation_id in self._by_word.get(_first_word(name), ()):
            person = self._people[person_relation_id]
            if _same_name(person.name, name):
                yield person

    def _of_kind(self, kind: str) -> list[PersonRelation]:
        return [self._people[known_id] for known_id in self._by_kind.get(kind, ())]


def is_nameless(person: PersonRelation) -> bool:
    """Whether only the kind is known; it stands in the name's place."""
    return person.name.casefold() == person.kind.casefold()


def _words(name: str) -> list[str]:
    return name.casefold().replace(".", "").split()


def _first_word(name: str) -> str:
    return next(iter(_words(name)), "")


def _same_name(one: str, other: str) -> bool:
    """ "Anna" and "Anna Berg" are one, "Dr Novak" and "Dr. Novak" too."""
    first, second = _words(one), _words(other)
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
