"""Mentions read by rules, without a model and without a network."""

from collections.abc import Collection
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from rapport_server.domain.mentions import Mentions
from rapport_server.inference.follow_ups import follow_ups
from rapport_server.inference.third_parties import third_parties


class LocalMentions:
    """Implements `domain.ports.MentionReader` for English."""

    def read(
        self,
        text: str,
        occurred_at: datetime,
        time_zone: str,
        own_name: str = "",
        known: Collection[str] = (),
    ) -> Mentions:
        """Any thread may call it."""
        return Mentions(
            tuple(third_parties(text, own_name, known)),
            tuple(follow_ups(text, occurred_at, _zone(time_zone))),
        )


@lru_cache(64)
def _zone(name: str) -> tzinfo:
    return ZoneInfo(name) if name else UTC
