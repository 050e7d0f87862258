"""The local analysis as the commands use it: short messages at once, long ones beside the event loop."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from rapport_server.analysis.loading import load_analyser
from rapport_server.analysis.local import LocalAnalyser
from rapport_server.domain.analysis import Analysis
from rapport_server.domain.ports import Encoded

# Such a text takes about half a millisecond; a longer one would keep other calls waiting.
AT_ONCE_CHARS_MAX = 250


class LocalAnalysis:
    """Implements `domain.ports.Analyser`. Without an analyser for the embedding model every reading has origin NONE."""

    def __init__(self, analyser: LocalAnalyser | None) -> None:
        self._analyser = analyser
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="analysis")

    @classmethod
    def load(cls, fingerprint: str, inner_dimension: int) -> "LocalAnalysis":
        """With the heads that belong to the embedding model of this fingerprint, off when there are none."""
        return cls(load_analyser(fingerprint, inner_dimension))

    @property
    def is_on(self) -> bool:
        """Whether there are heads for the embedding model."""
        return self._analyser is not None

    async def analyse(self, text: str, encoded: Encoded, *, allow_llm: bool) -> Analysis:
        """The reading; nothing leaves the machine, whatever is allowed."""
        if self._analyser is None:
            return Analysis()
        if len(text) <= AT_ONCE_CHARS_MAX:
            return self._analyser.analyse(text, encoded)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._analyser.analyse, text, encoded)

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown()
