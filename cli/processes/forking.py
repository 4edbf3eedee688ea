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
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from headwater.settings import REPOSITORY

CAN_FORK = sys.platform == "linux"
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
            with suppress(ChildProcessError):
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


def import_shared(environ: Mapping[str, str]) -> None:
    """Import what the forks need, in their environment: what is defined at import depends on that."""
    os.environ.update(environ)
    for name in _SHARED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # what is there stays: forks share its memory


def fork(name: str, module: str, arguments: Sequence[str], log: Path, environ: Mapping[str, str]) -> Forked:
    """Run a module as `python -m` does, in a fork.

    Args:
        name: what `ps` and `top` call the process.
        module: the module.
        arguments: those of its command line.
        log: the file that its output is added to.
        environ: its environment.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        _run(name, module, arguments, log, environ)
    return Forked(pid)


def _run(name: str, module: str, arguments: Sequence[str], log: Path, environ: Mapping[str, str]) -> NoReturn:
    status = 1
    try:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _redirect(log)
        os.environ.clear()
        os.environ.update(environ)
        os.chdir(REPOSITORY)
        Path("/proc/self/comm").write_text(name, encoding="ascii")
        sys.argv = [module, *arguments]
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
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
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    sys.stdout = open(1, "w", buffering=1, closefd=False)  # noqa: SIM115 - whatever it was, it is the log from now on
    sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115
