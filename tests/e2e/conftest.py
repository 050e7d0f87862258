"""Limits of tests that start whole servers."""

from pathlib import Path

import pytest

# A server's start counts for the first test that uses it, and takes long on a busy machine.
TIMEOUT_S = 300
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        quick = (
            item.get_closest_marker("long") is None and item.get_closest_marker("timeout") is None
        )
        if HERE in item.path.parents and quick:
            item.add_marker(pytest.mark.timeout(TIMEOUT_S))
