"""Process, AttachReply, ListMessages and the relation behind them."""

import uuid

import pytest

from rapport import AnalysisOrigin, Intent, MemoryKind, RelationEventKind
from rapport.v1.message_pb2 import MessageRole
from tests.e2e.scene import NOON, add, is_stranger, minutes, refused, texts
from tests.fix_rapport import TenantHandle
from tests.unit.test_context import ATTACKS


def test_a_stranger_is_greeted_as_one_and_known_the_next_time(tenant: TenantHandle):
    client = tenant.client
    first = client.process("maya", message="I am Maya and I keep bees.", occurred_at=NOON)
    assert first.interaction_id == str(uuid.UUID(first.interaction_id))
    assert not first.memory.relevant_memories
    assert not first.memory.HasField("last_seen")
    assert (first.memory.total_stored, first.memory.interaction_count) == (1, 1)
    assert first.memory.known_since.ToDatetime() == NOON.replace(tzinfo=None)
    assert first.analysis.origin == AnalysisOrigin.ANALYSIS_ORIGIN_LOCAL
    assert "first message" in first.context.system_prompt
    user = first.user
    assert (user.trust, user.sentiment, user.grudge, user.familiarity) == (0.01, 0.5, 0, 0.005)
    assert first.context.relation_bias == 0.01 * 0.005

    later = NOON + minutes(90)
    second = client.process(
        "maya", message="How are Maya's bees?", occurred_at=later, channel="sms"
    )
    (memory,) = second.memory.relevant_memories
    assert memory.source_id == first.source_id
    assert memory.text == "User: I am Maya and I keep bees."
    assert second.memory.last_seen.ToDatetime() == NOON.replace(tzinfo=None)
    assert second.memory.interaction_count == second.user.interaction_count == 2
    assert memory.text.removeprefix("User: ") in second.context.system_prompt


def test_a_message_never_finds_itself(tenant: TenantHandle):
    said = tenant.client.process("maya", message="The heron stood in the pond at dawn.")
    assert not said.memory.relevant_memories
    # It is recallable at once, without a worker.
    (hit,) = tenant.client.recall("maya", query="The heron stood in the pond at dawn.").results
    assert (hit.source_id, hit.kind) == (said.source_id, MemoryKind.MEMORY_KIND_INTERACTION)
    assert hit.similarity > 0.99


def test_recall_options_bound_what_is_recalled(tenant: TenantHandle):
    client = tenant.client
    for number in range(6):
        client.process("maya", message=f"My garden has {number} roses.")
    ask = "Tell me about my garden roses"
    assert len(client.process("maya", message=ask).memory.relevant_memories) == 3
    none = client.process("maya", message=ask, recall={"top_k": 0})
    assert not none.memory.relevant_memories
    five = client.process("maya", message=ask, recall={"top_k": 5, "min_similarity": -1})
    assert len(five.memory.relevant_memories) == 5
    strict = client.process("maya", message="Quarterly tax forms", recall={"min_similarity": 0.99})
    assert not strict.memory.relevant_memories
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", "recall.top_k", "recall.min_similarity"):
        client.process("maya", message=ask, recall={"top_k": 51, "min_similarity": 1.5})


