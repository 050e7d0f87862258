"""The store on a fresh database, with the tenants `acme` and `globex`."""

from collections.abc import AsyncIterator

import pytest

from rapport_server.store.database import PostgresDatabase
from tests.fix_postgres import Database
from tests.store.house import make_tenant


@pytest.fixture
async def store(database: Database) -> AsyncIterator[PostgresDatabase]:
    async with PostgresDatabase(database.app_dsn, database.owner_dsn, size=16) as opened:
        async with opened.transaction() as tx:
            for tenant_id in ("acme", "globex"):
                assert await tx.tenants.insert(make_tenant(tenant_id))
        yield opened
