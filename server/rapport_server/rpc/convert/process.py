"""What Process answers."""

from rapport.v1 import process_pb2
from rapport.v1.memory_service_pb2 import ProcessResponse, ProcessStreamResponse
from rapport_server.commands.process import Processed, Relevant
from rapport_server.commands.reply import Final, Opening
from rapport_server.rpc.convert.analysis import analysis
from rapport_server.rpc.convert.relation import relation, trigger
from rapport_server.rpc.convert.structs import to_struct
from rapport_server.rpc.convert.times import to_timestamp


def process_response(given: Processed) -> ProcessResponse:
    """The whole answer; without generate_reply `reply` stays empty."""
    person = given.person
    latest = max(given.last_seen or given.occurred_at, given.occurred_at)
    return ProcessResponse(
        interaction_id=str(given.interaction_id),
        source_id=given.source_id,
        user=relation(
            person.state, person.interaction_count, person.known_since, latest, given.update_time
        ),
        memory=process_pb2.ProcessMemory(
            relevant_memories=[_relevant(one) for one in given.relevant],
            total_stored=given.total_stored,
            interaction_count=person.interaction_count,
            known_since=to_timestamp(person.known_since),
            last_seen=to_timestamp(given.last_seen),
        ),
        context=process_pb2.ProcessContext(
            system_prompt=given.system_prompt,
            relation_bias=person.state.relation_bias,
            tone_grudge_modifier=person.state.tone_grudge_modifier,
        ),
        analysis=analysis(given.analysis),
        triggers=[trigger(one) for one in given.triggers],
        reply=given.reply,
    )


def stream_part(given: Opening | str | Final) -> ProcessStreamResponse:
    """One part of a stream."""
    match given:
        case Opening():
            return ProcessStreamResponse(opening=process_response(given.processed))
        case Final():
            return ProcessStreamResponse(final=process_response(given.processed))
        case _:
            return ProcessStreamResponse(reply_delta=given)


def _relevant(given: Relevant) -> process_pb2.RelevantMemory:
    memory = given.memory
    free = memory.additional_metadata if memory.interaction_id else {}
    return process_pb2.RelevantMemory(
        source_id=memory.source_id,
        text=given.text,
        similarity=_cosine(given.similarity),
        timestamp=to_timestamp(memory.occurred_at),
        channel=memory.channel,
        metadata=to_struct({**free, **memory.metadata}),
    )


def _cosine(value: float) -> float:
    """Half precision may land a hair outside."""
    return min(1.0, max(-1.0, value))
