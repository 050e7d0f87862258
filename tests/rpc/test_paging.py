"""Pages: opaque tokens bound to their list and filters, and replies that stop in time."""

from dataclasses import replace
from datetime import UTC, datetime

import grpc.aio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rapport_server.domain.memories import IndexingStatus, Memory, MemoryKind, Scope
from rapport_server.domain.person_relations import PersonRelation
from rapport_server.errors import PageTokenInvalid
from rapport_server.privacy.secrets import Secrets
from rapport_server.rpc import listings
from rapport_server.rpc.paging import Cursor, Listing
from tests.fix_server import NOW, TENANT, Script, key_of
from tests.rpc.wire import ask, refused, request_of

MAC = Secrets(b"h" * 32, b"s" * 32).body_hash


def memory(version: int, text: str = "hello") -> Memory:
    return Memory(
        Scope("clinic", "maya"), f"m{version}", version, MemoryKind.ADDED, IndexingStatus.COMPLETED,
        text, (), "", "", "", "", "", "", {}, {}, False, False, NOW, None, NOW, NOW, None, None, (),
    )  # fmt: skip


def newest_first(rows: list[Memory]):
    """A list command over fixed rows, as the store pages: at most `size` after the key."""

    def fetch(query, page):
        after = page.after[0] if page.after else 10**9
        return [row for row in reversed(rows) if row.version < after][: page.size]

    return fetch


ANY_KEY = Listing("any", lambda row: row, (datetime, int, str))


@given(
    st.datetimes(timezones=st.just(UTC)),
    st.integers(-(2**63), 2**63 - 1),
    st.text(max_size=64).filter(lambda s: s.isprintable()),
)
def test_a_token_gives_its_key_back(time: datetime, number: int, text: str):
    cursor = Cursor(ANY_KEY, b"filters", MAC)
    assert cursor.key(cursor.token((time, number, text))) == (time, number, text)


def test_the_longest_key_fits_a_token():
    cursor = Cursor(listings.PERSON_RELATIONS, b"", MAC)
    for name in ("\x01" * 256, "é" * 128, '"' * 256):
        row = PersonRelation("\\" * 256, name)
        assert cursor.key(cursor.token(row)) == (name, "\\" * 256)


def test_a_token_is_of_one_list_one_filter_and_undamaged():
    cursor = Cursor(listings.MEMORIES, b"filters", MAC)
    token = cursor.token(memory(7))
    assert cursor.key(token) == (7,)
    others = [
        Cursor(listings.MEMORIES, b"filter", MAC),
        Cursor(listings.QUEUE, b"filters", MAC),
        Cursor(listings.MEMORIES, b"filters", Secrets(b"x" * 32, b"s" * 32).body_hash),
    ]
    for other in others:
        with pytest.raises(PageTokenInvalid):
            other.key(token)
    for position in range(len(token)):
        flipped = "A" if token[position] != "A" else "B"
        damaged = token[:position] + flipped + token[position + 1 :]
        if position == len(token) - 1:
            continue  # the last character may hold bits that mean nothing
        with pytest.raises(PageTokenInvalid):
            cursor.key(damaged)


@pytest.mark.parametrize("token", ["x", "AAAA", "é", "!" * 40, "A" * 5000, "e30", " "])
async def test_a_made_up_token_is_refused(token: str, grpc_channel: grpc.aio.Channel):
    request = request_of("ListMemories", end_user_id="maya", page_token=token)
    refusal = await refused(grpc_channel, "ListMemories", request)
    assert (refusal.code, refusal.info.reason) == ("INVALID_ARGUMENT", "PAGE_TOKEN_INVALID")
    assert list(refusal.violations) == ["page_token"]


async def test_pages_join_to_the_whole_list_whatever_is_written_meanwhile(
    script: Script, grpc_channel: grpc.aio.Channel
):
    rows = [memory(version) for version in range(1, 121)]
    script.answers["reads.memories"] = newest_first(rows)
    request = request_of("ListMemories", end_user_id="maya", page_size=7)
    seen: list[str] = []
    while True:
        reply = await ask(grpc_channel, "ListMemories", request)
        assert len(reply.memories) <= 7
        seen += [m.source_id for m in reply.memories]
        rows.append(memory(1000 + len(seen)))
        if not reply.next_page_token:
            break
        request.page_token = reply.next_page_token
        request.page_size = 7 if len(seen) < 60 else 5  # the size may change on the way
    assert seen == [f"m{version}" for version in range(120, 0, -1)]


