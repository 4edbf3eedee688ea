"""One process of `headwater up`.

Belongs here: starting it, signalling it, and whether it is alive. Not here: the list of processes, and restarts
(`supervisor`). Guarantee: it has its own process group, so that its child processes end with it; the home has a record
of it as long as it may run.
"""

import os
import select
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from cli.processes.fork import CAN_FORK, Forked, fork
from cli.processes.process_records import RecordedProcess, has_live_member, locate_record, write_record
from headwater.settings import REPOSITORY

RESTART_WINDOW = 120.0  # seconds; only starts within them count


@dataclass
class Service:
    """One process: its command, and the log for its output."""

    name: str
    command: list[str]
    log: Path
    is_optional: bool = False
    """Whether all other processes work without it."""
    module: str | None = None
    """The Python module that a fork runs; if None, the command is executed."""
    record: Path | None = None
    """The file that records it while it may run."""
    listener: socket.socket | None = None
    """The socket that it serves; if there is one, the process is started at the first connection."""
    process: "subprocess.Popen[bytes] | Forked | RecordedProcess | None" = None
    started: list[float] = field(default_factory=list)

    def start(self, environ: dict[str, str]) -> None:
        """Start it in its own process group, so that its child processes can be stopped with it."""
        self.started = [moment for moment in self.started if time.monotonic() - moment < RESTART_WINDOW]
        self.started.append(time.monotonic())
        if self.module is not None:
            self.process = fork(self.name, self.module, self.command, self.log, environ, self.record, self._files)
            return
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environ, cwd=REPOSITORY,
                start_new_session=True, pass_fds=self._files,
            )  # fmt: skip
        if self.record is not None:
            write_record(self.record, self.process.pid)

    @property
    def _files(self) -> tuple[int, ...]:
        """The open files of this process that it needs."""
        return () if self.listener is None else (self.listener.fileno(),)

    @property
    def is_awaiting(self) -> bool:
        """Whether it is started at the first connection, and there has been none."""
        return self.listener is not None and self.process is None

    @property
    def is_visited(self) -> bool:
        """Whether a connection waits for a process that has not been started."""
        if not self.is_awaiting:
            return False
        poll = select.poll()
        for descriptor in self._files:
            poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(0))

    @property
    def is_running(self) -> bool:
        """Whether the process is alive."""
        return self.process is not None and self.process.poll() is None

    def signal(self, number: int) -> None:
        """Signal the process and its child processes."""
        if self.process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, number)

    @property
    def has_group(self) -> bool:
        """Whether the process or one of its child processes is alive."""
        if self.process is None:
            return False
        if self.process.poll() is None:
            return True
        return has_live_member(self.process.pid)

    def refuse_connections(self) -> None:
        """Stop listening, since the process cannot run: who connects would wait for nothing."""
        if self.listener is not None:
            self.listener.close()
            self.listener = None

    def forget(self) -> None:
        """Remove its record, since it has ended."""
        if self.record is not None:
            self.record.unlink(missing_ok=True)


def python_service(name: str, module: str, arguments: list[str], home: Path) -> Service:
    """A process that runs a module; a fork if forking is safe here."""
    log, record = home / "logs" / f"{name}.log", locate_record(home, name)
    if CAN_FORK:
        return Service(name, arguments, log, module=module, record=record)
    return Service(name, [sys.executable, "-m", module, *arguments], log, record=record)


def from_record(name: str, process: RecordedProcess, home: Path) -> Service:
    """A process that an earlier `headwater up` started."""
    return Service(name, [], home / "logs" / f"{name}.log", record=locate_record(home, name), process=process)
