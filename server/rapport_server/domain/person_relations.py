"""The other people in a person's life."""

from dataclasses import dataclass
from datetime import datetime

from rapport_server.domain.relation import SENTIMENT_BASELINE


@dataclass(frozen=True, slots=True)
class PersonRelation:
    """One of them: what they are to the person (`kind`), and how the person feels about them, 0 (bad) to 1 (good)."""

    person_relation_id: str
    name: str
    kind: str = ""
    sentiment: float = SENTIMENT_BASELINE
    note: str = ""
    last_mentioned: datetime | None = None
