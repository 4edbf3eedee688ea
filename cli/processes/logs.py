"""The places of logs, and a limit to their size.

Belongs here: files that processes write to. Not here: events of a run, which are in Dagster's database.
Guarantee: a log holds about 10 MB at most, and its previous content is in one file with `.1` added to the name; the
process that writes to the log notices nothing.
"""

import shutil
from contextlib import suppress
from pathlib import Path

from headwater.settings import Settings

_LIMIT = 10_000_000  # bytes


def log_places(settings: Settings) -> dict[str, Path]:
    """Where each kind of log is."""
    places = {"processes": settings.home / "logs", "output of runs": settings.home / "dagster" / "storage"}
    if settings.database_url is None:
        places["Postgres"] = settings.home / "postgres" / "log"
    return places


def cap_logs(home: Path) -> None:
    """Move the content of every log in a home that has grown too large."""
    for path in (*(home / "logs").glob("*.log"), home / "postgres" / "log"):
        with suppress(OSError):
            _cap(path)


def _cap(path: Path) -> None:
    """Copy and truncate, since the process keeps the file open and appends; a line written in between is lost."""
    if path.stat().st_size <= _LIMIT:
        return
    shutil.copyfile(path, path.with_name(f"{path.name}.1"))
    with path.open("r+b") as file:
        file.truncate()
