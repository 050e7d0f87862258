"""What happens after the answer: the worker that makes memories recallable, the reader of what they say, the sweep."""

from rapport_server.ingest.reader import MemoryReader
from rapport_server.ingest.sweep import Sweep
from rapport_server.ingest.worker import IngestWorker

__all__ = ["IngestWorker", "MemoryReader", "Sweep"]
