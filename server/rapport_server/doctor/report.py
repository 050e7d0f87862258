"""What the doctor found, shown line by line as it is found."""

import enum

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

_AREA_CELLS = 12


def counted(count: int, one: str, many: str = "") -> str:
    """A number with its noun: 1 chain, 2 chains."""
    return f"{count} {one if count == 1 else many or one + 's'}"


class Level(enum.Enum):
    """How bad it is. Only FAIL makes the exit code 1."""

    OK = "green"
    WARN = "yellow"
    FAIL = "bold red"


class Report:
    """Prints findings and counts them."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self.counts = dict.fromkeys(Level, 0)

    def ok(self, area: str, found: str) -> None:
        """All is well."""
        self._add(Level.OK, area, found, "")

    def warn(self, area: str, found: str, advice: str) -> None:
        """It works, but somebody should do something, or know."""
        self._add(Level.WARN, area, found, advice)

    def fail(self, area: str, found: str, advice: str) -> None:
        """It does not work."""
        self._add(Level.FAIL, area, found, advice)

    def end(self) -> int:
        """The last line; the exit code."""
        fails, warnings = self.counts[Level.FAIL], self.counts[Level.WARN]
        self._console.print()
        if not fails and not warnings:
            self._console.print(Text("All is well.", "green"))
        else:
            self._console.print(f"{fails} to repair, {warnings} to look at.")
        return 1 if fails else 0

    def _add(self, level: Level, area: str, found: str, advice: str) -> None:
        self.counts[level] += 1
        # Messages of others may hold line breaks.
        found = " ".join(found.split())
        self._line(
            Text(f"{level.name:<5}", level.value), Text(f"{area:<{_AREA_CELLS}}"), Text(found)
        )
        if advice:
            self._line(Text(" " * 5), Text(" " * _AREA_CELLS), Text(f"→ {advice}", "bold"))

    def _line(self, level: Text, area: Text, words: Text) -> None:
        # In a pipe nothing is wrapped: one finding, one line.
        if not self._console.is_terminal:
            self._console.print(level + area + words, soft_wrap=True)
            return
        indent = len(level) + len(area)
        lines = words.wrap(self._console, max(20, self._console.width - indent - 1))
        self._console.print(level + area + lines[0])
        for line in lines[1:]:
            self._console.print(Padding(line, (0, 0, 0, indent)))
