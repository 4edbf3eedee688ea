"""The process of `headwater up` that syncs for commands.

Belongs here: importing once what a sync needs, and forking a child for each command. Not here: the messages
(`sync_client`), the sync itself (`headwater.syncing`). Guarantee: each child has the environment of its command and
nothing of another's. A child may be killed at any time; its unfinished work waits for another run, as with any process.

A fork takes about 20 ms, while a new process would import for over a second. This process has one thread and no
connection, so a fork copies nothing half done.
"""

import gc
import importlib
import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NoReturn

import click

from cli.imports import many_imports
from cli.output import explain_error
from cli.processes.sync_client import identity, is_own, open_listener, receive, send
from headwater.settings import Settings

_PATIENCE = 10.0  # seconds for a command to send its request
_USED_LATER = (
    "pipelines.in_process_run",
    "query_api.routes.sync_payloads",
    "rich.progress",
    "headwater.models_gateway.hash_embedder",
)


@click.command()
@click.option("--listener", "descriptor", type=int, help="Open file that is the socket for commands.")
def main(descriptor: int | None) -> None:
    """Serve commands until a signal comes."""
    settings = Settings.from_env()
    _import_everything(settings)
    with open_listener(settings.home) if descriptor is None else socket.socket(fileno=descriptor) as listener:
        signal.signal(signal.SIGCHLD, _reap_children)
        gc.collect()
        gc.freeze()  # children share this memory
        while True:
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                _serve(connection)
            connection.close()


def _import_everything(settings: Settings) -> None:
    """Import what a sync needs. `up`, of which this is a fork, has done so, and has opened Dagster's storage once."""
    with many_imports():
        for name in ("cli.sync_run", *_USED_LATER):
            importlib.import_module(name)
    from pipelines.in_process_run import sync_job

    sync_job(settings)


def _reap_children(*_: object) -> None:
    """Reap finished children, so that none stays behind as a zombie."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _serve(connection: socket.socket) -> NoReturn:
    """Do one command's work in a child process, and exit."""
    status = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        connection.settimeout(_PATIENCE)
        request, files = receive(connection)
        is_accepted = is_own(connection) and request.items() >= identity().items()
        send(connection, {"is_accepted": is_accepted, "process": os.getpid()})
        if is_accepted:
            connection.settimeout(None)
            signal.signal(signal.SIGTERM, lambda *_: _stop(connection))
            _take_over(request, files)
            answer = _answer(request, None if files else lambda line: send(connection, {"progress": line}))
            with suppress(OSError):  # the command was killed; its work is done all the same
                send(connection, answer)
        status = 0
    except (OSError, EOFError, ValueError):
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _stop(connection: socket.socket) -> NoReturn:
    """Tell the command that `up` or this worker ends. During a run, Dagster takes this signal for a Ctrl-C."""
    with suppress(OSError):
        send(connection, {"is_interrupted": True})
    os._exit(1)


def _take_over(request: Mapping[str, Any], files: list[int]) -> None:
    """Take over the environment, the folder and the terminal of the command."""
    os.environ.clear()
    os.environ.update(request["environ"])
    with suppress(OSError, TypeError):
        os.chdir(request["folder"])
    for terminal in files[:1]:
        os.dup2(terminal, 2)


def _answer(request: Mapping[str, Any], tell: Callable[[str], None] | None) -> dict[str, Any]:
    from cli.sync_run import sync_sources

    try:
        options = {name: request[name] for name in ("is_full", "confirms_deletions")}
        result, error = sync_sources(request["slug"], request["slugs"], tell=tell, **options)
    except KeyboardInterrupt:
        return {"is_interrupted": True}
    except Exception as error:  # noqa: BLE001 - whatever it is, the command says so as it would of its own
        problem = explain_error(error)
        return {"code": problem.code, "message": str(problem), "exit_status": problem.exit_status}
    return {"result": result, "error": error}


if __name__ == "__main__":
    main()
