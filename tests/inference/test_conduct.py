"""Conduct: whether a sentence tells that somebody treated the speaker well or badly."""

import pytest

from rapport_server.inference.conduct import conduct


@pytest.mark.parametrize(
    ("sentence", "sign"),
    [
        ("My boss Anna shouted at me again.", -1),
        ("My brother lied to me.", -1),
        ("My teacher is so unfair.", -1),
        ("My sister helped me move.", 1),
        ("My neighbour's such a sweet man.", 1),
        ("I shouted at my boss.", 0),
        ("My boss never helped me.", 0),
        ("My boss didn't shout at me.", 0),
        ("If my boss shouted at me I'd leave.", 0),
        ("My boss Anna is ill.", 0),
        ("My mother hurt me and helped me.", 0),
    ],
)
def test_what_somebody_did_to_the_speaker_counts(sentence: str, sign: int) -> None:
    assert conduct(sentence) == sign
