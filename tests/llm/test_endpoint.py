"""What the endpoint's room makes of every kind of answer."""

import asyncio
import gzip
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

import pytest

from rapport_server.domain.limits import MESSAGE_BYTES_MAX
from rapport_server.domain.people import MessageRole, Turn
from rapport_server.errors import LlmFailed
from rapport_server.llm import Endpoint
from rapport_server.llm import bounded as bounds
from tests import fix_llm as script
from tests.fix_llm import Behaviour, LlmServer, delta, event, says, sends

TURNS = [
    Turn(MessageRole.USER, "I slept badly."),
    Turn(MessageRole.ASSISTANT, "Again?"),
    Turn(MessageRole.USER, "Yes."),
]


def ignore(part: str) -> None:
    """Nobody reads along."""


@pytest.fixture
async def make(llm: LlmServer) -> AsyncIterator[Callable[..., Endpoint]]:
    made: list[Endpoint] = []

    def endpoint(timeout_s: float = 20.0, concurrency_max: int = 4, url: str = "") -> Endpoint:
        made.append(
            Endpoint(
                url or llm.base_url,
                "small",
                "key-1",
                timeout_s=timeout_s,
                reply_tokens_max=64,
                concurrency_max=concurrency_max,
            )
        )
        return made[-1]

    yield endpoint
    for one in made:
        await one.close()


async def test_a_reply_is_asked_for_with_the_prompt_and_comes_in_parts(
    llm: LlmServer, make: Callable[..., Endpoint]
) -> None:
    llm.replies.append(says("Shall ", "we ", "walk?"))
    parts: list[str] = []
    assert await make().reply("Be kind.", TURNS, parts.append) == "Shall we walk?"
    assert parts == ["Shall ", "we ", "walk?"]
    (asked,) = llm.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == "bearer key-1"
    assert asked.messages == [
        ("system", "Be kind."),
        ("user", "I slept badly."),
        ("assistant", "Again?"),
        ("user", "Yes."),
    ]
    assert (asked.body["model"], asked.body["max_tokens"]) == ("small", 64)


async def test_answers_that_are_odd_but_whole(
    llm: LlmServer, make: Callable[..., Endpoint]
) -> None:
    endpoint = make()
    for behaviour, expected in (
        (says("cut at the bound", finish="length"), "cut at the bound"),
        (sends(event({"choices": []}), delta("yes", "stop")), "yes"),
        (sends(delta("a\x00b\x1bc\n"), delta("\ud83d", "stop")), "abc\n?"),
        (sends(delta(None), delta("ok", "stop"), b"data: what comes after the end"), "ok"),
        (sends(b": a comment\n\n", delta("é 🐝", "stop")), "é 🐝"),
    ):
        llm.replies.append(behaviour)
        parts: list[str] = []
        assert await endpoint.reply("", TURNS, parts.append) == "".join(parts) == expected


async def test_an_answer_that_comes_in_one_go_lets_others_run_between_its_parts(
    llm: LlmServer, make: Callable[..., Endpoint]
) -> None:
    turns, seen = 0, []

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    running = asyncio.create_task(others())
    llm.replies.append(sends(delta("x") * 300 + delta(None, "stop")))
    await make().reply("", TURNS, lambda _: seen.append(turns))
    running.cancel()
    assert len(set(seen)) == len(seen) == 300


FAILURES: dict[str, Behaviour] = {
    "nothing": sends(),
    "garbage": sends(b"\x00\xff\x13garbage"),
    "html": sends(b"<html><body>Welcome</body></html>", kind="text/html"),
    "a whole completion": script.reads("not streamed"),
    "no json": sends(event(b"{broken")),
    "json without a bottom": sends(event(b"[" * 100_000)),
    "another json": sends(event([1, 2]), event({"choices": [3]}), event("text")),
    "choices of another form": sends(event({"choices": {"0": "x"}})),
    "no choices ever": sends(event({"choices": []}), event(b"[DONE]")),
    "text that is a number": sends(event({"choices": [{"delta": {"content": 5}}]})),
    "an error in the stream": sends(delta("a"), event({"error": {"message": "overloaded"}})),
    "invalid utf-8": sends(b'data: {"choices": [{"delta": {"content": "\xff\xfe"}}]}\n\n'),
    "an end without a word": says(),
    "blank": says(" \n", "\u200b"),
    "filtered": says("I would", finish="content_filter"),
    "too long": says("x" * MESSAGE_BYTES_MAX, "x"),
    "endless": script.endless,
    "broken off": script.breaks_off("I would"),
    "ended early": sends(delta("I would")),
    "status 500": sends(b"oops", status=500),
    "an error that breaks off": script.breaks_off("oops", status=500),
    "status 401": sends(b'{"error": {"message": "key key-1 is bad"}}', status=401),
    "a redirect": script.redirected,
    "hurried": script.hurried,
    "compressed": sends(
        gzip.compress(delta("I would", "stop")), headers=("content-encoding: gzip",)
    ),
}


