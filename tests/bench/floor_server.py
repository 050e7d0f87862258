"""The floors' server: a no-op RPC, and one that awaits the product's batcher, with nothing of the product around them."""

import asyncio
import sys

import grpc

from rapport_server.domain.ports import Lane
from rapport_server.embedding import BatchingEncoder, load_encoder


async def main() -> None:
    encoder = BatchingEncoder(load_encoder(None))

    async def noop(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        return request

    async def embed(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        await encoder.encode([request.decode()], Lane.INTERACTIVE)
        return b""

    server = grpc.aio.server()
    handlers = {
        "Noop": grpc.unary_unary_rpc_method_handler(noop),
        "Embed": grpc.unary_unary_rpc_method_handler(embed),
    }
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("bench.Floor", handlers),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    await server.wait_for_termination()


if __name__ == "__main__":
    asyncio.run(main())
