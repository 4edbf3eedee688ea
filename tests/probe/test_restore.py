"""Backups from strangers against a restore.

Belongs here: dumps that a stranger made. Not here: the file around them (`test_backup_files`), honest backups
(`tests/integration/test_backup.py`). Guarantee: an attack counts as stopped when it is refused, or when what it brought
is nowhere afterwards: the schema is compared with one that our migrations made.
"""

import io
import itertools
import re
import subprocess
from collections.abc import Callable, Iterator
from typing import Any, LiteralString

import psycopg
import pytest

from cli.backup.manifest import OURS
from headwater.store.access.restored import AccessClosing
from headwater.store.server import dump_text, dumps
from headwater.store.server.dump_restore import Plan, load
from headwater.store.server.dump_text import Rows, items
from headwater.store.server.dumps import BackupError
from headwater.store.server.embedded_access import programs
from headwater.store.server.migrations import make_schema, migrations
from tests.conftest import with_database

_numbers = itertools.count(1)
LEDGER = ("schema_migrations", "name")
NAMES = [path.stem for path in migrations()]


@pytest.fixture
def empty(server: str) -> Iterator[str]:
    """An empty database."""
    name = f"emptied_{next(_numbers)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} STRATEGY FILE_COPY".encode())
    yield with_database(server, name)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture
def hostile(database_url: str) -> Callable[..., tuple[bytes, dict[str, int]]]:
    """Makes a dump of a database in which someone ran statements; returns it with its rows."""

    def make(*statements: str) -> tuple[bytes, dict[str, int]]:
        with psycopg.connect(database_url, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())
        command = [str(programs() / "pg_dump"), "--format=custom", f"--dbname={database_url}"]
        done = subprocess.run(command, capture_output=True, check=True)
        return done.stdout, dumps.row_counts(database_url)

    return make


def fill(
    url: str, dump: bytes, rows: dict[str, int], names: list[str] | None = None, *, keeps_access: bool = False
) -> AccessClosing:
    """Restore a dump as `restore` does."""
    chosen, access = NAMES if names is None else names, AccessClosing(keeps_access=keeps_access)
    plan = Plan(
        name=OURS, size=len(dump), rows=rows, ledger=LEDGER, prepare=lambda c: make_schema(c, chosen),
        finish=access.close,
    )  # fmt: skip
    load(url, io.BytesIO(dump), plan, lambda _: None)
    return access


def schema(url: str) -> str:
    """Everything of a database but rows: functions, triggers, rules, rights, comments."""
    command = [str(programs() / "pg_dump"), "--schema-only", f"--dbname={url}"]
    text = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    return re.sub(r"^\\(un)?restrict .*$", "", text, flags=re.MULTILINE)


@pytest.fixture(scope="module")
def clean(server: str, template: str) -> str:
    """The schema that our migrations make."""
    return schema(with_database(server, template))


def roles(url: str) -> list[str]:
    """The roles of a server."""
    with psycopg.connect(url) as connection:
        return [str(row[0]) for row in connection.execute("SELECT rolname FROM pg_roles ORDER BY 1").fetchall()]


SOURCE = (
    "INSERT INTO knowledge_bases (slug, name) VALUES ('kb', 'kb');"
    "INSERT INTO sources (knowledge_base_id, slug, kind, config) VALUES (1, 's', 'jsonl', '{}')"
)
EVIL = "CREATE FUNCTION evil() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN RAISE ''evil''; END'"
EVIL_VALUE = "CREATE FUNCTION evil() RETURNS text LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''evil''; END'"
HARMLESS_VALUE = "CREATE FUNCTION evil(t text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT t'"
CAST = "CREATE CAST (text AS integer) WITH FUNCTION evil(text) AS ASSIGNMENT"
REPLACED = (
    "CREATE OR REPLACE FUNCTION term_id(lexeme text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE"
    " AS 'SELECT 1'"
)
COMPUTED = "ALTER TABLE sources DROP COLUMN category, ADD COLUMN category text GENERATED ALWAYS AS (slug) STORED"
ORPHAN = "INSERT INTO sources (knowledge_base_id, slug, kind, config) VALUES (9, 's', 'x', '{}')"
TWINS = "INSERT INTO syncs (id, knowledge_base_id, origin) OVERRIDING SYSTEM VALUE VALUES (1, 1, 'api'), (1, 1, 'api')"
WORDS = (
    "INSERT INTO answers (knowledge_base_id, question, answer, is_refused, passages, model, embedding_model, usage,"
    " timings_ms) VALUES (1, '', '', true, '{}', '', '', 'evil', '{}')"
)

