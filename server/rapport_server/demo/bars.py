"""How the four variables look: one line of bars per turn, and the curves of the whole story."""

import itertools
from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from rich.text import Text

from rapport_server.demo.player import VARIABLES, Point, State
from rapport_server.domain.relation import RelationState, decayed

COLOURS = {
    "trust": "bright_blue",
    "sentiment": "yellow",
    "grudge": "bright_red",
    "familiarity": "bright_magenta",
}
BAR_CELLS = 5
ROWS = 4
_EIGHTHS = " ▁▂▃▄▅▆▇█"
_LABEL_CELLS = 15
# Below this a value would be written as 0.00.
_VISIBLE = 0.005


def levels(before: State, after: State, width: int) -> list[Text]:
    """The variables with bars and how each moved, in as many lines as they need at `width` cells."""
    parts = [_level(name, getattr(before, name), getattr(after, name)) for name in VARIABLES]
    lines = [parts[0]]
    for part in parts[1:]:
        if lines[-1].cell_len + 2 + part.cell_len <= width:
            lines[-1] = Text.assemble(lines[-1], "  ", part)
        else:
            lines.append(part)
    return lines


def _level(name: str, before: float, after: float) -> Text:
    filled = round(after * BAR_CELLS * 2)
    # Heavy and light lines differ without colour, too.
    bar = "━" * (filled // 2) + "╸" * (filled % 2)
    parts: list[str | tuple[str, str]] = [
        (f"{name} ", "dim"),
        (bar, COLOURS[name]),
        ("─" * (BAR_CELLS - len(bar)), "bright_black"),
        f" {after:.2f}",
    ]
    # Familiarity grows by the same 0.005 each time: nothing to see.
    if name != "familiarity":
        parts.append(_delta(name, after - before))
    return Text.assemble(*parts)


def _delta(name: str, change: float) -> tuple[str, str]:
    if abs(change) < _VISIBLE:
        return ("  =  ", "bright_black")
    good = (change > 0) is (name != "grudge")
    sign = "+" if change > 0 else "−"
    return (f" {sign}{abs(change):.2f}".replace("0.", "."), "green" if good else "red")


def curves(points: Sequence[Point], zone: ZoneInfo, width: int) -> list[Text]:
    """One small chart per variable over the days of the story, and a line of dates.

    Between two points the values are those that the decay gives them.
    """
    first = points[0].at.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    days = (points[-1].at - first).days + 1
    per_day = max(1, (width - _LABEL_CELLS) // days)
    cells = min(days * per_day, width - _LABEL_CELLS)
    steps = [first + timedelta(days=n / per_day) for n in range(cells + 1)]
    lines: list[Text] = []
    for name in VARIABLES:
        lines += _curve(name, _sampled(points, steps, name), getattr(points[-1].state, name))
    return [*lines, *_dates(points, steps)]


def _sampled(points: Sequence[Point], steps: Sequence[datetime], name: str) -> list[float]:
    """The value farthest from where it rests, within each step."""
    rest = 0.5 if name == "sentiment" else 0.0
    values = []
    state: RelationState | None = None
    waiting = list(points)
    for start, end in itertools.pairwise(steps):
        seen = [] if state is None else [getattr(decayed(state, start), name)]
        while waiting and waiting[0].at < end:
            point = waiting.pop(0)
            now = point.state
            state = RelationState(now.trust, now.sentiment, now.grudge, now.familiarity, point.at)
            seen.append(getattr(now, name))
        values.append(max(seen, key=lambda value: abs(value - rest), default=rest))
    return values


def _curve(name: str, values: Sequence[float], last: float) -> list[Text]:
    lines = []
    for row in reversed(range(ROWS)):
        cells = ""
        for value in values:
            # A value worth a number shows at least one eighth.
            eighths = max(round(value * ROWS * 8), 1 if value >= _VISIBLE else 0)
            cells += _EIGHTHS[min(8, max(0, eighths - row * 8))]
        label = name if row == ROWS - 1 else f"end {last:.2f}" if row == 0 else ""
        scale = {ROWS - 1: "1", 0: "0"}.get(row, " ")
        lines.append(
            Text.assemble(
                (f"{label:<{_LABEL_CELLS - 3}}", COLOURS[name] if row else "dim"),
                (f"{scale}▕", "bright_black"),
                (cells, COLOURS[name]),
            )
        )
    lines.append(Text())
    return lines


def _dates(points: Sequence[Point], steps: Sequence[datetime]) -> list[Text]:
    indent = " " * (_LABEL_CELLS - 1)
    axis = [" "] * (len(steps) + 8)
    for place, step in enumerate(steps[:-1]):
        if step.weekday() == 0 and step.hour == 0 and step.minute == 0:
            mark = f"╵{step.day} {step:%b}"
            axis[place : place + len(mark)] = mark
    marks = [""]
    words = {
        "RELATION_EVENT_KIND_BROKEN_PROMISE": "✗ promise broken",
        "RELATION_EVENT_KIND_KEPT_PROMISE": "✓ promise kept",
    }
    for point in points:
        if point.event in words:
            place = sum(1 for step in steps[1:] if step <= point.at)
            mark = " " * (len(indent) + place) + words[point.event]
            # A mark that would touch the one before it goes below.
            if len(marks[-1]) < len(indent) + place:
                marks[-1] += mark[len(marks[-1]) :]
            else:
                marks.append(mark)
    return [Text(indent + "".join(axis).rstrip(), "dim"), *(Text(mark, "bold") for mark in marks)]
