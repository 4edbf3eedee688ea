"""The cost of syncs of a folder of markdown: the first, an unchanged one, an edit, a rename.

    python bench/first_sync.py ../shared/data/docs/nebari

Prints one JSON document. `embed_all_s` is the time the model takes for every chunk's text, equal texts included, in
the same process; `ratio` is the first sync's part beyond 5 seconds over it. Machines are noisy: compare figures of
one run only.
"""

import argparse
import json
import os
import re
import shutil
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

import psycopg


def main() -> None:
    """Copy the folder, sync it in a throw-away home, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", default="builtin/minilm-int8")
    arguments = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="headwater-bench-"))
    os.environ["HEADWATER_HOME"] = str(home / "home")
    tree = home / "tree"
    shutil.copytree(arguments.folder, tree)
    try:
        print(json.dumps(measure(home, tree, arguments.model), indent=2))
    finally:
        from headwater.store.server import embedded_postgres

        embedded_postgres.stop(home / "home" / "postgres")
        shutil.rmtree(home, ignore_errors=True)


def measure(home: Path, tree: Path, model: str) -> dict[str, Any]:
    """Run the syncs and gather their figures."""
    file = home / "kb.yaml"
    file.write_text(
        f"knowledge_base: {{slug: bench, settings: {{embedding_model: {model}}}}}\n"
        f"sources: [{{slug: docs, kind: markdown_tree, path: {tree}}}]\n"
    )
    from cli.environment import dagster_instance, environment
    from headwater.administration.knowledge_base_changes import apply
    from headwater.administration.knowledge_base_file import read_file
    from headwater.models_gateway.embedder_registry import load_embedder

    with environment() as env, dagster_instance(env.settings) as instance:
        apply(env.store, read_file(file))
        load_embedder(model, env.settings).embed(["warm"])  # builds the model's file where it is not there yet
        figures: dict[str, Any] = {"first": sync(env, instance)}
        texts = every_text(env.store.database.url)
        started = time.perf_counter()
        load_embedder(model, env.settings).embed(texts)
        all_s = time.perf_counter() - started
        figures["embed_all_s"] = round(all_s, 2)
        figures["chunks"], figures["distinct"] = len(texts), len(set(texts))
        figures["ratio"] = round((figures["first"]["wall_s"] - 5) / all_s, 3)
        figures["ratio_without_allowance"] = round(figures["first"]["wall_s"] / all_s, 3)
        figures["unchanged"] = sync(env, instance)
        target = edit_a_paragraph(tree)
        figures["edit"] = {"file": target, **sync(env, instance)}
        path = next(iter(sorted(tree.rglob("*.md"))))
        path.rename(path.with_name("renamed-" + path.name))
        figures["rename"] = sync(env, instance)
    return figures


def sync(env: Any, instance: Any) -> dict[str, Any]:
    """Sync everything as the command line does."""
    from pipelines.in_process_run import run_sync

    started = time.perf_counter()
    sources = env.store.sources.select("bench", [])
    knowledge_base = env.store.knowledge_bases.get("bench")
    batch = uuid.uuid4().hex
    with env.store.workers.hold_batch(batch):
        sync_id = env.store.syncs.request(knowledge_base.id, sources, "command_line", batch)
        run = run_sync(instance, env.store, env.settings, sources, batch)
    wall = time.perf_counter() - started
    part = env.store.syncs.get(sync_id).sources[0]
    stats = instance.get_run_stats(run.run_id)
    return {
        "wall_s": round(wall, 2),
        "run_body_s": round(stats.end_time - stats.start_time, 2),
        "source_ms": part.duration_ms,
        "embedded": part.embedded_count,
        "written": part.written_count,
        "changed": part.changed_count,
        "added": part.added_count,
        "removed": part.removed_count,
        "unchanged": part.unchanged_count,
    }


def every_text(url: str) -> list[str]:
    """Every chunk's text as it is embedded, equal ones as often as they occur."""
    from headwater.chunking.chunker import embedding_text

    with psycopg.connect(url) as connection:
        rows = connection.execute(
            "SELECT vc.breadcrumb, coalesce(c.prose, c.text) FROM version_chunks vc JOIN chunks c ON c.id = vc.chunk_id"
        ).fetchall()
    return [embedding_text(breadcrumb, prose) for breadcrumb, prose in rows]


def edit_a_paragraph(tree: Path) -> str:
    """Change one word of the longest paragraph of the largest file; returns the file's name."""
    path = max(tree.rglob("*.md"), key=lambda candidate: candidate.stat().st_size)
    text = path.read_text()
    paragraphs = [part for part in re.split(r"\n\s*\n", text) if re.match(r"[A-Z][^|`#]*$", part)]
    longest = max(paragraphs, key=len)
    first, rest = longest.split(" ", 1)
    path.write_text(text.replace(longest, f"{first} indeed {rest}", 1))
    return path.name


if __name__ == "__main__":
    main()
