"""The installation's secrets: making, reading, refusing, and what is derived from them."""

import os
import threading
import time
from pathlib import Path

import pytest

from rapport_server.privacy.secrets import (
    HASH_KEY_NAME,
    SIGNING_KEY_NAME,
    Secrets,
    SecretsError,
    SecretsMissing,
    verify,
)

FIXED = Secrets(bytes(range(32)), bytes(range(32, 64)))


def test_created_secrets_are_private_and_read_back(tmp_path: Path) -> None:
    directory = tmp_path / "deep" / "secrets"
    made = Secrets.create(directory)
    assert Secrets.load(directory) == made
    assert directory.stat().st_mode & 0o777 == 0o700
    assert {p.name: p.stat().st_mode & 0o777 for p in directory.iterdir()} == {
        HASH_KEY_NAME: 0o600,
        SIGNING_KEY_NAME: 0o600,
    }
    assert made.hash_key != made.signing_key


def test_an_interrupted_creation_is_completed_and_nothing_is_replaced(tmp_path: Path) -> None:
    made = Secrets.create(tmp_path / "s")
    (tmp_path / "s" / SIGNING_KEY_NAME).unlink()
    with pytest.raises(SecretsMissing, match=SIGNING_KEY_NAME):
        Secrets.load(tmp_path / "s")
    again = Secrets.create(tmp_path / "s")
    assert again.hash_key == made.hash_key
    assert again.signing_key != made.signing_key


def test_processes_that_create_at_once_get_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = os.urandom

    def slowly(size: int) -> bytes:
        time.sleep(0.02)
        return random(size)

    monkeypatch.setattr(os, "urandom", slowly)
    found: list[Secrets] = []
    threads = [
        threading.Thread(target=lambda: found.append(Secrets.create(tmp_path / "s")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len({(s.hash_key, s.signing_key) for s in found}) == 1


def test_missing_secrets_are_never_made_by_reading(tmp_path: Path) -> None:
    with pytest.raises(SecretsMissing, match="--secrets-dir"):
        Secrets.load(tmp_path / "s")
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_a_file_open_to_others_is_refused(tmp_path: Path, mode: int) -> None:
    Secrets.create(tmp_path / "s")
    (tmp_path / "s" / HASH_KEY_NAME).chmod(mode)
    with pytest.raises(SecretsError, match=r"open to others .*chmod 600"):
        Secrets.load(tmp_path / "s")


def test_a_directory_others_may_write_in_is_refused(tmp_path: Path) -> None:
    Secrets.create(tmp_path / "s")
    (tmp_path / "s").chmod(0o770)
    with pytest.raises(SecretsError, match="chmod 700"):
        Secrets.load(tmp_path / "s")


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_key_of_the_wrong_length_is_refused_and_kept(tmp_path: Path, size: int) -> None:
    Secrets.create(tmp_path / "s")
    (tmp_path / "s" / SIGNING_KEY_NAME).write_bytes(bytes(size))
    for read in (Secrets.load, Secrets.create):
        with pytest.raises(SecretsError, match="damaged"):
            read(tmp_path / "s")
    assert (tmp_path / "s" / SIGNING_KEY_NAME).stat().st_size == size


def test_repr_shows_no_key() -> None:
    assert repr(FIXED) == "Secrets()"


def test_derived_values_never_change_between_versions() -> None:
    # Stored hashes and receipts depend on these: another value here makes existing installations unreadable.
    assert FIXED.fingerprint == "94d47c8d90c8c4e2d521bab5ca58ae8043c4ceea38719a7b36e50762e9fb1f59"
    assert FIXED.key_id == "2747458cebb5c0ac"
    assert (
        FIXED.subject_hash("t", "u").hex()
        == "fd58f4a6ec203ca0fa2917836b268fe6abcf9b4be45eb78113ab45c48bc8241c"
    )
    assert (
        FIXED.request_hash("t", "k", "Process", "r").hex()
        == "b23ba35ce8c21baa2205d10dfa8d067a72ca5ec57371fe8772d659b71c5b4c97"
    )
    assert (
        FIXED.body_hash(b"b").hex()
        == "109cfbb45b9f217b7619194729aab1918e8afc4069db46aecaf5e8410583c183"
    )
    assert (
        FIXED.secret_hash("s").hex()
        == "01eab5543ff517cd69c18eb549ba0b11c543fd75f3ff4882418680facda2f6ec"
    )


def test_hashes_keep_fields_and_purposes_apart() -> None:
    hashes = [
        FIXED.subject_hash("ab", "c"),
        FIXED.subject_hash("a", "bc"),
        FIXED.subject_hash("", "abc"),
        FIXED.subject_hash("A", "bc"),
        FIXED.request_hash("ab", "c", "", ""),
        FIXED.request_hash("ab", "", "c", ""),
        FIXED.body_hash(b"abc"),
        FIXED.secret_hash("abc"),
    ]
    assert len(set(hashes)) == len(hashes)
    assert {len(h) for h in hashes} == {32}


def test_everything_depends_on_its_key() -> None:
    other_hash = Secrets(bytes(32), FIXED.signing_key)
    other_signer = Secrets(FIXED.hash_key, bytes(32))
    assert other_hash.subject_hash("t", "u") != FIXED.subject_hash("t", "u")
    assert other_hash.key_id == FIXED.key_id
    assert other_signer.key_id != FIXED.key_id
    assert len({s.fingerprint for s in (FIXED, other_hash, other_signer)}) == 3


def test_a_signature_holds_for_its_message_and_key_alone() -> None:
    signature = FIXED.sign(b"receipt")
    assert len(signature) == 64
    assert verify(FIXED.public_key, b"receipt", signature)
    assert not verify(FIXED.public_key, b"receipt!", signature)
    assert not verify(Secrets(bytes(32), bytes(32)).public_key, b"receipt", signature)
    assert not verify(b"short", b"receipt", signature)
