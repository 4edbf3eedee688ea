"""Dagster's code server: `python -m cli.processes.code_server --socket SOCKET`, or `-h HOST -p PORT` in a container.

Belongs here: starting Dagster's own server with Headwater's definitions, where it listens, and how others find it
there. Not here: the definitions. Guarantee: it is Dagster's command. On a socket, only the owner of the home can reach
it: a program that reaches it can run code.
"""

import json
import re
import shutil
import socket
from contextlib import closing
from pathlib import Path

import click

from cli.processes.dagster_command import run_command
from headwater.private_files import private_folder
from headwater.temporary_folders import make_temporary_folder

_MODULE = ("-m", "pipelines.definitions", "--use-python-environment-entry-point")
_NAME = "code-server.sock"
_MAX_PATH_BYTES = 103  # bytes of a socket's path that every system allows
_PLAIN = re.compile(r"[\w/. -]+")  # grpc reads an address as a URI, in which other characters have a meaning
_LOCATION = "headwater"  # as in workspace.yaml: Dagster keeps the state of sensors under it


def choose_socket(home: Path) -> Path:
    """Where the code server of a home listens: in the home, or else in a new folder with a plain, short name."""
    place = home / _NAME
    is_possible = len(str(place).encode()) <= _MAX_PATH_BYTES and _PLAIN.fullmatch(str(place))
    return place if is_possible else make_temporary_folder("code-server") / _NAME


def remove_place(place: Path, home: Path) -> None:
    """Remove the folder that `choose_socket` has made, if it has."""
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


def command(*, place: str | None, host: str, port: int) -> list[str]:
    """Dagster's own command for a socket or, without one, an address."""
    address = ["-h", host, "-p", str(port)] if place is None else ["--socket", place]
    return ["dagster", "api", "grpc", *_MODULE, *address]


@click.command()
@click.option("--socket", "place", help="Socket to listen on, instead of an address.")
@click.option("-h", "--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("-p", "--port", default=4000, show_default=True, type=click.IntRange(1, 65535))
def main(place: str | None, host: str, port: int) -> None:
    """Serve until a signal stops the process."""
    name, *arguments = command(place=place, host=host, port=port)
    run_command(name, arguments)


if __name__ == "__main__":
    main()
