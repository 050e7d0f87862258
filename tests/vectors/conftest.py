"""Catalogs on a fresh folder, closed after the test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from .house import House


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    place = House(tmp_path / "shards")
    yield place
    for catalog in place.open:
        await catalog.close()
