"""A conversation as data: who says what when, how it was meant, and what a good answer has to remember."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

STORY = Path(__file__).with_name("maya.toml")


@dataclass(frozen=True, slots=True)
class Event:
    """A promise kept or broken: KEPT_PROMISE or BROKEN_PROMISE, with a note."""

    kind: str
    note: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the person and the agent's reply.

    `mood` is the mood_delta, −1 to 1; `emotions` maps labels to scores, 0 to 1. `needs` holds keys of earlier turns; recalling
    one of them is enough for the reply.
    """

    key: str
    at: datetime
    says: str
    reply: str
    intent: str
    emotions: Mapping[str, float]
    mood: float
    shouting: bool
    needs: tuple[str, ...]
    event: Event | None


@dataclass(frozen=True, slots=True)
class Chapter:
    """Turns under one heading."""

    title: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A person and an agent over some weeks."""

    person: str
    agent: str
    zone: ZoneInfo
    channel: str
    chapters: tuple[Chapter, ...]

    @property
    def turns(self) -> Iterator[Turn]:
        """Every turn, in order of time."""
        return (turn for chapter in self.chapters for turn in chapter.turns)

    @classmethod
    def load(cls, path: Path = STORY) -> "Conversation":
        """Read a conversation. ValueError when turns go back in time or need what was not said before."""
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        zone = ZoneInfo(data["time_zone"])
        chapters = tuple(
            Chapter(chapter["title"], tuple(_turn(turn, zone) for turn in chapter["turn"]))
            for chapter in data["chapter"]
        )
        conversation = cls(data["person"], data["agent"], zone, data["channel"], chapters)
        _check(tuple(conversation.turns))
        return conversation


def _turn(data: Mapping[str, Any], zone: ZoneInfo) -> Turn:
    event = data.get("event")
    return Turn(
        key=data["key"],
        at=data["at"].replace(tzinfo=zone),
        says=data["says"],
        reply=data["reply"],
        intent=data["intent"],
        emotions=data.get("emotions", {}),
        mood=data.get("mood", 0.0),
        shouting=data.get("shouting", False),
        needs=tuple(data.get("needs", ())),
        event=Event(event["kind"], event["note"]) if event else None,
    )


def _check(turns: tuple[Turn, ...]) -> None:
    seen: set[str] = set()
    latest: datetime | None = None
    for turn in turns:
        if turn.key in seen or (latest is not None and turn.at <= latest):
            raise ValueError(f"turn {turn.key} is there twice or goes back in time")
        if unknown := set(turn.needs) - seen:
            raise ValueError(
                f"turn {turn.key} needs {', '.join(sorted(unknown))}, said later or never"
            )
        seen.add(turn.key)
        latest = turn.at
