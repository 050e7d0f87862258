"""Replies by a language model: Process with generate_reply and ProcessStream, against an endpoint of the tests' own."""

import asyncio
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from rapport import AnalysisOrigin, Client, Intent
from rapport.v1.memory_service_pb2 import ProcessStreamResponse
from rapport_server.commands.reply import Reply
from rapport_server.errors import LlmNotAllowed, LlmNotConfigured
from tests import fix_llm as script
from tests.e2e.scene import NOON, is_stranger, refused, texts, together
from tests.fix_llm import REPLY, LlmServer, delta, event, says, sends
from tests.fix_rapport import LLM_KEY, TenantHandle
from tests.fix_server import TENANT


@pytest.fixture
def allowed(make_tenant: Callable[..., TenantHandle]) -> TenantHandle:
    """A tenant whose text may leave the machine."""
    return make_tenant(allow_llm=True)


@pytest.fixture
def once(allowed: TenantHandle) -> Iterator[Client]:
    """A client that tries nothing again by itself."""
    with allowed.server.client(allowed.key, max_attempts=1) as client:
        yield client


def spoken(client: Client, end_user_id: str = "maya") -> list[str]:
    return [one.text for one in client.list_messages(end_user_id, order="OLDEST")]


def kinds(parts: list[ProcessStreamResponse]) -> list[str]:
    return [part.WhichOneof("part") for part in parts]


def test_a_reply_is_written_from_the_context_and_stored_with_its_interaction(
    llm: LlmServer, allowed: TenantHandle
) -> None:
    client, request_id = allowed.client, str(uuid.uuid4())
    client.process("maya", message="My dog Biscuit is ill.", occurred_at=NOON)
    history = [
        {"role": "USER", "content": "The zeppelin landed."},
        {"role": "ASSISTANT", "content": "Where?"},
    ]

    def ask() -> object:
        return client.process(
            "maya",
            message="How is my dog Biscuit?",
            generate_reply=True,
            conversation_history=history,
            request_id=request_id,
        )

    answer = ask()
    assert answer.reply == REPLY
    (asked,) = llm.asked_for_replies
    assert asked.messages == [
        ("system", answer.context.system_prompt),
        ("user", "The zeppelin landed."),
        ("assistant", "Where?"),
        ("user", "How is my dog Biscuit?"),
    ]
    assert "My dog Biscuit is ill." in answer.context.system_prompt
    assert (asked.body["model"], asked.body["max_tokens"]) == ("small", 16)
    assert asked.headers["authorization"] == f"bearer {LLM_KEY}"
    assert LLM_KEY not in allowed.server.log_text()
    memory = client.get_memory("maya", source_id=answer.source_id).memory
    assert memory.text == f"User: How is my dog Biscuit?\nAssistant: {REPLY}"
    assert spoken(client) == ["My dog Biscuit is ill.", "How is my dog Biscuit?", REPLY]
    assert not any("zeppelin" in text for text in texts(client, "maya", "The zeppelin landed."))
    # The same call again answers the same without asking anybody.
    again = ask()
    assert (again.reply, again.interaction_id) == (REPLY, answer.interaction_id)
    assert len(llm.asked_for_replies) == 1
    assert client.get_relation("maya").relation.interaction_count == 2
    with refused("ALREADY_EXISTS"):
        client.attach_reply(
            "maya", interaction_id=answer.interaction_id, assistant_message="another"
        )
    # Without generate_reply the history is only looked at.
    plain = client.process("maya", message="Thanks", conversation_history=history)
    assert not plain.reply
    assert len(llm.asked_for_replies) == 1
    with refused("INVALID_ARGUMENT", "", "conversation_history"):
        client.process(
            "maya",
            message="Thanks",
            conversation_history=[{"role": "USER", "content": "x" * 30_000}] * 5,
        )


