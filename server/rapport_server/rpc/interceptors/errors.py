"""The one place where exceptions become statuses."""

import asyncio
from typing import Any

from structlog.typing import FilteringBoundLogger

from rapport_server.errors import Internal, RapportError
from rapport_server.rpc.call import CALL
from rapport_server.rpc.chain import Behaviour, Context, Interceptor, Method
from rapport_server.rpc.interceptors.request_id import KEY
from rapport_server.rpc.status import DETAILS_KEY, details, message_of, status_code, unwrapped


class ErrorsInterceptor(Interceptor):
    """Leaves of the error tree go out as they are; anything else is INTERNAL, and the log has the rest."""

    def __init__(self, log: FilteringBoundLogger) -> None:
        self._log = log

    def around(self, method: Method, inner: Behaviour) -> Behaviour:
        """Go on; end the call with a status if that fails."""

        async def guarded(request: Any, context: Context) -> Any:
            try:
                return await inner(request, context)
            except asyncio.CancelledError:
                raise
            except Exception as raised:
                error = self._leaf(raised)
            call = CALL.get()
            call.failed(error.code, error.reason)
            return await context.abort(
                status_code(error),
                message_of(error),
                ((KEY, call.request_id), (DETAILS_KEY, details(error, call))),
            )

        return guarded

    def _leaf(self, raised: Exception) -> RapportError:
        error = unwrapped(raised)
        if isinstance(error, RapportError) and type(error) is not RapportError:
            if isinstance(error, Internal):
                self._note(error)
            return error
        self._note(error)
        return Internal()

    def _note(self, error: BaseException) -> None:
        call = CALL.get()
        self._log.error("fault", rpc=call.rpc, request_id=call.request_id, exc_info=error)