@pytest.mark.parametrize(("asked", "answered"), [(0, 50), (1, 1), (1000, 1000), (5000, 1000)])
async def test_page_size_has_a_default_and_a_ceiling(
    asked: int, answered: int, script: Script, grpc_channel: grpc.aio.Channel
):
    script.answers["reads.memories"] = newest_first([memory(v) for v in range(1, 1101)])
    request = request_of("ListMemories", end_user_id="maya", page_size=asked)
    reply = await ask(grpc_channel, "ListMemories", request)
    assert len(reply.memories) == answered
    assert reply.next_page_token


async def test_a_last_page_that_is_full_has_no_token(
    script: Script, grpc_channel: grpc.aio.Channel
):
    script.answers["reads.memories"] = newest_first([memory(v) for v in range(1, 51)])
    reply = await ask(grpc_channel, "ListMemories", request_of("ListMemories", end_user_id="maya"))
    assert (len(reply.memories), reply.next_page_token) == (50, "")
    script.answers["reads.memories"] = newest_first([])
    reply = await ask(grpc_channel, "ListMemories", request_of("ListMemories", end_user_id="maya"))
    assert (len(reply.memories), reply.next_page_token) == (0, "")


async def test_a_token_does_not_serve_another_filter_person_or_tenant(
    script: Script, grpc_channel: grpc.aio.Channel
):
    script.answers["reads.memories"] = newest_first([memory(v) for v in range(1, 5)])
    first = request_of("ListMemories", end_user_id="team", page_size=1)
    token = (await ask(grpc_channel, "ListMemories", first)).next_page_token
    for changed in ({"channel": "app"}, {"end_user_id": "other"}, {"kind": 1}):
        fields = {"end_user_id": "team", "page_token": token, **changed}
        refusal = await refused(grpc_channel, "ListMemories", request_of("ListMemories", **fields))
        assert refusal.info.reason == "PAGE_TOKEN_INVALID"
    same = request_of("ListMemories", end_user_id="team", page_token=token)
    refusal = await refused(grpc_channel, "ListMemories", same, key_of("WRITER", "shared"))
    assert refusal.info.reason == "PAGE_TOKEN_INVALID"


async def test_a_page_stops_before_three_mebibytes_and_goes_on(
    script: Script, grpc_channel: grpc.aio.Channel
):
    rows = [memory(v, "x" * 1_000_000) for v in range(1, 9)]
    script.answers["reads.memories"] = newest_first(rows)
    request = request_of("ListMemories", end_user_id="maya")
    sizes = []
    while True:
        reply = await ask(grpc_channel, "ListMemories", request)
        sizes.append(len(reply.memories))
        assert reply.ByteSize() <= 3 * 1024 * 1024
        if not reply.next_page_token:
            break
        request.page_token = reply.next_page_token
    assert sizes == [3, 3, 2]


async def test_one_answer_that_is_too_large_is_refused(
    script: Script, grpc_channel: grpc.aio.Channel
):
    script.answers["reads.memory"] = memory(1, "x" * (3 * 1024 * 1024))
    request = request_of("GetMemory", end_user_id="maya", source_id="m1")
    refusal = await refused(grpc_channel, "GetMemory", request)
    assert (refusal.code, refusal.info.reason) == ("RESOURCE_EXHAUSTED", "REPLY_TOO_LARGE")


async def test_listing_one_tenant_that_is_unknown_is_empty(
    script: Script, grpc_channel: grpc.aio.Channel
):
    from rapport_server.errors import NotFound

    script.answers["tenants.get"] = NotFound("tenant")
    request = request_of("ListTenants", tenant_id="nowhere")
    reply = await ask(grpc_channel, "ListTenants", request, key_of("OPERATOR"))
    assert not reply.tenants
    script.answers["tenants.get"] = (replace(TENANT, tenant_id="one"), {})
    request = request_of("ListTenants", tenant_id="one")
    reply = await ask(grpc_channel, "ListTenants", request, key_of("OPERATOR"))
    assert [tenant.tenant_id for tenant in reply.tenants] == ["one"]
