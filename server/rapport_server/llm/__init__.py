"""The language model room: an OpenAI-compatible endpoint, the replies it writes, and its reading of messages.

Imported only when an endpoint is configured: `openai` takes a second or two to import.
"""

from rapport_server.llm.analysis import LlmAnalysis
from rapport_server.llm.endpoint import Endpoint

__all__ = ["Endpoint", "LlmAnalysis"]
