"""Names of processes that no other process can have.

Belongs here: the identity of a process, and whether that process is alive. Not here: starting and ending processes.
Guarantee: a process that later gets the same number has another identity; an identity from another container is never
taken for a process of this one.
"""

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_ZOMBIE = "Z"


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """A process: its number, the moment when it started, and where the number is valid."""

    pid: int
    started: int
    """When it started: in clock ticks since the system did or, on other systems than Linux, hundredths of a second."""
    space: int
    """The namespace that its number belongs to: each container has its own."""

    @classmethod
    def of(cls, pid: int) -> "ProcessIdentity | None":
        """The identity of the process that has a number now; None if there is none, or it only waits to be reaped."""
        started = _read_start_time(pid)
        return None if started is None else cls(pid, started, _space())

    @classmethod
    def own(cls) -> "ProcessIdentity":
        """The identity of this process."""
        return cls(os.getpid(), _read_start_time(os.getpid()) or 0, _space())

    @classmethod
    def parse(cls, text: str) -> "ProcessIdentity | None":
        """Read an identity that `str` wrote; None if it is none."""
        numbers = text.strip().split(".")
        if len(numbers) != 3 or not all(number_text.isascii() and number_text.isdigit() for number_text in numbers):
            return None
        return cls(int(numbers[0]), int(numbers[1]), int(numbers[2]))

    def __str__(self) -> str:
        return f"{self.pid}.{self.started}.{self.space}"

    @property
    def is_here(self) -> bool:
        """Whether this process can tell if it is alive: its number belongs to the same container."""
        return self.space == _space()

    @property
    def is_alive(self) -> bool:
        """Whether the process runs, as far as `is_here` lets this process know."""
        return self.is_here and _read_start_time(self.pid) == self.started


def _space() -> int:
    with suppress(OSError, ValueError):
        return int(str(Path("/proc/self/ns/pid").readlink()).strip("pid:[]"))
    return 0


def _read_start_time(pid: int) -> int | None:
    """When the process with a number started; None if there is none, or it has ended and waits to be reaped."""
    if sys.platform == "linux":
        try:
            # The name of the program stands in parentheses, and may contain any character.
            fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            return None if fields[0] == _ZOMBIE else int(fields[19])
        except (OSError, IndexError, ValueError):
            return None
    import psutil

    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else round(process.create_time() * 100)
    except psutil.Error:
        return None
