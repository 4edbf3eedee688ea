"""How long one large source takes with one worker and with several, while the embedding model is far away (OPS-4).

    python -m bench.workers [--files 4000] [--workers 1,4] [--json FILE]

Belongs here: syncs of a whole `headwater up`, whose runs Dagster queues and launches, and a model's server on loopback
that takes a while for each request. Not here: models on this machine, several sources. Guarantee: a temporary home,
removed afterwards; the same files every time; a sync of each number of workers begins with an empty database.
"""

import hashlib
import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import click
import psutil

from bench.throwaway import COMMAND, running_up, throwaway_home
from headwater.settings import REPOSITORY, Settings
from headwater.store.store import Store, open_store
from tests.embedding_server import MODEL, EmbeddingServer, Reply, embedding_server

_DIMENSIONS = 32
_SECTIONS = 8
_FILE = """knowledge_base:
  slug: far
  settings: {{embedding_model: {model}, summary_model: null}}
sources: [{{slug: docs, kind: markdown_tree, path: {folder}, workers: {workers}}}]
"""


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--files", default=4_000, show_default=True, help="Markdown files of eight sections.")
@click.option("--workers", default="1,4", show_default=True, help="Numbers of workers, one sync each.")
@click.option("--delay", default=0.05, show_default=True, help="Seconds that the model takes for a request.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Also write the figures to this file.")
def main(files: int, workers: str, delay: float, json_file: Path | None) -> None:
    """Measure, and print a table."""
    rows = [_measure(files, int(count), delay) for count in workers.split(",")]
    click.echo("| workers | seconds | with all at work | processor seconds | chunks | texts | requests |")
    click.echo("|---|---|---|---|---|---|---|")
    for row in rows:
        click.echo(
            f"| {row['workers']} | {row['seconds']:.0f} | {row['steady']:.0f} texts/s | {row['processor']:.0f} "
            f"| {row['chunks']:,} | {row['texts']:,} | {row['requests']:,} |"
        )
    if json_file is not None:
        json_file.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def _measure(files: int, workers: int, delay: float) -> dict[str, Any]:
    """Sync all files with some workers, in a Headwater of its own."""
    with throwaway_home() as home, embedding_server() as server:
        server.otherwise = _far_away(delay)
        os.environ.update(OPENAI_API_BASE=f"{server.url}/v1", OPENAI_API_KEY=server.key)
        os.environ["HEADWATER_CONCURRENT_RUNS"] = str(workers + 1)
        folder = home / "docs"
        folder.mkdir()
        for number in range(files):
            (folder / f"{number:06}.md").write_text(_document(number), encoding="utf-8")
        (home / "far.yaml").write_text(_FILE.format(model=MODEL, folder=folder, workers=workers), encoding="utf-8")
        for command in (("migrate",), ("apply", str(home / "far.yaml"))):
            subprocess.run([*COMMAND, *command], cwd=REPOSITORY, check=True, capture_output=True)
        with running_up(home) as up, open_store(Settings.from_env()) as store:
            server.requests.clear()
            return {"workers": workers, **_sync(store, up, server, workers), "requests": len(server.requests)}


def _sync(store: Store, up: psutil.Process, server: EmbeddingServer, workers: int) -> dict[str, Any]:
    """Request a sync as the API does, and wait for its end; the steady rate is that of the time with all workers."""
    sync_id = store.syncs.request(store.knowledge_bases.get("far").id, store.sources.select("far", []), "api")
    while (part := store.syncs.get(sync_id).sources[0]).state == "pending":
        time.sleep(0.1)
    began, processor_before = time.monotonic(), _read_processor_seconds(up)
    steady_began, steady_ended = (began, 0), (began, 0)
    while part.state == "syncing":
        time.sleep(0.5)
        part = store.syncs.get(sync_id).sources[0]
        with store.database.transaction() as session:
            query = "SELECT count(*) AS n FROM sync_shares WHERE state IN ('working', 'finishing')"
            helpers = session.connection.execute(query).fetchone() or {"n": 0}
        sent = (time.monotonic(), len(server.texts))
        if helpers["n"] < workers - 1 and steady_began == steady_ended:
            steady_began = sent
        if helpers["n"] >= workers - 1:
            steady_ended = sent
    if part.state != "ready":
        raise click.ClickException(f"The sync ended as {part.state}: {part.errors[:1]}")
    seconds = max(0.001, steady_ended[0] - steady_began[0])
    return {
        "seconds": time.monotonic() - began,
        "steady": (steady_ended[1] - steady_began[1]) / seconds,
        "processor": _read_processor_seconds(up) - processor_before,
        "chunks": part.chunk_count,
        "texts": part.embedded_count,
    }


def _far_away(delay: float) -> Any:
    """A model that takes no processor time worth mentioning: its vectors are hashes."""

    def reply(body: dict[str, Any]) -> Reply:
        time.sleep(delay)
        items = [
            {"index": place, "embedding": [byte + 1 for byte in hashlib.sha256(text.encode()).digest()[:_DIMENSIONS]]}
            for place, text in enumerate(body["input"])
        ]
        return 200, {"object": "list", "model": body["model"], "data": items, "usage": {"prompt_tokens": 1}}, {}

    return reply


def _document(number: int) -> str:
    """A file of eight sections whose texts occur nowhere else."""
    sections = [
        f"## Section {number}.{place}\n\n"
        + " ".join(f"Word{(number * 7919 + place * 104729 + word * 31) % 99991}" for word in range(90))
        for place in range(_SECTIONS)
    ]
    return f"# File {number}\n\n" + "\n\n".join(sections) + "\n"


def _read_processor_seconds(up: psutil.Process) -> float:
    """Processor time of `headwater up` and all that it started, those that ended included; Postgres is not."""
    total = 0.0
    for process in (up, *up.children(recursive=True)):
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue  # it has ended, and counts with its parent
        total += times.user + times.system + times.children_user + times.children_system
    return total


if __name__ == "__main__":
    main()
