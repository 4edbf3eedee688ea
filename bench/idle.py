"""What an idle `headwater up` costs: processor time a minute and memory, process by process.

Belongs here: the measurement. Not here: why a process is idle (`tests/integration/test_idle.py`). Guarantee: it starts
a Headwater of its own with sources that are synced, waits until nothing is due, and stops it again. Linux only.

Processor time stays right on a busy machine. Memory is the proportional set size: what processes share counts once.

    .venv/bin/python -m bench.idle                    # five sources, a minute
    .venv/bin/python -m bench.idle --threads          # with the busiest threads of each process
"""

import json
import os
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
import psutil

from bench.throwaway import COMMAND, running_up, throwaway_home
from headwater.settings import REPOSITORY

_TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, kw_only=True)
class Idle:
    """What one process took in a minute."""

    name: str
    seconds: float
    megabytes: float
    """Proportional: a page that three processes share counts a third in each."""
    private_megabytes: float


def measure(root: psutil.Process, others: list[int], seconds: float) -> list[Idle]:
    """Measure a process and its children, and others with theirs, for a while; what ended meanwhile is left out."""
    before = _read_times(root, others)
    time.sleep(seconds)
    after = _read_times(root, others)
    rows = []
    for pid, (name, ticks) in after.items():
        used = (ticks - before.get(pid, (name, 0))[1]) / _TICK
        memory = _read_memory(pid)
        rows.append(
            Idle(
                name=name,
                seconds=used * 60 / seconds,
                megabytes=memory["Pss"] / 1024,
                private_megabytes=(memory["Private_Clean"] + memory["Private_Dirty"]) / 1024,
            )
        )
    return sorted(_join_names(rows), key=lambda row: -row.seconds)


def _read_times(root: psutil.Process, others: list[int]) -> dict[int, tuple[str, int]]:
    """Name and processor ticks of each process, with those of children that have ended."""
    times = {}
    for parent in (root, *map(psutil.Process, others)):
        for process in (parent, *parent.children(recursive=True)):
            try:
                text = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8")
                times[process.pid] = (_describe(process), sum(map(int, text.rpartition(")")[2].split()[11:15])))
            except (OSError, psutil.Error):
                continue  # it has ended
    return times


def _describe(process: psutil.Process) -> str:
    name = process.name()
    if name == "postgres":
        title = " ".join(process.cmdline()).strip()
        return "postgres" if " -D " in f" {title} " else title.removeprefix("postgres: ").split(" ")[0] + " (postgres)"
    return "up" if "up" in process.cmdline() and name.startswith("python") else name


def _read_memory(pid: int) -> Counter[str]:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()[1:]
    except OSError:
        return Counter()
    return Counter({name.rstrip(":"): int(amount) for name, amount, *_ in map(str.split, lines)})


def _join_names(rows: list[Idle]) -> list[Idle]:
    """One row for each name."""
    groups: dict[str, list[Idle]] = {}
    for row in rows:
        groups.setdefault(row.name, []).append(row)
    return [
        Idle(
            name=f"{name} x{len(group)}" if len(group) > 1 else name,
            seconds=sum(row.seconds for row in group),
            megabytes=sum(row.megabytes for row in group),
            private_megabytes=sum(row.private_megabytes for row in group),
        )
        for name, group in groups.items()
    ]


def measure_threads(root: psutil.Process, others: list[int], seconds: float) -> list[tuple[str, str, float]]:
    """The busiest threads for a while: process, thread, seconds a minute."""

    def look() -> dict[tuple[int, str], tuple[str, str, int]]:
        threads = {}
        for pid, (name, _) in _read_times(root, others).items():
            for task in Path(f"/proc/{pid}/task").iterdir():
                try:
                    before, _, after = (task / "stat").read_text(encoding="utf-8").rpartition(")")
                except OSError:
                    continue
                title = f"{before.partition('(')[2]} {task.name}"
                threads[pid, task.name] = (name, title, sum(map(int, after.split()[11:13])))
        return threads

    before = look()
    time.sleep(seconds)
    rows = [
        (name, title, (ticks - before.get(key, (name, title, 0))[2]) / _TICK * 60 / seconds)
        for key, (name, title, ticks) in look().items()
    ]
    return sorted((row for row in rows if row[2] > 0), key=lambda row: -row[2])


@contextmanager
def _running_up(home: Path, sources: int) -> Iterator[tuple[psutil.Process, list[int]]]:
    """A running `headwater up` with synced sources, and its Postgres."""
    for number in range(sources):
        folder = home / f"notes-{number}"
        folder.mkdir()
        (folder / "a.md").write_text(f"# Notes {number}\n\nThe pump lifts water.\n", encoding="utf-8")
        subprocess.run([*COMMAND, "add", "notes", str(folder)], cwd=REPOSITORY, check=True, capture_output=True)
    subprocess.run([*COMMAND, "sync", "notes"], cwd=REPOSITORY, check=True, capture_output=True)
    with running_up(home) as process:
        postmaster = int((home / "home" / "postgres" / "postmaster.pid").read_text(encoding="utf-8").split()[0])
        yield process, [postmaster]


@click.command()
@click.option("--sources", default=5, show_default=True)
@click.option("--settle", default=75, show_default=True, help="Seconds to wait until everything is idle.")
@click.option("--seconds", default=60, show_default=True, help="Seconds to measure.")
@click.option("--threads", is_flag=True, help="Also list the busiest threads.")
@click.option("--json", "as_json", is_flag=True)
def main(sources: int, settle: int, seconds: int, threads: bool, as_json: bool) -> None:
    """Print what each process of an idle `headwater up` takes in a minute."""
    with throwaway_home() as home, _running_up(home, sources) as (root, others):
        time.sleep(settle)
        rows = measure(root, others, seconds)
        busiest = measure_threads(root, others, seconds) if threads else []
    if as_json:
        click.echo(json.dumps([vars(row) for row in rows]))
        return
    rows.append(
        Idle(
            name="all",
            seconds=sum(row.seconds for row in rows),
            megabytes=sum(row.megabytes for row in rows),
            private_megabytes=sum(row.private_megabytes for row in rows),
        )
    )
    click.echo(f"{'process':<34}{'s a minute':>12}{'MB':>8}{'private MB':>12}")
    for row in rows:
        click.echo(f"{row.name:<34}{row.seconds:>12.2f}{row.megabytes:>8.0f}{row.private_megabytes:>12.0f}")
    for name, title, used in busiest[:40]:
        click.echo(f"{name:<24}{title:<30}{used:>8.2f}")


if __name__ == "__main__":
    main()
