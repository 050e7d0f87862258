"""Acquaintances: who a mention means, and how the feeling towards them moves."""

from datetime import UTC, datetime, timedelta

import pytest

from rapport_server.domain.acquaintance import MENTION_WEIGHT, Mention, acquainted, mood_of
from rapport_server.domain.person_relations import PersonRelation
from rapport_server.domain.relation import moved

AT = datetime(2026, 3, 1, tzinfo=UTC)


def met(*people: tuple[str, str], known: tuple[PersonRelation, ...] = ()) -> list[tuple[str, str]]:
    """Name and kind of everybody after these mentions, each a second after the one before."""
    mentions = [
        Mention(name, kind, AT + timedelta(seconds=n)) for n, (name, kind) in enumerate(people)
    ]
    changed = acquainted(known, mentions)
    assert len({relation.person_relation_id for relation in changed}) == len(changed)
    return [(relation.name, relation.kind) for relation in changed]


@pytest.mark.parametrize(
    ("mentions", "people"),
    [
        ([("", "mother"), ("", "mother")], [("mother", "mother")]),
        ([("", "boss"), ("Anna", "boss")], [("Anna", "boss")]),
        ([("Anna", "boss"), ("", "boss"), ("Anna", "")], [("Anna", "boss")]),
        ([("Anna", "boss"), ("Ben", "boss")], [("Anna", "boss"), ("Ben", "boss")]),
        ([("Mia", "sister"), ("Ida", "sister")], [("Mia", "sister"), ("Ida", "sister")]),
        ([("", "sister"), ("Mia", "sister")], [("Mia", "sister")]),
        ([("Mia", "sister"), ("", "sister")], [("Mia", "sister")]),
        (
            [("Mia", "sister"), ("Ida", "sister"), ("", "sister")],
            [("Mia", "sister"), ("Ida", "sister")],
        ),
        ([("", "friend"), ("Tom", "friend")], [("friend", "friend"), ("Tom", "friend")]),
        ([("Tom", "friend"), ("", "friend")], [("Tom", "friend"), ("friend", "friend")]),
        ([("Anna", "sister"), ("Anna", "boss")], [("Anna", "sister"), ("Anna", "boss")]),
        ([("Ms Bo", "teacher"), ("Ms Bo", "neighbour")], [("Ms Bo", "teacher")]),
        ([("Anna", "boss"), ("Anna Berg", "boss")], [("Anna Berg", "boss")]),
        ([("Dr Novak", "dentist"), ("Dr. Novak", "dentist")], [("Dr. Novak", "dentist")]),
        (
            [("Dr Novak", "doctor"), ("Dr Bell", "doctor")],
            [("Dr Novak", "doctor"), ("Dr Bell", "doctor")],
        ),
        ([("Anna", "")], []),
        ([("x" * 300, "boss")], []),
    ],
)
def test_a_mention_means_somebody_known_or_somebody_new(
    mentions: list[tuple[str, str]], people: list[tuple[str, str]]
) -> None:
    assert met(*mentions) == people
    # Read in two parts it comes to the same people.
    first = acquainted((), [Mention(*m, AT) for m in mentions[:1]])
    rest = acquainted(first, [Mention(*m, AT) for m in mentions[1:]])
    ids = {r.person_relation_id: (r.name, r.kind) for r in [*first, *rest]}
    assert list(ids.values()) == people


def test_a_nameless_boss_is_the_one_spoken_of_last() -> None:
    anna = PersonRelation("a", "Anna", "boss", last_mentioned=AT)
    ben = PersonRelation("b", "Ben", "boss", last_mentioned=AT + timedelta(1))
    assert met(("", "boss"), known=(ben, anna)) == [("Ben", "boss")]
    assert met(("", "boss"), known=(PersonRelation("c", "Cleo", "Boss"),)) == [("Cleo", "Boss")]


def test_a_feeling_moves_by_half_of_what_it_moves_the_persons_own_and_stays_in_range() -> None:
    assert moved(0.5, -0.4, MENTION_WEIGHT) == pytest.approx(0.36)
    assert moved(0.9, 0.4, MENTION_WEIGHT) == pytest.approx(0.935)
    assert moved(0.0, -1.0, MENTION_WEIGHT) == 0.0
    assert moved(1.0, 1.0, MENTION_WEIGHT) == 1.0
    sad, glad = (
        acquainted((), [Mention("Anna", "boss", AT, mood)])[0].sentiment for mood in (-0.4, 0.4)
    )
    assert (sad, glad) == (pytest.approx(0.36), pytest.approx(0.64))


def test_what_somebody_did_counts_beside_the_mood_of_the_sentence() -> None:
    assert mood_of(0.0, -1) == -0.2
    assert mood_of(-0.3, -1) == -0.5
    assert mood_of(0.1, 0) == 0.1
    assert mood_of(0.95, 1) == 1.0


def test_the_last_mention_is_the_latest_moment_in_any_order() -> None:
    late = AT + timedelta(1)
    (anna,) = acquainted((), [Mention("Anna", "boss", late), Mention("Anna", "boss", AT)])
    assert anna.last_mentioned == late
