"""What is known about the call that the current task serves."""

import math
import time
from contextvars import ContextVar
from dataclasses import dataclass, field

from google.protobuf.message import Message

from rapport_server.domain.tenants import ApiKeyRole, Caller

NOBODY = Caller("", ApiKeyRole.READER, "")


@dataclass(slots=True)
class Call:
    """One call on its way through the chain; the interceptors and servicers fill it in."""

    rpc: str
    request_id: str
    started_s: float = field(default_factory=time.perf_counter)
    caller: Caller = NOBODY
    tenant_id: str = ""
    request: Message | None = None
    code: str = "OK"
    reason: str = ""
    deadline_s: float = math.inf  # on the clock of time.monotonic

    @property
    def elapsed_s(self) -> float:
        """Seconds since the call came in."""
        return time.perf_counter() - self.started_s

    @property
    def left_s(self) -> float:
        """Seconds until the call is cut off."""
        return self.deadline_s - time.monotonic()

    def failed(self, code: str, reason: str) -> None:
        """Note how the call ends, for the log and the metrics."""
        self.code = code
        self.reason = reason


CALL: ContextVar[Call] = ContextVar("rapport_call")