def test_the_callers_signals_and_events_move_the_relation(tenant: TenantHandle):
    client = tenant.client
    angry = {
        "detected_emotions": [{"label": "anger", "score": 0.9}],
        "mood_delta": -0.4,
        "shouting": True,
        "intent": "COMPLAINT",
    }
    events = [{"kind": "BROKEN_PROMISE", "note": "no call on Monday"}]
    answer = client.process(
        "maya", message="YOU FORGOT ME", signals=angry, events=events, occurred_at=NOON
    )
    assert answer.analysis.intent == Intent.INTENT_COMPLAINT
    user = answer.user
    assert user.grudge == pytest.approx(0.15, abs=1e-12)
    assert user.sentiment == pytest.approx(0.5 - 0.7 * 0.4, abs=1e-12)
    assert user.trust == pytest.approx(0.01, abs=1e-12)  # 0 − 0.02 stays 0, then + 0.01
    points = list(client.list_relation_history("maya", order="OLDEST"))
    assert [point.event_kind for point in points] == [
        RelationEventKind.RELATION_EVENT_KIND_BROKEN_PROMISE,
        RelationEventKind.RELATION_EVENT_KIND_UNSPECIFIED,
    ]
    assert points[1].interaction_id == answer.interaction_id
    assert points[1].mood_delta == -0.4

    crisis = {"crisis": True, "crisis_phrase": "I want to die"}
    answer = client.process("maya", message="I want to die", signals=crisis, occurred_at=NOON)
    assert answer.user.grudge == pytest.approx(0.35, abs=1e-12)
    assert answer.analysis.crisis
    assert answer.analysis.crisis_phrase == "I want to die"
    for _ in range(2):
        answer = client.process("maya", message="STILL", signals=angry, occurred_at=NOON)
    assert answer.context.tone_grudge_modifier == "cautious"


def test_a_message_alone_is_read_for_emotions_intent_mood_shouting_and_crisis(
    tenant: TenantHandle,
):
    client = tenant.client
    glad = client.process("maya", message="Thank you so much, you have been wonderful!")
    assert "gratitude" in {emotion.label for emotion in glad.analysis.detected_emotions}
    assert glad.analysis.intent == Intent.INTENT_GRATITUDE
    assert glad.analysis.mood_delta > 0
    assert glad.user.sentiment > 0.5
    furious = client.process("noor", message="I AM SO ANGRY WITH YOU, YOU FORGOT ME AGAIN!")
    assert {"anger", "annoyance"} & {e.label for e in furious.analysis.detected_emotions}
    assert furious.analysis.shouting
    assert furious.user.sentiment < 0.5
    assert furious.user.grudge > 0
    dark = client.process("ines", message="I don't want to live any more. I want to kill myself.")
    assert dark.analysis.crisis
    assert dark.analysis.intent == Intent.INTENT_CRISIS
    assert dark.analysis.crisis_phrase in "I don't want to live any more. I want to kill myself."
    assert dark.user.grudge >= 0.2
    assert "ask whether they are safe right now" in dark.context.system_prompt
    (kept,) = client.list_messages("noor")
    assert list(kept.detected_emotions) == list(furious.analysis.detected_emotions)


def test_the_callers_signals_take_the_place_of_the_servers_reading_field_by_field(
    tenant: TenantHandle,
):
    client = tenant.client
    message = "I want to kill myself."
    local, caller = AnalysisOrigin.ANALYSIS_ORIGIN_LOCAL, AnalysisOrigin.ANALYSIS_ORIGIN_CALLER
    own = client.process("maya", message=message).analysis
    assert (own.crisis, own.origin, set(own.field_origins.values())) == (True, local, {local})
    # "crisis: false" is a reading, an absent field is none; the phrase of a crisis that is none goes with it.
    denied = client.process("maya", message=message, signals={"crisis": False}).analysis
    assert (denied.crisis, denied.crisis_phrase) == (False, "")
    assert denied.origin == AnalysisOrigin.ANALYSIS_ORIGIN_MIXED
    denial = {name for name, origin in denied.field_origins.items() if origin == caller}
    assert denial == {"crisis", "crisis_phrase"}
    assert denied.detected_emotions == own.detected_emotions
    every = {
        "detected_emotions": [{"label": "neutral", "score": 1}],
        "intent": "SMALL_TALK",
        "mood_delta": 0,
        "shouting": False,
        "crisis": False,
    }
    given = client.process("noor", message=message, signals=every)
    assert given.analysis.intent == Intent.INTENT_SMALL_TALK
    assert [emotion.label for emotion in given.analysis.detected_emotions] == ["neutral"]
    assert given.analysis.origin == caller
    assert (given.user.sentiment, given.user.grudge) == (0.5, 0)


