"""A protoc plugin that makes the typed methods of the Python SDK from the services.

For every RPC it writes one method of `AsyncMethods` and one of `Methods`: keyword arguments named after the
request's fields, docstrings from the contract's comments, and a body that hands the fields to the shared
core. It also writes what both need: the RPCs, the accepted input types, and the messages' short import path.
"""

import re
import sys
import textwrap
from collections.abc import Iterator, Sequence

from google.protobuf.compiler.plugin_pb2 import CodeGeneratorRequest, CodeGeneratorResponse
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    MethodDescriptorProto,
)

PACKAGE = ".rapport.v1."
WIDTH = 100
# A call without these makes no sense, so their arguments have no default.
NEEDED_FIELDS = {
    "assignments",
    "event",
    "interaction_id",
    "key_id",
    "memories",
    "message",
    "person_relation",
    "person_relation_id",
    "query",
    "receipt_id",
    "role",
    "source_id",
    "source_ids",
    "trigger",
    "trigger_id",
}
NEEDED_BY_RPC = {
    "AttachReply": {"assistant_message"},
    "CreateTenant": {"tenant_id"},
    "DeleteTenant": {"tenant_id"},
    "Erase": {"end_user_id"},
    "ExportEndUser": {"end_user_id"},
    "DeleteMemory": {"end_user_id"},
    "ListPersonRelations": {"end_user_id"},
    "UpsertPersonRelation": {"end_user_id"},
    "DeletePersonRelation": {"end_user_id"},
    "DeleteTrigger": {"end_user_id"},
}
# What these are about is the tenant itself, which therefore comes first; empty = the client's.
TENANT_RPCS = frozenset({"GetTenant", "UpdateTenant"})
# In these an empty tenant_id is not "the client's tenant": it lists all, or must be spelled out.
UNSCOPED_RPCS = frozenset({"ListTenants", "CreateTenant", "DeleteTenant"})
LAST_FIELDS = ("tenant_id", "request_id", "page_size", "page_token")
# The order in which a reader meets them.
SERVICES = [
    "MemoryService",
    "RelationService",
    "KnowledgeService",
    "TenantService",
    "AuditService",
]
WELL_KNOWN = {
    ".google.protobuf.Timestamp": "TimeInput",
    ".google.protobuf.Duration": "DurationInput",
    ".google.protobuf.Struct": "StructInput",
    ".google.protobuf.FieldMask": "FieldMaskInput",
}
F = FieldDescriptorProto
SCALARS = {
    F.TYPE_STRING: ("str", '""'),
    F.TYPE_BYTES: ("bytes", 'b""'),
    F.TYPE_BOOL: ("bool", "False"),
    F.TYPE_DOUBLE: ("float", "0.0"),
    F.TYPE_INT32: ("int", "0"),
    F.TYPE_INT64: ("int", "0"),
}
HEAD = '"""{doc} Generated from proto/rapport/v1 by `make generate`; not edited by hand."""\n\n'


