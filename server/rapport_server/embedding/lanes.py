"""The two lanes: what the next forward pass of each is made of."""

from collections import deque

from rapport_server.domain.ports import Lane
from rapport_server.embedding.jobs import Job, Slot

# Callers that wait share a pass up to here; more would make all of them wait longer and gain nothing.
INTERACTIVE_ROWS_MAX = 64
INTERACTIVE_TOKENS_MAX = 512
# An additional forward pass costs as much as this many tokens: padding beyond that is better split off.
PASS_OVERHEAD_TOKENS = 32
# How far bulk work is tokenised ahead: rows of like length then find each other, and memory stays bounded.
BULK_TOKENS_AHEAD = 8 * 1024

# A bulk pass should last this long: a Recall waits for one at most. Longer ones gain less than a tenth of throughput.
BULK_PASS_SECONDS = 0.035
# Below this the fixed cost of a pass outweighs its work, however slow the machine.
BULK_TOKENS_MIN = 160
BULK_TOKENS_MAX = 4096
_BULK_TOKENS_START = 256
_PASSES_REMEMBERED = 32


class PassSize:
    """How many tokens, padding included, a bulk pass has: what this machine does in BULK_PASS_SECONDS, as measured.

    The measure is the lower quartile of recent passes: those slowed down by other work on the same cores say nothing about
    the size, and smaller passes would only make them slower.
    """

    def __init__(self) -> None:
        self._seconds_per_token = deque(
            [BULK_PASS_SECONDS / _BULK_TOKENS_START], maxlen=_PASSES_REMEMBERED
        )

    @property
    def tokens(self) -> int:
        """The size of the next pass."""
        recent = sorted(self._seconds_per_token)
        fitting = int(BULK_PASS_SECONDS / recent[len(recent) // 4])
        return min(BULK_TOKENS_MAX, max(BULK_TOKENS_MIN, fitting))

    def measured(self, tokens: int, seconds: float) -> None:
        """A pass of `tokens` took `seconds`."""
        # A small rest of a job says little about full passes.
        if tokens >= BULK_TOKENS_MIN // 2:
            self._seconds_per_token.append(seconds / tokens)


class Lanes:
    """Jobs under way, by lane, in the order they came."""

    def __init__(self) -> None:
        self.jobs: dict[Lane, deque[Job]] = {lane: deque() for lane in Lane}
        self.bulk_size = PassSize()

    def add(self, job: Job) -> None:
        """Append a job to its lane."""
        self.jobs[job.lane].append(job)

    def remove(self, job: Job) -> None:
        """Forget a job that is done, failed or abandoned."""
        self.jobs[job.lane].remove(job)

    def abandoned(self) -> list[Job]:
        """Jobs whose caller has gone."""
        return [job for jobs in self.jobs.values() for job in jobs if job.abandoned]

    @property
    def next_lane(self) -> Lane | None:
        """Whoever waits comes first."""
        if self.jobs[Lane.INTERACTIVE]:
            return Lane.INTERACTIVE
        return Lane.BULK if self.jobs[Lane.BULK] else None

    def to_cut(self, lane: Lane) -> list[Job]:
        """Jobs that must be tokenised further before the next pass of this lane is worth its while."""
        if lane is Lane.INTERACTIVE:
            hungry: list[Job] = []
            for job in self.jobs[lane]:
                if not job.all_cut and not job.ready:
                    hungry.append(job)
                if len(hungry) == INTERACTIVE_ROWS_MAX:
                    break
            return hungry
        ahead = 0
        for job in self.jobs[lane]:
            if not job.all_cut and ahead + job.ready_tokens < BULK_TOKENS_AHEAD // 2:
                return [job]
            ahead += job.ready_tokens
            if ahead >= BULK_TOKENS_AHEAD // 2:
                break
        return []

    def take(self, lane: Lane) -> list[list[Slot]]:
        """The pieces of the next pass, in groups of like length; each group is one forward call."""
        if lane is Lane.INTERACTIVE:
            return _groups_of_like_length(self._take_in_turn())
        return [group] if (group := self._take_bulk()) else []

    def _take_in_turn(self) -> list[Slot]:
        """One piece of each caller in turn, so that a question never stands behind a whole letter."""
        taken: list[Slot] = []
        tokens = 0
        waiting = deque(job for job in self.jobs[Lane.INTERACTIVE] if job.ready)
        while waiting and len(taken) < INTERACTIVE_ROWS_MAX and tokens < INTERACTIVE_TOKENS_MAX:
            job = waiting.popleft()
            taken.append(slot := job.take())
            tokens += slot.tokens
            if job.ready:
                waiting.append(job)
        return taken

    def _take_bulk(self) -> list[Slot]:
        """The longest pieces of the oldest job, filled up from the next jobs; padding counts."""
        taken: list[Slot] = []
        longest = 0
        tokens_max = self.bulk_size.tokens
        for job in self.jobs[Lane.BULK]:
            while job.ready:
                longest_then = max(longest, job.ready[0].tokens)
                if taken and longest_then * (len(taken) + 1) > tokens_max:
                    return taken
                longest = longest_then
                taken.append(job.take())
        return taken


def _groups_of_like_length(slots: list[Slot]) -> list[list[Slot]]:
    """Short ones first: their callers go on while the long ones run."""
    groups: list[list[Slot]] = []
    padding = 0
    for slot in sorted(slots, key=lambda slot: slot.tokens):
        if groups:
            last = groups[-1]
            more = padding + (slot.tokens - last[-1].tokens) * len(last)
            if more <= PASS_OVERHEAD_TOKENS:
                last.append(slot)
                padding = more
                continue
        groups.append([slot])
        padding = 0
    return groups
