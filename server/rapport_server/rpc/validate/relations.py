"""Who is in a person's life, what is to be brought up, and to whom the person is assigned."""

import uuid
from datetime import datetime

from rapport.v1.relation_service_pb2 import (
    SetAssignmentsRequest,
    UpsertPersonRelationRequest,
    UpsertTriggerRequest,
)
from rapport_server.domain.analysis import AnalysisOrigin
from rapport_server.domain.limits import (
    ASSIGNMENTS_MAX,
    KIND_BYTES_MAX,
    NAME_BYTES_MAX,
    NOTE_BYTES_MAX,
)
from rapport_server.domain.person_relations import PersonRelation
from rapport_server.domain.relation import SENTIMENT_BASELINE
from rapport_server.domain.triggers import Trigger
from rapport_server.rpc.convert.enums import ANALYSIS_ORIGIN
from rapport_server.rpc.validate.check import Check

_FINDERS = {0: AnalysisOrigin.CALLER} | {
    ANALYSIS_ORIGIN.to(origin): origin
    for origin in (AnalysisOrigin.LOCAL, AnalysisOrigin.LLM, AnalysisOrigin.CALLER)
}


def person_relation(
    check: Check, request: UpsertPersonRelationRequest, now: datetime
) -> PersonRelation:
    """The record, with an id if it has none."""
    field, given = "person_relation", request.person_relation
    if not request.HasField(field):
        check.bad(field, "must be given")
        return PersonRelation("", "")
    sentiment = SENTIMENT_BASELINE
    if given.HasField("sentiment"):
        sentiment = check.number(f"{field}.sentiment", given.sentiment, 0, 1)
    return PersonRelation(
        check.identifier(f"{field}.person_relation_id", given.person_relation_id, required=False)
        or str(uuid.uuid4()),
        check.text(f"{field}.name", given.name, NAME_BYTES_MAX, required=True),
        check.text(f"{field}.kind", given.kind, KIND_BYTES_MAX),
        sentiment,
        check.text(f"{field}.note", given.note, NOTE_BYTES_MAX),
        check.past(f"{field}.last_mentioned", given.last_mentioned, now)
        if given.HasField("last_mentioned")
        else None,
    )


def trigger(check: Check, request: UpsertTriggerRequest, now: datetime) -> Trigger:
    """The trigger, with an id if it has none."""
    field, given = "trigger", request.trigger
    if not request.HasField(field):
        check.bad(field, "must be given")
        return Trigger("", "", now)
    if given.origin not in _FINDERS:
        check.bad(f"{field}.origin", "must be LOCAL, LLM or CALLER")
    due_at = None
    if given.HasField("due_at"):
        due_at = check.time(f"{field}.due_at", given.due_at)
    else:
        check.bad(f"{field}.due_at", "must be given")
    return Trigger(
        check.identifier(f"{field}.trigger_id", given.trigger_id, required=False)
        or str(uuid.uuid4()),
        check.text(f"{field}.description", given.description, NOTE_BYTES_MAX, required=True),
        due_at or now,
        _FINDERS.get(given.origin, AnalysisOrigin.CALLER),
        check.identifier(f"{field}.source_id", given.source_id, required=False),
        given.done,
    )


def assignments(check: Check, request: SetAssignmentsRequest) -> list[str]:
    """Opaque ids, at most so many."""
    given = list(request.assignments)
    check.count("assignments", given, ASSIGNMENTS_MAX)
    for number, one in enumerate(given[:ASSIGNMENTS_MAX]):
        check.identifier(f"assignments[{number}]", one)
    return given
