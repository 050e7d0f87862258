"""FAISS shards: exact search in one person's list, a cache of the database that catches up by sequence number."""

from rapport_server.vectors.catalog import ShardCatalog
from rapport_server.vectors.limits import ShardLimits

__all__ = ["ShardCatalog", "ShardLimits"]
