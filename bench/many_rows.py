"""What people and sensors look at, with 10 sources and with 2,000 in 100 knowledge bases.

Belongs here: the least milliseconds of each look, and rows enough for it. Not here: syncs (`growth`). Guarantee:
the rows are written by SQL, as many as 30 nights of syncs leave; what reads them is Headwater's own code.

    python -m bench.many_rows [--json FILE]
"""

import json
import time
from collections.abc import Callable
from pathlib import Path

import click
import psycopg

from bench.throwaway import throwaway_home
from headwater.settings import Settings
from headwater.store.store import Store, open_store

SHAPES = {"10 sources": (1, 10), "2,000 sources": (100, 20)}
_NIGHTS, _DOCUMENTS = 30, 50  # of each source
_ROUNDS = 5
_ROWS = """
INSERT INTO knowledge_bases (slug, name) SELECT 'kb' || k, 'kb' || k FROM generate_series(1, {bases}) k;
INSERT INTO sources (knowledge_base_id, slug, kind, config, state, synced_at, refresh_seconds)
SELECT k.id, 's' || n, 'markdown_tree', '{{}}', 'ready', now(), 86400
  FROM knowledge_bases k, generate_series(1, {sources}) n;
INSERT INTO source_stages (source_id, stage, data_version, partition_key, run_id)
SELECT s.id, stage, md5(s.id::text), '', '' FROM sources s,
       unnest(ARRAY['documents', 'chunks', 'links', 'embeddings', 'summary_tree']) AS stage;
INSERT INTO syncs (knowledge_base_id, origin, requested_at)
SELECT k.id, 'schedule', now() - n * interval '1 day' FROM knowledge_bases k, generate_series(1, {nights}) n;
INSERT INTO sync_sources (sync_id, source_id, state, started_at, finished_at, documents_total)
SELECT y.id, s.id, 'ready', y.requested_at, y.requested_at, {documents}
  FROM syncs y JOIN sources s ON s.knowledge_base_id = y.knowledge_base_id;
INSERT INTO search_indexes (knowledge_base_id, model, dimensions, chunk_settings, settings_hash, language, state)
SELECT id, 'builtin/hash', 384, '{{}}', '', 'english', 'active' FROM knowledge_bases;
SET session_replication_role = replica;
INSERT INTO documents (id, source_id, uri, fingerprint, head_version_id)
SELECT md5(s.id || '/' || n)::uuid, s.id, 'doc' || n, '', md5(s.id || '/' || n)::uuid
  FROM sources s, generate_series(1, {documents}) n;
INSERT INTO published_documents (search_index_id, document_id, version_id, run_id)
SELECT i.id, d.id, d.head_version_id, '' FROM documents d JOIN sources s ON s.id = d.source_id
       JOIN search_indexes i ON i.knowledge_base_id = s.knowledge_base_id;
RESET session_replication_role;
UPDATE sync_sources SET documents_done = documents_total;
ANALYZE;
"""


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Where to write the figures.")
def main(json_file: Path | None) -> None:
    """Measure both shapes, and print a table."""
    figures: dict[str, dict[str, float]] = {}
    for name, (bases, sources) in SHAPES.items():
        with throwaway_home(), open_store(Settings.from_env(), size=1) as store:
            _fill(store, bases, sources)
            for look, milliseconds in _measure(store).items():
                figures.setdefault(look, {})[name] = milliseconds
    for look, row in figures.items():
        click.echo(f"{look:<42}" + "".join(f"{row[name]:>12.1f} ms" for name in SHAPES))
    if json_file:
        json_file.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def _fill(store: Store, bases: int, sources: int) -> None:
    rows = _ROWS.format(bases=bases, sources=sources, nights=_NIGHTS, documents=_DOCUMENTS)
    with psycopg.connect(store.database.url, autocommit=True) as connection:
        connection.execute(rows.encode())


def _measure(store: Store) -> dict[str, float]:
    first = store.knowledge_bases.get("kb1")
    looks: dict[str, Callable[[], object]] = {
        "home page: knowledge bases": lambda: store.overviews.knowledge_bases(limit=25),
        "sources page: sources and open work": lambda: (
            store.sources.select("kb1", []), store.overviews.open_parts("kb1")
        ),
        "status page: syncs": lambda: store.sync_history.all(first, limit=10),
        "`headwater status`: all knowledge bases": lambda: store.overviews.knowledge_bases(limit=1000),
        "sensor: is anything requested": store.syncs.look,
        "sensor: which sources are due": store.sources.due,
        "sensor: which indexes changed": store.knowledge_bases.changed,
        "sensor: every source, for partitions": store.sources.names,
        "`headwater status`: all sources": store.sources.all,
        "list of syncs of all": lambda: store.sync_history.all(None, limit=21),
    }  # fmt: skip
    return {name: min(_timed(look) for _ in range(_ROUNDS)) for name, look in looks.items()}


def _timed(look: Callable[[], object]) -> float:
    start = time.perf_counter()
    look()
    return (time.perf_counter() - start) * 1000


if __name__ == "__main__":
    main()
