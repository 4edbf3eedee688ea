"""The guards of Dagster's web server.

Belongs here: putting them in front of the app of Dagster's own command. Not here: the guards (`request_guard`,
`session_guard`), starting the command (`dagster_ui`). Guarantee: they are in the process that listens, so there is no
port without them.
"""

import functools
import socket
from typing import Any

from cli.processes.development import read_development_pid, record_address
from cli.processes.request_guard import App, RequestGuard
from cli.processes.session_guard import SessionGuard
from headwater.settings import Settings


def guard_ui(app: App, settings: Settings) -> RequestGuard:
    """Put the guards in front of an app, with the host names from the settings."""
    return RequestGuard(SessionGuard(app, settings), urls=[settings.dagster_url])


def guard_web_server(settings: Settings, listener: socket.socket | None = None) -> None:
    """Make the web server that this process is about to start serve its app guarded.

    Dagster's command has no way to wrap its app; it serves it with `uvicorn.run`.

    Args:
        settings: the settings of the environment.
        listener: the socket that it serves, instead of an address. If Dagster serves its app in another way one day,
            that finds the port taken, so there is still none without guards.
    """
    import uvicorn

    serve: Any = uvicorn.run
    if hasattr(serve, "__wrapped__"):
        return

    @functools.wraps(serve)
    def serve_guarded(app: App, **options: Any) -> None:
        if read_development_pid(settings.home) is not None:
            record_address(settings, options["port"])
        if listener is None:
            serve(guard_ui(app, settings), **options)
        else:
            uvicorn.Server(uvicorn.Config(guard_ui(app, settings), **options)).run(sockets=[listener])

    uvicorn.run = serve_guarded  # type: ignore[assignment]  # its arguments are passed on
