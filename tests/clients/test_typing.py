"""The SDK is fully typed for its users: a strict checker accepts right uses and refuses wrong ones."""

import subprocess
import sys
from pathlib import Path

import pytest

SAMPLE = Path(__file__).with_name("typing_sample.py")
SDK = Path(__file__).parents[2] / "clients" / "python"


@pytest.mark.timeout(180)
def test_mypy_strict_accepts_the_sample_and_all_its_marked_mistakes(tmp_path: Path) -> None:
    (tmp_path / "mypy.ini").write_text(f"[mypy]\nstrict = true\nmypy_path = {SDK}\n")
    checked = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--config-file",
            tmp_path / "mypy.ini",
            "--cache-dir",
            tmp_path / "cache",
            "--follow-imports=silent",
            SAMPLE,
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        timeout=170,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
