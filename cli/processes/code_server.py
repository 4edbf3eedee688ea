"""Dagster's code server: `python -m cli.processes.code_server -h HOST -p PORT`, or a thread of the daemon.

Belongs here: starting Dagster's own server with Headwater's definitions, where it listens, and how others find it
there. Not here: the definitions. Guarantee: it is Dagster's command. On a socket, only the owner of the home can reach
it: a program that reaches it can run code. A process whose server has ended ends too.
"""

import json
import os
import re
import shutil
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import click

from cli.processes.dagster_command import run_command
from headwater.private_files import private_folder
from headwater.temporary_folders import make_temporary_folder

_MODULE = ("-m", "pipelines.definitions", "--use-python-environment-entry-point")
_NAME = "code-server.sock"
_MAX_PATH_BYTES = 103  # bytes of a socket's path that every system allows
_PLAIN = re.compile(r"[\w/. -]+")  # grpc reads an address as a URI, in which other characters have a meaning
_LOOK = 0.05  # seconds between looks whether it listens
_LOCATION = "headwater"  # as in workspace.yaml: Dagster keeps the state of sensors under it


def choose_socket(home: Path) -> Path:
    """Where the code server of a home listens: in the home, or else in a new folder with a plain, short name."""
    place = home / _NAME
    is_possible = len(str(place).encode()) <= _MAX_PATH_BYTES and _PLAIN.fullmatch(str(place))
    return place if is_possible else make_temporary_folder("code-server") / _NAME


def remove_place(place: Path, home: Path) -> None:
    """Remove the socket, and the folder that `choose_socket` has made, if it has."""
    with suppress(OSError):
        place.unlink()
    if place.parent != home:
        shutil.rmtree(place.parent, ignore_errors=True)


def is_listening(place: Path) -> bool:
    """Whether a process listens on a socket."""
    with closing(socket.socket(socket.AF_UNIX)) as probe:
        probe.settimeout(1)
        return probe.connect_ex(str(place)) == 0


def write_workspace(home: Path, place: Path) -> Path:
    """Write the file that tells Dagster's processes of the code server on a socket; returns its path."""
    file = private_folder(home / "dagster") / "workspace.yaml"
    server = {"host": "localhost", "socket": str(place), "location_name": _LOCATION}
    file.write_text(json.dumps({"load_from": [{"grpc_server": server}]}), encoding="utf-8")  # JSON is YAML
    return file


def command(*address: str) -> list[str]:
    """Dagster's own command for an address or a socket."""
    return ["dagster", "api", "grpc", *_MODULE, *address]


def serve_in_thread(place: Path) -> None:
    """Serve on a socket in a thread; returns when it listens. When the server ends, TERM ends this process."""
    server = threading.Thread(target=_serve, args=(place,), name="code-server", daemon=True)
    with _main_thread_handles_signals():
        server.start()
        while not is_listening(place):
            time.sleep(_LOOK)


def _serve(place: Path) -> None:
    name, *arguments = command("--socket", str(place))
    try:
        run_command(name, arguments)
    finally:
        os.kill(os.getpid(), signal.SIGTERM)


@contextmanager
def _main_thread_handles_signals() -> Iterator[None]:
    """Leave the handlers of signals as they are when another thread sets one, which Python refuses.

    Dagster's commands set them first of all, and have no option to leave that out.
    """
    set_handler = signal.signal

    def set_in_main_thread(number: int, handler: Any) -> Any:
        is_main = threading.current_thread() is threading.main_thread()
        return set_handler(number, handler) if is_main else signal.getsignal(number)

    replaced: Any = set_in_main_thread
    signal.signal = replaced
    try:
        yield
    finally:
        signal.signal = set_handler


@click.command()
@click.option("-h", "--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("-p", "--port", default=4000, show_default=True, type=click.IntRange(1, 65535))
def main(host: str, port: int) -> None:
    """Serve until a signal stops the process."""
    name, *arguments = command("-h", host, "-p", str(port))
    run_command(name, arguments)


if __name__ == "__main__":
    main()