def test_no_text_leaves_the_machine_unless_the_tenant_allows_it(
    llm: LlmServer, tenant: TenantHandle
) -> None:
    client = tenant.client
    with refused("FAILED_PRECONDITION", "LLM_NOT_ALLOWED") as error:
        client.process("maya", message="I slept badly.", generate_reply=True)
    assert error.metadata == {"field": "generate_reply"}
    with refused("FAILED_PRECONDITION", "LLM_NOT_ALLOWED"):
        list(client.process_stream("maya", message="I slept badly.", generate_reply=True))
    assert is_stranger(client, "maya")
    client.process("maya", message="I slept badly.")
    list(client.process_stream("maya", message="I slept badly."))
    client.recall("maya", query="sleep")
    assert llm.connections == 0
    tenant.operator.update_tenant(allow_llm=True)
    assert client.process("maya", message="I slept badly.", generate_reply=True).reply == REPLY
    assert llm.connections == 2  # the reading and the reply


async def test_a_server_without_an_endpoint_says_so_before_it_does_anything() -> None:
    nothing: object = None
    command = Reply(nothing, nothing, None, nothing)  # type: ignore[arg-type]
    allowing = replace(TENANT, allow_llm=True)
    with pytest.raises(LlmNotConfigured):
        await command(nothing, allowing, nothing, nothing)  # type: ignore[arg-type]
    # Where the tenant does not allow one either, both are told at once.
    with pytest.raises(LlmNotAllowed, match=r"does not allow .* No language model .* configured"):
        await command(nothing, TENANT, nothing, nothing)  # type: ignore[arg-type]


FAILURES = {
    "garbage": sends(b"\x00\xff\x13garbage"),
    "html": sends(b"<html></html>", kind="text/html"),
    "wrong json": sends(event({"object": "list"}), event([1])),
    "status 500": sends(b"oops", status=500),
    "status 429": script.hurried,
    "no choices": sends(event({"choices": []}), event(b"[DONE]")),
    "blank": says(" \n "),
    "broken off": script.breaks_off("I would"),
    "endless": script.endless,
    "invalid utf-8": sends(b'data: {"choices": [{"delta": {"content": "\xff"}}]}\n\n'),
}


def test_whatever_the_model_does_the_interaction_is_stored_once_and_the_reply_can_be_resumed(
    llm: LlmServer, allowed: TenantHandle, once: Client
) -> None:
    for number, (name, failure) in enumerate(FAILURES.items()):
        person, request_id = f"maya-{number}", str(uuid.uuid4())
        llm.replies.extend([failure, failure])

        def ask(person: str = person, request_id: str = request_id) -> object:
            return once.process(
                person, message="I slept badly.", generate_reply=True, request_id=request_id
            )

        ids = set()
        for _ in range(2):
            with refused("UNAVAILABLE", "LLM_FAILED") as error:
                pytest.fail(f"{name}: {ask()}")
            ids.add(error.metadata["interaction_id"])
            assert error.retry_after == (3 if name == "status 429" else 1), name
        assert spoken(once, person) == ["I slept badly."]
        answer = ask()
        assert {answer.interaction_id} == ids, name
        assert answer.reply == REPLY
        assert spoken(once, person) == ["I slept badly.", REPLY]
        assert answer.memory.interaction_count == 1
    # The SDK goes on by itself.
    llm.replies.append(FAILURES["status 500"])
    assert allowed.client.process("eve", message="Hello", generate_reply=True).reply == REPLY
    assert allowed.client.get_relation("eve").relation.interaction_count == 1
    # But not where the endpoint would refuse again.
    asked = len(llm.asked_for_replies)
    llm.replies.append(sends(b"{}", status=401))
    with refused("UNAVAILABLE", "LLM_FAILED") as error:
        allowed.client.process("noor", message="Hello", generate_reply=True)
    assert error.retry_after is None
    assert len(llm.asked_for_replies) == asked + 1


def test_what_cannot_be_stored_or_sent_is_left_out_of_a_reply(
    llm: LlmServer, allowed: TenantHandle
) -> None:
    llm.replies.append(sends(delta("a\x00b\x1b\ud83d\n"), delta("é", "stop")))
    answer = allowed.client.process("maya", message="Hello", generate_reply=True)
    assert answer.reply == "ab?\né"
    assert spoken(allowed.client) == ["Hello", "ab?\né"]


