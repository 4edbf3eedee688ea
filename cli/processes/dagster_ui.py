"""Dagster's web server behind a guard: `python -m cli.processes.dagster_ui`.

Belongs here: running Dagster's own command, guarded. Not here: the guards (`ui_guard`). Guarantee: without them, the
command is not run.
"""

import socket

import click

from cli.processes.dagster_command import run_command
from cli.processes.ui_guard import guard_web_server
from headwater.settings import Settings


@click.command()
@click.option("-h", "--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("-p", "--port", default=3000, show_default=True, type=click.IntRange(1, 65535), help="Port to listen on.")
@click.option("-w", "--workspace", default="workspace.yaml", show_default=True, help="Workspace file to load.")
@click.option("--listener", type=int, help="Open file that is a socket which listens at that address already.")
def main(host: str, port: int, workspace: str, listener: int | None) -> None:
    """Serve the Dagster UI to browsers on this machine, and to no other site's pages."""
    guard_web_server(Settings.from_env(), None if listener is None else socket.socket(fileno=listener))
    run_command("dagster-webserver", ["-h", host, "-p", str(port), "-w", workspace])


if __name__ == "__main__":
    main()