class Contract:
    """The descriptors of the package, by name, with their comments."""

    def __init__(self, files: list[FileDescriptorProto]) -> None:
        self.files = files
        self.modules: dict[str, str] = {}
        self.messages: dict[str, DescriptorProto] = {}
        self.enums: dict[str, EnumDescriptorProto] = {}
        self.comments: dict[str, str] = {}
        self.methods: list[tuple[str, MethodDescriptorProto]] = []
        for file in files:
            self._read(file)
        self.methods.sort(key=lambda pair: SERVICES.index(pair[0]))

    def _read(self, file: FileDescriptorProto) -> None:
        module = file.name.removeprefix("rapport/v1/").removesuffix(".proto") + "_pb2"
        text = {tuple(at.path): at.leading_comments for at in file.source_code_info.location}
        for index, message in enumerate(file.message_type):
            self.messages[message.name] = message
            self.modules[message.name] = module
            self.comments[message.name] = text.get((4, index), "")
            for position, field in enumerate(message.field):
                self.comments[f"{message.name}.{field.name}"] = text.get(
                    (4, index, 2, position), ""
                )
        for index, enum in enumerate(file.enum_type):
            self.enums[enum.name] = enum
            self.modules[enum.name] = module
            self.comments[enum.name] = text.get((5, index), "")
        for index, service in enumerate(file.service):
            for position, method in enumerate(service.method):
                self.methods.append((service.name, method))
                self.comments[f"rpc {method.name}"] = text.get((6, index, 2, position), "")

    def said(self, name: str) -> str:
        """The comment of a thing, on one line."""
        return " ".join(self.comments[name].split())

    def message(self, type_name: str) -> DescriptorProto:
        """The message of a qualified name."""
        return self.messages[type_name.removeprefix(PACKAGE)]

    def upload(self, method: MethodDescriptorProto) -> tuple[DescriptorProto, FieldDescriptorProto]:
        """The header message and the item field of a client-streaming request."""
        header, item = self.message(method.input_type).field
        return self.message(header.type_name), item

    def inputs(self) -> Iterator[DescriptorProto | EnumDescriptorProto]:
        """What requests are made of: their message and enum types, in the order of the files."""
        names: set[str] = set()
        waiting = [self.message(method.input_type) for _, method in self.methods]
        while waiting:
            for field in waiting.pop().field:
                name = field.type_name.removeprefix(PACKAGE)
                if name in names or field.type_name in WELL_KNOWN or not name:
                    continue
                names.add(name)
                if name in self.messages:
                    waiting.append(self.messages[name])
        yield from (enum for name, enum in self.enums.items() if name in names)
        uploaded = {self.upload(m)[0].name for _, m in self.methods if m.client_streaming}
        for name, message in self.messages.items():
            if name in names and name not in uploaded:
                yield message


def snake(name: str) -> str:
    """`ListEndUsers` as `list_end_users`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def docstring(text: str, indent: str, arguments: Sequence[tuple[str, str]] = ()) -> str:
    """A docstring with the comment first and a paragraph per argument."""
    lines = textwrap.wrap(text, WIDTH - len(indent) - 3) or [""]
    for name, meaning in arguments:
        wrapped = textwrap.wrap(f"{name}: {meaning}", WIDTH - len(indent), subsequent_indent="    ")
        lines += ([""] if len(lines) and name == arguments[0][0] else []) + wrapped
    if len(lines) == 1 and len(indent) + len(lines[0]) + 6 <= WIDTH:
        return f'{indent}"""{lines[0]}"""\n'
    body = "\n".join(f"{indent}{line}".rstrip() for line in lines[1:])
    return f'{indent}"""{lines[0]}\n{body}{chr(10) if body else ""}{indent}"""\n'


def value_type(field: FieldDescriptorProto, prefix: str = "c.") -> str:
    """The type of one value of a field, as an argument."""
    if field.type in (F.TYPE_MESSAGE, F.TYPE_ENUM):
        known = WELL_KNOWN.get(field.type_name)
        return known or f"{prefix}{field.type_name.removeprefix(PACKAGE)}Input"
    return SCALARS[field.type][0]


def argument(field: FieldDescriptorProto, needed: bool) -> str:
    """A field as one parameter of a method."""
    kind = value_type(field)
    if field.label == F.LABEL_REPEATED:
        return f"{field.name}: Sequence[{kind}]" + ("" if needed else " = ()")
    if needed:
        return f"{field.name}: {kind}"
    if field.proto3_optional or field.type in (F.TYPE_MESSAGE, F.TYPE_ENUM):
        return f"{field.name}: {kind} | None = None"
    return f"{field.name}: {kind} = {SCALARS[field.type][1]}"


def make_messages(contract: Contract) -> str:
    """`messages.py`: every message and enum that callers see, under one import path."""
    names = sorted(name for name in contract.modules if not name.endswith("Request"))
    names.remove("ImportHeader")
    lines = [HEAD.format(doc="The contract's messages and enums.")]
    by_module: dict[str, list[str]] = {}
    for name in names:
        by_module.setdefault(contract.modules[name], []).append(name)
    for module, members in sorted(by_module.items()):
        lines.append(f"from rapport.v1.{module} import (\n")
        lines += [f"    {name},\n" for name in members]
        lines.append(")\n")
    lines.append("\n__all__ = [\n")
    lines += [f'    "{name}",\n' for name in names]
    lines.append("]\n")
    return "".join(lines)


def make_contract(contract: Contract) -> str:
    """`contract.py`: the RPCs and the input types."""
    services = sorted({f"{snake(service)}_pb2" for service, _ in contract.methods})
    lines = [
        HEAD.format(doc="The RPCs, and what may be given for their fields."),
        "from __future__ import annotations\n\n",
        "from collections.abc import Sequence\n",
        "from typing import Literal, TypeAlias, TypedDict\n\n",
        "from rapport import messages as m\n",
        "from rapport.requests import StructInput, TimeInput\n",
        "from rapport.rpc import Rpc\n",
        "from rapport.v1 import (\n",
        *(f"    {module},\n" for module in services),
        ")\n\n",
    ]
    for thing in contract.inputs():
        if isinstance(thing, EnumDescriptorProto):
            lines.append(enum_input(thing))
        else:
            lines.append(message_input(contract, thing))
    lines += [rpc_constant(contract, service, method) for service, method in contract.methods]
    return "".join(lines)


def enum_input(enum: EnumDescriptorProto) -> str:
    """An enum's alias: its values, or their names without the prefix."""
    prefix = enum.value[0].name.removesuffix("UNSPECIFIED")
    names = ", ".join(f"'{v.name.removeprefix(prefix)}'" for v in enum.value[1:])
    alias, kinds = f"{enum.name}Input: TypeAlias = ", f'"m.{enum.name} | Literal[{names}]"'
    if len(alias + kinds) > WIDTH >= len(kinds) + 4:
        return f"{alias}(\n    {kinds}\n)\n"
    return f"{alias}{kinds}\n"


