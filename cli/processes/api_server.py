"""The command `serve`: the API with gunicorn.

Belongs here: which port is free, holding one, starting the server. Not here: where it may listen
(`query_api.guards.hosts`), how it serves (`query_api.server.gunicorn_settings`). Guarantee: off loopback it starts only
if there is an admin key.
"""

import errno
import http.client
import os
import socket
import sys
import urllib.request
from functools import partial

from cli.output import note
from headwater.errors import InvalidInputError
from headwater.settings import Settings
from headwater.store.store import open_store
from query_api.guards.hosts import check_host, is_loopback


def check_port(host: str, port: int, option: str = "--port") -> None:
    """Refuse a port that is taken.

    Args:
        host: where to listen.
        port: the port.
        option: what chooses another one.

    Raises:
        InvalidInputError: something listens there already, or it may not be bound.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise _port_error(host, port, option, error) from error


def listen(port: int, option: str) -> socket.socket:
    """Listen at a port of this machine; `option` is what chooses another one.

    Raises:
        InvalidInputError: something listens there already, or it may not be bound.
    """
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise _port_error("127.0.0.1", port, option, error) from error


def _port_error(host: str, port: int, option: str, error: OSError) -> InvalidInputError:
    reason = _listener(port) if error.errno == errno.EADDRINUSE else f"cannot be used ({os.strerror(error.errno or 0)})"
    return InvalidInputError(f"Port {port} on {host} {reason}. Choose another with {option}.")


def _listener(port: int) -> str:
    """Who listens on a port of this machine, as far as a look at it tells."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/live", timeout=1) as response:
            is_headwater = response.headers.get_content_type() == "application/json" and b"status" in response.read(200)
    except (OSError, ValueError, http.client.HTTPException):
        is_headwater = False
    return "is taken by another Headwater" if is_headwater else "is taken"


def has_admin_key(settings: Settings) -> bool:
    """Whether somebody can administer a server that asks for keys.

    Raises:
        DatabaseUnavailableError: Postgres cannot be reached, or is not migrated.
    """
    if settings.admin_key:
        return True
    with open_store(settings, size=1) as store:
        return store.keys.has_admin()


def serve_api(host: str, port: int) -> None:
    """Replace this process with the API's server; returns only by raising.

    Raises:
        InvalidInputError: the address must not or cannot be bound, or a setting is wrong.
        DatabaseUnavailableError: the host is not loopback, and Postgres does not say whether there is an admin key.
    """
    settings = Settings.from_env()
    check_host(host, partial(has_admin_key, settings))
    check_port(host, port)
    if not is_loopback(host) and not settings.local_paths:
        note("Admins may let sources read any folder of this machine; set HEADWATER_LOCAL_PATHS to allow only some.")
    bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    from gunicorn.app.wsgiapp import run

    sys.argv = ["gunicorn", "--config", "python:query_api.server.gunicorn_settings", "--bind", bind]
    run(prog="gunicorn")
