"""The committed heads on the test parts of our own sentences."""

from collections.abc import Callable

import pytest

from rapport_server.domain.analysis import Analysis
from rapport_server.training.data import Sentence, own_sentences, split_of, without_overlap

# Recall, precision; on the two files that were seen while the head was made. The card has those of crisis_fresh.
CRISIS_MIN = (0.92, 0.85)
INTENTS_RIGHT = 0.75


@pytest.fixture(scope="module")
def read_all(analyser, encoded_all) -> Callable[[list[Sentence]], list[tuple[Sentence, Analysis]]]:
    def read(sentences: list[Sentence]) -> list[tuple[Sentence, Analysis]]:
        texts = [one.text for one in sentences]
        return [
            (one, analyser.analyse(one.text, encoded))
            for one, encoded in zip(sentences, encoded_all(texts), strict=True)
        ]

    return read


@pytest.fixture(scope="module")
def crisis_readings(read_all):
    return read_all(own_sentences("crisis_test"))


def recall_and_precision(readings):
    hits = sum(read.crisis for one, read in readings if one.label == "crisis")
    wanted = sum(one.label == "crisis" for one, _ in readings)
    alarms = sum(read.crisis for _, read in readings)
    return hits / wanted, hits / alarms


def test_the_crisis_head_reaches_its_target(read_all, crisis_readings):
    for readings in (crisis_readings, read_all(own_sentences("crisis_final"))):
        recall, precision = recall_and_precision(readings)
        assert recall >= CRISIS_MIN[0]
        assert precision >= CRISIS_MIN[1]


def test_a_crisis_phrase_is_part_of_the_message(crisis_readings):
    for one, read in crisis_readings:
        assert read.crisis == bool(read.crisis_phrase)
        assert read.crisis_phrase in one.text


def test_intents_of_our_own_messages(read_all):
    read = read_all(split_of(own_sentences("intents"), "test")[::2])
    right = sum(found.intent == one.label.upper() for one, found in read)
    assert right / len(read) >= INTENTS_RIGHT


def test_no_training_sentence_of_the_crisis_head_repeats_five_words_of_a_test_sentence():
    test = ["My brother told me that he wants to die."]
    kept = "She told me that he left"
    assert without_overlap([kept, "he told me that he wants out"], test) == [kept]
