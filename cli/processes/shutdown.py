"""Stopping what `headwater up` runs, and what a killed one left.

Belongs here: ending processes in order, and the command `down`. Not here: starting and watching them (`supervisor`),
finding those of a killed `up` (`process_records`). Guarantee: each process gets TERM, then KILL, and it is checked that
it has ended: a Dagster code server left behind would serve stale definitions.
"""

import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from cli.processes.development import read_development_pid
from cli.processes.process_records import find_remaining_processes
from cli.processes.service import Service, from_record
from cli.processes.sync_client import SOCKET
from cli.processes.up_file import read_pid, release
from headwater.errors import ConflictError
from headwater.settings import Settings
from headwater.store.server import embedded_postgres

_GRACE = 10.0  # seconds between TERM and KILL


def stop() -> list[str]:
    """Stop a running `up`, whatever a killed one left, then the embedded Postgres; returns what was stopped.

    Raises:
        ConflictError: one of them does not end, or `dagster dev` runs, which needs Postgres.
    """
    settings = Settings.from_env()
    if (development := read_development_pid(settings.home)) is not None:
        raise ConflictError(
            f"`dagster dev` runs for {settings.home} (process {development}), and needs Postgres. Stop it with Ctrl-C, "
            "then run this again."
        )
    stopped = []
    pid = read_pid(settings.home)
    if pid is not None:
        _end_up(settings.home, pid)
        stopped.append("headwater up")
    stopped += stop_remaining(settings.home)
    release(settings.home)
    if settings.database_url is None and embedded_postgres.stop(settings.home / "postgres"):
        stopped.append("Postgres")
    return stopped


def _end_up(home: Path, pid: int) -> None:
    """End `up`: TERM, and KILL if it hangs."""
    for signal_number, seconds in ((signal.SIGTERM, 2 * _GRACE + 5), (signal.SIGKILL, _GRACE)):
        with suppress(ProcessLookupError):
            os.kill(pid, signal_number)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if read_pid(home) is None:
                return
            time.sleep(0.1)
    raise ConflictError(f"`headwater up` (process {pid}) does not end, even when it is killed. Nothing was stopped.")


def stop_remaining(home: Path) -> list[str]:
    """Stop the processes that a killed `up` of this home left; returns their names.

    Raises:
        ConflictError: one of them does not end.
    """
    remaining = find_remaining_processes(home)
    services = [from_record(name, process, home) for name, process in remaining.items()]
    if services:
        end_services(home, services)
    for service in services:
        if service.has_group:
            raise ConflictError(
                f"A killed `headwater up` left {service.name} (process {remaining[service.name].pid}), which does not"
                " end, even when it is killed. End it, then try again."
            )
    return list(remaining)


def stop_services(services: Sequence[Service]) -> None:
    """Stop processes and their children: TERM, wait, KILL, verify."""
    for service in reversed(services):
        service.signal(signal.SIGTERM)
    deadline = time.monotonic() + _GRACE
    while any(service.has_group for service in services) and time.monotonic() < deadline:
        time.sleep(0.05)
    for service in services:
        if service.has_group:
            service.signal(signal.SIGKILL)
    deadline = time.monotonic() + _GRACE
    while any(service.has_group for service in services) and time.monotonic() < deadline:
        time.sleep(0.05)
    for service in services:
        if not service.has_group:
            service.forget()


def end_services(home: Path, services: Sequence[Service]) -> None:
    """Stop the processes of a home; commands that the sync worker works for learn that it was stopped."""
    with suppress(OSError):  # the processes must be stopped, whatever happens to the socket
        (home / SOCKET).unlink()  # first, so that commands know why their work ends
    stop_services(services)
