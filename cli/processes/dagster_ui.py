"""Dagster's web server behind a guard: `python -m cli.processes.dagster_ui`.

Belongs here: running Dagster's own command, and putting the guards in front of its app. Not here: the guards
(`cli.processes.request_guard`, `session_guard`). Guarantee: they are in the process that listens, so there is no port
without them.
"""

import functools
from typing import Any

import click

from cli.processes.dagster_command import run_command
from cli.processes.request_guard import App, RequestGuard
from cli.processes.session_guard import SessionGuard
from headwater.settings import Settings


def guarded(app: App, settings: Settings) -> RequestGuard:
    """Put the guards in front of an app, with the host names from the settings."""
    return RequestGuard(SessionGuard(app, settings), urls=[settings.dagster_url], hosts=settings.dagster_hosts)


def guard_web_server(settings: Settings) -> None:
    """Make the web server that this process is about to start serve its app guarded.

    Dagster's command has no way to wrap its app; it serves it with `uvicorn.run`.
    """
    import uvicorn

    serve = uvicorn.run
    if hasattr(serve, "__wrapped__"):
        return

    @functools.wraps(serve)
    def serve_guarded(app: App, **options: Any) -> None:
        serve(guarded(app, settings), **options)

    uvicorn.run = serve_guarded


@click.command()
@click.option("-h", "--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("-p", "--port", default=3000, show_default=True, type=click.IntRange(1, 65535), help="Port to listen on.")
@click.option("-w", "--workspace", default="workspace.yaml", show_default=True, help="Workspace file to load.")
def main(host: str, port: int, workspace: str) -> None:
    """Serve the Dagster UI to browsers on this machine, and to no other site's pages."""
    guard_web_server(Settings.from_env())
    run_command("dagster-webserver", ["-h", host, "-p", str(port), "-w", workspace])


if __name__ == "__main__":
    main()
