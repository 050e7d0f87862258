"""The committed heads, bound to the embedding model that they were trained on."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rapport_server.analysis.head import Head
from rapport_server.analysis.kernel import KernelHead
from rapport_server.analysis.local import LocalAnalyser
from rapport_server.analysis.scaling import Scaling

HEADS = Path(__file__).with_name("heads.npz")
FORMAT = 3

Arrays = Mapping[str, NDArray[np.generic]]


@dataclass(frozen=True, slots=True)
class HeadFile:
    """What `heads.npz` holds: the fingerprint of its embedding model, and the analyser's parts."""

    fingerprint: str
    scaling: Scaling
    emotions: Head
    emotion_labels: tuple[str, ...]
    emotion_thresholds: NDArray[np.float32]
    intents: Head
    intent_labels: tuple[str, ...]
    crisis: KernelHead

    def packed(self) -> bytes:
        """As bytes; the same heads give the same bytes."""
        target = BytesIO()
        arrays: dict[str, NDArray[np.generic]] = {
            "format": np.array(FORMAT, dtype=np.int64),
            "fingerprint": np.array(self.fingerprint),
            "emotion_labels": np.array(self.emotion_labels),
            "emotion_thresholds": self.emotion_thresholds.astype(np.float32),
            "intent_labels": np.array(self.intent_labels),
            **self.scaling.packed(),
            **self.emotions.packed("emotions"),
            **self.intents.packed("intents"),
            **self.crisis.packed("crisis"),
        }
        np.savez_compressed(target, allow_pickle=False, **arrays)
        return target.getvalue()

    @classmethod
    def unpacked(cls, content: bytes) -> "HeadFile":
        """Read what `packed` wrote. Raises ValueError for another format."""
        with np.load(BytesIO(content), allow_pickle=False) as file:
            arrays: Arrays = {name: file[name] for name in file.files}
        if "format" not in arrays or int(arrays["format"].item()) != FORMAT:
            raise ValueError("no head file of this version")
        return cls(
            fingerprint=str(arrays["fingerprint"].item()),
            scaling=Scaling.unpacked(arrays),
            emotions=Head.unpacked("emotions", arrays),
            emotion_labels=tuple(map(str, arrays["emotion_labels"].tolist())),
            emotion_thresholds=arrays["emotion_thresholds"].astype(np.float32),
            intents=Head.unpacked("intents", arrays),
            intent_labels=tuple(map(str, arrays["intent_labels"].tolist())),
            crisis=KernelHead.unpacked("crisis", arrays),
        )

    def analyser(self) -> LocalAnalyser:
        """An analyser with these heads."""
        return LocalAnalyser(
            scaling=self.scaling,
            emotions=self.emotions,
            emotion_labels=self.emotion_labels,
            emotion_thresholds=self.emotion_thresholds,
            intents=self.intents,
            intent_labels=self.intent_labels,
            crisis=self.crisis,
        )


def load_analyser(
    fingerprint: str, inner_dimension: int, path: Path = HEADS
) -> LocalAnalyser | None:
    """The analyser for the embedding model with this fingerprint; None when the heads belong to another, or it shows no states.

    Raises OSError or ValueError when the file cannot be read. Takes about 0.1 s at first, then nothing.
    """
    heads = _read(path)
    fits = heads.fingerprint == fingerprint and len(heads.scaling.center) == inner_dimension
    return heads.analyser() if fits else None


@cache
def _read(path: Path) -> HeadFile:
    return HeadFile.unpacked(path.read_bytes())