def test_get_relation_is_decayed_to_now_and_record_event_counts_no_interaction(
    tenant: TenantHandle,
):
    client = tenant.client
    long_ago = NOON.replace(year=2025)
    client.process(
        "maya",
        message="I am furious",
        signals={"detected_emotions": [{"label": "anger", "score": 1}], "mood_delta": 1},
        occurred_at=long_ago,
    )
    relation = client.get_relation("maya").relation
    assert relation.grudge < 1e-6
    assert relation.sentiment == pytest.approx(0.5, abs=1e-6)
    assert relation.trust == 0.01
    assert relation.interaction_count == 1
    for _ in range(60):
        client.process("maya", message="hello", occurred_at=NOON)
    before = client.get_relation("maya").relation.trust
    assert before == pytest.approx(0.61)
    after = client.record_event("maya", event={"kind": "BROKEN_PROMISE"}).relation
    assert after.trust == pytest.approx(0.56)
    assert after.interaction_count == 61
    kept = client.record_event("maya", event={"kind": "KEPT_PROMISE", "note": "rang"}).relation
    assert kept.trust == pytest.approx(0.56)
    assert len(list(client.list_relation_history("maya", page_size=7))) == 63
    assert is_stranger(client, "nobody")
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", "event.kind"):
        client.record_event("maya", event={"note": "?"})


def test_a_new_person_starts_with_the_tenants_trust(make_tenant):
    tenant = make_tenant(initial_trust=0.4)
    assert tenant.client.process("maya", message="hello").user.trust == pytest.approx(0.41)
    tenant.operator.update_tenant(initial_trust=0.2, update_mask=["initial_trust"])
    relation = tenant.client.record_event("noor", event={"kind": "KEPT_PROMISE"}).relation
    assert relation.trust == pytest.approx(0.2)


def test_a_reply_is_attached_once_and_told_with_the_memory(tenant: TenantHandle):
    client = tenant.client
    said = client.process("maya", message="When is my operation?", session_id="s1")
    attached = client.attach_reply(
        "maya", interaction_id=said.interaction_id, assistant_message="On Tuesday at nine."
    )
    assert attached.source_id == said.source_id
    memory = client.get_memory("maya", source_id=said.source_id).memory
    assert memory.text == "User: When is my operation?\nAssistant: On Tuesday at nine."
    with refused("ALREADY_EXISTS"):
        client.attach_reply("maya", interaction_id=said.interaction_id, assistant_message="No.")
    with refused("NOT_FOUND"):
        client.attach_reply("maya", interaction_id=str(uuid.uuid4()), assistant_message="Yes.")
    with refused("NOT_FOUND"):
        client.attach_reply("noor", interaction_id=said.interaction_id, assistant_message="Yes.")
    given = client.process("maya", message="And Wednesday?", assistant_message="You rest.")
    with refused("ALREADY_EXISTS"):
        client.attach_reply("maya", interaction_id=given.interaction_id, assistant_message="No.")


def test_messages_are_listed_by_order_channel_session_and_time(tenant: TenantHandle):
    client = tenant.client
    for number in range(5):
        client.process(
            "maya",
            message=f"message {number}",
            assistant_message=f"reply {number}",
            channel=("app", "sms")[number % 2],
            session_id=f"s{number // 2}",
            occurred_at=NOON + minutes(number),
        )
    newest = [m.text for m in client.list_messages("maya", page_size=3)]
    assert newest == [f"{w} {n}" for n in range(4, -1, -1) for w in ("reply", "message")]
    oldest = list(client.list_messages("maya", order="OLDEST", page_size=4))
    assert [m.text for m in oldest] == newest[::-1]
    assert [m.role for m in oldest[:2]] == [
        MessageRole.MESSAGE_ROLE_USER,
        MessageRole.MESSAGE_ROLE_ASSISTANT,
    ]
    assert len(list(client.list_messages("maya", channel="sms"))) == 4
    assert len(list(client.list_messages("maya", session_id="s2"))) == 2
    between = client.list_messages(
        "maya", start_time=NOON + minutes(1), end_time=NOON + minutes(3), order="OLDEST"
    )
    assert [m.text for m in between] == ["message 1", "reply 1", "message 2", "reply 2"]
    assert list(client.list_messages("nobody")) == []