def message_input(contract: Contract, message: DescriptorProto) -> str:
    """A message's dict type and its alias."""
    name = message.name
    text = docstring(contract.said(name), "    ")
    rows = [f"\n\nclass {name}Dict(TypedDict, total=False):\n{text}\n"]
    for field in message.field:
        kind = value_type(field, "")
        if field.label == F.LABEL_REPEATED:
            kind = f"Sequence[{kind}]"
        rows.append(f"    {field.name}: {kind}\n")
    short = " | str" if name == "MemoryItem" else ""
    rows.append(f'\n\n{name}Input: TypeAlias = "m.{name} | {name}Dict{short}"\n')
    return "".join(rows)


def rpc_constant(contract: Contract, service: str, method: MethodDescriptorProto) -> str:
    """One RPC as a constant."""
    request, response = (n.removeprefix(PACKAGE) for n in (method.input_type, method.output_type))
    module = f"{snake(service)}_pb2"
    fields = (
        contract.upload(method)[0].field
        if method.client_streaming
        else (contract.message(method.input_type).field)
    )
    names = {field.name for field in fields}
    flags = []
    if "request_id" in names:
        flags.append("mutating=True")
    if "wait" in names:
        flags.append("waits=True")
    if method.name in UNSCOPED_RPCS:
        flags.append("scoped=False")
    rows = [f'"/rapport.v1.{service}/{method.name}"', f"{module}.{request}", f"{module}.{response}"]
    body = "".join(f"    {row},\n" for row in rows + flags)
    return f"{snake(method.name).upper()} = Rpc(\n{body})\n"


def make_methods(contract: Contract, asynchronous: bool) -> str:
    """`async_methods.py` or `sync_methods.py`: a class with a method for every RPC."""
    prefix = "Async" if asynchronous else ""
    doc = "One asynchronous method per RPC." if asynchronous else "One blocking method per RPC."
    extra = "AsyncIterable, Iterable, Sequence" if asynchronous else "Iterable, Sequence"
    streams = "AsyncPager, AsyncStream" if asynchronous else "Pager, Stream, run"
    lines = [
        HEAD.format(doc=doc),
        "from __future__ import annotations\n\n",
        f"from collections.abc import {extra}\n\n",
        "from rapport import contract as c\n",
        "from rapport import messages as m\n",
        "from rapport.calls import Calls\n",
        "from rapport.requests import DurationInput, FieldMaskInput, StructInput, TimeInput\n",
        f"from rapport.streams import {streams}\n",
        f"\n\nclass {prefix}Methods:\n",
        f'    """{doc}"""\n\n    _calls: Calls\n',
    ]
    lines += [method_source(contract, method, asynchronous) for _, method in contract.methods]
    return "".join(lines)


