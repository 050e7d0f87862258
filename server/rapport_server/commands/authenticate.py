"""Who calls: from the authorization header to a key, its role and tenant."""

import hmac
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime

from rapport_server.domain.storage import Database
from rapport_server.domain.tenants import ApiKey, ApiKeyRole, Caller
from rapport_server.errors import Unauthenticated

FRESH_S = 5.0  # a revocation in another process reaches this one by notification, at the latest after this time
KEYS_MAX = 10_000
KEY_FORMAT = re.compile(r"rap_(?P<key_id>[0-9a-z]{12})_(?P<secret>[A-Za-z0-9_-]{43})")
REFUSED = "The API key is malformed, unknown, expired or revoked."
OPEN_CALLER = Caller("", ApiKeyRole.OPERATOR, "")


class Authenticate:
    """Checks API keys against their keyed hashes; only hits are cached."""

    def __init__(self, database: Database, secret_hash: Callable[[str], bytes]) -> None:
        self._database = database
        self._secret_hash = secret_hash
        self._known: dict[str, tuple[float, ApiKey, bytes]] = {}

    async def __call__(self, authorization: str | None) -> Caller:
        """Raises Unauthenticated, without telling an unknown key from a wrong, expired or revoked one."""
        if authorization is None:
            raise Unauthenticated
        scheme, _, token = authorization.partition(" ")
        match = KEY_FORMAT.fullmatch(token.strip())
        if scheme.lower() != "bearer" or match is None:
            raise Unauthenticated(REFUSED)
        found = await self._find(match["key_id"])
        if found is None:
            raise Unauthenticated(REFUSED)
        key, secret_hash = found
        genuine = hmac.compare_digest(secret_hash, self._secret_hash(token.strip()))
        if not genuine or not key.valid_at(datetime.now(UTC)):
            raise Unauthenticated(REFUSED)
        tenant_id = "" if key.role is ApiKeyRole.OPERATOR else key.tenant_id
        return Caller(key.key_id, key.role, tenant_id)

    async def confirm(self, caller: Caller) -> None:
        """For a call that lasts: raises Unauthenticated when its key has expired or been revoked since it began."""
        if caller == OPEN_CALLER:
            return
        found = await self._find(caller.key_id)
        if found is None or not found[0].valid_at(datetime.now(UTC)):
            raise Unauthenticated(REFUSED)

    async def _find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        now = time.monotonic()
        cached = self._known.get(key_id)
        if cached and now - cached[0] < FRESH_S:
            return cached[1], cached[2]
        self.forget(key_id)
        async with self._database.session() as session:
            found = await session.keys.find(key_id)
        if found:
            if len(self._known) >= KEYS_MAX:
                self._known.clear()
            self._known[key_id] = (now, *found)
        return found

    def forget(self, key_id: str) -> None:
        """Read the key anew at the next call."""
        self._known.pop(key_id, None)

    def forget_tenant(self, tenant_id: str) -> None:
        """Read the tenant's keys anew: with the tenant they are gone, even when it is made again."""
        of_tenant = [k for k, (_, key, _) in self._known.items() if key.tenant_id == tenant_id]
        for key_id in of_tenant:
            del self._known[key_id]

    def forget_all(self) -> None:
        """Read every key anew."""
        self._known.clear()
