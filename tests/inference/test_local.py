"""Both readings of one text, in a time zone and for a cost that a background task may have."""

import time
from datetime import UTC, datetime

import pytest

from rapport_server.domain.mentions import FollowUp, ThirdParty
from rapport_server.inference import LocalMentions
from tests.inference.scores import HERE, rows

AT = datetime(2026, 12, 1, 20, tzinfo=UTC)


def test_third_parties_and_follow_ups_are_read_together() -> None:
    read = LocalMentions().read("My boss Anna has surgery tomorrow.", AT, "Asia/Tokyo")
    sentence = "My boss Anna has surgery tomorrow."
    assert read.third_parties == (ThirdParty("Anna", "boss", sentence),)
    assert read.follow_ups == (
        FollowUp(
            f"Ask how it went on 2026-12-03: “{sentence}”",
            datetime(2026, 12, 4, 0, tzinfo=UTC),
            sentence,
        ),
    )
    utc = LocalMentions().read(sentence, AT, "")
    assert utc.follow_ups[0].due_at == datetime(2026, 12, 3, 9, tzinfo=UTC)


@pytest.mark.bench
def test_a_message_costs_milliseconds() -> None:
    reader = LocalMentions()
    texts = [text for text, _ in rows(HERE / "third_parties.tsv")] * 3
    started = time.process_time()
    for text in texts:
        reader.read(text, AT, "Europe/London")
    each_ms = (time.process_time() - started) / len(texts) * 1000
    print(f"reading one message: {each_ms:.2f} ms")
    assert each_ms < 5.0
