"""A reader-writer lock for threads: many readers or one writer, and a waiting writer goes before new readers."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Gate:
    """Writers go first, so that a stream of searches cannot hold back the change that a caller waits for.

    Writers hold it for one change at a time (far below a millisecond for one memory); whatever takes longer is
    prepared outside and only put in place inside.
    """

    def __init__(self) -> None:
        self._condition = threading.Condition(threading.Lock())
        self._readers = 0
        self._writing = False
        self._writers_waiting = 0

    @contextmanager
    def read(self) -> Iterator[None]:
        """Hold the gate together with other readers."""
        with self._condition:
            while self._writing or self._writers_waiting:
                self._condition.wait()
            self._readers += 1
        try:
            yield
        finally:
            self._leave()

    @contextmanager
    def try_read(self) -> Iterator[bool]:
        """The same without waiting; yields False, holding nothing, when a writer is there."""
        with self._condition:
            entered = not (self._writing or self._writers_waiting)
            self._readers += entered
        try:
            yield entered
        finally:
            if entered:
                self._leave()

    @contextmanager
    def write(self) -> Iterator[None]:
        """Hold the gate alone."""
        with self._condition:
            self._writers_waiting += 1
            while self._writing or self._readers:
                self._condition.wait()
            self._writers_waiting -= 1
            self._writing = True
        try:
            yield
        finally:
            with self._condition:
                self._writing = False
                self._condition.notify_all()

    def _leave(self) -> None:
        with self._condition:
            self._readers -= 1
            if not self._readers:
                self._condition.notify_all()
