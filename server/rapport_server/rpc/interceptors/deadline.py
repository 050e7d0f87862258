"""Bounds every call in time: by the caller's deadline, else by the server's own."""

import asyncio
import time
from typing import Any

from rapport_server.errors import DeadlineExceeded, Unavailable
from rapport_server.rpc.call import CALL
from rapport_server.rpc.chain import Behaviour, Context, Interceptor, Method

UNARY_S = 90.0  # the longest `wait` of AddMemory is 60 s, and then its answer has to be read
WATCH_S = 3_600.0  # a watcher that was forgotten does not stay for ever
LONG_S = 900.0  # these walk over a whole tenant
_WATCHES = frozenset({"WatchProcessing", "WatchEndUser"})
_LONG = frozenset({"DeleteTenant", "VerifyAuditLog", "RunSweep", "ImportMemories", "ExportEndUser"})
# We answer just before the caller's own clock gives up: its own error would carry no details.
MARGIN_S = 0.02
MARGIN_SHARE = 0.1
_NEVER_S = 1e8  # grpc reports a missing deadline as one centuries away
DRAIN_RETRY_S = 1.0


class DeadlineInterceptor(Interceptor):
    """Cancels what is late, and at a drain what would outlast it."""

    def __init__(self) -> None:
        # What runs now, for the drain, and whether it only watches. Bounded by the admission.
        self._running: dict[asyncio.Timeout, bool] = {}
        self._drained = False

    def around(self, method: Method, inner: Behaviour) -> Behaviour:
        """Go on within the bound."""
        default_s = _default_s(method)

        async def bounded(request: Any, context: Context) -> Any:
            call = CALL.get()
            limit_s = _limit_s(context, default_s)
            call.deadline_s = time.monotonic() + limit_s
            timeout = asyncio.timeout(limit_s)
            self._running[timeout] = method.rpc in _WATCHES
            try:
                async with timeout:
                    return await inner(request, context)
            except TimeoutError:
                if not timeout.expired():
                    raise
                if self._drained:
                    raise Unavailable(
                        "The server is going down; call again.",
                        retry_s=DRAIN_RETRY_S,
                        component="server",
                    ) from None
                raise DeadlineExceeded(step="call") from None
            finally:
                del self._running[timeout]

        return bounded

    def drain(self, grace_s: float) -> None:
        """End watchers now and all other calls, a reply as it is written among them, within `grace_s` seconds, with UNAVAILABLE."""
        self._drained = True
        now = asyncio.get_running_loop().time()
        for timeout, watches in self._running.items():
            latest = now if watches else now + grace_s
            when = timeout.when()
            timeout.reschedule(latest if when is None else min(when, latest))


def _default_s(method: Method) -> float:
    if method.rpc in _LONG:
        return LONG_S
    return WATCH_S if method.rpc in _WATCHES else UNARY_S


def _limit_s(context: Context, default_s: float) -> float:
    left_s = context.time_remaining()
    if left_s is None or left_s > _NEVER_S:
        return default_s
    return max(0.0, left_s - min(MARGIN_S, left_s * MARGIN_SHARE))
