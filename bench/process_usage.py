"""What a command and its Postgres take while a block runs: seconds of a processor, and the most memory of each.

Belongs here: reading the system's counts. Not here: what runs meanwhile. Guarantee: what has ended counts too; the
memory of Postgres is shared out among its processes, so nothing counts twice.
"""

import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from headwater.store.server import postmaster

_GLANCE_SECONDS = 1.0


@contextmanager
def measured_usage(postgres: Path) -> Iterator[dict[str, dict[str, float]]]:
    """The usage of a block, complete at its end.

    Args:
        postgres: the folder of the embedded Postgres that it uses, which runs already.
    """
    usage: dict[str, dict[str, float]] = {"processor_seconds": {}, "peak_mb": {}}
    before = _read_processor_seconds(postgres)
    stopped = threading.Event()
    thread = threading.Thread(target=_watch_memory, args=(postgres, stopped, usage["peak_mb"]), daemon=True)
    thread.start()
    try:
        yield usage
    finally:
        stopped.set()
        thread.join()
        after = _read_processor_seconds(postgres)
        usage["processor_seconds"] |= {name: round(after[name] - seconds, 1) for name, seconds in before.items()}


def _read_processor_seconds(postgres: Path) -> dict[str, float]:
    """Those of all commands that have ended, and of Postgres with its processes that have."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = {"command": children.ru_utime + children.ru_stime, "postgres": 0.0}
    for process in _list_postgres(postgres):
        with suppress(psutil.Error):
            times = process.cpu_times()
            seconds["postgres"] += times.user + times.system + times.children_user + times.children_system
    return seconds


def _list_postgres(folder: Path) -> list[psutil.Process]:
    first = postmaster.alive(folder)
    return [] if first is None else [first, *first.children()]


def _watch_memory(postgres: Path, stopped: threading.Event, peak: dict[str, float]) -> None:
    while not stopped.wait(_GLANCE_SECONDS):
        sizes: dict[str, float] = {}
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                name = "command" if "cli.main" in " ".join(process.cmdline()) else "its process"
                sizes[name] = max(sizes.get(name, 0.0), process.memory_info().rss)
        for process in _list_postgres(postgres):
            with suppress(psutil.Error):
                full: Any = process.memory_full_info()
                sizes["postgres"] = sizes.get("postgres", 0.0) + full.pss
        for name, size in sizes.items():
            peak[name] = max(peak.get(name, 0.0), round(size / 2**20, 1))
