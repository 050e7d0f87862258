"""The files of one shard generation: raw little-endian arrays and a manifest with their checksums.

persons.i64  int64 (p, 2): person number, length of the person's run of rows
ids.i64      int64 (n,): chunk ids
vectors.f16  float16 (n, dimension)
manifest.json  format, shard, position, model fingerprint, dimension, counts, sha256 and size of each file
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from rapport_server.domain.ports import Position
from rapport_server.vectors.image import Image

FORMAT = 1
MANIFEST = "manifest.json"
_PERSONS, _IDS, _VECTORS = "persons.i64", "ids.i64", "vectors.f16"
# A manifest is a few hundred bytes; what is larger is not one.
_MANIFEST_BYTES_MAX = 64 * 1024


class Damaged(Exception):
    """The files are not what was once written for this shard and model; the message says why."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What a generation must have been written for: the shard, by its place under the root, and the model."""

    shard: str
    fingerprint: str
    dimension: int


def write_generation(directory: Path, image: Image, identity: Identity) -> str:
    """Write and fsync the files into an existing empty directory; returns the manifest's sha256. Raises OSError."""
    arrays: Mapping[str, NDArray[Any]] = {
        _PERSONS: image.persons.astype("<i8", copy=False),
        _IDS: image.ids.astype("<i8", copy=False),
        _VECTORS: image.vectors.astype("<f2", copy=False),
    }
    files = {}
    for name, array in arrays.items():
        data = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
        write_durably(directory / name, data)
        files[name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    manifest = {
        "format": FORMAT,
        "shard": identity.shard,
        "seq": image.position.seq,
        "token": str(image.position.token),
        "fingerprint": identity.fingerprint,
        "dimension": identity.dimension,
        "persons": len(image.persons),
        "vectors": len(image.ids),
        "files": files,
    }
    text = json.dumps(manifest, indent=1).encode()
    write_durably(directory / MANIFEST, memoryview(text))
    sync_directory(directory)
    return hashlib.sha256(text).hexdigest()


def read_generation(directory: Path, manifest_sha256: str, identity: Identity) -> Image:
    """Read the files back, every byte checked. Raises Damaged, or OSError when the disk does not give them."""
    manifest = _manifest(directory, manifest_sha256)
    try:
        if manifest["format"] != FORMAT:
            raise Damaged(f"format {manifest['format']}, not {FORMAT}")
        if manifest["shard"] != identity.shard:
            raise Damaged("written for another shard")
        if (
            manifest["fingerprint"] != identity.fingerprint
            or manifest["dimension"] != identity.dimension
        ):
            raise Damaged(
                f"written for model {manifest['fingerprint']}, not {identity.fingerprint}"
            )
        position = Position(int(manifest["seq"]), UUID(manifest["token"]))
        raw = {
            name: _checked(directory / name, manifest["files"][name])
            for name in (_PERSONS, _IDS, _VECTORS)
        }
        persons = raw[_PERSONS].view("<i8").reshape(-1, 2)
        ids = raw[_IDS].view("<i8")
        vectors = raw[_VECTORS].view("<f2").reshape(-1, identity.dimension)
    except (KeyError, TypeError, ValueError) as error:
        raise Damaged(f"unreadable manifest or shapes: {error!r}") from error
    if not len(ids) == len(vectors) == int(persons[:, 1].sum()) or (persons[:, 1] < 1).any():
        raise Damaged("counts do not agree")
    return Image(position, persons, ids, vectors)


def write_durably(path: Path, data: memoryview) -> None:
    """Write a new file, readable by its owner alone, and fsync it. Raises OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb", buffering=0) as file:
        while data:
            data = data[file.write(data) :]
        os.fsync(file.fileno())


def sync_directory(path: Path) -> None:
    """Make the directory's entries durable. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_small(path: Path) -> bytes:
    """Read a manifest or pointer. Raises Damaged when it is too large for one, OSError."""
    with path.open("rb") as file:
        data = file.read(_MANIFEST_BYTES_MAX + 1)
    if len(data) > _MANIFEST_BYTES_MAX:
        raise Damaged(f"{path.name} is too large")
    return data


def _manifest(directory: Path, sha256: str) -> dict[str, Any]:
    text = read_small(directory / MANIFEST)
    if hashlib.sha256(text).hexdigest() != sha256:
        raise Damaged("the manifest's checksum differs")
    try:
        manifest = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Damaged("the manifest is not JSON") from error
    if not isinstance(manifest, dict):
        raise Damaged("the manifest is not an object")
    return manifest


def _checked(path: Path, expected: Mapping[str, Any]) -> NDArray[np.uint8]:
    # The size first: a file that grew must not be read into memory to find that out.
    size = path.stat().st_size
    if size != expected["bytes"]:
        raise Damaged(f"{path.name} has {size} bytes, not {expected['bytes']}")
    data = np.fromfile(path, dtype=np.uint8)
    if hashlib.sha256(data.data).hexdigest() != expected["sha256"]:
        raise Damaged(f"{path.name}'s checksum differs")
    return data
