"""Noticing that a client has left, without writing to it.

Belongs here: looking at the connection of a request, and ending an answer that nobody waits for. Not here: streams.
Guarantee: looking reads nothing, so the next request on the connection is complete; a server that gives no connection
has clients that stay.
"""

import select
from collections.abc import Mapping
from typing import Any

from headwater.answering.answer_task import AnswerTask
from headwater.domain.answers import Answer, StoredAnswer

LOOK = 0.5
"""Seconds between two looks at whether the client is there."""
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


def result_while_there(task: AnswerTask, client: Client) -> Answer | StoredAnswer:
    """The answer that a task makes; it is cancelled if the client leaves.

    Raises:
        CancelledError: the client has left. HeadwaterError: the answer failed.
    """
    for _ in task.events(patience=LOOK):
        if task.ended is None and client.has_left:
            task.cancel()
    return task.result()
