"""Who connects how: the owner that migrates, and the app role that serves."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from rapport_server.startup import StartupError

SCHEMA = "rapport"
OWNER = "rapport_owner"
APP = "rapport_app"
PORT = 5432


@dataclass(frozen=True, slots=True)
class Conninfo:
    """Two libpq connection strings to one database; they may hold a password and stay out of `repr`."""

    owner: str = field(repr=False)
    app: str = field(repr=False)

    @classmethod
    def from_url(cls, database_url: str) -> Self:
        """For a server of the operator's: its user owns the schema, sessions of the app take the app role.

        Raises StartupError, without the URL, when it is not a connection string.
        """
        try:
            given = {k: str(v) for k, v in conninfo_to_dict(database_url).items() if v is not None}
        except psycopg.Error:
            raise StartupError(
                "--database-url (RAPPORT_DATABASE_URL) is not a Postgres connection string"
            ) from None
        options = given.pop("options", "")
        given.setdefault("application_name", "rapport")
        owner = f"{options} -c search_path={SCHEMA}".strip()
        return cls(
            make_conninfo(**given, options=owner),
            make_conninfo(**given, options=f"{owner} -c role={APP}"),
        )

    @classmethod
    def from_socket(cls, directory: Path, database: str) -> Self:
        """For the embedded server, where each role logs in as itself."""
        owner, app = (
            make_conninfo(
                host=str(directory),
                port=PORT,
                user=user,
                dbname=database,
                options=f"-c search_path={SCHEMA}",
                application_name="rapport",
            )
            for user in (OWNER, APP)
        )
        return cls(owner, app)
