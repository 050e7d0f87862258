"""Looking for a text where it must not be: in every table row, every file, every log, and by every read path."""

import time
from collections.abc import Iterable
from pathlib import Path

import psycopg
from psycopg import sql

from rapport import Client, NotFoundError, RapportError


def rows_with(dsn: str, needles: Iterable[str]) -> list[tuple[str, str]]:
    """(table, column) of every value that holds one of the needles, all tables of the database, as text.

    A bytea is looked at both as its bytes and as its hexadecimal text.
    """
    hits = []
    with psycopg.connect(dsn, autocommit=True) as conn:
        columns = conn.execute(
            "SELECT c.table_schema, c.table_name, c.column_name, c.data_type FROM information_schema.columns c"
            " JOIN information_schema.tables t USING (table_schema, table_name)"
            " WHERE t.table_type = 'BASE TABLE'"
            " AND c.table_schema NOT IN ('information_schema', 'pg_catalog', 'pg_toast')"
        ).fetchall()
        assert len({table for _, table, _, _ in columns}) > 10
        for schema, table, column, kind in columns:
            value = "encode({column}, 'escape')" if kind == "bytea" else "{column}::text"
            query = sql.SQL(
                f"SELECT count(*) FROM {{table}} WHERE strpos({value}, %(needle)s) > 0"
            ).format(table=sql.Identifier(schema, table), column=sql.Identifier(column))
            for needle in needles:
                (count,) = conn.execute(query, {"needle": needle}).fetchone() or (0,)
                if count:
                    hits.append((table, column))
    return hits


def all_rows(dsn: str, where: str, value: str) -> dict[str, list[str]]:
    """Every row with that value in that column, by table, as text."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        tables = conn.execute(
            "SELECT table_schema, table_name FROM information_schema.columns"
            " WHERE column_name = %s AND table_schema = 'rapport'",
            (where,),
        ).fetchall()
        return {
            table: sorted(
                row
                for (row,) in conn.execute(
                    sql.SQL("SELECT t::text FROM {table} t WHERE {where} = %s").format(
                        table=sql.Identifier(schema, table), where=sql.Identifier(where)
                    ),
                    (value,),
                )
            )
            for schema, table in tables
        }


def wait_until_read(dsn: str) -> None:
    """Until the reader of memories has nothing left to do: from then on it changes no row."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        while True:
            row = conn.execute(
                "SELECT (SELECT count(*) FROM rapport.memory WHERE unread AND status = 'COMPLETED')"
                " + (SELECT count(*) FROM rapport.reading_turn)"
            ).fetchone()
            if row == (0,):
                return
            time.sleep(0.05)


def files_with(paths: Iterable[Path], needles: Iterable[bytes]) -> list[Path]:
    """The files, below these paths, that hold one of the needles."""
    below, wanted = list(paths), list(needles)
    while True:
        try:
            return [file for file in _files(below) if any(n in file.read_bytes() for n in wanted)]
        except FileNotFoundError:
            continue  # a running server has just replaced one: what it held may be in a file passed before


def _files(paths: Iterable[Path]) -> list[Path]:
    found = [file for path in paths for file in (path.rglob("*") if path.is_dir() else [path])]
    return [file for file in found if file.is_file() and not file.is_symlink()]


def paths_that_tell(client: Client, end_user_id: str, sentence: str, source_id: str) -> set[str]:
    """The names of the RPCs whose answer holds the sentence, or any sign of its memory."""
    told = set()

    def look(name: str, answer: object) -> None:
        if sentence in str(answer):
            told.add(name)

    look("Recall", client.recall(end_user_id, query=sentence, max_results=1000))
    look(
        "Recall filtered",
        client.recall(end_user_id, query=sentence, metadata_filters={"channel": "app"}),
    )
    look("ListMemories", list(client.list_memories(end_user_id, page_size=1000)))
    look("ListMessages", list(client.list_messages(end_user_id, page_size=1000)))
    look("ListPersonRelations", list(client.list_person_relations(end_user_id)))
    look("ListTriggers", list(client.list_triggers(end_user_id)))
    look("ListEndUsers", list(client.list_end_users(assignment=sentence)))
    if list(client.list_relation_history(end_user_id, page_size=1000)):
        told.add("ListRelationHistory")
    try:
        look("GetMemory", client.get_memory(end_user_id, source_id=source_id))
    except NotFoundError as error:
        look("GetMemory", error)
    (status,) = client.verify_processing(end_user_id, source_ids=[source_id]).statuses
    if status.success:
        told.add("VerifyProcessing")
    for change in client.watch_processing(end_user_id, source_ids=[source_id]):
        if change.status.success:
            told.add("WatchProcessing")
    if client.get_relation(end_user_id).relation.interaction_count:
        told.add("GetRelation")
    return told


def refusal_reason(call: object) -> str:
    """The reason with which a call is refused."""
    try:
        call()  # type: ignore[operator]
    except RapportError as error:
        return error.reason
    return ""
