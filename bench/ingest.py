"""The cost of a first sync as users run it, compared with plain psycopg, for growing numbers of files.

Belongs here: generated folders, `headwater sync` as a command, the same folder with `bench.plain`, an unchanged sync.
Not here: the cost of single stages. Guarantee: both sides read the same files, one directly after the other, in the
same Postgres.

    python -m bench.ingest [--files 1000,5000,20000] [--json FILE]

Whole commands are measured, including their start. Machines vary: trust a ratio within one run more than
seconds.
"""

import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import click
import numpy as np
import psycopg

from bench.synthetic import Words
from bench.throwaway import throwaway_home

SECTIONS = 10
FILES_PER_FOLDER = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Ingested:
    """What one size took: whole commands in seconds, and the unchanged sync's own time."""

    files: int
    chunks: int
    first_s: float
    first_per_1000_s: float
    plain_s: float
    ratio: float
    unchanged_s: float
    unchanged_sync_s: float


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--files", default="1000,5000,20000", show_default=True, help="How many files, in order.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Where to write the figures.")
def main(files: str, json_file: Path | None) -> None:
    """Measure every size, and print a table."""
    found = []
    click.echo("  files   chunks   first s  s/1,000  plain s  ratio  unchanged s  (sync)")
    for count in (int(one) for one in files.split(",")):
        row = measure(count)
        found.append(row)
        click.echo(
            f"{row.files:>7}{row.chunks:>9}{row.first_s:>10.1f}{row.first_per_1000_s:>9.2f}{row.plain_s:>9.1f}"
            f"{row.ratio:>7.2f}{row.unchanged_s:>13.2f}{row.unchanged_sync_s:>8.2f}"
        )
    rates = [row.first_per_1000_s for row in found]
    click.echo(f"seconds per 1,000 chunks: the most is {max(rates) / min(rates):.2f} times the least")
    if json_file:
        json_file.write_text(json.dumps([asdict(row) for row in found], indent=2) + "\n", encoding="utf-8")


def measure(files: int) -> Ingested:
    """Sync a generated folder for the first time and again, and load it plainly."""
    with throwaway_home() as home:
        tree = home / "tree"
        write_files(tree, files)
        file = home / "kb.yaml"
        file.write_text(
            "knowledge_base: {slug: bench, settings: {embedding_model: builtin/hash}}\n"
            f"sources: [{{slug: docs, kind: markdown_tree, path: {tree}}}]\n"
        )
        headwater("migrate", "--json")
        headwater("apply", str(file), "--json")
        first_s, first = headwater("sync", "bench", "--json")
        unchanged_s, unchanged = headwater("sync", "bench", "--json")
        plain_s = plainly(tree)
        (row,), (again,) = first["sources"], unchanged["sources"]
        if again["rows_written"]:
            raise click.ClickException(f"An unchanged sync wrote {again['rows_written']} rows.")
        return Ingested(
            files=files,
            chunks=row["chunks"],
            first_s=round(first_s, 2),
            first_per_1000_s=round(first_s / row["chunks"] * 1000, 3),
            plain_s=round(plain_s, 2),
            ratio=round(first_s / plain_s, 3),
            unchanged_s=round(unchanged_s, 2),
            unchanged_sync_s=round(again["ms"] / 1000, 3),
        )


def write_files(tree: Path, count: int, sections_each: int = SECTIONS) -> None:
    """Write markdown files of so many sections each, in folders of a hundred."""
    words = Words(np.random.default_rng(7))
    titles = words.texts(count, 2, 5)
    headings = words.texts(count * sections_each, 1, 4)
    sections = words.texts(count * sections_each, 55, 115)
    for number in range(count):
        folder = tree / f"{number // FILES_PER_FOLDER:04}"
        folder.mkdir(parents=True, exist_ok=True)
        parts = [f"# {titles[number]} {number}"]
        for place in range(number * sections_each, (number + 1) * sections_each):
            parts += [f"## {headings[place]} {place}", sections[place]]
        (folder / f"{number:06}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def headwater(*arguments: str, accepts: str = "") -> tuple[float, dict[str, Any]]:
    """Run a command as a user does; returns the seconds it took and what it printed.

    Args:
        arguments: of the command.
        accepts: words of an error that is a result, too.
    """
    started = time.perf_counter()
    command = [sys.executable, "-m", "cli.main", *arguments]
    completed = subprocess.run(command, env=os.environ, capture_output=True, text=True, check=False)
    took = time.perf_counter() - started
    if completed.returncode and not (accepts and accepts in completed.stderr):
        raise click.ClickException(
            f"headwater {' '.join(arguments)} failed: {completed.stderr[-2000:]}{completed.stdout[-2000:]}"
        )
    printed: dict[str, Any] = json.loads(completed.stdout)
    return took, printed


def plainly(tree: Path) -> float:
    """Load the folder by `bench.plain` into a database of its own; returns the seconds of the whole command."""
    from headwater.settings import Settings
    from headwater.store.server.database_urls import database_url

    url = database_url(Settings.from_env())
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE plain")
        connection.execute("CHECKPOINT")
    parts = urlsplit(url)
    target = urlunsplit(parts._replace(path="/plain"))
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "bench.plain", str(tree), target], check=True, capture_output=True)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
