"""ProcessRequest: a message with the caller's reading of it and events."""

from collections.abc import Sequence
from datetime import datetime

from rapport.v1.analysis_pb2 import Signals as SignalsMessage
from rapport.v1.memory_service_pb2 import ProcessRequest, ProcessStreamRequest
from rapport.v1.message_pb2 import ConversationTurn
from rapport.v1.process_pb2 import RecallOptions
from rapport.v1.relation_pb2 import RelationEvent as EventMessage
from rapport_server.commands.process import Interaction
from rapport_server.domain.analysis import Emotion, Signals
from rapport_server.domain.limits import (
    CRISIS_PHRASE_BYTES_MAX,
    EMOTION_LABEL_BYTES_MAX,
    EMOTIONS_MAX,
    EVENTS_MAX,
    HISTORY_BYTES_MAX,
    HISTORY_MAX,
    MESSAGE_BYTES_MAX,
    NAME_BYTES_MAX,
    NOTE_BYTES_MAX,
    TOP_K_MAX,
)
from rapport_server.domain.people import Turn
from rapport_server.domain.relation import RelationEvent
from rapport_server.domain.tenants import Tenant
from rapport_server.rpc.convert.enums import (
    INTENT,
    MESSAGE_ROLE,
    RECALL_MODE,
    RELATION_EVENT_KIND,
    Mode,
)
from rapport_server.rpc.validate import json
from rapport_server.rpc.validate.check import Check
from rapport_server.rpc.validate.person import scope

TOP_K_DEFAULT = 3
MIN_SIMILARITY_DEFAULT = 0.3


def interaction(
    check: Check,
    request: ProcessRequest | ProcessStreamRequest,
    tenant: Tenant,
    now: datetime,
) -> Interaction:
    """The interaction that the request describes; both requests have the same fields."""
    if request.generate_reply and request.assistant_message:
        check.bad("assistant_message", "and generate_reply must not both be given")
    _infer(check, request, tenant)
    top_k, min_similarity = _recall(check, request.recall)
    return Interaction(
        scope(check, request.end_user_id, tenant),
        check.text("message", request.message, MESSAGE_BYTES_MAX, required=True),
        check.text("assistant_message", request.assistant_message, MESSAGE_BYTES_MAX),
        check.text("channel", request.channel, NAME_BYTES_MAX),
        check.text("session_id", request.session_id, NAME_BYTES_MAX),
        json.plain(check, "metadata", request.metadata) if request.HasField("metadata") else {},
        check.text("user_name", request.user_name, NAME_BYTES_MAX),
        check.time_zone("time_zone", request.time_zone),
        top_k,
        min_similarity,
        _signals(check, request.signals),
        _events(check, request, now),
        check.past("occurred_at", request.occurred_at, now)
        if request.HasField("occurred_at")
        else None,
        request.generate_reply,
        _history(check, request.conversation_history),
    )


def event(check: Check, field: str, given: EventMessage, now: datetime) -> RelationEvent:
    """One relation event."""
    return RelationEvent(
        RELATION_EVENT_KIND.of(check, f"{field}.kind", given.kind),
        check.text(f"{field}.note", given.note, NOTE_BYTES_MAX),
        check.past(f"{field}.occurred_at", given.occurred_at, now)
        if given.HasField("occurred_at")
        else None,
    )


def _infer(check: Check, request: ProcessRequest | ProcessStreamRequest, tenant: Tenant) -> None:
    """What needs an extractor."""
    infer = request.infer if request.HasField("infer") else tenant.infer_default
    check.not_yet("infer", infer)


def _history(check: Check, given: Sequence[ConversationTurn]) -> tuple[Turn, ...]:
    check.count("conversation_history", given, HISTORY_MAX)
    turns = tuple(
        Turn(
            MESSAGE_ROLE.of(check, f"conversation_history[{number}].role", turn.role),
            check.text(
                f"conversation_history[{number}].content",
                turn.content,
                MESSAGE_BYTES_MAX,
                required=True,
            ),
        )
        for number, turn in enumerate(given[:HISTORY_MAX])
    )
    if sum(len(turn.content.encode()) for turn in turns) > HISTORY_BYTES_MAX:
        check.bad("conversation_history", f"must have at most {HISTORY_BYTES_MAX:,} bytes")
    return turns


def _recall(check: Check, options: RecallOptions) -> tuple[int, float]:
    mode = RECALL_MODE.of(check, "recall.mode", options.mode)
    check.not_yet("recall.mode", mode is Mode.THINKING)
    top_k, floor = TOP_K_DEFAULT, MIN_SIMILARITY_DEFAULT
    if options.HasField("top_k"):
        top_k = check.integer("recall.top_k", options.top_k, 0, TOP_K_MAX)
    if options.HasField("min_similarity"):
        floor = check.number("recall.min_similarity", options.min_similarity, -1, 1)
    return top_k, floor


def _signals(check: Check, given: SignalsMessage) -> Signals:
    check.count("signals.detected_emotions", given.detected_emotions, EMOTIONS_MAX)
    emotions = []
    for number, emotion in enumerate(given.detected_emotions[:EMOTIONS_MAX]):
        field = f"signals.detected_emotions[{number}]"
        check.text(f"{field}.label", emotion.label, EMOTION_LABEL_BYTES_MAX, required=True)
        check.number(f"{field}.score", emotion.score, 0, 1)
        emotions.append(Emotion(emotion.label, emotion.score))
    if given.HasField("mood_delta"):
        check.number("signals.mood_delta", given.mood_delta, -1, 1)
    check.text("signals.crisis_phrase", given.crisis_phrase, CRISIS_PHRASE_BYTES_MAX)
    if given.crisis_phrase and not given.crisis:
        check.bad("signals.crisis_phrase", "needs signals.crisis")
    return Signals(
        tuple(emotions),
        INTENT.of(check, "signals.intent", given.intent) if given.HasField("intent") else None,
        given.mood_delta if given.HasField("mood_delta") else None,
        given.shouting if given.HasField("shouting") else None,
        given.crisis if given.HasField("crisis") else None,
        given.crisis_phrase if given.HasField("crisis_phrase") else None,
    )


def _events(
    check: Check, request: ProcessRequest | ProcessStreamRequest, now: datetime
) -> tuple[RelationEvent, ...]:
    check.count("events", request.events, EVENTS_MAX)
    return tuple(
        event(check, f"events[{number}]", given, now)
        for number, given in enumerate(request.events[:EVENTS_MAX])
    )
