"""What the commands need of the outside, as Protocols; the other rooms implement them."""

import enum
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from rapport_server.domain.analysis import Analysis
from rapport_server.domain.mentions import Mentions
from rapport_server.domain.people import Turn


class Lane(enum.Enum):
    """Who waits for an embedding: a caller (served first) or the ingest worker."""

    INTERACTIVE = "interactive"
    BULK = "bulk"


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text that fits the encoder's window; `text == source[start:end]`, in characters."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text's pieces with their vectors: float32, shape (pieces, dimension), rows of length 1.

    inner, float32 (pieces, inner dimension): what an inner layer of the model holds of each piece, for whoever reads its tone;
    of width 0 where the model shows none.
    """

    pieces: tuple[Piece, ...]
    vectors: NDArray[np.float32]
    inner: NDArray[np.float32]

    @property
    def mean(self) -> NDArray[np.float32]:
        """The normalised mean of the rows, shape (dimension,): the vector of the whole text."""
        total: NDArray[np.float32] = self.vectors.sum(axis=0)
        length = float(np.linalg.norm(total))
        if len(self.pieces) == 1 or length < 1e-6:
            total, length = self.vectors[0], 1.0
        return np.divide(total, length, dtype=np.float32)


class Encoder(Protocol):
    """Turns texts into vectors.

    `fingerprint` identifies the source model, its tokenizer, pooling and maximal length, not runtime or precision.
    """

    @property
    def fingerprint(self) -> str:
        """Hex digest that tells this model from any other."""
        ...

    @property
    def model_name(self) -> str:
        """For people."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    async def encode(self, texts: Sequence[str], lane: Lane) -> list[Encoded]:
        """Embed each text, split to the window. Raises EmbeddingFailed if any text has no finite vector."""
        ...


class Analyser(Protocol):
    """Reads emotions, intent, mood, shouting and crisis out of a message."""

    async def analyse(self, text: str, encoded: Encoded, *, allow_llm: bool) -> Analysis:
        """The full reading; `encoded` holds the text's own pieces. Origin NONE when nothing can read it.

        Unless `allow_llm`, no text leaves the machine.
        """
        ...


class MentionReader(Protocol):
    """Reads other people and things to come back to out of what a person said."""

    def read(
        self,
        text: str,
        occurred_at: datetime,
        time_zone: str,
        own_name: str = "",
        known: Collection[str] = (),
    ) -> Mentions:
        """Dates are resolved against `occurred_at` in `time_zone` (IANA name, empty: UTC).

        `own_name` is the person's; `known` are names of people that the person has told of before. Milliseconds of CPU: call it
        beside the event loop.
        """
        ...


class LanguageModel(Protocol):
    """Writes replies. What it is given may leave the machine: ask only where the tenant allows it."""

    async def reply(
        self, system_prompt: str, turns: Sequence[Turn], wrote: Callable[[str], None]
    ) -> str:
        """The next turn of the conversation, 1 byte–32 KiB; `wrote` gets each part of it as it comes.

        Raises LlmFailed, perhaps after some parts. Bounded in time; cancelling it ends the request.
        """
        ...


@dataclass(frozen=True, slots=True)
class ShardKey:
    """One shard of one tenant."""

    tenant_id: str
    shard_id: int


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a shard's change log: the commit-ordered number and the random token written with it.

    The token makes the number unforgeable by history: a restored database that has moved on carries other tokens.
    """

    seq: int
    token: UUID


@dataclass(frozen=True, slots=True)
class Change:
    """What one committed transaction did to one shard; `seq` grows by exactly one per change.

    added, persons: int64 (n,), chunk ids with their owners; vectors: float16 (n, dimension), only of chunks that still
    exist; removed: int64 chunk ids; dropped: int64 person numbers whose whole list goes.
    """

    position: Position
    added: NDArray[np.int64]
    persons: NDArray[np.int64]
    vectors: NDArray[np.float16]
    removed: NDArray[np.int64]
    dropped: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ShardImage:
    """A part of a whole shard as of `position`: int64 (n,), int64 (n,), float16 (n, dimension)."""

    position: Position
    ids: NDArray[np.int64]
    persons: NDArray[np.int64]
    vectors: NDArray[np.float16]


class ChangeFeed(Protocol):
    """The database's side of the shards."""

    async def head(self, key: ShardKey) -> Position | None:
        """Where the shard's log ends; None when the database has no such shard."""
        ...

    async def since(self, key: ShardKey, seq: int, limit: int) -> list[Change]:
        """Changes numbered `seq` and above, in order; empty when the log no longer reaches back to `seq`."""
        ...

    def scan(self, key: ShardKey) -> AsyncIterator[ShardImage]:
        """The whole shard in batches of one consistent snapshot; the first may be empty but always comes."""
        ...


@dataclass(frozen=True, slots=True)
class Probe:
    """One query: the person whose list is searched, a vector (dimension,), k, and the allowed chunk ids (None: all)."""

    person_no: int
    vector: NDArray[np.float32]
    k: int
    allowed: NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """Chunk ids int64 (m,) and cosines float32 (m,), m ≤ k, best first, ties by the smaller id."""

    ids: NDArray[np.int64]
    scores: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Presence:
    """How many vectors of a person are still found in memory and in shard files."""

    memory: int
    files: int


@dataclass(frozen=True, slots=True)
class IndexStats:
    """Open shards, their resident bytes and vectors."""

    shards: int
    bytes: int
    vectors: int


class VectorIndex(Protocol):
    """A cache of the database's vectors that catches up by sequence number."""

    async def catch_up(self, key: ShardKey, head: Position) -> None:
        """Make everything up to `head` visible to searches."""
        ...

    async def search(self, key: ShardKey, probes: Sequence[Probe]) -> list[Ranked]:
        """Score each probe against its person's list, exactly."""
        ...

    async def purge(self, key: ShardKey, person_no: int) -> Presence:
        """Rewrite the shard's files without a dropped person, then look for that person again."""
        ...

    async def drop_shard(self, key: ShardKey) -> None:
        """Forget a shard and delete its files."""
        ...

    async def close(self) -> None:
        """Write what is not yet on disk and stop."""
        ...

    def stats(self) -> IndexStats:
        """Figures for the metrics."""
        ...


class SubjectHasher(Protocol):
    """Keyed hashes: nothing that outlives a person holds an id or text."""

    def subject_hash(self, tenant_id: str, end_user_id: str) -> bytes:
        """Stands for the person in audit rows, receipts and epochs, 32 bytes."""
        ...


class Signer(Protocol):
    """Signs receipts."""

    @property
    def key_id(self) -> str:
        """Names the key."""
        ...

    @property
    def public_key(self) -> bytes:
        """Raw Ed25519 public key, 32 bytes."""
        ...

    def sign(self, data: bytes) -> bytes:
        """An Ed25519 signature, 64 bytes."""
        ...


class IngestQueue(Protocol):
    """The worker, as the commands see it."""

    def wake(self) -> None:
        """There is new work."""
        ...

    async def progress(self, timeout_s: float) -> None:
        """Return when some item changed its status, or after the timeout."""
        ...


class StepObserver(Protocol):
    """Durations of the steps inside a call."""

    def step(self, rpc: str, step: str, seconds: float) -> None:
        """One step ended."""
        ...
