"""The analysis room: emotions, intent, mood, shouting and crisis from a message's embedding and its surface."""

from rapport_server.analysis.loading import load_analyser
from rapport_server.analysis.local import LocalAnalyser
from rapport_server.analysis.service import LocalAnalysis

__all__ = ["LocalAnalyser", "LocalAnalysis", "load_analyser"]
