"""Noticing that a client has left, without writing to it.

Belongs here: looking at the connection of a request. Not here: what ends then. Guarantee: looking reads nothing, so the
next request on the connection is complete; a server that gives no connection has clients that stay.
"""

import select
from collections.abc import Mapping
from typing import Any

_LEFT = getattr(select, "POLLRDHUP", 0) | select.POLLHUP | select.POLLERR


class Client:
    """The client of one request."""

    def __init__(self, environ: Mapping[str, Any]) -> None:
        """Take the environment of the request."""
        self._socket = environ.get("gunicorn.socket") or environ.get("werkzeug.socket")

    @property
    def has_left(self) -> bool:
        """Whether it has closed its side of the connection."""
        if self._socket is None or self._socket.fileno() < 0:
            return self._socket is not None
        watched = select.poll()
        watched.register(self._socket.fileno(), _LEFT)
        return bool(watched.poll(0))