def method_source(contract: Contract, method: MethodDescriptorProto, asynchronous: bool) -> str:
    """One method: signature, docstring, body."""
    request, item = contract.message(method.input_type), None
    if method.client_streaming:
        request, item = contract.upload(method)
    needed = NEEDED_FIELDS | NEEDED_BY_RPC.get(method.name, set())
    last = [name for name in LAST_FIELDS if name not in needed]
    fields = sorted(request.field, key=lambda f: f.name in last and last.index(f.name) + 1)
    leading = {"end_user_id"} | needed & {"tenant_id"}
    if method.name in TENANT_RPCS:
        leading.add("tenant_id")
    first = [f for f in fields if f.name in leading]
    rest = [f for f in fields if f not in first]

    rows = ["self", *(argument(f, f.name in needed) for f in first), "*"]
    told = [(f.name, contract.said(f"{request.name}.{f.name}")) for f in first]
    if item is not None:
        kinds = ("Iterable", "AsyncIterable") if asynchronous else ("Iterable",)
        rows.append("memories: " + " | ".join(f"{kind}[{value_type(item)}]" for kind in kinds))
        told.append(("memories", "The memories to add, any number, read as they are sent."))
    rows += [argument(f, f.name in needed) for f in rest] + ["timeout: float | None = None"]
    told += [
        (f.name, contract.said(f"{request.name}.{f.name}")) for f in rest if f.name not in last
    ]

    result, body = call_source(contract, method, [f.name for f in first + rest], asynchronous)
    keyword = "async def" if asynchronous and result.startswith("m.") else "def"
    parameters = "".join(f"        {row},\n" for row in rows)
    head = f"\n    {keyword} {snake(method.name)}(\n{parameters}    ) -> {result}:\n"
    return head + docstring(contract.said(f"rpc {method.name}"), " " * 8, told) + body


def call_source(
    contract: Contract, method: MethodDescriptorProto, names: list[str], asynchronous: bool
) -> tuple[str, str]:
    """The return type and the body of a method."""
    prefix = "Async" if asynchronous else ""
    response = contract.message(method.output_type)
    answer = f"m.{response.name}"
    pad = " " * 12
    given = (
        f"{pad}{{\n" + "".join(f'{pad}    "{name}": {name},\n' for name in names) + f"{pad}}},\n"
    )
    rows = f"{pad}c.{snake(method.name).upper()},\n{given}"
    if any(f.name == "next_page_token" for f in response.field):
        items = next(f for f in response.field if f.label == F.LABEL_REPEATED)
        kind = f"{prefix}Pager[m.{items.type_name.removeprefix(PACKAGE)}, {answer}]"
        rows = f"{pad}self._calls,\n{rows}{pad}lambda page: page.{items.name},\n{pad}timeout,\n"
        return kind, f"        return {prefix}Pager(\n{rows}        )\n"
    if method.server_streaming:
        rows = f"{pad}self._calls,\n{rows}{pad}timeout,\n"
        return f"{prefix}Stream[{answer}]", f"        return {prefix}Stream(\n{rows}        )\n"
    verb = "unary"
    if method.client_streaming:
        verb, rows = "upload", f"{rows}{pad}memories,\n"
    rows += f"{pad}timeout,\n"
    if asynchronous:
        return answer, f"        return await self._calls.{verb}(\n{rows}        )\n"
    rows = textwrap.indent(rows, "    ")
    return answer, (f"        return run(\n{pad}self._calls.{verb}(\n{rows}{pad})\n        )\n")


def generate(request: CodeGeneratorRequest) -> CodeGeneratorResponse:
    """Make the SDK's generated modules."""
    wanted = set(request.file_to_generate)
    contract = Contract([file for file in request.proto_file if file.name in wanted])
    made = {
        "messages": make_messages(contract),
        "contract": make_contract(contract),
        "async_methods": make_methods(contract, asynchronous=True),
        "sync_methods": make_methods(contract, asynchronous=False),
    }
    response = CodeGeneratorResponse(
        supported_features=CodeGeneratorResponse.FEATURE_PROTO3_OPTIONAL
    )
    for name, content in made.items():
        response.file.add(name=f"rapport/{name}.py", content=content)
    return response


if __name__ == "__main__":
    plugin_request = CodeGeneratorRequest.FromString(sys.stdin.buffer.read())
    sys.stdout.buffer.write(generate(plugin_request).SerializeToString())
