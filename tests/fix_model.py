"""The packaged model, loaded once for the whole run, and converted once for all servers of the run."""

import atexit
import functools
import shutil
import tempfile
from pathlib import Path

import pytest

from rapport_server.embedding import Runtime, load_encoder


@functools.cache
def model_cache() -> Path:
    """Where the run keeps the converted model."""
    directory = Path(tempfile.mkdtemp(prefix="rapport-models-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


@pytest.fixture(scope="session")
def runtime() -> Runtime:
    """The packaged model; converted here, or by the first server of the run."""
    return load_encoder(None, model_cache())
