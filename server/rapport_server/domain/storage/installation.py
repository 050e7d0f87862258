"""What a database was set up with."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Installation:
    """What this database was set up with; None until it is."""

    secrets_fingerprint: str | None
    model_name: str | None
    model_fingerprint: str | None
    dimension: int | None


class Installations(Protocol):
    """Table installation, one row."""

    async def get(self) -> Installation:
        """The row."""
        ...

    async def lock(self) -> None:
        """Lock the row until the transaction ends: one first start at a time."""
        ...

    async def set_secrets_fingerprint(self, fingerprint: str) -> Installation:
        """Fill it if it is empty; the row as it stands then."""
        ...

    async def set_model(self, name: str, fingerprint: str, dimension: int) -> Installation:
        """Fill all three if they are empty; the row as it stands then."""
        ...