def test_concurrent_duplicates_get_one_reply(llm: LlmServer, allowed: TenantHandle) -> None:
    hold, request_id = threading.Event(), str(uuid.uuid4())
    llm.replies.append(says("one", " reply", hold=hold))

    def ask(number: int) -> str:
        if number == 0:
            llm.wait_for_replies(1)
            time.sleep(0.3)
            hold.set()
            return "one reply"
        return allowed.client.process(
            "maya", message="Hello", generate_reply=True, request_id=request_id
        ).reply

    assert together(6, ask, 6) == ["one reply"] * 6
    assert len(llm.asked_for_replies) == 1
    assert spoken(allowed.client) == ["Hello", "one reply"]


def test_a_reply_that_was_attached_meanwhile_is_the_reply(
    llm: LlmServer, allowed: TenantHandle
) -> None:
    hold = threading.Event()
    llm.replies.append(says("from ", "the model", hold=hold))
    client = allowed.client
    stream = client.process_stream("maya", message="Hello", generate_reply=True)
    opening = next(stream).opening
    client.attach_reply(
        "maya", interaction_id=opening.interaction_id, assistant_message="from a nurse"
    )
    hold.set()
    assert list(stream)[-1].final.reply == "from a nurse"
    assert spoken(client) == ["Hello", "from a nurse"]


def test_an_erasure_meanwhile_wins(llm: LlmServer, allowed: TenantHandle, once: Client) -> None:
    hold, request_id = threading.Event(), str(uuid.uuid4())
    llm.replies.append(says("Dear ", "Maya", hold=hold))

    def ask(number: int) -> None:
        if number == 0:
            llm.wait_for_replies(1)
            once.erase("maya")
            # A namesake who comes meanwhile is not touched either.
            once.process("maya", message="I am new here.")
            hold.set()
            return
        with refused("ABORTED", "ERASED"):
            once.process("maya", message="Hello", generate_reply=True, request_id=request_id)

    together(2, ask, 2)
    assert spoken(once) == ["I am new here."]
    with refused("ABORTED", "ERASED"):
        once.process("maya", message="Hello", generate_reply=True, request_id=request_id)
    assert len(llm.asked_for_replies) == 1


def test_a_callers_deadline_ends_the_request_to_the_model(
    llm: LlmServer, allowed: TenantHandle, once: Client
) -> None:
    once.process("maya", message="Warm up.")
    llm.replies.append(script.silent)
    with refused("DEADLINE_EXCEEDED") as error:
        once.process("maya", message="Hello", generate_reply=True, timeout=1.5)
    (asked,) = llm.wait_for_replies(1)
    assert asked.left.wait(10)
    resumed = once.process(
        "maya", message="Hello", generate_reply=True, request_id=error.retry_request_id
    )
    assert resumed.reply == REPLY
    assert spoken(once) == ["Warm up.", "Hello", REPLY]


def test_a_stream_opens_before_the_model_has_written_and_ends_with_what_is_stored(
    llm: LlmServer, allowed: TenantHandle
) -> None:
    hold, request_id = threading.Event(), str(uuid.uuid4())
    llm.replies.append(says("I ", "am ", "here.", hold=hold))
    client = allowed.client
    fields = {"message": "Hello", "generate_reply": True, "request_id": request_id}
    stream = client.process_stream("maya", **fields)
    opening = next(stream).opening
    assert opening.context.system_prompt
    assert not opening.reply
    assert spoken(client) == ["Hello"]
    parts = [next(stream), next(stream)]
    hold.set()
    parts += list(stream)
    assert kinds(parts) == ["reply_delta"] * 3 + ["final"]
    assert [part.reply_delta for part in parts[:3]] == ["I ", "am ", "here."]
    final = parts[-1].final
    assert final.reply == "I am here."
    final.reply = ""
    assert final == opening
    assert spoken(client) == ["Hello", "I am here."]
    # Again it is the stored one, in one piece.
    again = list(client.process_stream("maya", **fields))
    assert kinds(again) == ["opening", "reply_delta", "final"]
    assert again[1].reply_delta == again[2].final.reply == "I am here."
    assert len(llm.asked_for_replies) == 1
    plain = list(client.process_stream("maya", message="Bye", assistant_message="See you"))
    assert kinds(plain) == ["opening", "final"]
    assert plain[0].opening == plain[1].final
    assert spoken(client)[2:] == ["Bye", "See you"]
    with refused("INVALID_ARGUMENT", "", "recall.top_k", "message"):
        list(client.process_stream("maya", message=" ", recall={"top_k": 99}))


