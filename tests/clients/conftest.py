"""Fixtures of the client tests: a scripted server and a caller of each kind."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from rapport import calls
from tests.clients.caller import Caller
from tests.clients.scripted import ScriptedServer


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RAPPORT_TARGET", "RAPPORT_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def quick_backoff(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "BACKOFF_FIRST_S", 0.01)


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    scripted = ScriptedServer()
    await scripted.start()
    yield scripted
    await scripted.stop()


@pytest.fixture(params=["async", "blocking"])
async def connect(
    request: pytest.FixtureRequest, server: ScriptedServer
) -> AsyncIterator[Callable[..., Caller]]:
    callers: list[Caller] = []

    def make(target: str | None = None, **settings: Any) -> Caller:
        callers.append(Caller(request.param, target or server.target, **settings))
        return callers[-1]

    yield make
    for caller in callers:
        await caller.close()


@pytest.fixture
def caller(connect: Callable[..., Caller]) -> Caller:
    return connect(api_key="rk_test")
