"""The error of the embedded Postgres."""

from rapport_server.startup import StartupError


class EmbeddedPostgresError(StartupError):
    """The embedded Postgres could not be prepared, started, reached or kept running."""
