"""Processes that are forks of this process, which has already imported their modules.

Belongs here: importing shared modules, and running a module in a fork. Not here: the list of processes (`supervisor`).
Guarantee: a fork has its own session, log, environment and signal handlers, and only the open files of this process
that it is to keep; its `Forked` has the same methods as a `subprocess.Popen`.

Three processes of `headwater up` belong to Dagster; two of them import the same 120 MB. As forks they share most of it
and start at once. Its web server imports 34 MB that no other needs, so it does that itself. Linux only: on other
systems, forking a process with many imported libraries is not safe.
"""

import gc
import importlib
import os
import runpy
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from cli.imports import many_imports
from cli.processes.dagster_command import load_command
from cli.processes.process_records import write_record
from headwater.settings import REPOSITORY, Settings

CAN_FORK = sys.platform == "linux"
_STOPPING = (signal.SIGTERM, signal.SIGINT)
_SHARED_COMMANDS = ("dagster", "dagster-daemon")
_SHARED = (
    "cli.dagster_instance",
    "pipelines.definitions",
    "pipelines.in_process_run",
    "cli.sync_run",
    "query_api.routes.sync_payloads",
    "rich.progress",
    "headwater.models_gateway.hash_embedder",
    "query_api.server.served_app",
    "cli.main",
    "gunicorn.app.wsgiapp",
    "query_api.server.gunicorn_settings",
    # Dagster imports these when it reads its configuration or serves code, and grpc when it opens a channel.
    "google.protobuf.descriptor_pool",
    "grpc_health.v1.health",
    "fsspec.implementations.local",
    "grpc._channel",
    "grpc._server",
    "psycopg2.extras",
    "upath",
)


class Forked:
    """A forked process, with the part of `subprocess.Popen` that the supervisor needs."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit status, None while it runs; a negative status is the signal that ended it."""
        if self.returncode is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # it ended while SIGCHLD is ignored, so nobody knows how
                self.returncode = 0
            else:
                self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode


def import_shared(environ: Mapping[str, str], is_stopped: Callable[[], bool]) -> None:
    """Import the shared modules in the environment of the forks, because definitions depend on the environment.

    Args:
        environ: the environment.
        is_stopped: says whether to leave out the rest.
    """
    os.environ.update(environ)
    with many_imports():
        for name in _SHARED_COMMANDS:
            if not is_stopped():
                load_command(name)
        for name in _SHARED:
            if not is_stopped():
                importlib.import_module(name)
        if not is_stopped():
            _use_once()
    gc.collect()
    gc.freeze()  # the garbage collector leaves these objects alone, so forks keep sharing their memory


def _use_once() -> None:
    """Do what forks do first, because of what it leaves in caches: each fork would have that memory for itself."""
    from cli.environment import dagster_instance
    from pipelines.definitions import defs
    from pipelines.in_process_run import sync_job
    from query_api.server.served_app import load_app

    settings = Settings.from_env()
    load_app()
    sync_job(settings)
    defs.get_repository_def()
    with suppress(Exception), dagster_instance(settings):  # without the database, the forks say why
        pass


def fork(
    name: str,
    module: str,
    arguments: Sequence[str],
    log: Path,
    environ: Mapping[str, str],
    record: Path | None = None,
    files: Sequence[int] = (),
) -> Forked:
    """Run a module as `python -m` does, in a fork; returns once signals and its process group reach it.

    Args:
        name: the name of the process in `ps` and `top`.
        module: the module.
        arguments: its command line.
        log: the file that its output is added to.
        environ: its environment.
        record: the file in which it records itself before it does anything else.
        files: the open files of this process that it keeps.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    read_end, beginning = os.pipe()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)  # until the fork has handlers of its own
    try:
        pid = os.fork()
        if pid == 0:
            _run(name, module, arguments, log, environ, mask, beginning, record, files)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    os.close(beginning)
    os.read(read_end, 1)  # ends when the fork closes its side, or dies
    os.close(read_end)
    return Forked(pid)


def _run(
    name: str,
    module: str,
    arguments: Sequence[str],
    log: Path,
    environ: Mapping[str, str],
    mask: Iterable[int],
    beginning: int,
    record: Path | None,
    files: Sequence[int],
) -> NoReturn:
    status = 1
    try:
        os.setsid()
        if record is not None:  # not by the process that forks: it may be killed before it gets to that
            with suppress(OSError):  # on a full disk, the process matters more than its record
                write_record(record, os.getpid())
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.close(beginning)
        _redirect(log, files)
        os.environ.clear()
        os.environ.update(environ)
        os.chdir(REPOSITORY)
        with suppress(OSError):  # the name is for people only
            Path("/proc/self/comm").write_text(name, encoding="ascii")
        sys.argv = [module, *arguments]
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
    except BaseException:  # noqa: BLE001 - the process ends here, and its log says why
        traceback.print_exc()
    finally:
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _redirect(log: Path, files: Sequence[int]) -> None:
    """Send output to the log, and close every other file of the process that was forked, except some."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    for descriptor in [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]:
        if descriptor > 2 and descriptor not in files:
            with suppress(OSError):  # the listing itself is closed already
                os.close(descriptor)
    sys.stdout = open(1, "w", buffering=1, closefd=False)  # noqa: SIM115 - it stays open as long as the process lives
    sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115
