"""Fixtures live in plugins named fix_*.py; this file only lists them."""

import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
# torch's threads must not spin while they wait: other test processes share the cores.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

pytest_plugins = ["tests.fix_postgres", "tests.fix_rapport", "tests.fix_server"]
