"""A fresh home of the same files, and what a database has that it has not.

Belongs here: syncing the files into an empty database, reading the content of both, comparing. Not here: what readers
see. Guarantee: ids and texts are compared, not counts; a database that was killed must also pass all checks of its
index, and hold no row that waits for a run which is gone.
"""

import os
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from bench.kills.replicated_up import SLUG, ReplicatedUp, describe_knowledge_base
from headwater.administration.knowledge_base_changes import apply
from headwater.administration.knowledge_base_file import read_file
from headwater.indexing.index_checks import Severity, check_search_index
from headwater.settings import Settings
from headwater.store.server.database import Database
from headwater.store.server.database_urls import database_url
from headwater.store.server.migrations import migrate
from headwater.store.store import Store, open_store

CONTENT = {
    "documents": "SELECT d.id, d.uri FROM published_documents p JOIN documents d ON d.id = p.document_id",
    "sources' documents": "SELECT id, uri, fingerprint FROM documents WHERE removed_at IS NULL",
    "texts": """
        SELECT v.document_id, v.title, v.text FROM published_documents p JOIN document_versions v ON v.id = p.version_id
    """,
    "chunks": """
        SELECT c.id, c.document_id, x.position, x.start_offset, x.end_offset, x.embedding_hash, x.heading_hash, c.text
          FROM published_documents p JOIN version_chunks x ON x.version_id = p.version_id
               JOIN chunks c ON c.id = x.chunk_id
    """,
    "entries": """
        SELECT e.kind, e.target_id, e.document_id, e.title, e.embedding_hash, e.vector::text FROM search_entries e
         WHERE e.kind <> 'summary'
    """,
    "words": """
        SELECT w.kind, w.target_id, array(SELECT unnest(w.terms) ORDER BY 1)::text, w.length FROM search_weights w
         WHERE w.kind <> 'document'
    """,
    "links": """
        SELECT s.version_id IS NOT NULL FROM published_documents p JOIN link_sets s ON s.version_id = p.version_id
    """,
}
_LEFT_OVER = {
    "shares": "SELECT count(*) FROM sync_shares",
    "requests": "SELECT count(*) FROM sync_sources WHERE state IN ('pending', 'queued', 'syncing')",
    "open publications": """
        SELECT count(*)
          FROM (SELECT document_id, version_id FROM publications WHERE withdrawn_at IS NULL) u
               FULL JOIN published_documents p USING (document_id, version_id)
         WHERE u.document_id IS NULL OR p.document_id IS NULL
    """,
    "chunks of no version": """
        SELECT count(*) FROM chunks c WHERE NOT EXISTS (SELECT FROM version_chunks x WHERE x.chunk_id = c.id)
    """,
}
_EMPTY = """
TRUNCATE documents, embeddings, search_indexes, search_entries, search_weights, search_statistics, search_terms
 RESTART IDENTITY CASCADE
"""
_EXAMPLES = 3


class FreshHome:
    """A home that each comparison empties and fills again."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def compare(self, up: ReplicatedUp) -> list[str]:
        """What the installation has that a first sync of its files has not, or the other way round, in words."""
        from tests.quick_syncs import sync_quickly

        with psycopg.connect(self._store.database.url, autocommit=True) as connection:
            connection.execute(_EMPTY)
        sources, batch = self._store.sources.select(SLUG, []), uuid.uuid4().hex
        with self._store.workers.hold_batch(batch):
            self._store.syncs.request(self._store.knowledge_bases.get(SLUG).id, sources, "command_line", batch)
            sync_quickly(self._store, sources, batch)
        with psycopg.connect(self._store.database.url) as fresh, psycopg.connect(up.first.url("kb")) as killed:
            differences = list(_compare(fresh, killed))
        return differences + _check_installation(up)


@contextmanager
def fresh_home(home: Path, documents: Path) -> Iterator[FreshHome]:
    """A home with an embedded Postgres of its own, for the length of a block, as the environment then says."""
    from headwater.store.server import embedded_postgres

    variables = {"HEADWATER_HOME": str(home / "home"), "HEADWATER_CACHE": str(home / "cache")}
    os.environ.update(variables)
    os.environ.pop("HEADWATER_DATABASE_URL", None)
    settings = Settings.from_env()
    file = home / "kb.yaml"
    file.write_text(describe_knowledge_base(documents, 1))
    try:
        migrate(database_url(settings))
        with open_store(settings) as store:
            apply(store, read_file(file))
            yield FreshHome(store)
    finally:
        embedded_postgres.stop(home / "home" / "postgres")
        for name in variables:
            os.environ.pop(name)


def _compare(fresh: psycopg.Connection[Any], killed: psycopg.Connection[Any]) -> Iterator[str]:
    for name, statement in CONTENT.items():
        expected, actual = (_count_rows(connection, statement) for connection in (fresh, killed))
        lost = [row for row, count in expected.items() if actual.get(row, 0) < count]
        extra = [row for row, count in actual.items() if expected.get(row, 0) < count]
        for what, rows in (("lost", lost), ("too many", extra)):
            if rows:
                yield f"{name}: {len(rows)} {what}, such as {[row[:200] for row in rows[:_EXAMPLES]]}"


def _count_rows(connection: psycopg.Connection[Any], statement: str) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for row in connection.execute(statement.encode()):
        counts[str(row)] = counts.get(str(row), 0) + 1
    return counts


def _check_installation(up: ReplicatedUp) -> list[str]:
    defects = []
    for name, statement in _LEFT_OVER.items():
        ((count,),) = up.query(statement)
        if count:
            defects.append(f"{count} {name}")
    database = Database(up.environ["HEADWATER_DATABASE_URL"], size=2)
    try:
        outcomes = check_search_index(Store(database), SLUG, is_spot=False)
        defects += [f"check {name}: {o.words}" for name, o in outcomes if o.severity is Severity.ERROR]
    finally:
        database.close()
    return defects
