"""The cost of syncing many small sources with one request, some of them broken, and of syncing them again.

    python bench/many_sources.py                 # in the command's process
    python bench/many_sources.py --http          # over HTTP: sensor, run queue, runs side by side

Prints one JSON document. `events_s` is the time spent on Dagster's events, which only the
command's own process can measure; `coloured` is the status of partitions in Dagster's UI. Machines vary: compare
only figures of one run.
"""

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
from collections import Counter
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

STAGES = ("documents", "chunks", "links", "embeddings", "summary_tree")


def main() -> None:
    """Make the sources in a throw-away home, sync them twice, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=int, default=200)
    parser.add_argument("--documents", type=int, default=5)
    parser.add_argument("--broken", type=int, default=10)
    parser.add_argument("--http", action="store_true")
    arguments = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="headwater-bench-"))
    os.environ["HEADWATER_HOME"] = str(home / "home")
    try:
        file = write_sources(home, arguments.sources, arguments.documents, arguments.broken)
        print(json.dumps((over_http if arguments.http else in_process)(file), indent=2))
    finally:
        from headwater.store.server import embedded_postgres

        embedded_postgres.stop(home / "home" / "postgres")
        shutil.rmtree(home, ignore_errors=True)


def write_sources(home: Path, sources: int, documents: int, broken: int) -> Path:
    """Write folders of small documents and the file that names them; every so many is not there."""
    lines = ["knowledge_base: {slug: bench, settings: {embedding_model: builtin/hash}}", "sources:"]
    for number in range(sources):
        folder = home / "data" / f"s{number:03}"
        if number % max(1, sources // max(1, broken)) or number // max(1, sources // max(1, broken)) >= broken:
            folder.mkdir(parents=True)
            for document in range(documents):
                message = f"Pump {number} of hall {document} lifts {number * document} litres."
                text = f"# Pump {number}.{document}\n\n{message}\n"
                (folder / f"{document}.md").write_text(text)
        lines.append(f"  - {{slug: s{number:03}, kind: markdown_tree, path: {folder}}}")
    file = home / "kb.yaml"
    file.write_text("\n".join(lines) + "\n")
    return file


def in_process(file: Path) -> dict[str, Any]:
    """Sync as `headwater sync` does, with the time that Dagster's events take."""
    from assets import dagster_events
    from cli.environment import dagster_instance, environment
    from headwater.administration.knowledge_base_changes import apply
    from headwater.administration.knowledge_base_file import read_file
    from pipelines.in_process_run import run_sync

    spent = {"s": 0.0, "events": 0}

    def timed(function: Any, count: Any) -> Any:
        def call(*args: Any, **values: Any) -> None:
            started = time.perf_counter()
            function(*args, **values)
            spent["s"] += time.perf_counter() - started
            spent["events"] += count(*args, **values)

        return call

    dagster_events.announce = timed(dagster_events.announce, lambda _, __, stages: len(stages))
    dagster_events.record = timed(dagster_events.record, lambda *_, **__: 1)
    figures: dict[str, Any] = {}
    with environment() as env, dagster_instance(env.settings) as instance:
        apply(env.store, read_file(file))
        knowledge_base = env.store.knowledge_bases.get("bench")
        for name in ("first", "second"):
            spent.update(s=0.0, events=0)
            started = time.perf_counter()
            batch = uuid.uuid4().hex
            sources = env.store.sources.all("bench")
            with env.store.workers.hold_batch(batch):
                sync_id = env.store.syncs.request(knowledge_base.id, sources, "command_line", batch)
                run_sync(instance, env.store, env.settings, sources, batch)
            figures[name] = {
                "s": round(time.perf_counter() - started, 1),
                "events_s": round(spent["s"], 1),
                "events": spent["events"],
                **outcome(list(map(asdict, env.store.syncs.get(sync_id).sources)), "written_count"),
                "coloured": coloured(instance),
            }
    return figures


def over_http(file: Path) -> dict[str, Any]:
    """Ask for the syncs over HTTP while `headwater up` runs."""
    port, dagster_port = free_port(), free_port()
    python = [sys.executable, "-m", "cli.main"]
    up = subprocess.Popen(
        [*python, "up", "--port", str(port), "--dagster-port", str(dagster_port), "--json"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert up.stdout is not None
        json.loads(up.stdout.readline())
        subprocess.run([*python, "apply", str(file)], check=True, capture_output=True)
        api = f"http://127.0.0.1:{port}/api/v1"
        figures = {}
        for name in ("first", "second"):
            started, asked = time.perf_counter(), time.time()
            sync = call(f"{api}/knowledge-bases/bench/syncs", b"{}")
            while sync["state"] not in ("ready", "failed", "cancelled"):
                time.sleep(0.5)
                sync = call(f"{api}/syncs/{sync['id']}")
            figures[name] = {
                "s": round(time.perf_counter() - started, 1),
                "runs": timeline({source["run_id"] for source in sync["sources"]}, asked),
                **outcome(sync["sources"], "rows_written"),
            }
        from cli.environment import dagster_instance, environment

        with environment() as env, dagster_instance(env.settings) as instance:
            figures["coloured"] = coloured(instance)
        return figures
    finally:
        up.send_signal(signal.SIGTERM)
        up.wait(60)


def timeline(run_ids: set[str], asked: float) -> list[dict[str, float | None]]:
    """When each run was made, began and ended, in seconds since it was asked for; None for what is still to come."""
    from cli.environment import dagster_instance, environment

    with environment() as env, dagster_instance(env.settings) as instance:
        records = [instance.get_run_record_by_id(run_id) for run_id in sorted(run_ids)]
    return [
        {
            "queued": round(record.create_timestamp.timestamp() - asked, 1),
            "began": record.start_time and round(record.start_time - asked, 1),
            "ended": record.end_time and round(record.end_time - asked, 1),
        }
        for record in records
        if record is not None
    ]


def outcome(rows: list[Any], written: str) -> dict[str, Any]:
    """How the sources ended, and the rows that were written."""
    reasons = {row["errors"][0]["message"] for row in rows if row["state"] == "failed"}
    return {
        "states": dict(Counter(row["state"] for row in rows)),
        "reasons": len(reasons),
        "rows_written": sum(row[written] for row in rows),
    }


def coloured(instance: Any) -> dict[str, dict[str, int]]:
    """How many partitions Dagster shows as made and as failed, by stage."""
    import dagster as dg
    from dagster._core.storage.partition_status_cache import get_and_update_asset_status_cache_value

    from assets.partitions import SOURCES

    found = {}
    for stage in STAGES:
        status = get_and_update_asset_status_cache_value(instance, dg.AssetKey(stage), SOURCES)
        assert status is not None
        done = status.deserialize_materialized_partition_subsets(SOURCES)
        failed = status.deserialize_failed_partition_subsets(SOURCES)
        found[stage] = {"materialized": len(done), "failed": len(failed)}
    return found


def free_port() -> int:
    """A port that nobody listens at."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def call(url: str, body: bytes | None = None) -> Any:
    """Ask the API."""
    request = urllib.request.Request(  # noqa: S310 - our own server
        url, data=body, headers={"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310 - our own server
        return json.load(response)


if __name__ == "__main__":
    main()
