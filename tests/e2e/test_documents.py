"""What the documents show can be run as it stands there."""

import re
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from google.protobuf.json_format import MessageToJson

from tests.fix_rapport import TenantHandle

ROOT = Path(__file__).parents[2]
BLOCK = r"^```{}\n(.*?)^```"


def blocks(name: str, language: str = "python") -> list[str]:
    pattern = re.compile(BLOCK.format(language), re.MULTILINE | re.DOTALL)
    return pattern.findall((ROOT / name).read_text())


def run_block(name: str, position: int, **given: object) -> None:
    source = blocks(name)[position]
    exec(compile(source, f"{name}, block {position}", "exec"), {"__name__": "document", **given})


@pytest.fixture
def told(tenant: TenantHandle, monkeypatch: pytest.MonkeyPatch) -> TenantHandle:
    """A tenant that clients find in the environment."""
    monkeypatch.setenv("RAPPORT_TARGET", tenant.server.address)
    monkeypatch.setenv("RAPPORT_API_KEY", tenant.key)
    return tenant


def test_the_conversation_of_the_readme_runs(
    told: TenantHandle, capsys: pytest.CaptureFixture[str]
):
    run_block("README.md", 0)
    run_block("README.md", 1)
    shown = capsys.readouterr().out
    assert "She fears the anaesthesia" in shown
    assert "You said you would call me on Tuesday." in shown


def test_a_receipt_is_checked_without_a_server_as_the_document_shows(
    told: TenantHandle,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    told.client.process("maya", message="Hello.")
    receipt = told.operator.erase("maya").receipt
    monkeypatch.chdir(tmp_path)
    (tmp_path / "receipt.json").write_text(MessageToJson(receipt))
    run_block("docs/erasure.md", 1, OPERATOR_KEY=told.server.operator_key)
    monkeypatch.setenv("RAPPORT_TARGET", "127.0.0.1:9")
    run_block("docs/erasure.md", 2)
    assert capsys.readouterr().out == f"genuine: {receipt.receipt_id} verified\n"


def test_what_is_due_is_marked_as_done_as_the_document_shows(told: TenantHandle):
    told.client.process("maya", message="Hello.")
    trigger = {"description": "Ask how it went", "due_at": datetime(2026, 1, 1, tzinfo=UTC)}
    told.client.upsert_trigger("maya", trigger=trigger)
    run_block("docs/people-and-follow-ups.md", 0)
    assert [one.done for one in told.client.list_triggers("maya")] == [True]
    assert not told.client.process("maya", message="Hello.").triggers


def test_a_key_takes_the_place_of_a_lost_operator_key_as_the_document_shows(tenant: TenantHandle):
    key_id = tenant.key.split("_")[1]
    (statement,) = (sql for sql in blocks("docs/operations.md", "sql") if "api_key" in sql)
    with psycopg.connect(tenant.server.superuser_dsn()) as conn:
        assert conn.execute(statement.replace("KEY_ID", key_id)).rowcount == 1
    with tenant.server.client(tenant.key, tenant.tenant_id) as promoted:
        made = promoted.create_api_key(role="OPERATOR")
    with tenant.server.client(made.secret, tenant.tenant_id) as operator:
        assert operator.revoke_api_key(key_id=key_id).api_key.revoked
