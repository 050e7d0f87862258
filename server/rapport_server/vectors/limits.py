"""The bounds of the vectors room, each with its reason."""

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class ShardLimits:
    """What one process may hold and how often it writes.

    open_bytes_max: resident bytes of open shards; the least recently used one closes first. One shard that is larger
    stays open until another is used. 1 GiB is sixteen full shards beside a model on a small machine.
    snapshot_every_s: at most one background snapshot per dirty shard in this time. It bounds what a killed process has
    to replay, and a full shard written every 30 s is 2 MB/s.
    replay_changes: changes asked of the log at once, so that a long replay holds few vectors beside the shard.
    rebuilds: whole-shard scans at the same time; each holds a database connection and up to three copies of a shard.
    inline_vectors: searches over no more than this many vectors run on the event loop (measured under 0.35 ms, where the
    hop to a thread and back costs 0.1 ms and more under load).
    search_threads, replay_threads, bulk_threads: each kind of work has threads of its own, so that no search waits for a
    replay, and neither for a shard that is being loaded, built or rewritten.
    """

    open_bytes_max: int = 1024 * MIB
    snapshot_every_s: float = 30.0
    replay_changes: int = 256
    rebuilds: int = 4
    inline_vectors: int = 2000
    search_threads: int = 4
    replay_threads: int = 2
    bulk_threads: int = 2

    def __post_init__(self) -> None:
        """Refuse bounds with which nothing would ever move. Raises ValueError."""
        if self.replay_changes < 2:
            raise ValueError(
                "replay_changes must be at least 2: the first change only proves the place"
            )
        if min(self.rebuilds, self.search_threads, self.replay_threads, self.bulk_threads) < 1:
            raise ValueError("rebuilds and the numbers of threads must be at least 1")
        if self.snapshot_every_s <= 0:
            raise ValueError("snapshot_every_s must be positive")
