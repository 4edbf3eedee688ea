"""The file `up.pid` of `headwater up` in the home: its process id and addresses.

Belongs here: claiming, reading. Not here: the processes (`supervisor`). Guarantee: the file of a dead process
is ignored.
"""

import os
from contextlib import suppress
from pathlib import Path

from headwater.errors import ConflictError
from headwater.private_files import private_folder
from headwater.settings import Settings


def claim(home: Path) -> Path:
    """Record that `up` runs for this home.

    Raises:
        ConflictError: another `up` runs.
    """
    private_folder(home)
    pid_file = home / "up.pid"
    running = running_pid(home)
    if running is not None:
        urls = local_urls(home)
        where = f": the API is at {urls[0]}, the Dagster UI at {urls[1]}" if urls else ""
        raise ConflictError(
            f"`headwater up` runs already for {home} (process {running}){where}. `headwater down` stops it. To run a"
            " second one beside it, set another HEADWATER_HOME, --port and --dagster-port."
        )
    pid_file.write_text(str(os.getpid()), encoding="utf-8")
    return pid_file


def running_pid(home: Path) -> int | None:
    """The process that runs `up` for a home: the one in its file, if it is still a headwater process."""
    import psutil

    try:
        pid = int((home / "up.pid").read_text(encoding="utf-8").split()[0])
        command = psutil.Process(pid).cmdline()
    except (OSError, ValueError, IndexError, psutil.Error):
        return None
    return pid if pid != os.getpid() and any("headwater" in part or "cli." in part for part in command) else None


def dagster_url(settings: Settings) -> str:
    """Where the Dagster UI is: where a running `up` serves it, else where the environment says."""
    return _address(settings, 1) or settings.dagster_url


def api_url(settings: Settings) -> str:
    """Where the API is: where a running `up` serves it, else where the environment says."""
    return _address(settings, 2) or settings.api_url


def _address(settings: Settings, line: int) -> str | None:
    if running_pid(settings.home) is None:
        return None
    lines = (settings.home / "up.pid").read_text(encoding="utf-8").split()
    return lines[line] if len(lines) > line else None


def local_urls(home: Path) -> tuple[str, str] | None:
    """Where `up` serves the API and the Dagster UI on this machine; None while it starts or after it ended."""
    with suppress(OSError, ValueError):
        _, _, _, api, dagster = (home / "up.pid").read_text(encoding="utf-8").split()
        return api, dagster
    return None