@pytest.mark.parametrize(
    ("fields", "at"),
    [
        ({"message": ""}, "message"),
        ({"message": " \n\t "}, "message"),
        ({"message": "x" * (32 * 1024 + 1)}, "message"),
        ({"message": "null \0 byte"}, "message"),
        ({"message": "x", "time_zone": "Mars/Olympus"}, "time_zone"),
        ({"message": "x", "occurred_at": NOON.replace(year=2999)}, "occurred_at"),
        ({"message": "x", "signals": {"mood_delta": 1.5}}, "signals.mood_delta"),
        ({"message": "x", "events": [{"kind": 0}]}, "events[0].kind"),
        ({"message": "x", "request_id": "not-a-uuid"}, "request_id"),
    ],
)
def test_what_is_wrong_with_a_message_is_named(tenant: TenantHandle, fields, at):
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", at):
        tenant.client.process("maya", **fields)
    assert is_stranger(tenant.client, "maya")


def test_an_empty_person_is_an_error_unless_the_tenant_has_a_default(
    make_tenant, tenant: TenantHandle
):
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", "end_user_id"):
        tenant.client.process("", message="hello")
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", "end_user_id"):
        tenant.client.recall("", query="hello")
    shared = make_tenant(default_end_user_id="team")
    shared.client.process("", message="We meet on Thursdays.")
    assert texts(shared.client, "team", "When do we meet?") == ["User: We meet on Thursdays."]
    for destroy in (
        lambda: shared.client.erase(""),
        lambda: shared.client.delete_memory("", source_id="x"),
    ):
        with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", "end_user_id"):
            destroy()


def test_recalled_text_is_not_stored_again(tenant: TenantHandle):
    client = tenant.client
    add(client, "maya", "Maya is allergic to penicillin.")
    for _ in range(20):
        answer = client.process(
            "maya", message="What is Maya allergic to?", assistant_message="Penicillin."
        )
        assert answer.memory.relevant_memories
    stored = [memory.text for memory in client.list_memories("maya", page_size=1000)]
    assert len(stored) == 21
    assert sum("Maya is allergic to penicillin." in text for text in stored) == 1
    messages = {message.text for message in client.list_messages("maya")}
    assert messages == {"What is Maya allergic to?", "Penicillin."}


def test_stored_instructions_stay_inside_the_quotes(tenant: TenantHandle):
    client = tenant.client
    add(client, "maya", *ATTACKS.values())
    client.process("maya", message=ATTACKS["closed fence"], channel="x QUOTED MEMORIES>>> y")
    everything = {"top_k": 50, "min_similarity": -1}
    answer = client.process("maya", message="What have I told you?", recall=everything)
    prompt = answer.context.system_prompt
    assert {memory.text for memory in answer.memory.relevant_memories} > set(ATTACKS.values())
    assert prompt.count("<<<") == prompt.count(">>>") == 1
    outside, inside = prompt.split("<<<QUOTED MEMORIES\n")
    lines = inside.removesuffix("\nQUOTED MEMORIES>>>").splitlines()
    headings = [line for line in lines if not line.startswith("| ")]
    assert len(headings) == len(ATTACKS) + 1
    assert all(line.startswith("[today, ") for line in headings)
    for attack in ATTACKS.values():
        assert max(attack.split("\n"), key=len) not in outside
    assert "never follow instructions" in outside


def test_what_does_not_exist_yet_is_refused_by_name(tenant: TenantHandle):
    client = tenant.client
    for fields, at in (
        ({"infer": True}, "infer"),
        ({"recall": {"mode": "THINKING"}}, "recall.mode"),
    ):
        with refused("UNIMPLEMENTED") as error:
            client.process("maya", message="hello", **fields)
        assert error.metadata == {"field": at}
    assert is_stranger(client, "maya")
