"""Processes that are forks of this one, which has imported already what they need.

Belongs here: forking a Python module as a process of its own, and importing beforehand. Not here: which processes there
are (`supervisor`). Guarantee: a fork has a session, log, environment and signals of its own, and no open file of this
process; it looks like a `subprocess.Popen` to whoever watches it.

Four processes of `headwater up` are Dagster's and import the same 120 MB. As forks they share most of that, and start
within a moment. Linux only: elsewhere a fork of a process that has imported much is not safe.
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

from headwater.settings import REPOSITORY

CAN_FORK = sys.platform == "linux"
_STOPPING = (signal.SIGTERM, signal.SIGINT)
_SHARED = (
    "dagster._cli",
    "dagster._grpc.server",
    "dagster._daemon.controller",
    "dagster_postgres",
    "dagster_webserver.app",
    "uvicorn",
    "pipelines.definitions",
    "pipelines.running",
    "cli.commands.syncing",
    "query_api.app",
    "gunicorn.arbiter",
    # What Dagster imports once it reads its configuration, and grpc once it has a channel.
    "dagster_graphql.schema",
    "fsspec.implementations.local",
    "grpc._channel",
    "grpc._server",
    "psycopg2.extras",
    "upath",
)


class Forked:
    """A forked process: what `subprocess.Popen` shows of one."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit status once it has ended; a negative one is the signal that ended it."""
        if self.returncode is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # it ended while SIGCHLD is ignored, so nobody knows how
                self.returncode = 0
            else:
                self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode


def import_shared(environ: Mapping[str, str], is_stopped: Callable[[], bool]) -> None:
    """Import what the forks need, in their environment: what is defined at import depends on that.

    Args:
        environ: the environment.
        is_stopped: says whether the rest need not be imported any more.
    """
    os.environ.update(environ)
    for name in _SHARED:
        if not is_stopped():
            importlib.import_module(name)
    gc.collect()
    gc.freeze()  # what is there stays: forks share its memory


def fork(name: str, module: str, arguments: Sequence[str], log: Path, environ: Mapping[str, str]) -> Forked:
    """Run a module as `python -m` does, in a fork; returns once signals and its process group reach it.

    Args:
        name: what `ps` and `top` call the process.
        module: the module.
        arguments: those of its command line.
        log: the file that its output is added to.
        environ: its environment.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    begun, beginning = os.pipe()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)  # until the fork has handlers of its own
    try:
        pid = os.fork()
        if pid == 0:
            _run(name, module, arguments, log, environ, mask, beginning)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    os.close(beginning)
    os.read(begun, 1)  # ends when the fork closes its side, or dies
    os.close(begun)
    return Forked(pid)


def _run(
    name: str,
    module: str,
    arguments: Sequence[str],
    log: Path,
    environ: Mapping[str, str],
    mask: Iterable[int],
    beginning: int,
) -> NoReturn:
    status = 1
    try:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.close(beginning)
        _redirect(log)
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
    except BaseException:  # noqa: BLE001 - this is the end of a process; its log says why
        traceback.print_exc()
    finally:
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _redirect(log: Path) -> None:
    """Send output to the log, and close every other file of the process that was forked."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    for number in [int(found.name) for found in Path("/proc/self/fd").iterdir()]:
        if number > 2:
            with suppress(OSError):  # that of the listing itself is closed already
                os.close(number)
    sys.stdout = open(1, "w", buffering=1, closefd=False)  # noqa: SIM115 - whatever it was, it is the log from now on
    sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115
