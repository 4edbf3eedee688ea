"""Where logs are, and keeping them from growing without bound.

Belongs here: files that processes write to. Not here: what happened in a run, which is in Dagster's database.
Guarantee: a log holds at most some 10 MB, and what came before is in one other file of its name with `.1`; the process
that writes to it notices nothing.
"""

import shutil
from contextlib import suppress
from pathlib import Path

from headwater.settings import Settings

_LIMIT = 10_000_000  # bytes


def log_places(settings: Settings) -> dict[str, Path]:
    """Where what is written."""
    places = {"processes": settings.home / "logs", "output of runs": settings.home / "dagster" / "storage"}
    if settings.database_url is None:
        places["Postgres"] = settings.home / "postgres" / "log"
    return places


def cap_logs(home: Path) -> None:
    """Set aside the contents of every log of a home that has grown too large."""
    for path in (*(home / "logs").glob("*.log"), home / "postgres" / "log"):
        with suppress(OSError):
            _cap(path)


def _cap(path: Path) -> None:
    """Copy and empty, since the process has the file open and appends to it; a line written in between is lost."""
    if path.stat().st_size <= _LIMIT:
        return
    shutil.copyfile(path, path.with_name(f"{path.name}.1"))
    with path.open("r+b") as file:
        file.truncate()
