"""Third parties: who is found in a person's words, under which name and kind, and how well."""

import json

import pytest

from rapport_server.inference.third_parties import third_parties
from tests.inference.scores import DEVELOPMENT, HERE, Score, rows


def found(text: str, own_name: str = "", known: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    return [(party.name, party.kind) for party in third_parties(text, own_name, known)]


def test_sentences_that_were_written_before_the_rules_were_measured_are_read_well() -> None:
    score = Score()
    for text, people in rows(HERE / "third_parties.tsv"):
        wanted = [tuple(person.split("=")) for person in people.split(", ") if person]
        score.add(found(text), wanted)
    print(f"third parties, test: {score}")
    assert score.precision >= 0.95
    assert score.recall >= 0.95


def test_the_sentences_that_the_rules_were_made_with_stay_read() -> None:
    score = Score()
    for _, text, people in rows(DEVELOPMENT / "third_parties.tsv"):
        score.add(found(text), [(person["name"], person["kind"]) for person in json.loads(people)])
    print(f"third parties, development: {score}")
    assert score.precision >= 0.97
    assert score.recall >= 0.97


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("My mother is ill.", [("", "mother")]),
        ("My boss Anna shouted at me.", [("Anna", "boss")]),
        ("Anna, my boss, shouted at me.", [("Anna", "boss")]),
        ("My sister's husband snores.", [("", "sister")]),
        ("My sisters Mia and Ida came.", [("Mia", "sister"), ("Ida", "sister")]),
        ("I met Dr. Novak, my dentist.", [("Dr. Novak", "dentist")]),
        ("I have a daughter. Her name is Noor.", [("Noor", "daughter")]),
        ("My dog Rolo limps.", [("Rolo", "dog")]),
        ("MY BOSS ANNA SHOUTED", [("", "boss")]),
        ("my god, my man, my people!", []),
        ("You are my best friend.", []),
        ("He said “my wife is lovely” and left.", []),
        ("My son in law Tom came.", [("Tom", "son-in-law")]),
        ("My great grandma sang.", [("", "great-grandmother")]),
        ("My mother tongue is Finnish.", []),
        ("Our priests' union met.", []),
        ("Uncle Sam wants taxes.", []),
        ("", []),
    ],
)
def test_somebody_of_the_speakers_is_found_and_nobody_else(
    text: str, people: list[tuple[str, str]]
) -> None:
    assert found(text) == people


def test_the_sentence_stands_by_itself() -> None:
    text = "It rained.  My boss Anna\nshouted. I left."
    assert [party.sentence for party in third_parties(text)] == ["My boss Anna"]
    assert [p.sentence for p in third_parties("Well. My boss Anna shouted! I left.")] == [
        "My boss Anna shouted!"
    ]


def test_a_known_name_is_found_without_a_kind_where_it_stands_for_the_person() -> None:
    assert found("Anna called. Then Tom did.", known=("Anna",)) == [("Anna", "")]
    assert found("I like Anna's cake.", known=("Anna",)) == [("Anna", "")]
    assert found("I read Anna Karenina and Annabel Lee.", known=("Anna",)) == []
    assert found("Will you come?", known=("Will",)) == []
    assert found("Anna Berg called.", known=("Anna", "Anna Berg")) == [("Anna Berg", "")]


def test_the_speaker_is_no_third_party() -> None:
    assert found("My friend Tom is here.", own_name="tom") == []


def test_a_text_of_any_shape_is_bounded() -> None:
    assert len(found("My boss Anna came. " * 5000)) == 64
    assert found("my, " * 8000) == []
