"""Lets calls in only while the server can serve them."""

from typing import Any

from rapport_server.errors import ResourceExhausted, Unavailable
from rapport_server.rpc.chain import Behaviour, Context, Interceptor, Method

# Callers of one server come in hundreds; each call in flight holds its request, and a queue longer than this only adds
# waiting that deadlines will cut off.
CALLS_MAX = 1_024
BUSY_RETRY_S = 0.5
STARTING_RETRY_S = 2.0


class AdmissionInterceptor(Interceptor):
    """Refuses with UNAVAILABLE until `open`, and with RESOURCE_EXHAUSTED above the bound."""

    def __init__(self, calls_max: int = CALLS_MAX) -> None:
        self._calls_max = calls_max
        self._calls = 0
        self.open = False

    def around(self, method: Method, inner: Behaviour) -> Behaviour:
        """Go on if there is room."""

        async def admitted(request: Any, context: Context) -> Any:
            if not self.open:
                raise Unavailable(
                    "The server does not serve yet; call again.",
                    retry_s=STARTING_RETRY_S,
                    component="server",
                )
            if self._calls >= self._calls_max:
                raise ResourceExhausted(
                    "Too many calls are in flight; call again.",
                    retry_s=BUSY_RETRY_S,
                    limit="calls",
                    max=str(self._calls_max),
                )
            self._calls += 1
            try:
                return await inner(request, context)
            finally:
                self._calls -= 1

        return admitted
