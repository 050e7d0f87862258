"""The lock of the data directory."""

import os
from pathlib import Path

import pytest

from rapport_server.embedded import DataDir, DataDirError, DataDirInUse


def test_only_one_holds_a_directory_and_the_other_hears_who(tmp_path: Path) -> None:
    with DataDir.open(tmp_path / "a" / "b"):
        assert (tmp_path / "a" / "b" / "rapport.lock").read_text() == f"{os.getpid()}\n"
        with pytest.raises(
            DataDirInUse, match=rf"another rapport server \(pid {os.getpid()}\) uses"
        ):
            DataDir.open(tmp_path / "a" / "b")
    DataDir.open(tmp_path / "a" / "b").release()


def test_a_lock_file_left_by_a_dead_process_is_no_lock(tmp_path: Path) -> None:
    (tmp_path / "rapport.lock").write_text("1\n")
    with DataDir.open(tmp_path) as held:
        assert held.path == tmp_path


def test_a_new_directory_cannot_be_listed_by_others(tmp_path: Path) -> None:
    with DataDir.open(tmp_path / "data") as held:
        assert held.path.stat().st_mode & 0o066 == 0


def test_a_path_that_cannot_be_a_directory_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataDirError, match=r"file/data.*--data-dir \(RAPPORT_DATA_DIR\)"):
        DataDir.open(tmp_path / "file" / "data")
