"""The home's record of the processes that `headwater up` starts: a file for each in the folder `processes`.

Belongs here: writing and reading the record, and finding what a killed `up` left. Not here: starting and stopping
processes (`service`, `supervisor`). Guarantee: a process is recorded before it does anything, unless the disk is full;
a process that merely has a recorded number, or the name of one of ours, is never taken for ours.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from headwater.private_files import private_folder
from headwater.process_identity import ProcessIdentity

UP = "up"
"""The record of `headwater up` itself; all others are processes that it started."""


@dataclass(frozen=True, slots=True)
class RecordedProcess:
    """A process of which only the record is known, with the part of `subprocess.Popen` that a service needs."""

    identity: ProcessIdentity

    @property
    def pid(self) -> int:
        """Its number, which is also that of its process group."""
        return self.identity.pid

    def poll(self) -> int | None:
        """None while it runs; nobody knows the exit status of another process's child."""
        return None if self.identity.is_alive else 0


def locate_record(home: Path, name: str) -> Path:
    """The file that records a process; makes its folder."""
    return private_folder(home / "processes") / name


def write_record(record: Path, pid: int) -> None:
    """Record a process that runs."""
    identity = ProcessIdentity.of(pid)
    draft = record.with_name(f".{record.name}.{os.getpid()}")
    draft.write_text(f"{identity}\n", encoding="utf-8")
    draft.replace(record)


def read_record(record: Path) -> ProcessIdentity | None:
    """The process that a file records; None if there is no such file, or it was never written completely."""
    try:
        return ProcessIdentity.parse(record.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def find_remaining_processes(home: Path) -> dict[str, RecordedProcess]:
    """The processes that an `up` of a home started and that still run, or whose child processes do, by name."""
    remaining = {}
    with suppress(OSError):
        for record in sorted((home / "processes").iterdir()):
            identity = None if record.name == UP or record.name.startswith(".") else read_record(record)
            if identity is not None and identity.is_here and (identity.is_alive or _has_left_children(identity, home)):
                remaining[record.name] = RecordedProcess(identity)
    return remaining


def name_remaining_processes(home: Path) -> str:
    """What a killed `up` left running, as words; empty if nothing."""
    return ", ".join(f"{name} (process {process.pid})" for name, process in find_remaining_processes(home).items())


def has_live_member(group: int) -> bool:
    """Whether a process group has a process that runs: one that has ended may wait for ever to be reaped."""
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return next(_members(group), None) is not None


def _has_left_children(identity: ProcessIdentity, home: Path) -> bool:
    """Whether child processes of a process that has ended are left in its group.

    The number of the group may belong to another one since: ours have a file of this home open, such as their log.
    """
    import psutil

    for pid in _members(identity.pid):
        with suppress(psutil.Error, OSError):
            files = psutil.Process(pid).open_files()
            if any(Path(file.path).is_relative_to(home) for file in files):
                return True
    return False


def _members(group: int) -> Iterator[int]:
    """The processes of a group that run."""
    import psutil

    for pid in psutil.pids():
        with suppress(OSError):
            if os.getpgid(pid) == group and ProcessIdentity.of(pid) is not None:
                yield pid
