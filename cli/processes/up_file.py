"""The file `up.pid` of `headwater up` in the home: its process id and addresses.

Belongs here: claiming, releasing, reading. Not here: the processes (`supervisor`), the record of what they are
(`process_records`). Guarantee: the file of a dead process is ignored, even if another process has its number now.
"""

import os
from contextlib import suppress
from pathlib import Path

from cli.processes.process_records import UP, locate_record, read_record, write_record
from headwater.errors import ConflictError
from headwater.private_files import private_folder
from headwater.process_identity import ProcessIdentity
from headwater.settings import Settings


def claim(home: Path) -> Path:
    """Record that `up` runs for this home.

    Raises:
        ConflictError: another `up` runs.
    """
    private_folder(home)
    pid_file = home / "up.pid"
    running = read_pid(home)
    if running is not None:
        urls = local_urls(home)
        addresses = f": the API is at {urls[0]}, the Dagster UI at {urls[1]}" if urls else ""
        raise ConflictError(
            f"`headwater up` runs already for {home} (process {running}){addresses}. `headwater down` stops it. To run"
            " a second one beside it, set another HEADWATER_HOME, --port and --dagster-port."
        )
    write_record(locate_record(home, UP), os.getpid())
    pid_file.write_text(str(os.getpid()), encoding="utf-8")
    return pid_file


def release(home: Path) -> None:
    """Record that `up` no longer runs for this home."""
    for file in (home / "up.pid", home / "processes" / UP):
        file.unlink(missing_ok=True)


def read_pid(home: Path) -> int | None:
    """The process that runs `up` for a home: the one in its file, if it is still that process."""
    try:
        pid = int((home / "up.pid").read_text(encoding="utf-8").split()[0])
    except (OSError, ValueError, IndexError):
        return None
    record = home / "processes" / UP
    recorded = read_record(record)
    is_same = recorded == ProcessIdentity.of(pid) if record.exists() else _is_headwater(pid)
    return pid if is_same and pid != os.getpid() else None


def _is_headwater(pid: int) -> bool:
    """Whether a process that is not recorded, since an older release started it, is one of ours by its command line."""
    import psutil

    try:
        return any("headwater" in argument or "cli." in argument for argument in psutil.Process(pid).cmdline())
    except psutil.Error:
        return False


def public_dagster_url(settings: Settings) -> str | None:
    """Where people open the Dagster UI of a running `up`; None if none runs, or it is still starting."""
    return _address(settings, 1)


def api_url(settings: Settings) -> str:
    """Where the API is: where a running `up` serves it, else where the environment says."""
    return _address(settings, 2) or settings.api_url


def _address(settings: Settings, line: int) -> str | None:
    if read_pid(settings.home) is None:
        return None
    lines = (settings.home / "up.pid").read_text(encoding="utf-8").split()
    return lines[line] if len(lines) > line else None


def local_urls(home: Path) -> tuple[str, str] | None:
    """Where `up` serves the API and the Dagster UI on this machine; None while it starts or after it ended."""
    with suppress(OSError, ValueError):
        _, _, _, api, dagster = (home / "up.pid").read_text(encoding="utf-8").split()
        return api, dagster
    return None
