"""Logs: one line per event on stderr, JSON or, for people, coloured text."""

import json
import logging
import sys
import threading
from collections.abc import Mapping
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

LEVELS: Mapping[str, int] = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}
# One encoder for all lines: `json.dumps` with options builds a new one each time, which costs more than the encoding.
_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=repr).encode


def configure(
    log_format: str = "console", level: str = "info", stream: TextIO | None = None
) -> None:
    """Send structlog's and the standard library's records to `stream` (stderr), as "json" or "console".

    Called once, by the process' entry point, before anything logs.
    """
    stream = stream or sys.stderr
    timestamp = structlog.processors.TimeStamper(fmt="iso", utc=True)
    shared: list[Processor] = [
        structlog.processors.add_log_level,
        timestamp,
        _exception_without_message,
    ]
    render: Processor
    if log_format == "json":
        render = _json_line
    elif stream.isatty():
        render = structlog.dev.ConsoleRenderer(pad_event_to=12, sort_keys=False)
    else:
        render = _plain_line
    structlog.configure(
        processors=[*shared, render],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=_Output(stream),
        cache_logger_on_first_use=True,
    )
    _route_standard_library(shared, render, LEVELS[level], stream)


class _Output:
    """Writes whole lines, from any thread; structlog's factory and logger in one, as it keeps nothing per logger."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def __call__(self, *names: object) -> "_Output":
        return self

    def _line(self, line: str) -> None:
        try:
            with self._lock:
                self._stream.write(line + "\n")
                self._stream.flush()
        except (OSError, ValueError):
            # Whoever read the log has gone: there is nowhere left to say so, and calls must not fail over it.
            return

    debug = info = warning = error = critical = msg = _line


def _route_standard_library(
    shared: list[Processor], render: Processor, level: int, stream: TextIO
) -> None:
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, render],
            foreign_pre_chain=[*shared, structlog.stdlib.add_logger_name],
            keep_exc_info=False,
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    # Other people's libraries are quiet below a warning: they may log what they were given.
    root.setLevel(max(level, logging.WARNING))
    # A connection closed by a caller's deadline is no news; what matters of the database the store says itself.
    logging.getLogger("psycopg").setLevel(logging.ERROR)
    logging.getLogger("rapport").setLevel(level)
    logging.getLogger("rapport_server").setLevel(level)


def _json_line(logger: WrappedLogger, name: str, event: EventDict) -> str:
    head = {name: event.pop(name) for name in ("timestamp", "level", "event") if name in event}
    return _ENCODE({**head, **event})


def _plain_line(logger: WrappedLogger, name: str, event: EventDict) -> str:
    """As the console shows it, without colours: there is a line for every call, and the console's own renderer costs thrice as much."""
    head = (
        f"{event.pop('timestamp', '')} [{event.pop('level', ''):<8}] {event.pop('event', ''):<12}"
    )
    stack = event.pop("stack", "")
    fields = (
        f"{name}={value if isinstance(value, str) and value.isprintable() and ' ' not in value else repr(value)}"
        for name, value in event.items()
    )
    return " ".join((head, *fields)) + (f"\n{stack}" if stack else "")


def _exception_without_message(logger: WrappedLogger, name: str, event: EventDict) -> EventDict:
    """Where and what kind, not the message: a driver's or a codec's message may quote what a person said."""
    raised: Any = event.pop("exc_info", None)
    if raised is True:
        raised = sys.exc_info()[1]
    elif isinstance(raised, tuple):
        raised = raised[1]
    if isinstance(raised, BaseException):
        event.update(stack_of(raised))
    return event


def stack_of(error: BaseException) -> dict[str, str]:
    """Kinds, SQL state and stacks of an exception and its causes, without their messages."""
    kinds, stacks = [], []
    cause: BaseException | None = error
    seen: set[int] = set()
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        kinds.append(type(cause).__qualname__)
        stacks.append(_frames(cause))
        cause = cause.__cause__ or cause.__context__
    described = {"error": " < ".join(kinds), "stack": "\n".join(stacks)}
    if sqlstate := getattr(error, "sqlstate", None):
        described["sqlstate"] = str(sqlstate)
    return described


def _frames(error: BaseException) -> str:
    lines = []
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        lines.append(f"{code.co_filename}:{traceback.tb_lineno} {code.co_qualname}")
        traceback = traceback.tb_next
    return "\n".join(lines)
