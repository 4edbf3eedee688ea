"""What people and sensors look at, with 10 sources and with 2,000 in 100 knowledge bases.

Belongs here: the least milliseconds of each look, and rows enough for it; the processor time of a night in which
nothing changed. Not here: syncs of many documents (`growth`). Guarantee: the rows are written by SQL, as many as 30
nights of syncs leave, and vacuumed; what reads them is Headwater's own code, and so is what syncs.

    python -m bench.many_rows [--nightly 200] [--json FILE]
"""

import json
import time
from collections.abc import Callable
from pathlib import Path

import click
import psutil
import psycopg

from bench.throwaway import throwaway_home
from headwater.settings import Settings
from headwater.store.store import Store, open_store

SHAPES = {"10 sources": (1, 10), "2,000 sources": (100, 20)}
_NIGHTS, _DOCUMENTS = 30, 50  # of each source
_ROUNDS = 5
_SOURCES = 20  # of each knowledge base in the night
_QUIET = {"console": {"config": {"log_level": "CRITICAL"}}}
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
@click.option("--nightly", default=0, help="Also sync so many unchanged sources, and count processor seconds.")
def main(json_file: Path | None, nightly: int) -> None:
    """Measure both shapes, and print a table."""
    figures: dict[str, dict[str, float]] = {}
    for name, (bases, sources) in SHAPES.items():
        with throwaway_home(), open_store(Settings.from_env(), size=1) as store:
            _fill(store, bases, sources)
            for look, milliseconds in _measure(store).items():
                figures.setdefault(look, {})[name] = milliseconds
    for look, row in figures.items():
        click.echo(f"{look:<42}" + "".join(f"{row[name]:>12.1f} ms" for name in SHAPES))
    for part, seconds in (_measure_night(nightly) if nightly else {}).items():
        figures[part] = {f"{nightly} sources": seconds}
        click.echo(f"{part:<42}{seconds:>12.2f} s for {nightly} sources")
    if json_file:
        json_file.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def _fill(store: Store, bases: int, sources: int) -> None:
    rows = _ROWS.format(bases=bases, sources=sources, nights=_NIGHTS, documents=_DOCUMENTS)
    with psycopg.connect(store.database.url, autocommit=True) as connection:
        connection.execute(rows.encode())
        connection.execute("VACUUM ANALYZE")


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


def _measure_night(count: int) -> dict[str, float]:
    """Processor seconds of a sync of so many unchanged sources, in runs of 100 as the schedule makes them."""
    from assets.resources import lend_store
    from cli.environment import dagster_instance, environment
    from headwater.administration.knowledge_base_changes import apply
    from headwater.administration.knowledge_base_file import read_file
    from pipelines.in_process_run import register_partitions, sync_job
    from pipelines.schedules import RUN_KEYS, run_config

    with throwaway_home() as home, environment(size=6) as env, dagster_instance(env.settings) as instance:
        for base in range(0, count, _SOURCES):
            apply(env.store, read_file(_write_sources(home, f"kb{base}", min(_SOURCES, count - base))))
        register_partitions(instance, env.store)
        keys = [source.key for source in env.store.sources.names()]
        spent: dict[str, float] = {}
        for _ in ("first", "unchanged"):
            python, postgres = time.process_time(), _postgres_seconds(home)
            for start in range(0, count, RUN_KEYS):
                config = {**run_config(keys[start : start + RUN_KEYS]), "loggers": _QUIET}
                with lend_store(env.store):
                    sync_job(env.settings).execute_in_process(instance=instance, run_config=config)
            spent = {
                "nightly: Python": time.process_time() - python,
                "nightly: Postgres": _postgres_seconds(home) - postgres,
            }
    return spent


def _write_sources(home: Path, slug: str, count: int) -> Path:
    """The file of a knowledge base with so many sources of five documents; returns its path."""
    lines = [f"knowledge_base: {{slug: {slug}, settings: {{embedding_model: builtin/hash}}}}", "sources:"]
    for source in range(count):
        folder = home / slug / f"s{source}"
        folder.mkdir(parents=True)
        for document in range(5):
            text = f"# Pump {document}\n\nPump {document} of {slug} lifts {source} litres.\n"
            (folder / f"{document}.md").write_text(text, encoding="utf-8")
        lines.append(f"- {{slug: s{source}, kind: markdown_tree, path: {folder}}}")
    file = home / f"{slug}.yaml"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def _postgres_seconds(home: Path) -> float:
    """Processor seconds that the home's Postgres has used, with its processes, also those that have ended."""
    server = psutil.Process(int((home / "home" / "postgres" / "postmaster.pid").read_text().split("\n")[0]))
    times = [server.cpu_times(), *(child.cpu_times() for child in server.children())]
    return sum(t.user + t.system for t in times) + times[0].children_user + times[0].children_system


def _timed(look: Callable[[], object]) -> float:
    start = time.perf_counter()
    look()
    return (time.perf_counter() - start) * 1000


if __name__ == "__main__":
    main()
