"""A protoc plugin that makes `_pb2_grpc.py` and its typed stub for every file that holds a service.

grpcio-tools carries its gRPC generator compiled into its own protoc, not as a plugin, so `buf` cannot
call it. This reads a plugin request from stdin, hands its descriptors to that protoc, and writes the
files it made to stdout as the plugin response. mypy-protobuf runs in the same call, because by itself
it also makes stubs of modules that do not exist, for the files without a service.
"""

import sys
import tempfile
from pathlib import Path

from google.protobuf.compiler.plugin_pb2 import CodeGeneratorRequest, CodeGeneratorResponse
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from grpc_tools import protoc

# Concrete: a servicer need not have every RPC, the generated base refuses the others.
STUB_OPTIONS = "quiet,generate_concrete_servicer_stubs"


def generate(request: CodeGeneratorRequest) -> CodeGeneratorResponse:
    """Make the gRPC modules of the requested files that hold a service."""
    response = CodeGeneratorResponse(
        supported_features=CodeGeneratorResponse.FEATURE_PROTO3_OPTIONAL
    )
    wanted = set(request.file_to_generate)
    services = [file.name for file in request.proto_file if file.service and file.name in wanted]
    if not services:
        return response
    with tempfile.TemporaryDirectory() as work:
        image, out = Path(work, "image.binpb"), Path(work, "out")
        out.mkdir()
        image.write_bytes(FileDescriptorSet(file=request.proto_file).SerializeToString())
        outputs = [f"--grpc_python_out={out}", f"--mypy_grpc_out={STUB_OPTIONS}:{out}"]
        if protoc.main(["protoc", f"--descriptor_set_in={image}", *outputs, *services]) != 0:
            response.error = "protoc failed; its message is above"
            return response
        for path in sorted(file for file in out.rglob("*") if file.is_file()):
            response.file.add(name=path.relative_to(out).as_posix(), content=path.read_text())
    return response


if __name__ == "__main__":
    plugin_request = CodeGeneratorRequest.FromString(sys.stdin.buffer.read())
    sys.stdout.buffer.write(generate(plugin_request).SerializeToString())
