"""Dagster's web server behind a guard: `python -m cli.processes.dagster_ui`.

Belongs here: building the web server's app as its own command does, and serving it guarded. Not here: the guards
(`cli.processes.request_guard`, `session_guard`). Guarantee: they are in the process that listens, so there is no port
without them.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import click

from cli.processes.code_server import build_workspace_target
from cli.processes.request_guard import App, RequestGuard
from cli.processes.session_guard import SessionGuard
from headwater.private_files import private_umask
from headwater.settings import Settings

# The defaults of dagster-webserver's own command.
_STATEMENT_TIMEOUT = 15_000  # milliseconds
_POOL_RECYCLE = 3600  # seconds
_POOL_OVERFLOW = 20
_POLL_RATE = 2000  # milliseconds


def guarded(app: App, settings: Settings) -> RequestGuard:
    """Put the guards in front of an app, with the host names from the settings."""
    return RequestGuard(SessionGuard(app, settings), urls=[settings.dagster_url], hosts=settings.dagster_hosts)


@click.command()
@click.option("-h", "--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("-p", "--port", default=3000, show_default=True, type=click.IntRange(1, 65535))
@click.option("--socket", "place", help="Socket of the code server, instead of a workspace file.")
@click.option("-w", "--workspace", default="workspace.yaml", show_default=True, help="Workspace file to load.")
def main(host: str, port: int, place: str | None, workspace: str) -> None:
    """Serve the Dagster UI to browsers on this machine, and to no other site's pages."""
    private_umask()
    import uvicorn
    from dagster import DagsterInstance
    from dagster._core.workspace.context import WorkspaceProcessContext
    from dagster._utils.log import configure_loggers
    from dagster_webserver.app import create_app_from_workspace_process_context
    from dagster_webserver.version import __version__

    settings = Settings.from_env()
    configure_loggers(formatter="colored", log_level="INFO")
    with DagsterInstance.get() as instance:
        instance.optimize_for_webserver(_STATEMENT_TIMEOUT, _POOL_RECYCLE, _POOL_OVERFLOW)
        target = build_workspace_target(place, workspace)
        with WorkspaceProcessContext(instance, version=__version__, workspace_load_target=target) as context:
            app = create_app_from_workspace_process_context(
                context, live_data_poll_rate=_POLL_RATE, lifespan=_until_cancelled
            )
            uvicorn.run(guarded(app, settings), host=host, port=port, log_level="warning")


@asynccontextmanager
async def _until_cancelled(_: object) -> AsyncIterator[None]:
    """End quietly: uvicorn cancels waiting tasks (uvicorn issue 1160)."""
    with suppress(asyncio.CancelledError):
        yield


if __name__ == "__main__":
    main()
