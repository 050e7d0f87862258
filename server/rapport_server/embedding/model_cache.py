"""Converted models on disk: a start that finds its model there needs neither torch nor the library."""

import hashlib
import json
import shutil
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import openvino
import structlog
from tokenizers import Tokenizer

from rapport_server.embedding.fingerprint import files_digest
from rapport_server.embedding.graph import SentenceGraph
from rapport_server.embedding.model import COSINE_TOLERANCE, LoadedModel, nearness, probe_rows

FORMAT = 2  # raise it when the conversion or the files here change
ENTRIES_MAX = 4  # about 90 MB each for the packaged model
_FILES = ("graph.xml", "graph.bin", "tokenizer.json", "probes.npy")
_ABOUT = "about.json"

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _About:
    """What an entry holds beside its files; `files` are their SHA-256, hex."""

    fingerprint: str
    dimension: int
    inner_dimension: int
    row_tokens_max: int
    window_tokens: int
    pad_id: int
    files: dict[str, str]


class ModelCache:
    """One directory per converted model, named by the files it was made of and the OpenVINO that converted it."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def load(self, name: str, source: Path) -> LoadedModel | None:
        """The model made of the files in `source`; None when it is not here, is damaged, or gives other vectors than it did."""
        entry = self._entry(source)
        try:
            return _read(name, entry)
        except FileNotFoundError:
            return None
        except Exception as error:  # whatever damaged files bring about; it is converted again
            _log.warning("cached_model_unusable", entry=str(entry), error=repr(error)[:500])
            return None

    def store(self, model: LoadedModel, source: Path) -> None:
        """Keep a model that runs on OpenVINO; where nothing can be written the next start converts again."""
        if not isinstance(model.forward, SentenceGraph):
            return
        entry = self._entry(source)
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            made = Path(tempfile.mkdtemp(prefix="new-", dir=self._directory))
            try:
                _write(model, model.forward, made)
                # A damaged one makes room; of two that come at once the second one's stays.
                shutil.rmtree(entry, ignore_errors=True)
                made.rename(entry)
            finally:
                shutil.rmtree(made, ignore_errors=True)
            self._prune()
        except OSError as error:
            _log.warning("model_not_cached", directory=str(self._directory), error=str(error))

    def _entry(self, source: Path) -> Path:
        made_of = f"{FORMAT} {openvino.__version__} {files_digest(source)}"
        return self._directory / hashlib.sha256(made_of.encode()).hexdigest()

    def _prune(self) -> None:
        entries = sorted(self._directory.iterdir(), key=lambda path: path.stat().st_mtime)
        for old in entries[:-ENTRIES_MAX]:
            shutil.rmtree(old, ignore_errors=True)


def _write(model: LoadedModel, graph: SentenceGraph, directory: Path) -> None:
    openvino.save_model(graph.graph, directory / "graph.xml", compress_to_fp16=False)
    (directory / "tokenizer.json").write_text(model.tokenizer.to_str(), encoding="utf-8")
    probes = probe_rows(model.tokenizer, model.row_tokens_max)
    np.save(directory / "probes.npy", graph(probes).vectors)
    about = _About(
        model.fingerprint,
        model.dimension,
        model.inner_dimension,
        model.row_tokens_max,
        model.window_tokens,
        graph.pad_id,
        {name: _digest(directory / name) for name in _FILES},
    )
    (directory / _ABOUT).write_text(json.dumps(asdict(about)), encoding="utf-8")


def _read(name: str, directory: Path) -> LoadedModel:
    about = _About(**json.loads((directory / _ABOUT).read_text(encoding="utf-8")))
    if about.files != {name: _digest(directory / name) for name in _FILES}:
        raise ValueError("a file is not as it was written")
    tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
    graph = SentenceGraph(openvino.Core().read_model(directory / "graph.xml"), about.pad_id)
    probes = probe_rows(tokenizer, about.row_tokens_max)
    cosine = nearness(graph, probes, np.load(directory / "probes.npy", allow_pickle=False))
    if cosine < 1 - COSINE_TOLERANCE:
        raise ValueError(f"the vectors are not as they were: {cosine}")
    return LoadedModel(
        name,
        about.fingerprint,
        about.dimension,
        about.inner_dimension,
        about.row_tokens_max,
        about.window_tokens,
        tokenizer,
        graph,
    )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
