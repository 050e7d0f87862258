"""The embedding room: a model behind one thread, shared by everybody who needs a vector."""

import sys

from rapport_server.embedding.batcher import BatchingEncoder
from rapport_server.embedding.loading import load_encoder
from rapport_server.embedding.runtime import Runtime
from rapport_server.embedding.thread import Observer

__all__ = ["BatchingEncoder", "Observer", "Runtime", "load_encoder"]

# OpenVINO reports every import to its vendor through this package, and is silent without it.
sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
