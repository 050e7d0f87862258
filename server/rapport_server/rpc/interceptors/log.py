"""One line per call: what, how it ended, how long, for whom; never text, never a person's id."""

import asyncio
from typing import Any

from structlog.typing import FilteringBoundLogger

from rapport_server.rpc.call import CALL, Call
from rapport_server.rpc.chain import Behaviour, Context, Interceptor, Method

_SERIOUS = frozenset({"INTERNAL", "UNKNOWN", "DATA_LOSS"})
_NOTABLE = frozenset({"UNAVAILABLE", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED"})


class LogInterceptor(Interceptor):
    """Writes the line when the call ends."""

    def __init__(self, log: FilteringBoundLogger) -> None:
        self._log = log

    def around(self, method: Method, inner: Behaviour) -> Behaviour:
        """Go on, then write."""

        async def logged(request: Any, context: Context) -> Any:
            call = CALL.get()
            try:
                return await inner(request, context)
            except asyncio.CancelledError:
                call.failed("CANCELLED", "CANCELLED")
                raise
            finally:
                self._write(call)

        return logged

    def _write(self, call: Call) -> None:
        fields = {
            "rpc": call.rpc,
            "code": call.code,
            "ms": round(call.elapsed_s * 1e3, 2),
            "request_id": call.request_id,
            "tenant_id": call.tenant_id,
            "key_id": call.caller.key_id,
        }
        if call.code == "OK":
            self._log.info("call", **fields)
            return
        fields["reason"] = call.reason
        if call.code in _SERIOUS:
            self._log.error("call", **fields)
        elif call.code in _NOTABLE:
            self._log.warning("call", **fields)
        else:
            self._log.info("call", **fields)
