"""Counts calls and measures them by RPC and code."""

import asyncio
from typing import Any, Protocol

from rapport_server.rpc.call import CALL
from rapport_server.rpc.chain import Behaviour, Context, Interceptor, Method


class CallObserver(Protocol):
    """Where the figures go."""

    def call_started(self) -> None:
        """A call came in."""
        ...

    def call_ended(self, rpc: str, code: str, seconds: float) -> None:
        """A call ended."""
        ...


class MetricsInterceptor(Interceptor):
    """Tells the observer of each call."""

    def __init__(self, observer: CallObserver) -> None:
        self._observer = observer

    def around(self, method: Method, inner: Behaviour) -> Behaviour:
        """Go on between the two figures."""
        observer = self._observer

        async def measured(request: Any, context: Context) -> Any:
            call = CALL.get()
            observer.call_started()
            try:
                return await inner(request, context)
            except asyncio.CancelledError:
                call.failed("CANCELLED", "CANCELLED")
                raise
            finally:
                observer.call_ended(call.rpc, call.code, call.elapsed_s)

        return measured