# Each goes in together with what it does not keep from running; whatever stays makes another schema.
BROUGHT = {
    "triggers, rules, policies": [
        SOURCE, EVIL, "CREATE TRIGGER evil BEFORE INSERT ON answers FOR EACH ROW EXECUTE FUNCTION evil()",
        "CREATE TRIGGER evil AFTER INSERT ON sources EXECUTE FUNCTION evil()",
        "CREATE RULE evil AS ON INSERT TO syncs DO INSTEAD NOTHING",
        "ALTER TABLE answers ENABLE ROW LEVEL SECURITY", "CREATE POLICY evil ON answers USING (true)",
    ],
    "default": [EVIL_VALUE, SOURCE, "ALTER TABLE sources ALTER COLUMN category SET DEFAULT evil()"],
    "check, index, replaced function": [
        SOURCE, HARMLESS_VALUE, "ALTER TABLE sources ADD CHECK (evil(slug) = slug)",
        "CREATE INDEX evil ON sources (evil(slug))", REPLACED,
    ],
    "view, rights, publication, types, comment, setting": [
        "CREATE VIEW evil AS SELECT pg_read_file('/etc/passwd')",
        "GRANT ALL ON ALL TABLES IN SCHEMA public TO PUBLIC",
        "ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC",
        "CREATE PUBLICATION evil FOR ALL TABLES",
        "CREATE TYPE evil3 AS ENUM ('a')", "CREATE DOMAIN evil2 AS text CHECK (VALUE <> '')",
        "COMMENT ON TABLE sources IS 'evil'", "ALTER TABLE sources SET (autovacuum_enabled = off)",
    ],
    "empty table": ["CREATE TABLE evil ()"],
    "cast, operator, aggregate": [
        "CREATE FUNCTION evil(text) RETURNS integer LANGUAGE sql AS 'SELECT 1'", CAST,
        "CREATE FUNCTION evil(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
        "CREATE OPERATOR public.= (LEFTARG = text, RIGHTARG = text, FUNCTION = evil)",
        "CREATE AGGREGATE evil(integer) (SFUNC = int4pl, STYPE = integer)",
    ],
    "schema, event trigger": [
        "CREATE SCHEMA evil", "CREATE FUNCTION evil.now() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
        "CREATE FUNCTION evil() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN NULL; END'",
        "CREATE EVENT TRIGGER evil ON ddl_command_end EXECUTE FUNCTION evil()",
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", BROUGHT)
def test_what_a_dump_brings_beside_rows_stays_out(
    hostile: Callable[..., tuple[bytes, dict[str, int]]], empty: str, clean: str, server: str, name: str
) -> None:
    """It is refused, or the schema afterwards is the one that our migrations make; no role is left."""
    before = roles(server)
    dump, rows = hostile(*BROUGHT[name])
    try:
        fill(empty, dump, {table: count for table, count in rows.items() if table != "evil"})
    except BackupError:
        assert dumps.row_counts(empty) == {}
    else:
        assert schema(empty) == clean
        assert dumps.row_counts(empty) == {table: count for table, count in rows.items() if table != "evil"}
    assert roles(server) == before


REFUSED = {
    "rows of another table": (["CREATE TABLE evil AS SELECT 1 AS n"], "not a table of Headwater"),
    "rows of another schema": (["CREATE SCHEMA evil", "CREATE TABLE evil.sources AS SELECT 1 AS n"], "evil"),
    "name with a statement": (['CREATE TABLE "x; DROP TABLE sources; --" AS SELECT 1 AS n'], "DROP TABLE"),
    "name with a line": (['CREATE TABLE "x\n\\! touch evil\n" AS SELECT 1 AS n'], "is not a table|other than rows"),
    "another column": (["ALTER TABLE sources ADD COLUMN evil text", SOURCE], "sources has columns"),
    "a column less": (["ALTER TABLE sources DROP COLUMN category", SOURCE], "sources has columns"),
    "a renamed column": (["ALTER TABLE sources RENAME COLUMN category TO evil", SOURCE], "sources has columns"),
    "a computed column": ([COMPUTED, SOURCE], "sources has columns"),
    "column with a statement": (['ALTER TABLE sources ADD COLUMN "x) FROM PROGRAM" text'], "other than rows"),
    "large object": (["SELECT lo_from_bytea(0, 'evil')"], "other than rows"),
    "another sequence": (["CREATE SEQUENCE evil"], "not a sequence of Headwater"),
    "row without its parent": (
        ["ALTER TABLE sources DROP CONSTRAINT sources_knowledge_base_id_fkey", ORPHAN], "foreign key",
    ),
    "value that is not allowed": (["ALTER TABLE sources DROP CONSTRAINT sources_state_check", SOURCE,
                                   "UPDATE sources SET state = 'evil'"], "check constraint"),
    "value of another type": (["ALTER TABLE answers ALTER COLUMN usage TYPE text", SOURCE, WORDS], "json"),
    "two rows of one key": (
        [SOURCE, "ALTER TABLE syncs DROP CONSTRAINT syncs_pkey CASCADE", TWINS], "unique",
    ),
    "partition of no index": (
        ["CREATE TABLE search_entries_chunk_7 PARTITION OF search_entries_chunk FOR VALUES IN (7)"], "no search index",
    ),
    "partition of another table": (["CREATE TABLE sources_7 AS SELECT * FROM sources"], "not a table of Headwater"),
    "a schema's name without end": (
        ["INSERT INTO schema_migrations (name) SELECT repeat('x', 99) || n FROM generate_series(1, 2000) n"],
        "65536 bytes",
    ),
    "another schema's name": (["UPDATE schema_migrations SET name = 'evil' WHERE name LIKE '0001%'"], "has the schema"),
    "a later schema": (["INSERT INTO schema_migrations (name) VALUES ('9999_future')"], "it has the schema"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_rows_that_are_not_ours_are_refused(
    hostile: Callable[..., tuple[bytes, dict[str, int]]], empty: str, server: str, name: str
) -> None:
    """The message says which, and nothing is in the database afterwards."""
    statements, words = REFUSED[name]
    before = roles(server)
    dump, rows = hostile(*statements)
    with pytest.raises(BackupError, match=words):
        fill(empty, dump, rows)
    assert dumps.row_counts(empty) == {}
    assert roles(server) == before


@pytest.mark.parametrize("change", [-1, 1])
def test_other_numbers_of_rows_are_refused(
    hostile: Callable[..., tuple[bytes, dict[str, int]]], empty: str, change: int
) -> None:
    """More rows than the manifest says are refused when they come, fewer at the end."""
    dump, rows = hostile(SOURCE)
    with pytest.raises(BackupError, match="sources has"):
        fill(empty, dump, {**rows, "sources": rows["sources"] + change})
    assert dumps.row_counts(empty) == {}


FORBIDDEN: tuple[LiteralString, ...] = (
    "SELECT * FROM sources", "DELETE FROM sources", "CREATE TABLE evil ()", "SELECT pg_ls_dir('.')",
)  # fmt: skip


def test_rows_are_loaded_by_a_role_that_may_do_nothing_else(
    hostile: Callable[..., tuple[bytes, dict[str, int]]], empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no superuser, cannot log in, read or change, and is gone afterwards."""
    seen: list[dict[str, Any]] = []
    dump, rows = hostile(SOURCE)
    execute = psycopg.Connection.execute

    def noted(self: Any, query: Any, *values: Any, **options: Any) -> Any:
        if "SET LOCAL ROLE" in (query.as_string(self) if hasattr(query, "as_string") else str(query)):
            done = execute(self, query, *values, **options)
            found = execute(self, "SELECT rolname, rolsuper, rolcanlogin FROM pg_roles WHERE rolname = current_user")
            seen.extend(found.fetchall())
            for wrong in FORBIDDEN:
                with pytest.raises(psycopg.errors.InsufficientPrivilege), self.transaction():
                    execute(self, wrong)
            return done
        return execute(self, query, *values, **options)

    monkeypatch.setattr(psycopg.Connection, "execute", noted)
    fill(empty, dump, rows)
    assert seen[0]["rolname"].startswith("headwater_restore_")
    assert (seen[0]["rolsuper"], seen[0]["rolcanlogin"]) == (False, False)


TEXTS = {
    "a program": b"COPY public.sources (id) FROM PROGRAM 'touch /tmp/evil';\n",
    "a file": b"COPY public.sources (id) FROM '/etc/passwd';\n",
    "out of a table": b"COPY public.sources (id) TO stdout;\n",
    "options": b"COPY public.sources (id) FROM stdin WITH (FORMAT binary);\n",
    "a condition": b"COPY public.sources (id) FROM stdin WHERE evil();\n",
    "a second statement": b"COPY public.sources (id) FROM stdin; DROP TABLE sources;\n",
    "a statement after rows": b"COPY public.sources (id) FROM stdin;\n1\n\\.\nDROP TABLE sources;\n",
    "a block": b"DO $$ BEGIN END $$;\n",
    "a call": b"SELECT pg_read_file('/etc/passwd');\n",
    "a call beside a number": b"SELECT pg_catalog.setval('public.sources_id_seq', 1, true), evil();\n",
    "a number that is none": b"SELECT pg_catalog.setval('public.sources_id_seq', 1 + evil(), true);\n",
    "a setting with more": b"SET x = y; DROP TABLE sources;\n",
    "another role": b"SET SESSION AUTHORIZATION postgres;\n",
    "a command of psql": b"\\! touch /tmp/evil\n",
    "an included file": b"\\i /etc/passwd\n",
    "a connection": b"\\connect postgres\n",
    "more than a word": b"\\restrict a b\n",
    "no end": b"COPY public.sources (id) FROM stdin;\n1\n2\n",
    "a long line": b"-" * 70_000 + b"\n" + b"x" * 70_000,
    "a longer word": b"COPYX\n",
    "a NUL": b"--\x00\nDROP\n",
    "a quote in a name": b"COPY public.\"a\"\"b\" (id) FROM stdin;\n\\.\n",
    "capitals": b"COPY public.\"Sources\" (id) FROM stdin;\n\\.\n",
}  # fmt: skip


def read(text: io.BytesIO, size: int) -> None:
    """Take everything out of a dump's text."""
    for item in items(text, size):
        if isinstance(item, Rows):
            list(item.blocks)


@pytest.mark.parametrize("name", TEXTS)
def test_a_dump_that_says_more_than_rows_is_refused(name: str) -> None:
    """Nothing in the dump is executed; the message repeats the statement."""
    with pytest.raises(BackupError, match="Nothing was restored"):
        read(io.BytesIO(TEXTS[name]), 1)


def test_a_dump_that_grows_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The expanded size of a small dump is limited."""
    monkeypatch.setattr(dump_text, "_ALLOWANCE", 1000)
    text = io.BytesIO(b"COPY public.sources (id) FROM stdin;\n" + b"1\n" * 100_000)
    with pytest.raises(BackupError, match="grows to more than 200 times"):
        read(text, 10)
