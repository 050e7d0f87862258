"""What is counted in the tests of this folder."""

from collections.abc import Callable

import pytest

from rapport_server.store.database import PostgresDatabase


@pytest.fixture
def count_sessions(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How many sessions were asked for since the test began."""
    opened_so_far = 0
    session = PostgresDatabase.session

    def counted(self: PostgresDatabase):
        nonlocal opened_so_far
        opened_so_far += 1
        return session(self)

    monkeypatch.setattr(PostgresDatabase, "session", counted)
    return lambda: opened_so_far
