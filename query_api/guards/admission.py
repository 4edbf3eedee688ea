"""Whether a client may send the body of its request, and the places of uploads (API-6, SEC-1).

Belongs here: asking the app about a request of which only the head has arrived, and how many uploads of whom may arrive
at once. Not here: the rules (`request_checks`), sockets (`query_api.server.gunicorn_worker`), where a head ends
(`query_api.server.request_reader`). Guarantee: no byte of an upload or of another large body is read, and nothing is
written, before the app has let its sender in; one key or one address never takes every place.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from gunicorn import http
from gunicorn.http import wsgi

from query_api.server.request_reader import RefusedError

HEAD_ONLY = "headwater.head_only"
"""The variable of WSGI's environment that holds an `Admission`, if only the head has arrived."""
MAX_UPLOADS = 16  # that arrive at the same time
MAX_UPLOADS_OF_ADDRESS = 8  # so that programs of one machine, whatever keys they have, leave room for others
MAX_UPLOADS_OF_KEY = 4
_WAIT = "Try again when one of them is complete."


@dataclass(kw_only=True, slots=True)
class Admission:
    """Whether a body may come, and whose it is; the last check of the app before it would read the body says so."""

    is_granted: bool = False
    key: str | None = None
    """The id of the sender's key; None if no key is needed."""
    address: str = ""

    def grant(self, key: str | None, address: str) -> None:
        """Let the body come."""
        self.is_granted, self.key, self.address = True, key, address


def ask_app(worker: Any, connection: Any) -> Admission:
    """Ask the app whether a body may come; if not, the app's refusal is written to the connection.

    Args:
        worker: gunicorn's, with the app.
        connection: its `arriving` holds the head.

    Raises:
        ParseException: the head is no HTTP.
    """
    head = bytes(connection.arriving.head)
    request = next(http.get_parser(worker.cfg, iter([head]), connection.client))
    request._expected_100_continue = False  # noqa: SLF001 - the worker sends it once the body may come
    response, environ = wsgi.create(request, connection.sock, connection.client, connection.server, worker.cfg)
    admission = Admission()
    environ |= {HEAD_ONLY: admission, "wsgi.input": BytesIO(), "wsgi.multithread": True}
    responses: list[tuple[str, list[tuple[str, str]]]] = []
    blocks = worker.wsgi(environ, lambda status, headers, _=None: responses.append((status, headers)))
    try:
        if not admission.is_granted:
            response.force_close()
            response.start_response(*responses[-1])
            _write(response, blocks)
    finally:
        getattr(blocks, "close", lambda: None)()
    return admission


def refuse_place(mine: Admission, others: Iterable[Admission]) -> RefusedError | None:
    """The refusal of an upload that has no place beside the others that arrive; None if it has one.

    Its sender's share comes first: whoever has used it up learns that, also while every place is taken.
    """
    there = list(others)
    of_key = sum(admission.key == mine.key for admission in there) if mine.key is not None else 0
    if of_key >= MAX_UPLOADS_OF_KEY:
        return _too_many(f"{of_key} uploads with this key")
    of_address = sum(admission.address == mine.address for admission in there)
    if of_address >= MAX_UPLOADS_OF_ADDRESS:
        return _too_many(f"{of_address} uploads from this address")
    return _too_many(f"{len(there)} uploads") if len(there) >= MAX_UPLOADS else None


def _too_many(which: str) -> RefusedError:
    return RefusedError(429, "TOO_MANY_UPLOADS", f"{which} are arriving already. {_WAIT}")


def _write(response: Any, blocks: Iterator[bytes]) -> None:
    for block in blocks:
        response.write(block)
    response.close()
