"""`dagster dev` and `headwater up`: one of them at a time for a home.

Belongs here: claiming a home for `dagster dev` (or `dg dev`, which runs it), and whether it is claimed. Not here: the
claim of `up` (`up_file`). Guarantee: the claim ends with its process, also if that is killed.

Both run schedules, sensors and the run queue of the same database: together, they would start runs twice.
"""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from cli.processes.up_file import read_pid
from headwater.errors import ConflictError
from headwater.private_files import private_folder

_NAME = "dagster-dev.lock"
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
