"""How well something is found: precision and recall over labelled sentences."""

from collections.abc import Collection, Hashable, Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
DEVELOPMENT = HERE.parents[1] / "server/rapport_server/training/sentences"


@dataclass
class Score:
    """Counts over all sentences."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def add(self, found: Collection[Hashable], wanted: Collection[Hashable]) -> None:
        """One sentence."""
        self.right += len(set(found) & set(wanted))
        self.wrong += len(set(found) - set(wanted))
        self.missed += len(set(wanted) - set(found))

    @property
    def precision(self) -> float:
        """Of what was found, the part that is right."""
        return self.right / (self.right + self.wrong)

    @property
    def recall(self) -> float:
        """Of what there was, the part that was found."""
        return self.right / (self.right + self.missed)

    def __str__(self) -> str:
        return f"precision {self.precision:.3f}, recall {self.recall:.3f} ({self.right + self.missed} in all)"


def rows(path: Path) -> Iterator[list[str]]:
    """The rows of a table without its header."""
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        yield line.split("\t")
