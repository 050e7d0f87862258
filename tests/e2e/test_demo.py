"""`rapport demo` against a real server."""

import os
import subprocess
import sys
import time
import uuid

from tests.fix_rapport import RapportProcess, TenantHandle


def run_demo(*flags: str, key: str = "") -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("RAPPORT_")}
    if key:
        environment["RAPPORT_API_KEY"] = key
    return subprocess.run(
        [sys.executable, "-m", "rapport_server", "demo", *flags],
        capture_output=True,
        text=True,
        env=environment,
        timeout=240,
    )


def test_the_whole_story_is_played_recalled_and_forgotten(rapport: RapportProcess) -> None:
    person = f"demo-{uuid.uuid4()}"
    done = run_demo(
        *("--target", rapport.address, "--tenant-id", "default", "--end-user-id", person),
        key=rapport.operator_key,
    )
    assert done.returncode == 0, done.stderr
    shown = done.stdout
    assert "\x1b" not in shown, "no colour in a pipe"
    assert max(map(len, shown.splitlines())) <= 100
    assert "32 replies needed something said before; for all of them it was recalled" in shown
    assert "✗ promise broken" in shown
    assert "tone: cautious, defensive" in shown
    assert "A grudge of 0.87 has faded to 0.00" in shown
    panel = shown[shown.index("The context given to Juniper") :]
    context = " ".join(panel.replace("│", " ").split())
    assert "Maya: “You said the physiotherapist would call" in context
    assert "will call you tomorrow, Tuesday, between ten and twelve" in context
    assert "three memories at most" in " ".join(shown.split())
    assert "removed    100 messages, 50 memories" in shown
    assert "verified   yes" in shown
    assert "checked here: it belongs to this receipt" in shown
    with rapport.operator() as client:
        assert not client.get_relation(person).relation.HasField("known_since")
        assert client.erase(person, validate_only=True).receipt.counts.messages == 0


def test_with_keep_the_person_stays_and_a_second_run_refuses_to_touch_them(
    tenant: TenantHandle,
) -> None:
    flags = ("--target", tenant.server.address, "--end-user-id", "maya")
    done = run_demo(*flags, "--keep", key=tenant.key)
    assert done.returncode == 0, done.stderr
    assert tenant.client.get_relation("maya").relation.interaction_count == 50
    again = run_demo(*flags, key=tenant.key)
    assert again.returncode == 1
    assert "maya is known already" in again.stderr
    assert tenant.client.get_relation("maya").relation.interaction_count == 50


def test_without_a_server_one_line_names_the_command_that_starts_one() -> None:
    start = time.monotonic()
    done = run_demo("--target", "127.0.0.1:1", key="rap_x_y")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "rapport serve" in done.stderr
    assert time.monotonic() - start < 20, "the default of 30 s is too long to look at nothing"


def test_a_placeholder_for_a_key_is_named_in_one_line() -> None:
    done = run_demo("--target", "127.0.0.1:1", key="rap_…")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "RAPPORT_API_KEY" in done.stderr
    assert "placeholder" in done.stderr


def test_without_a_key_one_line_names_the_variable(rapport: RapportProcess) -> None:
    done = run_demo("--target", rapport.address)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "RAPPORT_API_KEY" in done.stderr


def test_an_operator_key_without_a_tenant_is_told_the_flag(rapport: RapportProcess) -> None:
    done = run_demo("--target", rapport.address, key=rapport.operator_key)
    assert done.returncode == 1
    assert "--tenant-id default" in done.stderr


def test_a_key_that_may_only_read_leaves_nothing_behind(tenant: TenantHandle) -> None:
    done = run_demo(
        "--target", tenant.server.address, "--end-user-id", "maya", key=tenant.new_key("READER")
    )
    assert done.returncode == 1
    assert "needs a writer key" in done.stderr
    assert not tenant.client.get_relation("maya").relation.HasField("known_since")
