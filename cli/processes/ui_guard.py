"""The guards of Dagster's web server.

Belongs here: putting them in front of the app of Dagster's own command. Not here: the guards (`request_guard`,
`session_guard`), starting the command (`dagster_ui`). Guarantee: they are in the process that listens, so there is no
port without them.
"""

import functools
import urllib.error
import urllib.request
from typing import Any

from cli.processes.request_guard import App, RequestGuard
from cli.processes.session_guard import SessionGuard
from headwater.settings import Settings


def guard_ui(app: App, settings: Settings) -> RequestGuard:
    """Put the guards in front of an app, with the host names from the settings."""
    return RequestGuard(SessionGuard(app, settings), urls=[settings.dagster_url], hosts=settings.dagster_hosts)


def guard_web_server(settings: Settings) -> None:
    """Make the web server that this process is about to start serve its app guarded.

    Dagster's command has no way to wrap its app; it serves it with `uvicorn.run`.
    """
    import uvicorn

    serve: Any = uvicorn.run
    if hasattr(serve, "__wrapped__"):
        return

    @functools.wraps(serve)
    def serve_guarded(app: App, **options: Any) -> None:
        serve(guard_ui(app, settings), **options)

    uvicorn.run = serve_guarded  # type: ignore[assignment]  # its arguments are passed on


def is_guarded(port: int) -> bool:
    """Whether the web server on a port of this machine refuses a request that names another host."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/server_info", headers={"Host": "another.invalid"})
    try:
        urllib.request.urlopen(request, timeout=30).close()  # noqa: S310 - our own address
    except urllib.error.HTTPError as error:
        return error.code == 403
    return False
