"""The cost of an edit of one paragraph through the command line, as a whole command.

    python -m bench.edit [--documents 20] [--rounds 5] [--json FILE]

Belongs here: `headwater sync` as a separate process, as users run it, on a folder of markdown with `builtin/hash`.
Not here: the cost of its parts. Guarantee: a temporary home, removed afterwards.

It measures three cases: nothing changed and the command does the work; a paragraph was edited, likewise; a paragraph
was edited and the worker of a running `headwater up` does the work. Processor time is user and system time of the
command with its children, and of the worker with its children, without Postgres. Figures are medians.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import click
import psutil

from bench.throwaway import throwaway_home
from cli.processes.sync_client import SOCKET
from headwater.settings import REPOSITORY

_SECTIONS, _WORDS = 10, 120
_FILE = """knowledge_base: {{slug: edit, settings: {{embedding_model: builtin/hash}}}}
sources: [{{slug: docs, kind: markdown_tree, path: {folder}}}]
"""


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--documents", default=20, show_default=True, help="Markdown files of ten sections.")
@click.option("--rounds", default=5, show_default=True, help="Commands of each kind; the median counts.")
@click.option("--json", "file", type=click.Path(path_type=Path), help="Also write the figures to this file.")
def main(documents: int, rounds: int, file: Path | None) -> None:
    """Measure, and print a table."""
    with throwaway_home() as home:
        folder = home / "docs"
        folder.mkdir()
        for number in range(documents):
            (folder / f"{number}.md").write_text(_document(number), encoding="utf-8")
        (home / "edit.yaml").write_text(_FILE.format(folder=folder), encoding="utf-8")
        _run("migrate")
        _run("apply", str(home / "edit.yaml"))
        _run("sync", "edit")
        figures = {"unchanged": _measure(folder, rounds, None, is_edited=False)}
        figures["edit"] = _measure(folder, rounds, None)
        with _worker(home / "home") as worker:
            figures["edit, handed over"] = _measure(folder, rounds, worker)
    click.echo(f"{'headwater sync, medians in seconds':<36}{'command CPU':>14}{'worker CPU':>14}{'wall':>10}")
    for name, found in figures.items():
        click.echo(f"{name:<36}{found['command_s']:>14.2f}{found['worker_s']:>14.2f}{found['wall_s']:>10.2f}")
    if file is not None:
        file.write_text(json.dumps({"documents": documents, "edit": figures}, indent=2), encoding="utf-8")


def _document(number: int) -> str:
    parts = [f"# Document {number}"]
    for section in range(_SECTIONS):
        words = " ".join(f"word{(number * 31 + section * 17 + place * 7) % 5000}" for place in range(_WORDS))
        parts.append(f"## Section {section}\n\n{words.capitalize()}.")
    return "\n\n".join(parts) + "\n"


def _run(*arguments: str) -> None:
    completed = subprocess.run(
        [sys.executable, "-m", "cli.main", *arguments], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    if completed.returncode:
        raise click.ClickException(f"headwater {' '.join(arguments)} failed: {completed.stderr}")


def _measure(folder: Path, rounds: int, worker: psutil.Process | None, *, is_edited: bool = True) -> dict[str, Any]:
    found = []
    for number in range(rounds):
        if is_edited:
            path = folder / f"{number % len(list(folder.iterdir()))}.md"
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace("\n\nWord", f"\n\nEdited {time.time_ns()} word", 1), encoding="utf-8")
        before, busy, started = _used(), _busy(worker), time.perf_counter()
        _run("sync", "edit")
        wall = time.perf_counter() - started
        time.sleep(0.2)  # until the worker has taken leave of its child
        found.append((_used() - before, _busy(worker) - busy, wall))
    names = ("command_s", "worker_s", "wall_s")
    return {name: round(median(one[place] for one in found), 3) for place, name in enumerate(names)}


def _used() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _busy(worker: psutil.Process | None) -> float:
    if worker is None:
        return 0.0
    times = worker.cpu_times()
    return float(times.user + times.system + times.children_user + times.children_system)


@contextmanager
def _worker(home: Path) -> Iterator[psutil.Process]:
    """The sync worker, as `headwater up` starts it."""
    command = [sys.executable, "-m", "cli.processes.sync_worker"]
    with subprocess.Popen(command, cwd=REPOSITORY, env=dict(os.environ), start_new_session=True) as process:
        try:
            while not (home / SOCKET).exists():
                time.sleep(0.05)
            yield psutil.Process(process.pid)
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