async def test_a_reader_who_leaves_can_come_back(llm: LlmServer, allowed: TenantHandle) -> None:
    hold, request_id = threading.Event(), str(uuid.uuid4())
    llm.replies.append(says("I ", "am ", "here.", hold=hold))
    fields = {"message": "Hello", "generate_reply": True, "request_id": request_id}
    async with allowed.server.async_writer(allowed.key, max_attempts=1) as client:
        async with client.process_stream("maya", **fields) as stream:
            assert [(await anext(stream)).WhichOneof("part") for _ in range(2)] == [
                "opening",
                "reply_delta",
            ]
        (asked,) = llm.asked_for_replies
        assert await asyncio.to_thread(asked.left.wait, 10)
        assert [one.text async for one in client.list_messages("maya")] == ["Hello"]
        # The model breaks off the second time, and the third is whole.
        llm.replies.append(script.breaks_off("I was"))
        with refused("UNAVAILABLE", "LLM_FAILED") as error:
            _ = [part async for part in client.process_stream("maya", **fields)]
        parts = [part async for part in client.process_stream("maya", **fields)]
        assert kinds(parts) == ["opening", "reply_delta", "final"]
        assert parts[-1].final.reply == REPLY
        assert parts[-1].final.interaction_id == error.metadata["interaction_id"]
        assert parts[-1].final.memory.interaction_count == 1


def test_a_slow_reader_holds_up_neither_the_model_nor_the_commit(
    llm: LlmServer, allowed: TenantHandle
) -> None:
    llm.replies.append(says(*["a word or so "] * 2_000))
    stream = allowed.client.process_stream("maya", message="Hello", generate_reply=True)
    assert next(stream).WhichOneof("part") == "opening"
    end = time.monotonic() + 30
    while len(spoken(allowed.client)) < 2:
        assert time.monotonic() < end, "the reply waits for its reader"
        time.sleep(0.02)
    parts = list(stream)
    assert "".join(part.reply_delta for part in parts) == parts[-1].final.reply
    assert len(parts) == 2_001


def test_the_models_reading_moves_the_relation_where_it_may_be_asked(
    llm: LlmServer, allowed: TenantHandle
) -> None:
    client = allowed.client
    llm.readings.append(
        script.reads(
            {
                "detected_emotions": [{"label": "anger", "score": 0.9}],
                "intent": "COMPLAINT",
                "mood_delta": -0.5,
                "shouting": True,
                "crisis": False,
                "crisis_phrase": "",
            }
        )
    )
    read = client.process("maya", message="Das ist doch nicht zu fassen", signals={"mood_delta": 0})
    assert read.analysis.origin == AnalysisOrigin.ANALYSIS_ORIGIN_MIXED
    assert read.analysis.field_origins["intent"] == AnalysisOrigin.ANALYSIS_ORIGIN_LLM
    assert read.analysis.intent == Intent.INTENT_COMPLAINT
    assert read.user.grudge == pytest.approx(0.15)
    # Nothing scripted: the endpoint fails, and the local reading serves.
    local = client.process("maya", message="Good morning!")
    assert local.analysis.origin == AnalysisOrigin.ANALYSIS_ORIGIN_LOCAL
    assert len(llm.asked) == 2


def test_a_real_small_model_answers(
    llm: LlmServer, allowed: TenantHandle, small_model_port: int
) -> None:
    llm.replies.append(script.forwards_to(small_model_port))
    stream = allowed.client.process_stream(
        "maya",
        message="What is the capital of France?",
        generate_reply=True,
        recall={"top_k": 0},
    )
    parts = list(stream)
    reply = parts[-1].final.reply
    assert kinds(parts)[0] == "opening"
    assert len(parts) > 3
    assert "Paris" in reply
    assert "".join(part.reply_delta for part in parts) == reply
    assert spoken(allowed.client) == ["What is the capital of France?", reply]
