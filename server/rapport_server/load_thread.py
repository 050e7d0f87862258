"""A slow load beside the start, in a thread that a process which ends does not wait for."""

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Generic, TypeVar

Loaded = TypeVar("Loaded")


class LoadThread(threading.Thread, Generic[Loaded]):
    """Runs `load` once it is started.

    Nothing can interrupt an import or the reading of weights, and a thread of the event loop's executor would be waited for
    when the loop closes: this one belongs to nobody. It is no daemon either, since the interpreter cannot be taken down under
    native code that comes back to it; `leave` ends the process without taking it down.
    """

    def __init__(self, load: Callable[[], Loaded]) -> None:
        super().__init__(name="load")
        self._load = load
        self._outcome: Future[Loaded] = Future()

    def run(self) -> None:
        """Load, and keep what came of it."""
        if not self._outcome.set_running_or_notify_cancel():
            return
        try:
            self._outcome.set_result(self._load())
        except BaseException as error:  # whatever it is, the one who waits must hear of it
            self._outcome.set_exception(error)

    async def loaded(self) -> Loaded:
        """What was loaded, or the error of the load. To cancel it ends the wait, not the load."""
        return await asyncio.wrap_future(self._outcome)


def leave(code: int) -> None:
    """End the process now if a load still runs, else return. Everything else must have been cleaned up before."""
    if not any(isinstance(thread, LoadThread) for thread in threading.enumerate()):
        return
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
