"""The analysis room: emotions, intent, mood, shouting and crisis from a message's embedding and its surface."""

from rapport_server.analysis.loading import load_analyser
from rapport_server.analysis.local import LocalAnalyser

__all__ = ["LocalAnalyser", "load_analyser"]
