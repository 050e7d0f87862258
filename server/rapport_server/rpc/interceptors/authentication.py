"""Who calls, and whether that role may: before the request is even read."""

from collections.abc import Awaitable, Callable
from typing import Any

from rapport_server.domain.tenants import ApiKeyRole, Caller
from rapport_server.errors import PermissionDenied
from rapport_server.rpc.call import CALL
from rapport_server.rpc.chain import Behaviour, Context, Interceptor, Method
from rapport_server.rpc.roles import ROLES

KEY = "authorization"
HEADER_CHARS_MAX = 512  # a key has under 100; more is not worth a hash
OPEN = Caller("", ApiKeyRole.OPERATOR, "")

# The caller behind an `authorization` header; raises Unauthenticated.
Authenticate = Callable[[str | None], Awaitable[Caller]]


class AuthenticationInterceptor(Interceptor):
    """`authorization: Bearer <key>` on every call; without an authenticator the server is open."""

    def __init__(self, authenticate: Authenticate | None) -> None:
        self._authenticate = authenticate

    def around(self, method: Method, inner: Behaviour) -> Behaviour:
        """Go on with the caller known and allowed."""
        allowed = ROLES[method.path]

        async def authenticated(request: Any, context: Context) -> Any:
            call = CALL.get()
            if self._authenticate is None:
                call.caller = OPEN
            else:
                call.caller = await self._authenticate(_header(context))
            if call.caller.role not in allowed:
                role = call.caller.role.value
                raise PermissionDenied(f"A key of role {role} may not call {method.rpc}.")
            return await inner(request, context)

        return authenticated


def _header(context: Context) -> str | None:
    """The one header presented; several are as bad as none."""
    values = [value for key, value in context.invocation_metadata() or () if key == KEY]
    if len(values) != 1 or not isinstance(values[0], str) or len(values[0]) > HEADER_CHARS_MAX:
        return None
    return values[0]
