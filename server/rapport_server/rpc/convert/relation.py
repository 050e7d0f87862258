"""How things stand with a person, and their history."""

from datetime import datetime

from rapport.v1 import relation_pb2, tenant_pb2
from rapport_server.domain.people import Person
from rapport_server.domain.person_relations import PersonRelation
from rapport_server.domain.relation import RelationPoint, RelationState
from rapport_server.domain.triggers import Trigger
from rapport_server.rpc.convert.enums import ANALYSIS_ORIGIN, RELATION_EVENT_KIND
from rapport_server.rpc.convert.times import to_timestamp


def relation(
    state: RelationState,
    interaction_count: int = 0,
    known_since: datetime | None = None,
    last_seen: datetime | None = None,
    update_time: datetime | None = None,
) -> relation_pb2.Relation:
    """A state with what goes along with it; without that, a stranger's."""
    return relation_pb2.Relation(
        trust=state.trust,
        sentiment=state.sentiment,
        grudge=state.grudge,
        familiarity=state.familiarity,
        interaction_count=interaction_count,
        known_since=to_timestamp(known_since),
        last_seen=to_timestamp(last_seen),
        update_time=to_timestamp(update_time),
    )


def relation_of(person: Person) -> relation_pb2.Relation:
    """The state in a person's row, as it was decayed by whoever read it."""
    return relation(
        person.state,
        person.interaction_count,
        person.known_since,
        person.last_seen,
        person.update_time,
    )


def point(given: RelationPoint) -> relation_pb2.RelationPoint:
    """One point of the history; an event has no mood_delta."""
    is_event = given.event_kind is not None
    return relation_pb2.RelationPoint(
        occurred_at=to_timestamp(given.occurred_at),
        trust=given.state.trust,
        sentiment=given.state.sentiment,
        grudge=given.state.grudge,
        familiarity=given.state.familiarity,
        interaction_id=str(given.interaction_id or ""),
        event_kind=RELATION_EVENT_KIND.to(given.event_kind),
        mood_delta=None if is_event else given.mood_delta,
    )


def person_relation(given: PersonRelation) -> relation_pb2.PersonRelation:
    """Someone in a person's life."""
    return relation_pb2.PersonRelation(
        person_relation_id=given.person_relation_id,
        name=given.name,
        kind=given.kind,
        sentiment=given.sentiment,
        note=given.note,
        last_mentioned=to_timestamp(given.last_mentioned),
    )


def trigger(given: Trigger) -> relation_pb2.Trigger:
    """Something to bring up."""
    return relation_pb2.Trigger(
        trigger_id=given.trigger_id,
        description=given.description,
        due_at=to_timestamp(given.due_at),
        origin=ANALYSIS_ORIGIN.to(given.origin),
        source_id=given.source_id,
        done=given.done,
    )


def end_user(row: tuple[Person, int]) -> tenant_pb2.EndUser:
    """A person of a list, with the number of their memories."""
    person, total_stored = row
    return tenant_pb2.EndUser(
        end_user_id=person.end_user_id,
        relation=relation_of(person),
        total_stored=total_stored,
        assignments=sorted(person.assignments),
    )
