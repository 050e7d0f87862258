"""Every RPC of the contract has a method on both clients, with the request's fields as arguments."""

import inspect
import uuid
from datetime import UTC, datetime
from typing import Any

import pytest

from rapport import AsyncClient, Client
from tests.clients.caller import Caller
from tests.clients.scripted import METHODS, ScriptedServer

EXAMPLES: dict[str, Any] = {
    "memories": ["likes tea"],
    "source_ids": ["note-1"],
    "event": {"kind": "BROKEN_PROMISE"},
    "person_relation": {"name": "Ann"},
    "trigger": {"description": "call back", "due_at": datetime(2026, 1, 1, tzinfo=UTC)},
    "assignments": ["dr-lee"],
    "role": "READER",
}


def method_name(rpc: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in rpc).lstrip("_")


def request_fields(path: str) -> set[str]:
    method = METHODS[path]
    fields = method.input_type.fields_by_name
    if method.client_streaming:
        return {*fields["header"].message_type.fields_by_name, "memories"}
    return set(fields)


def test_the_contract_has_its_45_rpcs() -> None:
    assert len(METHODS) == 45


@pytest.mark.parametrize("client", [AsyncClient, Client])
@pytest.mark.parametrize("path", METHODS)
def test_method_takes_exactly_the_request_fields(client: type, path: str) -> None:
    method = getattr(client, method_name(path.rsplit("/", 1)[1]))
    parameters = set(inspect.signature(method).parameters) - {"self", "timeout"}
    assert parameters == request_fields(path)
    assert method.__doc__


@pytest.mark.parametrize("path", METHODS)
async def test_method_reaches_its_rpc(server: ScriptedServer, caller: Caller, path: str) -> None:
    method = getattr(caller.client, method_name(path.rsplit("/", 1)[1]))
    needed = {
        name: EXAMPLES.get(name, "x")
        for name, parameter in inspect.signature(method).parameters.items()
        if parameter.default is inspect.Parameter.empty
    }
    lists = "next_page_token" in METHODS[path].output_type.fields_by_name
    if lists or METHODS[path].server_streaming:
        assert await caller.collect(lambda _: method(**needed)) == []
    else:
        answer = await caller.call(lambda _: method(**needed))
        assert answer.DESCRIPTOR is METHODS[path].output_type
    assert [seen.path for seen in server.seen] == [path]
    sent = server.seen[0].request
    if METHODS[path].client_streaming:
        assert [one.memory.text for one in server.seen[0].requests[1:]] == ["likes tea"]
        sent = sent.header
    if "request_id" in sent.DESCRIPTOR.fields_by_name:
        assert uuid.UUID(sent.request_id).version == 4


async def test_a_given_request_id_is_sent_as_it_is(server: ScriptedServer, caller: Caller) -> None:
    given = "8c0b7c1e-7f0b-4b0e-9f43-0a8a3b0f8a10"
    await caller.call(lambda c: c.process("maya", message="hi", request_id=given))
    assert server.seen[0].request.request_id == given


async def test_the_clients_tenant_fills_an_empty_one_but_is_no_filter_or_victim(
    server: ScriptedServer, connect: Any
) -> None:
    caller = connect(tenant_id="clinic")
    await caller.call(lambda c: c.get_relation("maya"))
    await caller.call(lambda c: c.get_relation("maya", tenant_id="other"))
    await caller.collect(lambda c: c.list_tenants())
    await caller.call(lambda c: c.import_memories("maya", memories=["x"]))
    tenants = [seen.request for seen in server.seen]
    assert [t.tenant_id for t in tenants[:3]] == ["clinic", "other", ""]
    assert tenants[3].header.tenant_id == "clinic"
    with pytest.raises(TypeError, match="tenant_id"):
        await caller.call(lambda c: c.delete_tenant())


async def test_a_tenant_is_named_first_wherever_it_is_what_the_call_is_about(
    server: ScriptedServer, connect: Any
) -> None:
    caller = connect(tenant_id="clinic")
    for call in (
        lambda c: c.create_tenant("bank"),
        lambda c: c.get_tenant("bank"),
        lambda c: c.update_tenant("bank", allow_llm=True),
        lambda c: c.update_tenant(tenant_id="bank", allow_llm=True),
        lambda c: c.delete_tenant("bank"),
        lambda c: c.update_tenant(allow_llm=True),
    ):
        await caller.call(call)
    assert [seen.request.tenant_id for seen in server.seen] == ["bank"] * 5 + ["clinic"]
