"""Texts in which there is nothing to see: refused wherever one is required, after a few looks however long they are."""

import unicodedata
from types import SimpleNamespace

import grpc.aio
import pytest

from rapport.v1.errors_pb2 import ErrorReason
from rapport_server.domain.limits import MESSAGE_BYTES_MAX, TEXT_BYTES_MAX
from rapport_server.rpc.validate import check
from tests.fix_server import Script
from tests.rpc.test_items import pair, results
from tests.rpc.wire import ask, refused, request_of

# Spaces, characters of no width, and both in turn.
PARTS = [" ", "\u200b", "\u2060\u3000\u200b\n"]
LOOKS_MAX = 100  # the first 64 characters of a text, and then each distinct one


def blank(part: str, size: int) -> str:
    """Nothing to see, in as many bytes as fit."""
    return part * (size // len(part.encode()))


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The characters that were looked up."""
    looked: list[str] = []

    def category(char: str) -> str:
        looked.append(char)
        return unicodedata.category(char)

    monkeypatch.setattr(check, "unicodedata", SimpleNamespace(category=category))
    return looked


@pytest.mark.parametrize("part", PARTS, ids=ascii)
async def test_a_memory_of_a_mebibyte_of_nothing_fails_by_its_field(
    part: str, looks: list[str], script: Script, grpc_channel: grpc.aio.Channel
):
    script.answers["add_memory"] = results
    text = blank(part, TEXT_BYTES_MAX)
    items = [{"text": text}, {"user_assistant_pairs": [pair(text)]}, {"text": "fine"}]
    reply = await ask(
        grpc_channel, "AddMemory", request_of("AddMemory", end_user_id="m", memories=items)
    )
    assert [result.error.field for result in reply.results] == [
        "memories[0].text",
        "memories[1].user_assistant_pairs[0].user",
        "",
    ]
    for result in reply.results[:2]:
        assert ErrorReason.Name(result.error.reason) == "ERROR_REASON_INVALID_ARGUMENT"
        assert "blank" in result.error.message
    assert len(looks) <= 3 * LOOKS_MAX


@pytest.mark.parametrize("size", [MESSAGE_BYTES_MAX, TEXT_BYTES_MAX])
@pytest.mark.parametrize("part", PARTS, ids=ascii)
async def test_a_message_of_nothing_is_refused_by_its_field_and_a_long_one_unlooked_at(
    part: str, size: int, looks: list[str], script: Script, grpc_channel: grpc.aio.Channel
):
    request = request_of("Process", end_user_id="m", message=blank(part, size))
    refusal = await refused(grpc_channel, "Process", request)
    assert list(refusal.violations) == ["message"]
    if size == MESSAGE_BYTES_MAX:
        assert "blank" in refusal.violations["message"]
        assert len(looks) <= LOOKS_MAX
    else:
        assert looks == []
    assert script.calls == []


@pytest.mark.parametrize("part", PARTS, ids=ascii)
async def test_one_sign_at_the_end_of_a_mebibyte_of_nothing_is_a_text(
    part: str, looks: list[str], script: Script, grpc_channel: grpc.aio.Channel
):
    script.answers["add_memory"] = results
    text = blank(part, TEXT_BYTES_MAX - 1) + "."
    request = request_of("AddMemory", end_user_id="m", memories=[{"text": text}])
    assert (await ask(grpc_channel, "AddMemory", request)).success_count == 1
    assert len(looks) <= LOOKS_MAX
