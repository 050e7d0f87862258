"""The data a training reads: the directory given to the command, and our own sentences from the package."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rapport_server.startup import StartupError

FILES = (
    "goemotions_train.tsv",
    "goemotions_dev.tsv",
    "goemotions_labels.txt",
    "intents_dev.jsonl",
    "crisis_dev.jsonl",
)
# A training sentence that shares so many words in a row with a test sentence is left out.
OVERLAP_WORDS = 5


@dataclass(frozen=True, slots=True)
class Emotions:
    """Texts, a 0/1 matrix (rows, 28) and weights (rows,)."""

    labels: tuple[str, ...]
    texts: list[str]
    targets: NDArray[np.float32]
    weights: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Utterance:
    """A text with its intent; strong: the source's own label means just this intent."""

    text: str
    label: str
    strong: bool
    source: str
    licence: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """One of our own sentences."""

    split: str
    label: str
    kind: str
    text: str


def check(path: Path) -> None:
    """Raises StartupError naming the files that are missing."""
    missing = [name for name in FILES if not (path / name).is_file()]
    if missing:
        raise StartupError(
            f"{path} lacks {', '.join(missing)}: train-signals needs all of {', '.join(FILES)}"
        )


def emotions(path: Path, split: str) -> Emotions:
    """`goemotions_<split>.tsv`: text, label numbers with commas, comment id."""
    labels = tuple((path / "goemotions_labels.txt").read_text("utf-8").split())
    rows = [line.split("\t") for line in _lines(path / f"goemotions_{split}.tsv")]
    targets = np.zeros((len(rows), len(labels)), dtype=np.float32)
    for place, row in enumerate(rows):
        targets[place, [int(number) for number in row[1].split(",")]] = 1.0
    return Emotions(labels, [row[0] for row in rows], targets, np.ones(len(rows), np.float32))


def utterances(path: Path) -> list[Utterance]:
    """`intents_dev.jsonl`, each text once."""
    rows = map(json.loads, _lines(path / "intents_dev.jsonl"))
    made = {
        row["text"]: Utterance(
            row["text"], row["label"], row["strength"] == "strong", row["source"], row["licence"]
        )
        for row in rows
    }
    return list(made.values())


def look_alikes(path: Path) -> tuple[list[str], list[str]]:
    """`crisis_dev.jsonl`: the rows labelled crisis, and the others."""
    rows = [json.loads(line) for line in _lines(path / "crisis_dev.jsonl")]
    return (
        [row["text"] for row in rows if row["label"] == "crisis"],
        [row["text"] for row in rows if row["label"] != "crisis"],
    )


def own_sentences(name: str) -> list[Sentence]:
    """A file of `sentences/`, whose README says what each holds."""
    return [
        Sentence(
            row.get("split", "train"),
            row.get("label") or row["intent"],
            row.get("kind", ""),
            row["text"],
        )
        for row in _own_rows(name)
    ]


def feelings(labels: Sequence[str], split: str) -> Emotions:
    """`feelings.tsv`: messages to an agent with one or two of these labels each."""
    rows = [row for row in _own_rows("feelings") if row["split"] == split]
    targets = np.zeros((len(rows), len(labels)), dtype=np.float32)
    for place, row in enumerate(rows):
        targets[place, [labels.index(label) for label in row["labels"].split(",")]] = 1.0
    texts = [row["text"] for row in rows]
    return Emotions(tuple(labels), texts, targets, np.ones(len(rows), np.float32))


def without_overlap(texts: Iterable[str], test: Iterable[str]) -> list[str]:
    """The texts that share no four words in a row with any of the test texts."""
    runs = set().union(*map(_runs, test))
    return [text for text in texts if not _runs(text) & runs]


def _runs(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[^\W_]+(?:'[^\W_]+)*", text.replace("’", "'").lower())
    return set(zip(*(words[start:] for start in range(OVERLAP_WORDS)), strict=False))


def split_of(sentences: Sequence[Sentence], split: str) -> list[Sentence]:
    """The rows of one half."""
    return [sentence for sentence in sentences if sentence.split == split]


def _own_rows(name: str) -> list[dict[str, str]]:
    text = (files("rapport_server.training") / "sentences" / f"{name}.tsv").read_text("utf-8")
    header, *lines = text.rstrip("\n").split("\n")
    columns = header.split("\t")
    return [dict(zip(columns, line.split("\t"), strict=True)) for line in lines]


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text("utf-8").split("\n") if line.strip()]
