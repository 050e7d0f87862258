"""Fixtures live in plugins named fix_*.py; this file only lists them."""

import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

pytest_plugins = [
    "tests.fix_llm",
    "tests.fix_model",
    "tests.fix_postgres",
    "tests.fix_rapport",
    "tests.fix_server",
]
