"""The wire: the only room that knows protobuf and gRPC."""
