"""One process of `headwater up`.

Belongs here: starting it, signalling it, and whether it lives. Not here: which processes there are, and when they are
started again (`supervisor`). Guarantee: it has a process group of its own, so that what it starts ends with it.
"""

import os
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from cli.processes.forking import CAN_FORK, Forked, fork
from headwater.settings import REPOSITORY

RESTART_WINDOW = 120.0  # seconds for which it is remembered that a process was started


@dataclass
class Service:
    """One process: how it is started, and where its output goes."""

    name: str
    command: list[str]
    log: Path
    is_optional: bool = False
    """Whether everything else works without it."""
    module: str | None = None
    """The Python module that it is a fork with; else the command is executed."""
    process: "subprocess.Popen[bytes] | Forked | None" = None
    started: list[float] = field(default_factory=list)

    def start(self, environ: dict[str, str]) -> None:
        """Start it in a process group of its own, so that what it starts can be stopped with it."""
        self.started = [moment for moment in self.started if time.monotonic() - moment < RESTART_WINDOW]
        self.started.append(time.monotonic())
        if self.module is not None:
            self.process = fork(self.name, self.module, self.command, self.log, environ)
            return
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environ, cwd=REPOSITORY,
                start_new_session=True,
            )  # fmt: skip

    @property
    def is_running(self) -> bool:
        """Whether the process is alive."""
        return self.process is not None and self.process.poll() is None

    def signal(self, number: int) -> None:
        """Signal the process and what it started."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)

    @property
    def has_group(self) -> bool:
        """Whether the process or anything it started is alive."""
        if self.process is None:
            return False
        if self.process.poll() is None:
            return True
        try:
            os.killpg(self.process.pid, 0)
        except (ProcessLookupError, PermissionError):
            return False
        return True


def python_service(name: str, module: str, arguments: list[str], logs: Path) -> Service:
    """A process that runs a module: as a fork, where that is safe."""
    if CAN_FORK:
        return Service(name, arguments, logs / f"{name}.log", module=module)
    return Service(name, [sys.executable, "-m", module, *arguments], logs / f"{name}.log")
