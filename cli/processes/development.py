"""`dagster dev` and `headwater up`: one of them at a time for a home.

Belongs here: claiming a home for `dagster dev` (or `dg dev`, which runs it), whether it is claimed, and where the UI
of the one that runs is. Not here: the claim of `up` (`up_file`). Guarantee: the claim ends with its process, also if
that is killed, and so do the processes that it started.

Both run schedules, sensors and the run queue of the same database: together, they would start runs twice.
"""

import fcntl
import os
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path

from cli.processes.process_records import name_remaining_processes
from cli.processes.up_file import public_dagster_url, read_pid
from headwater.errors import ConflictError
from headwater.private_files import private_folder
from headwater.settings import Settings

_NAME = "dagster-dev.lock"
_GRACE_SECONDS = 5.0
_ADDRESS = "dagster-dev.url"
_claims: dict[Path, int] = {}


def claim_development(home: Path) -> None:
    """Claim a home for this process, which runs `dagster dev`.

    Raises:
        ConflictError: `headwater up`, or another `dagster dev`, runs for it.
    """
    if home in _claims:
        return
    private_folder(home)
    claim = os.open(home / _NAME, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _claim(claim, home)
    except ConflictError:
        os.close(claim)
        raise
    (home / _ADDRESS).unlink(missing_ok=True)  # of an earlier one
    os.ftruncate(claim, 0)
    os.pwrite(claim, str(os.getpid()).encode(), 0)
    _claims[home] = claim


def _claim(claim: int, home: Path) -> None:
    try:
        fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ConflictError(
            f"`dagster dev` runs already for {home} (process {_read_pid(claim)}). Stop it with Ctrl-C, or set another "
            "HEADWATER_HOME."
        ) from None
    # After the claim: `up` records itself before it looks for a claim, so that one of the two sees the other.
    if (pid := read_pid(home)) is not None:
        raise ConflictError(
            f"`headwater up` runs for {home} (process {pid}). `dagster dev` beside it would start every scheduled run "
            "twice. `headwater down` stops it. To run both, set another HEADWATER_HOME for one of them."
        )
    if names := name_remaining_processes(home):
        raise ConflictError(
            f"A killed `headwater up` left these running for {home}: {names}. `dagster dev` beside them would start "
            "every scheduled run twice. Run `headwater down` to stop them."
        )


def _read_pid(claim: int) -> int:
    return int(os.pread(claim, 20, 0) or b"0")


def check_no_development(home: Path) -> None:
    """Refuse to run `up` for a home for which `dagster dev` runs; `up` has recorded itself before.

    Raises:
        ConflictError: it runs.
    """
    if (pid := read_development_pid(home)) is not None:
        raise ConflictError(
            f"`dagster dev` runs for {home} (process {pid}). `headwater up` beside it would start every scheduled run "
            "twice. Stop it with Ctrl-C first. To run both, set another HEADWATER_HOME for one of them."
        )


def end_with_parent() -> None:
    """End this process, which `dagster dev` started, if that ends without telling it: then it was killed.

    Its daemon would go on starting runs, beside that of the next `headwater up`.
    """
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(_GRACE_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def record_address(settings: Settings, port: int) -> None:
    """Record where the UI of `dagster dev` is: at the address that the environment names, else at its own."""
    is_default = settings.dagster_url == Settings.default("dagster_url")
    address = f"http://127.0.0.1:{port}" if is_default else settings.dagster_url
    (settings.home / _ADDRESS).write_text(address, encoding="utf-8")


def dagster_url(settings: Settings) -> str:
    """Where the Dagster UI is: where a running `up` or `dagster dev` serves it, else where the environment says."""
    if url := public_dagster_url(settings):
        return url
    if read_development_pid(settings.home) is not None:
        with suppress(OSError):
            return (settings.home / _ADDRESS).read_text(encoding="utf-8") or settings.dagster_url
    return settings.dagster_url


def read_development_pid(home: Path) -> int | None:
    """The process that runs `dagster dev` for a home, if any."""
    with suppress(OSError):
        claim = os.open(home / _NAME, os.O_RDWR)
        try:
            fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return _read_pid(claim)
        finally:
            os.close(claim)
    return None
