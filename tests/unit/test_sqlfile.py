"""Named SQL blocks, and that every name the store uses exists."""

import ast
import importlib
from pathlib import Path

import pytest

import rapport_server.store
from rapport_server.store.sqlfile import Queries, load, parse

STORE = Path(rapport_server.store.__file__).parent


def test_blocks_are_divided_by_their_name_lines() -> None:
    blocks = parse(
        "x.sql", "-- about\n\n-- name: one\n-- why\nSELECT 1;\n\n-- name: two\nSELECT '--'\n"
    )
    assert {name: block.as_string() for name, block in blocks.items()} == {
        "one": "-- why\nSELECT 1",
        "two": "SELECT '--'",
    }


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1;\n-- name: one\nSELECT 1",
        "-- name: one\nSELECT 1\n-- name: one\nSELECT 2",
        "-- name: one\n\n-- name: two\nSELECT 1",
        "-- name: one-two\nSELECT 1",
    ],
)
def test_a_malformed_file_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"x\.sql"):
        parse("x.sql", text)


def test_an_unknown_name_says_which_file() -> None:
    with pytest.raises(AttributeError, match=r"role\.sql has no block named 'nonsense'"):
        _ = load("role").nonsense


def test_every_block_that_a_store_module_names_exists() -> None:
    checked = 0
    for path in STORE.glob("*.py"):
        tree = ast.parse(path.read_text())
        module = importlib.import_module(f"rapport_server.store.{path.stem}")
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                queries = getattr(module, node.value.id, None)
                if isinstance(queries, Queries):
                    assert getattr(queries, node.attr), f"{path.name}: {node.attr}"
                    checked += 1
    assert checked > 10


def test_every_sql_file_is_well_formed() -> None:
    for path in (STORE / "sql").glob("*.sql"):
        assert dir(load(path.stem)), path.name
