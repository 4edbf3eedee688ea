"""The cost of deleting a large source: until it is hidden, until its rows are removed, and the longest transaction.

    python bench/deletion_time.py --documents 1000 --chunks 100

Fills two sources of a temporary database with rows as after a sync, deletes one, and prints one JSON document,
in seconds. Machines vary: compare only figures of one run.
"""

import argparse
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

# One source with its rows; `name` is its knowledge base too.
_FILL = """
INSERT INTO knowledge_bases (slug, name) VALUES (%(name)s, %(name)s);
INSERT INTO sources (knowledge_base_id, slug, kind, config, state) SELECT id, 'docs', 'jsonl', '{}', 'ready'
    FROM knowledge_bases WHERE slug = %(name)s;
INSERT INTO search_indexes (knowledge_base_id, model, dimensions, chunk_settings, settings_hash, language,
    state) SELECT id, 'm', 384, '{}', '\\x00', 'english', 'active' FROM knowledge_bases WHERE slug = %(name)s;
INSERT INTO documents (id, source_id, uri, fingerprint, head_version_id) SELECT md5(%(name)s || 'd' || n)::uuid,
    s.id, 'u' || n, '', md5(%(name)s || 'v' || n)::uuid FROM generate_series(1, %(documents)s) n, sources s JOIN
    knowledge_bases k ON k.id = s.knowledge_base_id WHERE k.slug = %(name)s;
INSERT INTO document_versions SELECT d.head_version_id, d.id, 1, '\\x00', '1', 't', repeat('word ', 100),
    'text/plain', '', '', '{}', '{}', now(), 'r', 'c' FROM documents d LEFT JOIN document_versions v ON
    v.document_id = d.id WHERE v.id IS NULL;
INSERT INTO chunk_sets SELECT v.id, '\\x00', %(chunks)s, 'r', 'c' FROM document_versions v LEFT JOIN chunk_sets
    c ON c.version_id = v.id WHERE c.version_id IS NULL;
INSERT INTO chunks SELECT md5(d.id || '-' || n)::uuid, d.id, '\\x00', 'prose', repeat('text ' || n, 60), NULL,
    400, 'r', 'c' FROM generate_series(1, %(chunks)s) n, documents d LEFT JOIN chunks c ON c.document_id = d.id
    WHERE c.id IS NULL;
INSERT INTO version_chunks SELECT v.id, '\\x00', row_number() OVER (PARTITION BY v.id), c.id, 0, 10, 0, 1, '{}',
    sha256(c.id::text::bytea) FROM chunks c JOIN document_versions v ON v.document_id = c.document_id LEFT JOIN
    version_chunks x ON x.chunk_id = c.id WHERE x.chunk_id IS NULL;
INSERT INTO embeddings SELECT 'm', embedding_hash, array_fill(0.05, ARRAY[384])::halfvec, 10, 'r', 'c' FROM
    version_chunks ON CONFLICT DO NOTHING;
INSERT INTO search_entries_chunk SELECT 0, i.id, c.id, d.id, s.id, 't', vc.embedding_hash, e.vector, 'chunk'
    FROM search_indexes i JOIN sources s USING (knowledge_base_id) JOIN
    knowledge_bases k ON k.id = i.knowledge_base_id JOIN documents d ON d.source_id = s.id JOIN chunks c ON
    c.document_id = d.id JOIN version_chunks vc ON vc.chunk_id = c.id JOIN embeddings e ON e.text_hash =
    vc.embedding_hash WHERE k.slug = %(name)s;
INSERT INTO published_documents SELECT i.id, d.id, d.head_version_id, 'r' FROM search_indexes i JOIN sources s
    USING (knowledge_base_id) JOIN knowledge_bases k ON k.id = i.knowledge_base_id JOIN documents d ON
    d.source_id = s.id WHERE k.slug = %(name)s;
INSERT INTO publications SELECT p.document_id, p.version_id FROM published_documents p LEFT JOIN publications u
    USING (version_id) WHERE u.version_id IS NULL;
ANALYZE
"""


def main() -> None:
    """Fill a throw-away database, delete one of its sources, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--chunks", type=int, default=100, help="Of each document.")
    arguments = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="headwater-bench-"))
    os.environ["HEADWATER_HOME"] = str(home)
    try:
        print(json.dumps(measure(arguments.documents, arguments.chunks), indent=2))
    finally:
        from headwater.store.server import embedded_postgres

        embedded_postgres.stop(home / "postgres")
        shutil.rmtree(home, ignore_errors=True)


def measure(documents: int, chunks: int) -> dict[str, Any]:
    """Delete a source and gather the figures."""
    from cli.environment import environment
    from headwater.administration.deletion import finish_deletions

    with environment() as env:
        with psycopg.connect(env.store.database.url, autocommit=True) as connection:
            for name in ("gone", "kept"):
                for statement in _FILL.split(";"):
                    values = {"name": name, "documents": documents, "chunks": chunks}
                    connection.execute(statement.encode(), values)
                index = env.store.search_indexes.active(name)
                assert index is not None
                env.store.search_indexes.weigh(index)
        started = time.perf_counter()
        env.store.deletions.hide_source("gone", "docs")
        hidden = time.perf_counter()
        with timed_transactions() as batches:
            (deletion,) = finish_deletions(env.settings, env.store)
        finished = time.perf_counter()
    return {
        "out_of_sight_s": round(hidden - started, 2),
        "total_s": round(finished - started, 2),
        "transactions": len(batches),
        "longest_transaction_s": round(max(batches), 2),
        "removed": dict(deletion.removed),
    }


@contextmanager
def timed_transactions() -> Iterator[list[float]]:
    """Time each transaction within a block, in seconds."""
    from headwater.store.server.database import Database

    original, seconds = Database.transaction, []

    @contextmanager
    def timed(self: Database, **options: Any) -> Iterator[Any]:
        started = time.perf_counter()
        with original(self, **options) as session:
            yield session
        seconds.append(time.perf_counter() - started)

    Database.transaction = timed  # type: ignore[method-assign] - for the length of a measurement
    try:
        yield seconds
    finally:
        Database.transaction = original  # type: ignore[method-assign] - as above


if __name__ == "__main__":
    main()
