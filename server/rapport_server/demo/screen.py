"""What `rapport demo` shows, at most 100 columns wide."""

from datetime import timedelta

from rich.console import Console, Group
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

import rapport
from rapport_server.demo import bars
from rapport_server.demo.conversation import Chapter, Conversation, Turn
from rapport_server.demo.player import Point, Recalled, State, Step
from rapport_server.domain.context import ago

WIDTH_MAX = 100
# A silence worth a line of its own.
_SILENCE = timedelta(days=7)
# Columns: time, who speaks, text.
_TIME_CELLS, _NAME_CELLS = 6, 8
_TEXT_FROM = _TIME_CELLS + _NAME_CELLS + 2
_WHEN_CELLS = 15
_TONES = {"": "natural", "cautious": "cautious", "cautious_defensive": "cautious, defensive"}
_TONE_STYLES = {"": "green", "cautious": "black on yellow", "cautious_defensive": "white on red"}
_MARK = "●"


def make_console() -> Console:
    """A console for stdout: colour on a terminal, 100 columns of plain text in a pipe."""
    console = Console(highlight=False)
    wide = console.width if console.is_terminal else WIDTH_MAX
    return Console(highlight=False, width=min(WIDTH_MAX, wide))


class Screen:
    """Shows a conversation as it is played."""

    def __init__(self, console: Console, conversation: Conversation) -> None:
        self._console = console
        self._conversation = conversation
        self._tone = ""
        self._day = ""
        self._previous: Turn | None = None

    def title(self, target: str, end_user_id: str) -> None:
        """Who talks, where, and how to read what follows."""
        turns = list(self._conversation.turns)
        days = (turns[-1].at.date() - turns[0].at.date()).days + 1
        self._console.print()
        self._console.print(
            Panel(
                Group(
                    Text.assemble(
                        (self._conversation.person, "bold"),
                        " is getting a new knee. ",
                        (self._conversation.agent, "bold"),
                        f", a care companion, is with her: {len(turns)} messages over {days} days.",
                    ),
                    Text.assemble(
                        ("recalls", "cyan"),
                        " is what Rapport brought to mind for a message, with its similarity; ",
                        (_MARK, "green"),
                        " marks what the reply needed.",
                    ),
                    Text(f"{end_user_id} at {target}", "dim"),
                ),
                title="rapport demo",
                border_style="cyan",
            )
        )
        self._console.print()

    def chapter(self, chapter: Chapter) -> None:
        """A heading with the day it begins."""
        self._day = _day(chapter.turns[0])
        heading = Text.assemble((chapter.title, "bold"), f" · {self._day}")
        self._console.print(Rule(heading, align="left", style="cyan", characters="─"))

    def step(self, step: Step) -> None:
        """One turn: the message, what was recalled, the reply, how things stand."""
        self._time_passes(step)
        if self._day != (day := _day(step.turn)):
            self._day = day
            self._console.print(Text(f" {day}", "dim"))
        grid = Table.grid(padding=(0, 1))
        grid.add_column(width=_TIME_CELLS, style="dim")
        grid.add_column(width=_NAME_CELLS)
        grid.add_column(ratio=1)
        mood = "bold red" if step.turn.shouting else "default"
        clock = f" {step.turn.at:%H:%M}"
        grid.add_row(clock, Text(self._conversation.person, "bold"), Text(step.turn.says, mood))
        if step.turn.event:
            kept = step.turn.event.kind == "KEPT_PROMISE"
            note = Text(
                f"{'✓ promise kept' if kept else '✗ promise broken'}: {step.turn.event.note}",
                "green" if kept else "red",
            )
            grid.add_row("", Text("event", "cyan"), note)
        if step.recalled:
            grid.add_row("", Text("recalls", "cyan"), self._memories(step))
        grid.add_row("", Text(self._conversation.agent, "bold cyan"), Text(step.turn.reply))
        self._console.print(grid)
        for line in bars.levels(step.before, step.after, self._console.width - 1):
            self._console.print(Text(" ") + line)
        self._tone_changes(step.tone)
        self._previous = step.turn
        self._console.print()

    def summary(self, steps: list[Step], points: list[Point], shown: Step) -> None:
        """The curves, what recall was worth, and the prompt that an agent got at one turn."""
        self._console.print(Rule(Text("How it went", "bold"), align="left", style="cyan"))
        self._console.print()
        for line in bars.curves(points, self._conversation.zone, self._console.width - 1):
            self._console.print(Text(" ") + line, no_wrap=True, crop=True)
        needing = [step for step in steps if step.turn.needs]
        reminded = sum(step.reminded for step in needing)
        self._console.print()
        share = "all" if reminded == len(needing) else str(reminded)
        self._console.print(
            Padding(
                f"{len(needing)} replies needed something said before; for {share} of them it was recalled, three memories "
                f"at most at a time. {steps[-1].total_stored} memories are stored.",
                (0, 1),
            )
        )
        self._console.print()
        self._console.print(
            Panel(
                Group(
                    Text.assemble(
                        (f"{self._conversation.person}: ", "bold"), f"“{shown.turn.says}”"
                    ),
                    Rule(style="cyan"),
                    Text(shown.prompt),
                ),
                title=f"The context given to {self._conversation.agent} on {_day(shown.turn)}, {shown.turn.at:%H:%M}",
                title_align="left",
                border_style="cyan",
            )
        )

    def receipt(self, receipt: rapport.ErasureReceipt, signature: Text) -> None:
        """The erasure's receipt, and what is known of its signature."""
        counts = [(field.name, value) for field, value in receipt.counts.ListFields()]
        rows = Table.grid(padding=(0, 2))
        rows.add_column(style="dim")
        rows.add_column(overflow="fold")
        rows.add_row("receipt", receipt.receipt_id)
        rows.add_row("subject", f"{receipt.subject_hash} (a keyed hash, not the id)")
        removed = ", ".join(f"{value} {name.replace('_', ' ')}" for name, value in counts)
        rows.add_row("removed", removed or "nothing")
        rows.add_row("verified", _verified(receipt))
        rows.add_row("audit row", f"{receipt.audit_sequence}, hash {receipt.audit_hash}")
        rows.add_row("signature", signature)
        self._console.print()
        self._console.print(
            Panel(
                rows,
                title=f"{self._conversation.person} is forgotten",
                title_align="left",
                border_style="green" if receipt.verified else "yellow",
            )
        )

    def kept(self, end_user_id: str) -> None:
        """The person stays."""
        self._console.print(Padding(f"{end_user_id} is kept, as --keep asked.", (1, 1)))

    def _time_passes(self, step: Step) -> None:
        if self._previous is None or step.turn.at - self._previous.at < _SILENCE:
            return
        days = (step.turn.at.date() - self._previous.at.date()).days
        text = f" {days} days without a word. {_faded(step.before, step.after)}"
        self._console.print(Text(text, "italic dim"))
        self._console.print()

    def _memories(self, step: Step) -> Text:
        """One line per memory, cut where the screen ends."""
        lines = []
        for memory in step.recalled:
            when = ago(memory.at, step.turn.at, self._conversation.zone)
            line = Text.assemble(
                (_MARK if memory.needed else " ", "green"),
                (f" {memory.similarity:.2f} ", "cyan"),
                (f" {when:<{_WHEN_CELLS}} ", "dim"),
                (self._quoted(memory), "italic"),
            )
            line.truncate(self._console.width - _TEXT_FROM, overflow="ellipsis")
            lines.append(line)
        return Text("\n").join(lines)

    def _quoted(self, memory: Recalled) -> str:
        said = memory.text.partition("\n")[0]
        for speaker in ("User", self._conversation.person):
            said = said.removeprefix(f"{speaker}: ")
        return f"“{said}”"

    def _tone_changes(self, tone: str) -> None:
        if tone == self._tone:
            return
        self._tone = tone
        label = Text(f" tone: {_TONES.get(tone, tone)} ", _TONE_STYLES.get(tone, "bold"))
        self._console.print(Text(" ") + label)


def _day(turn: Turn) -> str:
    return f"{turn.at:%A} {turn.at.day} {turn.at:%B}"


def _faded(before: State, after: State) -> str:
    """What only time has changed. The grudge is the one whose fading shows."""
    if before.grudge < 0.1 or after.grudge > before.grudge:
        return ""
    return f"A grudge of {before.grudge:.2f} has faded to {after.grudge:.2f}; lost trust does not come back by itself."


def _verified(receipt: rapport.ErasureReceipt) -> Text:
    if receipt.verified:
        return Text(
            "yes: looked again in every table, in memory and in the shard files, found nothing",
            "green",
        )
    if receipt.replicas_pending:
        pending = ", ".join(receipt.replicas_pending)
        return Text(f"not yet: these processes have still to confirm: {pending}", "yellow")
    return Text("not yet", "yellow")
