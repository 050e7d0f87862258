"""What the base install, without the server's packages, can do."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BASE_PACKAGES = ("google", "grpc", "typing_extensions")
# Hides every third-party package that the base install does not have.
BLOCK = f"""
import sys
sys.path[:0] = [{str(ROOT / "clients/python")!r}, {str(ROOT / "server")!r}]
class Missing:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        own = top in {("rapport", "rapport_server", *BASE_PACKAGES)!r}
        if not own and top not in sys.stdlib_module_names:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
"""


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BLOCK + code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )


@pytest.mark.parametrize("command", ["serve", "demo", "doctor"])
def test_a_command_of_the_server_says_which_extra_to_install(command: str) -> None:
    ran = python("from rapport_server.__main__ import main; sys.exit(main())", command)
    hint = f"`rapport {command}` needs the server extra: pip install 'rapport-memory[server]'\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", hint)


def test_both_clients_work_without_the_servers_packages() -> None:
    ran = python(
        "import asyncio, rapport\n"
        "async def call():\n"
        "    async with rapport.AsyncClient('127.0.0.1:9', max_attempts=1) as client:\n"
        "        await client.get_relation('maya')\n"
        "for attempt in (lambda: asyncio.run(call()),\n"
        "                lambda: rapport.Client('127.0.0.1:9', max_attempts=1).get_relation('maya')):\n"
        "    try:\n"
        "        attempt()\n"
        "    except rapport.UnavailableError as error:\n"
        "        print(error.code)\n"
    )
    assert (ran.returncode, ran.stdout) == (0, "UNAVAILABLE\nUNAVAILABLE\n"), ran.stderr


def test_importing_the_sdk_does_not_load_grpc() -> None:
    ran = python("import rapport; print('grpc' in sys.modules)")
    assert ran.stdout == "False\n", ran.stderr


def test_a_missing_module_of_the_product_itself_is_not_taken_for_a_missing_extra() -> None:
    ran = python(
        "sys.modules['rapport_server.cli'] = None\n"
        "from rapport_server.__main__ import main; sys.exit(main())",
        "serve",
    )
    assert "server extra" not in ran.stderr
    assert "rapport_server.cli" in ran.stderr
