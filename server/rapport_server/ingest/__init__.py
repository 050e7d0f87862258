"""From acknowledged to recallable: the worker that claims, embeds and commits, and the sweep that tidies up."""

from rapport_server.ingest.sweep import Sweep
from rapport_server.ingest.worker import IngestWorker

__all__ = ["IngestWorker", "Sweep"]
