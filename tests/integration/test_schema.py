"""Migrations and the schema file (storage; REL-1)."""

import os
import re
import signal
import subprocess
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest

from headwater.errors import DatabaseUnavailableError
from headwater.settings import Settings
from headwater.store.server import embedded_postgres, postmaster
from headwater.store.server import migrations as migrations
from headwater.store.server.database import Database
from headwater.store.server.migrations import list_pending, migrate
from headwater.store.server.named_queries import load_queries, query_files
from headwater.store.store import open_store
from tests.conftest import with_database


def _dump(url: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as headwater.store.server.embedded_postgres says
        from embedded_postgres._commands import POSTGRES_BIN_PATH
    command = [str(POSTGRES_BIN_PATH / "pg_dump"), "--schema-only", "--no-owner", "--restrict-key=x", url]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _create(server: str, name: str) -> str:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
        connection.execute(f"CREATE DATABASE {name}".encode())
    return with_database(server, name)


def _migrate_until(connection: "psycopg.Connection[Any]", number: str) -> None:
    """Apply the migrations before one."""
    for path in migrations.migrations():
        if path.stem < number:
            connection.execute(path.read_bytes())


# Two indexes of a release before kinds of entries, of which one is large, with a heading.
_OLD_ENTRIES = b"""
INSERT INTO knowledge_bases (slug, name) VALUES ('kb', 'kb');
INSERT INTO sources (knowledge_base_id, slug, kind, config) SELECT id, 's', 'jsonl', '{}' FROM knowledge_bases;
INSERT INTO documents (id, source_id, uri, fingerprint, head_version_id)
SELECT gen_random_uuid(), id, 'a.md', 'f', gen_random_uuid() FROM sources;
INSERT INTO document_versions (id, document_id, sequence, content_hash, text, title, media_type, category, language,
    metadata, outgoing, parser_version, fetched_at, run_id, code_version)
SELECT head_version_id, id, 1, '\\x00', 'text', 'Title', 'text/plain', '', '', '{}', '{}', 'p', now(), 'r', 'c'
  FROM documents;
INSERT INTO search_indexes (id, knowledge_base_id, model, dimensions, chunk_settings, settings_hash, language, state,
    shard) OVERRIDING SYSTEM VALUE
SELECT n, id, 'm' || n, 3, '{}', '\\x00', 'english', CASE n WHEN 7 THEN 'active' ELSE 'retained' END, s
  FROM knowledge_bases, (VALUES (7, 7), (8, 0)) AS i (n, s);
CREATE TABLE search_entries_9 PARTITION OF search_entries FOR VALUES IN (9);
CREATE TABLE search_entries_7 PARTITION OF search_entries FOR VALUES IN (7);
CREATE INDEX ON search_entries_7 USING hnsw ((vector::halfvec(3)) halfvec_cosine_ops);
CREATE TABLE search_weights_7 PARTITION OF search_weights FOR VALUES IN (7);
INSERT INTO search_entries (shard, search_index_id, chunk_id, document_id, source_id, title, embedding_hash, vector)
SELECT i.shard, i.id, gen_random_uuid(), d.id, d.source_id, 'T', '\\x01', '[1,2,3]' FROM search_indexes i, documents d;
INSERT INTO search_weights (shard, search_index_id, chunk_id, document_id, source_id, length, terms, weights)
SELECT shard, search_index_id, chunk_id, document_id, source_id, 1, '{1}', '{1:1}/5' FROM search_entries;
INSERT INTO search_terms (search_index_id, term_id, entry_count) VALUES (7, 1, 1);
INSERT INTO published_documents (search_index_id, document_id, version_id, run_id)
SELECT 7, document_id, id, 'r' FROM document_versions;
INSERT INTO search_headings (search_index_id, document_id, embedding_hash, breadcrumb, vector)
SELECT 7, id, '\\x02', '{Title}', '[1,2,3]' FROM documents;
"""


def test_migrating_an_empty_database_gives_the_schema_file(server: str) -> None:
    """`schema.sql`, which people read, is what the migrations make."""
    migrated, written = _create(server, "schema_migrated"), _create(server, "schema_written")
    migrate(migrated)
    with psycopg.connect(migrated, autocommit=True) as connection:
        connection.execute("DROP TABLE schema_migrations")
    with psycopg.connect(written, autocommit=True) as connection:
        connection.execute((migrations.FOLDER.parent / "schema.sql").read_bytes())
    assert _dump(migrated) == _dump(written)


def test_migrating_twice_does_nothing(server: str) -> None:
    """The second run applies nothing."""
    url = _create(server, "schema_twice")
    assert migrate(url) == [path.stem for path in migrations.migrations()]
    assert migrate(url) == []
    assert list_pending(url) == []


def test_an_index_with_a_partition_keeps_it_when_words_get_theirs(server: str) -> None:
    """A large index of an older release can be published into and weighed after the upgrade (RET-1)."""
    url = _create(server, "schema_large")
    with psycopg.connect(url, autocommit=True) as connection:
        _migrate_until(connection, "0003")
        connection.execute("""
            INSERT INTO knowledge_bases (slug, name) VALUES ('kb', 'kb');
            INSERT INTO search_indexes (knowledge_base_id, model, dimensions, chunk_settings, settings_hash, language,
                state, shard) SELECT id, 'm', 3, '{}', '\\x00', 'english', 'active', 7 FROM knowledge_bases;
            CREATE TABLE search_entries_7 PARTITION OF search_entries FOR VALUES IN (7)""")
        connection.execute((migrations.FOLDER / "0003_retrieval.sql").read_bytes())
        connection.execute("""
            INSERT INTO search_weights VALUES (7, 7, gen_random_uuid(), gen_random_uuid(), 1, 1, '{1}', '{1:1}/5')""")
        assert connection.execute("SELECT count(*) FROM search_weights_7").fetchone() == (1,)


def test_entries_of_an_older_release_become_entries_of_a_kind(server: str) -> None:
    """Those of a large index keep their partition and its HNSW, and headings move with their vectors (EMB-3)."""
    url = _create(server, "schema_entries")
    with psycopg.connect(url, autocommit=True) as connection:
        _migrate_until(connection, "0010")
        connection.execute(_OLD_ENTRIES)
        # As in a database that was dumped from an older Postgres, whose partitions named their constraints themselves.
        parts = "('search_entries_shared'::regclass, 'search_entries_7'::regclass)"
        renamed = f"UPDATE pg_constraint SET conname = 'old_' || conname WHERE contype = 'n' AND conrelid IN {parts}"
        connection.execute(renamed.encode())
        before = connection.execute("SELECT 'search_entries_7'::regclass::oid").fetchone()
        connection.execute((migrations.FOLDER / "0010_entries.sql").read_bytes())
        assert connection.execute("SELECT 'search_entries_chunk_7'::regclass::oid").fetchone() == before
        gone = connection.execute("SELECT to_regclass('search_entries_9'), to_regclass('search_entries_chunk_9')")
        assert gone.fetchone() == (None, None)
        found = connection.execute("SELECT kind, shard, search_index_id, title FROM search_entries ORDER BY 1, 2")
        assert found.fetchall() == [("chunk", 0, 8, "T"), ("chunk", 7, 7, "T"), ("heading", 0, 7, "Title")]
        weights = connection.execute("SELECT kind, shard FROM search_weights ORDER BY 2")
        assert weights.fetchall() == [("chunk", 0), ("chunk", 7)]
        hnsw = "SELECT count(*) FROM pg_indexes WHERE tablename = 'search_entries_chunk_7' AND indexdef LIKE '%hnsw%'"
        assert connection.execute(hnsw).fetchone() == (1,)
        assert connection.execute("SELECT kind, entry_count FROM search_terms").fetchall() == [("chunk", 1)]


def test_two_commands_may_migrate_at_once(server: str) -> None:
    """One process applies, the other waits and finds it done; the faster one creates missing databases."""
    url = with_database(server, "schema_race")
    with ThreadPoolExecutor(2) as pool:
        applied = list(pool.map(migrate, [url, url]))
    assert sorted(map(len, applied)) == [0, len(migrations.migrations())]


def test_an_unmigrated_database_says_what_to_do(
    server: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands refuse to work on it, and name the command that helps."""
    monkeypatch.setenv("HEADWATER_DATABASE_URL", _create(server, "schema_none"))
    with pytest.raises(DatabaseUnavailableError, match="headwater migrate"), open_store(Settings.from_env()):
        pass


def test_an_unreachable_server_is_an_error_without_its_password() -> None:
    """The message does not repeat the address."""
    with (
        pytest.raises(DatabaseUnavailableError) as caught,
        Database("postgresql://someone:geheim@127.0.0.1:1/nothing?connect_timeout=1").session_lock("x"),
    ):
        pass
    assert "geheim" not in str(caught.value)


def test_every_query_says_what_it_is_for_and_lies_beside_what_runs_it() -> None:
    """Each named query begins with a comment, and its name stands in the module of its file's name."""
    for file in query_files():
        code = file.with_suffix(".py").read_text(encoding="utf-8")
        for name in re.findall(r"^-- name: (\w+)$", file.read_text(encoding="utf-8"), re.MULTILINE):
            assert load_queries()[name].startswith("-- "), name
            assert f'"{name}"' in code, f"{file.name}: {name} is not used"


def test_a_server_that_died_is_started_again_by_who_started_it(tmp_path: Path) -> None:
    """The same process may start it twice, as `headwater up` does when Postgres was killed (REL-1)."""
    folder = tmp_path / "postgres"
    url = embedded_postgres.start(folder)
    try:
        os.kill(int((folder / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
        while embedded_postgres.is_running(folder):
            time.sleep(0.05)
        assert embedded_postgres.start(folder) == url
        with psycopg.connect(url) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
    finally:
        embedded_postgres.stop(folder)


def test_a_server_that_recovers_is_waited_for_and_a_stuck_one_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a full disk: Postgres may live on without the process that recovers, and never end (REL-1)."""
    folder = tmp_path / "postgres"
    url = embedded_postgres.start(folder)
    try:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET hot_standby = off")
        first = _let_recover(folder)
        promotion = threading.Timer(1, lambda: _promote(folder, first))
        promotion.start()
        assert embedded_postgres.start(folder) == url
        promotion.join()
        assert postmaster.find_running(folder).pid == first  # type: ignore[union-attr]  # it runs, else the test fails too
        second = _let_recover(folder)
        assert not embedded_postgres.is_running(folder)
        (folder / "standby.signal").unlink()
        monkeypatch.setattr(postmaster, "_STUCK_AFTER", 0.3)
        monkeypatch.setattr(postmaster, "_recovers", lambda process: process.pid != second)
        assert embedded_postgres.start(folder) == url
        assert postmaster.find_running(folder).pid not in (first, second)  # type: ignore[union-attr]  # it runs
        _let_recover(folder)
        assert embedded_postgres.stop(folder)
        assert postmaster.alive(folder) is None
    finally:
        embedded_postgres.stop(folder)


def _let_recover(folder: Path) -> int:
    """Start a server anew that waits for more to replay, and refuses connections; returns its process."""
    embedded_postgres.stop(folder)
    (folder / "standby.signal").touch()
    before = _count_standbys(folder)
    for seconds in (0.5, 5, 30):  # a busy machine may not even have begun it, or read the file, in so short a time
        with pytest.raises(DatabaseUnavailableError, match="still recovers"):
            embedded_postgres.start(folder, recovery=seconds)
        if _count_standbys(folder) > before and (process := postmaster.alive(folder)) is not None:
            return process.pid
    raise AssertionError("it was not begun")


def _count_standbys(folder: Path) -> int:
    """How often a server of a folder began to wait for more to replay."""
    return (folder / "log").read_text(encoding="utf-8").count("entering standby mode")


def _promote(folder: Path, pid: int) -> None:
    """Let a server that waits for more to replay be content with what it has."""
    (folder / "promote").touch()
    os.kill(pid, signal.SIGUSR1)
