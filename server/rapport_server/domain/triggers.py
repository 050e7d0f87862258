"""What is to be brought up with a person, and from when on."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from rapport_server.domain.analysis import AnalysisOrigin

_FOUND = uuid.UUID("6d2c1a3e-5b0f-4a6e-9c58-0e7f3f1d2b94")


@dataclass(frozen=True, slots=True)
class Trigger:
    """Reported by Process from `due_at` on until it is done. origin: LOCAL, LLM or CALLER."""

    trigger_id: str
    description: str
    due_at: datetime
    origin: AnalysisOrigin = AnalysisOrigin.CALLER
    source_id: str = ""
    done: bool = False


def found_id(source_id: str, description: str) -> str:
    """The id of what a reader finds in a memory: the same each time, so that reading it again makes nothing twice."""
    return str(uuid.uuid5(_FOUND, f"{source_id}\0{description}"))
