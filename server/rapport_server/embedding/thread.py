"""The embed thread: the only one that calls the tokenizer and the model."""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Protocol

import numpy as np

from rapport_server.domain.ports import Encoded, Lane
from rapport_server.embedding.jobs import Job, Slot
from rapport_server.embedding.lanes import Lanes
from rapport_server.embedding.runtime import Runtime
from rapport_server.errors import EmbeddingFailed, RapportError, Unavailable

THREAD_NAME = "embed"


class Observer(Protocol):
    """Hears what the encoder does, for the metrics."""

    def batch(self, lane: Lane, texts: int, tokens: int, seconds: float) -> None:
        """A forward call of `texts` rows with `tokens` tokens, padding not counted; called on the embed thread."""
        ...

    def queue_depth(self, lane: Lane, depth: int) -> None:
        """Texts waiting or under way in a lane; called on the event loop."""
        ...


class EmbedThread:
    """Runs jobs until stopped. Between two forward passes it looks for new callers, so none waits longer than one."""

    def __init__(
        self, runtime: Runtime, loop: asyncio.AbstractEventLoop, observer: Observer | None
    ) -> None:
        self._runtime = runtime
        self._loop = loop
        self._observer = observer
        self._lanes = Lanes()
        self._inbox: list[Job] = []
        self._stopping = False
        self._wake = threading.Condition()
        self._thread = threading.Thread(target=self._run, name=THREAD_NAME, daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Hand a job over; its future is set on the event loop. Raises Unavailable once stopped."""
        with self._wake:
            if self._stopping:
                raise Unavailable("the embedding thread has been stopped")
            self._inbox.append(job)
            self._wake.notify()

    def stop(self) -> None:
        """Blocks until the pass under way is done; everything else fails with Unavailable."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        self._thread.join()

    def _run(self) -> None:
        try:
            self._runtime.enter_thread()
            while self._receive():
                self._step()
        finally:
            # Also when a fault of this module ends the thread: nobody may wait for ever.
            with self._wake:
                self._stopping = True
                left = self._inbox
            for job in (*left, *(job for jobs in self._lanes.jobs.values() for job in jobs)):
                self._settle(job, Unavailable("the embedding thread has been stopped"))

    def _receive(self) -> bool:
        """Take in new jobs, waiting for one when there is nothing to do; False when it is time to stop."""
        with self._wake:
            while not self._stopping and not self._inbox and self._lanes.next_lane is None:
                self._wake.wait()
            if self._stopping:
                return False
            arrived, self._inbox = self._inbox, []
        for job in arrived:
            self._lanes.add(job)
        for job in self._lanes.abandoned():
            self._lanes.remove(job)
        return True

    def _step(self) -> None:
        """One piece of work of bounded length: tokenise for the lane whose turn it is, or run its next pass."""
        lane = self._lanes.next_lane
        if lane is None:
            return
        if hungry := self._lanes.to_cut(lane):
            for job in hungry:
                self._guarded([job], job.cut_more)
                if job.finished:
                    self._finish(job)
            return
        for group in self._lanes.take(lane):
            self._forward(lane, group)

    def _forward(self, lane: Lane, group: list[Slot]) -> None:
        alive = [slot for slot in group if not slot.job.abandoned]
        if not alive:
            return
        jobs = list(dict.fromkeys(slot.job for slot in alive))
        self._guarded(jobs, lambda: self._pass(lane, alive))
        for job in jobs:
            if job.finished:
                self._finish(job)

    def _pass(self, lane: Lane, slots: list[Slot]) -> None:
        started = time.perf_counter()
        states = self._runtime.forward([slot.row for slot in slots])
        seconds = time.perf_counter() - started
        for slot, vector, inner in zip(slots, states.vectors, states.inner, strict=True):
            slot.job.deliver(slot, vector, inner)
        lengths = np.array([slot.tokens for slot in slots])
        if lane is Lane.BULK:
            self._lanes.bulk_size.measured(int(lengths.max()) * len(slots), seconds)
        if self._observer is not None:
            self._observer.batch(lane, len(slots), int(lengths.sum()), seconds)

    def _guarded(self, jobs: list[Job], work: Callable[[], None]) -> None:
        """Run a step; what goes wrong goes to the callers whose texts were in it, and to nobody else."""
        try:
            work()
        except Exception as error:  # whatever a model raises, its callers must hear of it
            for job in jobs:
                if not job.abandoned:
                    failure = EmbeddingFailed()
                    failure.__cause__ = error
                    self._settle(job, failure)
                    self._lanes.remove(job)

    def _finish(self, job: Job) -> None:
        self._lanes.remove(job)
        self._settle(job, job.result())

    def _settle(self, job: Job, result: list[Encoded] | RapportError) -> None:
        job.abandoned = True
        self._loop.call_soon_threadsafe(_set, job.future, result)


def _set(future: "asyncio.Future[list[Encoded]]", result: list[Encoded] | RapportError) -> None:
    if future.done():
        return  # cancelled meanwhile
    if isinstance(result, RapportError):
        future.set_exception(result)
    else:
        future.set_result(result)
