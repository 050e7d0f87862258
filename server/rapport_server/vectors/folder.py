"""A shard's folder: which of its generations counts, how a new one takes over, and what is left of a person in it.

<root>/<sha256 of the tenant id, 32 hex digits>/<shard id>/
    CURRENT              the generation that counts and its manifest's sha256, replaced whole, last of all
    g-<32 hex digits>/   one generation
    tmp-<32 hex digits>/ one being written
"""

import hashlib
import json
import logging
import os
import re
import shutil
import uuid
from collections.abc import Collection
from pathlib import Path

from rapport_server.domain.ports import ShardKey
from rapport_server.vectors.generation import (
    Damaged,
    Identity,
    read_generation,
    read_small,
    sync_directory,
    write_durably,
    write_generation,
)
from rapport_server.vectors.image import Image

_POINTER = "CURRENT"
_TENANT = re.compile(r"[0-9a-f]{32}")
_GENERATION = re.compile(r"g-[0-9a-f]{32}")

logger = logging.getLogger("rapport.vectors")


def tenant_folder(tenant_id: str) -> str:
    """The folder name of a tenant: a tenant id may hold slashes, dots and 256 bytes, so it is hashed."""
    return hashlib.sha256(tenant_id.encode()).hexdigest()[:32]


class ShardFolder:
    """The disk side of one shard. Blocking; one thread at a time.

    A generation is written whole beside the others, fsynced and renamed once; then the pointer is replaced. So after a
    kill at any step the pointer names a whole generation, old or new, and what else lies there is removed later.
    """

    def __init__(self, root: Path, key: ShardKey, fingerprint: str, dimension: int) -> None:
        self._root = root
        self.path = root / tenant_folder(key.tenant_id) / str(key.shard_id)
        self._identity = Identity(
            f"{self.path.parent.name}/{self.path.name}", fingerprint, dimension
        )

    def load(self) -> Image | None:
        """The generation that counts, every byte checked, or None when there is none.

        What is damaged or cannot be read is logged and removed, for the database has it all; leftovers go too.
        """
        try:
            if not os.path.lexists(self.path):
                return None
            name, sha256 = self._pointer()
            image = read_generation(self.path / name, sha256, self._identity)
        except (Damaged, OSError) as error:
            logger.warning(
                "shard %s: files not usable, rebuilding: %s", self._identity.shard, error
            )
            self._discard()
            return None
        self._sweep(name)
        return image

    def save(self, image: Image) -> None:
        """Make the image the generation that counts and remove all others. Raises OSError; the old one counts then."""
        self._make()
        token = uuid.uuid4().hex
        growing, name = self.path / f"tmp-{token}", f"g-{token}"
        pointer = self.path / f"tmp-{token}.pointer"
        try:
            growing.mkdir(mode=0o700)
            sha256 = write_generation(growing, image, self._identity)
            os.replace(growing, self.path / name)
            sync_directory(self.path)
            write_durably(
                pointer, memoryview(json.dumps({"generation": name, "manifest": sha256}).encode())
            )
            os.replace(pointer, self.path / _POINTER)
            sync_directory(self.path)
        except OSError:
            # A full disk must get its space back now, not at the next save that succeeds.
            self._sweep(self._counting())
            raise
        self._sweep(name)

    def delete(self) -> None:
        """Remove everything. Raises OSError when something stays."""
        # The pointer first: a kill in between then leaves leftovers, not a generation that counts with files missing.
        if self.path.is_dir():
            _remove(self.path / _POINTER)
        _remove(self.path)
        try:
            self.path.parent.rmdir()
        except OSError:
            return  # The tenant has other shards, or nothing was there.

    def count(self, person_no: int) -> int:
        """How many vectors of the person lie in any generation, counting or not. Raises Damaged, OSError.

        A generation whose manifest cannot be trusted raises: nobody can say who is in it.
        """
        if not self.path.is_dir():
            return 0
        found = 0
        for entry in sorted(self.path.iterdir()):
            if entry.name == _POINTER:
                continue
            name, sha256 = self._pointer()
            if entry.name != name:
                raise Damaged(f"{entry.name} is left beside the generation that counts")
            found += read_generation(entry, sha256, self._identity).count(person_no)
        return found

    def _pointer(self) -> tuple[str, str]:
        try:
            pointer = json.loads(read_small(self.path / _POINTER))
            name, sha256 = pointer["generation"], pointer["manifest"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise Damaged("the pointer is not readable") from error
        if not (isinstance(name, str) and isinstance(sha256, str) and _GENERATION.fullmatch(name)):
            raise Damaged("the pointer names no generation")
        return name, sha256

    def _counting(self) -> str | None:
        try:
            return self._pointer()[0]
        except (Damaged, OSError):
            return None

    def _make(self) -> None:
        """Make the folder, its entries durable up to the root."""
        if self.path.is_dir():
            return
        _remove(self.path)
        self._root.mkdir(parents=True, exist_ok=True)
        for folder in (self.path.parent, self.path):
            folder.mkdir(mode=0o700, exist_ok=True)
            sync_directory(folder.parent)

    def _sweep(self, keep: str | None) -> None:
        """Remove all generations but one, and leftovers. What cannot be removed is logged and tried again next time."""
        try:
            for entry in self.path.iterdir():
                if entry.name not in (_POINTER, keep):
                    _remove(entry)
        except OSError as error:
            logger.warning("shard %s: leftovers not removed: %s", self._identity.shard, error)

    def _discard(self) -> None:
        try:
            self.delete()
        except OSError as error:
            logger.warning("shard %s: unusable files not removed: %s", self._identity.shard, error)


def forget_others(root: Path, keys: Collection[ShardKey]) -> int:
    """Delete the folders of all shards but `keys`; returns how many there were. Raises OSError."""
    kept = {(tenant_folder(key.tenant_id), str(key.shard_id)) for key in keys}
    found = [path for path in root.glob("*/*") if _TENANT.fullmatch(path.parent.name)]
    others = [path for path in found if (path.parent.name, path.name) not in kept]
    for path in others:
        _remove(path)
    for tenant in {path.parent for path in others}:
        if not any(tenant.iterdir()):
            tenant.rmdir()
    return len(others)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
