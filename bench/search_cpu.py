"""The processor time of one search over HTTP, in Python and in Postgres: what bounds many searches at once.

Belongs here: the split of the time. Not here: the time by size (`speed`), over a network (`end_to_end`). Guarantee:
processor time is counted, which what else the machine does hardly changes.

    python -m bench.search_cpu [--chunks 15000] [--questions 40] [--json FILE]

Python runs one thread at a time, so one API process answers at most 1 / `python_ms` searches a second, on however many
processors; `c` clients that ask without a pause wait at least `c` times that.
"""

import json
import time
from pathlib import Path

import click
import psycopg

from bench.synthetic import Synthetic
from bench.throwaway import throwaway_home
from headwater.indexing.preparation import prepare
from headwater.settings import Settings
from headwater.store.store import open_store

_CLIENTS = 32


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--chunks", default=15_000, show_default=True, help="In the index.")
@click.option("--questions", default=40, show_default=True, help="How many are asked.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Where to write the figures.")
def main(chunks: int, questions: int, json_file: Path | None) -> None:
    """Measure, and print JSON."""
    with throwaway_home():
        figures = measure(Settings.from_env(), chunks, questions)
    text = json.dumps(figures, indent=2)
    click.echo(text)
    if json_file:
        json_file.write_text(text + "\n", encoding="utf-8")


def measure(settings: Settings, chunks: int, count: int) -> dict[str, float]:
    """Ask each question three times through the app; the first time warms up."""
    from query_api.app import create_app

    with open_store(settings, size=2) as store:
        data = Synthetic(store)
        data.publish(data.write(chunks))
        prepare(store, settings, data.knowledge_base, data.index)
        store.planning.analyze_grown()
        client = create_app(settings).test_client()
        bodies = [{"query": question.text} for question in data.questions(count)]
        for body in bodies:
            client.post("/api/v1/knowledge-bases/bench/search", json=body)
        with psycopg.connect(store.database.url, autocommit=True) as looking:
            backends, python = _backends_ms(looking), time.thread_time()
            for body in bodies * 2:
                status = client.post("/api/v1/knowledge-bases/bench/search", json=body).status_code
                if status != 200:
                    raise click.ClickException(f"A search was answered with {status}.")
            python_ms = (time.thread_time() - python) * 1000 / (2 * count)
            postgres_ms = (_backends_ms(looking) - backends) / (2 * count)
    return {
        "chunks": chunks,
        "python_ms": python_ms,
        "postgres_ms": postgres_ms,
        "least_p50_ms_of_32_clients": _CLIENTS * python_ms,
    }


def _backends_ms(looking: "psycopg.Connection[tuple[int]]") -> float:
    """Processor time of all of Headwater's sessions until now."""
    pids = looking.execute("SELECT pid FROM pg_stat_activity WHERE application_name = 'headwater'").fetchall()
    spent = [int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for (pid,) in pids]
    return sum(spent) / 1e6


if __name__ == "__main__":
    main()
