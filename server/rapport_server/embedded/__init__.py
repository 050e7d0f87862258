"""The zero-install Postgres: binaries, cluster, process, and the data directory they live in."""

from rapport_server.embedded.datadir import DataDir, DataDirError, DataDirInUse
from rapport_server.embedded.errors import EmbeddedPostgresError
from rapport_server.embedded.postgres import EmbeddedPostgres

__all__ = ["DataDir", "DataDirError", "DataDirInUse", "EmbeddedPostgres", "EmbeddedPostgresError"]