# None: the same would fail again.
RETRY_S = {"hurried": 3.0, "status 401": None, "a redirect": None}


async def test_every_other_answer_is_a_failure(
    llm: LlmServer, make: Callable[..., Endpoint]
) -> None:
    endpoint = make()
    for number, (name, behaviour) in enumerate(FAILURES.items(), 1):
        llm.replies.append(behaviour)
        with pytest.raises(LlmFailed) as failed:
            pytest.fail(f"{name}: {await endpoint.reply('', TURNS, ignore)!r}")
        assert "key-1" not in failed.value.message
        assert len(llm.asked) == number, f"{name} was asked twice"
        assert failed.value.retry_s == RETRY_S.get(name, 1.0), name


async def test_a_silent_endpoint_an_absent_one_and_a_busy_one_fail_in_time(
    llm: LlmServer, make: Callable[..., Endpoint]
) -> None:
    llm.replies.extend([script.silent, says("late", hold=threading.Event())])
    for endpoint in (make(0.2), make(0.2)):
        with pytest.raises(LlmFailed, match="in time"):
            await endpoint.reply("", TURNS, ignore)
    with pytest.raises(LlmFailed, match="cannot be reached"):
        await make(url="http://127.0.0.1:9/v1").reply("", TURNS, ignore)
    # Waiting for a slot counts.
    hold = threading.Event()
    llm.replies.append(says("one", "two", hold=hold))
    busy = make(concurrency_max=1)
    first = asyncio.create_task(busy.reply("", TURNS, ignore))
    await asyncio.to_thread(llm.wait_for_replies, 3)
    with pytest.raises(LlmFailed, match="in time"):
        await busy.structured("", "", "s", {}, timeout_s=0.1, tokens_max=1)
    assert len(llm.asked) == 3
    hold.set()
    assert await first == "onetwo"


async def test_cancelling_ends_the_request(llm: LlmServer, make: Callable[..., Endpoint]) -> None:
    llm.replies.extend([script.silent, says("a", "b", hold=threading.Event())])
    for count in (1, 2):
        asking = asyncio.create_task(make().reply("", TURNS, ignore))
        await asyncio.to_thread(llm.wait_for_replies, count)
        asking.cancel()
        with suppress(asyncio.CancelledError):
            await asking
        assert await asyncio.to_thread(llm.asked[-1].left.wait, 10)


async def test_an_answer_without_an_end_is_not_read_into_memory(
    llm: LlmServer, make: Callable[..., Endpoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "RESPONSE_BYTES_MAX", 100_000)
    monkeypatch.setattr(bounds, "ANSWER_BYTES_MAX", 50_000)
    event_by_event = delta("") * 500
    assert 50_000 < len(event_by_event) < 100_000
    for whole in (event_by_event * 2, b"data: " + b"x" * 60_000):
        llm.replies.append(sends(whole))
        with pytest.raises(LlmFailed, match="reached, or broke off"):
            await make().reply("", TURNS, ignore)
    in_halves = [half for one in [delta("")] * 500 for half in (one[:-1], one[-1:])]
    for allowed in (
        sends(event_by_event + delta("Here.", "stop")),
        script.chunked(*in_halves, delta("Here.", "stop")),
    ):
        llm.replies.append(allowed)
        assert await make().reply("", TURNS, ignore) == "Here."

    llm.replies.append(sends(b"x\n\n" * 20_000, status=500))
    with pytest.raises(LlmFailed, match="reached, or broke off"):
        await make().reply("", TURNS, ignore)
    llm.readings.append(sends(b"[\n\n" * 20_000, kind="application/json"))
    with pytest.raises(LlmFailed, match="reached, or broke off"):
        await make().structured("", "", "s", {}, timeout_s=20, tokens_max=1)
