"""Gives each call an id for the log: the caller's own `x-request-id` if it is sane, else a new one."""

import re
import uuid
from typing import Any

from rapport_server.rpc.call import CALL, Call
from rapport_server.rpc.chain import Behaviour, Context, Interceptor, Method

KEY = "x-request-id"
_SANE = re.compile(r"[A-Za-z0-9._:-]{1,128}")


class RequestIdInterceptor(Interceptor):
    """The outermost one: the call's record begins here, and its id goes back in the trailing metadata."""

    def around(self, method: Method, inner: Behaviour) -> Behaviour:
        """Open the record, then go on."""
        rpc = method.rpc

        async def identified(request: Any, context: Context) -> Any:
            call = Call(rpc, _request_id(context))
            CALL.set(call)
            context.set_trailing_metadata(((KEY, call.request_id),))
            return await inner(request, context)

        return identified


def _request_id(context: Context) -> str:
    for key, value in context.invocation_metadata() or ():
        if key == KEY and isinstance(value, str) and _SANE.fullmatch(value):
            return value
    return uuid.uuid4().hex
