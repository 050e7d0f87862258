"""One open shard: its lists, the place in the log they stand at, and who may touch them when."""

import threading
from collections.abc import Sequence
from uuid import UUID

import numpy as np

from rapport_server.domain.ports import Change, Position, Probe, Ranked
from rapport_server.vectors.gate import Gate
from rapport_server.vectors.image import Image
from rapport_server.vectors.limits import MIB
from rapport_server.vectors.lists import PersonLists

# Places passed lately, so that callers who share a catch-up know whether it went past the head that each had read.
_PASSED_MAX = 1024
# Slack worth a rewrite at a snapshot, and slack so large that it cannot wait for one. The second exceeds the doubling
# of a single list, so that a rewrite is always paid for by as many changes.
_SLACK_SHARE, _SLACK_BYTES = 0.4, MIB // 16
_SLACK_SHARE_URGENT, _SLACK_BYTES_URGENT = 1.25, 4 * MIB


class Shard:
    """Safe for threads.

    Searches share a gate that a change holds alone, for one change at a time: a search sees all of a change or none.
    Changes, copies and rewrites exclude each other by a second lock which searches never take, so that a snapshot or a
    rewrite, which only read, keep no search waiting. A rewrite is made beside the lists and put in place in an instant;
    searches that still hold the old lists finish on them.

    dropped: whether a person was dropped since the last image, so that older files still hold that person.
    """

    def __init__(self, lists: PersonLists, position: Position) -> None:
        self._gate = Gate()
        self._changing = threading.Lock()
        self._lists = lists
        self._position = position
        self._passed: dict[UUID, int] = {position.token: position.seq}
        self.dropped = False

    @property
    def position(self) -> Position:
        """The last change that is in."""
        return self._position

    @property
    def resident_bytes(self) -> int:
        """Bytes of memory."""
        return self._lists.resident_bytes

    @property
    def vectors(self) -> int:
        """How many vectors are in."""
        return len(self._lists)

    def passed(self, place: Position) -> bool:
        """Whether this very place was passed lately: then everything up to it is in."""
        return self._passed.get(place.token) == place.seq

    def count(self, person_no: int) -> int:
        """How many vectors of the person are in memory."""
        with self._gate.read():
            return self._lists.count(person_no)

    def cost(self, probes: Sequence[Probe]) -> int:
        """What searching takes, in vectors scanned; a guess that takes no lock."""
        return self._lists.cost(probes)

    def search(self, probes: Sequence[Probe]) -> list[Ranked]:
        """Answer the probes from one state of the shard."""
        with self._gate.read():
            return self._lists.search(probes)

    def search_now(self, probes: Sequence[Probe]) -> list[Ranked] | None:
        """The same without waiting; None while a change is going in."""
        with self._gate.try_read() as entered:
            return self._lists.search(probes) if entered else None

    def apply(self, changes: Sequence[Change]) -> int:
        """Bring in changes that follow each other from the shard's position; returns how many rows were not finite.

        Raises ValueError at the first that does not follow or has another dimension; those before it are in.
        """
        left_out = 0
        with self._changing:
            for change in changes:
                if change.position.seq != self._position.seq + 1:
                    raise ValueError(
                        f"change {change.position.seq} does not follow {self._position.seq}"
                    )
                newcomers = self._lists.unknown(change.persons)
                if newcomers > self._lists.spare:
                    self._replace(self._lists.rewritten(newcomers))
                with self._gate.write():
                    left_out += _bring_in(self._lists, change)
                    self._advance(change.position)
                self.dropped |= len(change.dropped) > 0
                if self._has_slack(_SLACK_SHARE_URGENT, _SLACK_BYTES_URGENT):
                    self._replace(self._lists.rewritten())
        return left_out

    def rewrite(self) -> None:
        """Make the lists anew, so that nothing removed is left in their memory."""
        with self._changing:
            self._replace(self._lists.rewritten())

    def image(self) -> Image:
        """Copy the shard out, giving back its slack first when there is much of it."""
        with self._changing:
            if self._has_slack(_SLACK_SHARE, _SLACK_BYTES):
                self._replace(self._lists.rewritten())
            self.dropped = False
            return self._lists.image(self._position)

    def _replace(self, lists: PersonLists) -> None:
        with self._gate.write():
            self._lists = lists

    def _has_slack(self, share: float, least: int) -> bool:
        slack = self._lists.slack_bytes
        return slack > least + share * (self._lists.resident_bytes - slack)

    def _advance(self, position: Position) -> None:
        self._position = position
        self._passed[position.token] = position.seq
        if len(self._passed) > _PASSED_MAX:
            del self._passed[next(iter(self._passed))]


def _bring_in(lists: PersonLists, change: Change) -> int:
    for person_no in np.unique(change.dropped).tolist():
        lists.drop(person_no)
    lists.remove(change.removed)
    return lists.add(change.added, change.persons, change.vectors) if len(change.added) else 0
