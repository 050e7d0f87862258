"""The two secrets of an installation: the key of its hashes and the key that signs its receipts."""

import fcntl
import hashlib
import hmac
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from rapport_server.startup import StartupError

ALGORITHM = "Ed25519"
KEY_BYTES = 32
HASH_KEY_NAME = "hash.key"
SIGNING_KEY_NAME = "signing.key"


class SecretsError(StartupError):
    """The secrets are missing, damaged, or open to others."""


class SecretsMissing(SecretsError):
    """There are no secrets in the directory; at the very first start they are made."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """Both keys, 32 bytes each; all processes of one database need the same ones."""

    hash_key: bytes = field(repr=False)
    signing_key: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.hash_key) != KEY_BYTES or len(self.signing_key) != KEY_BYTES:
            raise SecretsError(f"a secret must have {KEY_BYTES} bytes")

    @classmethod
    def load(cls, directory: Path) -> Self:
        """Read the secrets.

        Raises SecretsMissing when one is not there, SecretsError when one is damaged or readable by others.
        """
        _check_directory(directory)
        return cls(_read(directory / HASH_KEY_NAME), _read(directory / SIGNING_KEY_NAME))

    @classmethod
    def create(cls, directory: Path) -> Self:
        """Make the secrets that are missing and read both; only while the database holds no fingerprint.

        A first start that was interrupted between the two, and two processes that start at once, end with one pair.
        """
        try:
            directory.mkdir(mode=0o700, parents=True)
        except FileExistsError:
            pass
        except OSError as error:
            raise SecretsError(
                f"cannot make {directory}: {error.strerror}; choose another --secrets-dir (RAPPORT_SECRETS_DIR)"
            ) from error
        _check_directory(directory)
        with _locked(directory):
            for name in (HASH_KEY_NAME, SIGNING_KEY_NAME):
                if not (directory / name).exists():
                    _write(directory, name, os.urandom(KEY_BYTES))
        return cls.load(directory)

    @property
    def fingerprint(self) -> str:
        """64 hex digits that tell these secrets from others and reveal neither."""
        mark = self._mac("secrets-fingerprint", self.public_key)
        return hashlib.sha256(mark).hexdigest()

    @property
    def public_key(self) -> bytes:
        """The raw Ed25519 public key, 32 bytes."""
        return self._signer().public_key().public_bytes_raw()

    @property
    def key_id(self) -> str:
        """16 hex digits naming the signing key."""
        return hashlib.sha256(b"rapport/key-id\0" + self.public_key).hexdigest()[:16]

    def subject_hash(self, tenant_id: str, end_user_id: str) -> bytes:
        """32 bytes that stand for a person where the id itself must not be."""
        return self._mac("subject", tenant_id.encode(), end_user_id.encode())

    def request_hash(self, tenant_id: str, key_id: str, rpc: str, request_id: str) -> bytes:
        """32 bytes that stand for one request_id in its scope: tenant, credential and RPC."""
        return self._mac(
            "request", tenant_id.encode(), key_id.encode(), rpc.encode(), request_id.encode()
        )

    def body_hash(self, body: bytes) -> bytes:
        """32 bytes that tell whether a repeated request has the same body; keyed, as a short body could be guessed."""
        return self._mac("body", body)

    def secret_hash(self, secret: str) -> bytes:
        """32 bytes kept instead of an API key's secret, which is random and long, so that no slow hash is needed."""
        return self._mac("api-key", secret.encode())

    def sign(self, message: bytes) -> bytes:
        """The Ed25519 signature, 64 bytes."""
        return self._signer().sign(message)

    def _signer(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.signing_key)

    def _mac(self, domain: str, *fields: bytes) -> bytes:
        # Lengths go before fields and the domain before all, so that no two inputs are ever the same bytes.
        mac = hmac.new(self.hash_key, digestmod=hashlib.sha256)
        for part in (f"rapport/{domain}".encode(), *fields):
            mac.update(len(part).to_bytes(8, "big"))
            mac.update(part)
        return mac.digest()


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the signature of the message was made with the private key of `public_key` (raw, 32 bytes)."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _check_directory(directory: Path) -> None:
    try:
        status = directory.stat()
    except FileNotFoundError:
        raise SecretsMissing(f"there is no directory {directory}: {_ADVICE}") from None
    except OSError as error:
        raise SecretsError(f"cannot enter {directory}: {error.strerror}") from error
    if not stat.S_ISDIR(status.st_mode):
        raise SecretsError(f"{directory} is not a directory")
    if status.st_mode & 0o022:
        raise SecretsError(f"others may write in {directory}: `chmod 700 {directory}`")


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            content = file.read(KEY_BYTES + 1)
    except FileNotFoundError:
        raise SecretsMissing(f"{path} is missing: {_ADVICE}") from None
    except OSError as error:
        raise SecretsError(f"cannot read {path}: {error.strerror}") from error
    if mode & 0o077:
        raise SecretsError(
            f"{path} is open to others (mode {stat.S_IMODE(mode):04o}): `chmod 600 {path}`"
        )
    if len(content) != KEY_BYTES:
        raise SecretsError(f"{path} is damaged: it must have exactly {KEY_BYTES} bytes. {_ADVICE}")
    return content


def _write(directory: Path, name: str, content: bytes) -> None:
    temporary = directory / f".{name}.{os.getpid()}"
    temporary.unlink(missing_ok=True)
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.fchmod(fd, 0o600)
        os.write(fd, content)
        os.fsync(fd)
    finally:
        os.close(fd)
    temporary.rename(directory / name)
    directory_fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory_fd)
    finally:
        os.close(directory_fd)


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


_ADVICE = (
    "this database was set up with secrets of its own; bring back the directory from where they are, or name it with "
    "--secrets-dir (RAPPORT_SECRETS_DIR)"
)
