"""What makes two models the same: weights, tokenizer, pooling, maximal length. Not where they lie or what runs them."""

import hashlib
import json
from pathlib import Path
from typing import Any

_LENGTH_BYTES = 8
_KINDS = ("*.json", "*.txt", "*.model", "*.jinja", "*.py")


def fingerprint(directory: Path, max_tokens: int, prompt: str) -> str:
    """SHA-256, hex, over the source files of the model in `directory` and the effective length and prompt.

    Files are hashed rather than loaded tensors: neither their names nor their precision change with a library's version.
    """
    digest = hashlib.sha256()
    for module in _module_directories(directory):
        for path in _weights(module):
            with path.open("rb") as file:
                _add(digest, "weights", hashlib.file_digest(file, "sha256").digest())
        # The root holds the transformer's own config.json, whose unused entries differ between exports.
        if module != directory and (config := module / "config.json").is_file():
            _add(digest, "module", _canonical(json.loads(config.read_bytes())))
    _add(digest, "tokenizer", _tokenizer(directory))
    _add(digest, "length", str(max_tokens).encode())
    _add(digest, "prompt", prompt.encode())
    return digest.hexdigest()


def files_digest(directory: Path) -> str:
    """SHA-256, hex, over all files from which a library may make the model in `directory`, byte by byte."""
    digest = hashlib.sha256()
    roots = {directory, *_module_directories(directory)}
    found = {path for root in roots for kind in _KINDS for path in root.glob(kind)}
    for path in sorted(found | {path for root in roots for path in _weights(root)}):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").digest()
        _add(digest, path.relative_to(directory).as_posix(), content)
    return digest.hexdigest()


def _add(digest: "hashlib._Hash", name: str, content: bytes) -> None:
    for part in (name.encode(), content):
        digest.update(len(part).to_bytes(_LENGTH_BYTES, "big"))
        digest.update(part)


def _module_directories(directory: Path) -> list[Path]:
    listing = directory / "modules.json"
    if not listing.is_file():
        return [directory]
    return [directory / module["path"] for module in json.loads(listing.read_bytes())]


def _weights(module: Path) -> list[Path]:
    """Safetensors where there are any, as the loader prefers them; shards in order."""
    return sorted(module.glob("*.safetensors")) or sorted(module.glob("pytorch_model*.bin"))


def _tokenizer(directory: Path) -> bytes:
    """tokenizer.json without what a loader sets anew; for the few models without one, the vocabulary files."""
    for root in _module_directories(directory):
        if (path := root / "tokenizer.json").is_file():
            content = json.loads(path.read_bytes())
            content.pop("padding", None)
            content.pop("truncation", None)
            return _canonical(content)
    names = ("vocab.txt", "vocab.json", "merges.txt", "spiece.model", "sentencepiece.bpe.model")
    return b"".join(
        hashlib.sha256(path.read_bytes()).digest()
        for path in map(directory.joinpath, names)
        if path.is_file()
    )


def _canonical(content: Any) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
