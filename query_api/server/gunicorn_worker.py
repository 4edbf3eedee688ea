"""The API's server process: gunicorn's threaded worker, made robust against slow clients.

Belongs here: when connections are read, written and closed. Not here: where a request ends (`request_reader`), sockets
(`client_connection`), the app. Guarantee: a request gets a thread only when it has arrived completely, and frees it
when the response is ready, so slow clients do not delay others. gunicorn's own worker reads and writes in its threads
without a time limit: 32 connections with half a request stopped it.
"""

import errno
import logging
import math
import selectors
import socket
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

from headwater.settings import Settings
from query_api import app_context
from query_api.guards.admission import Admission, ask_app, refuse_place
from query_api.guards.connection import is_one_of
from query_api.server.client_connection import Connection, Phase
from query_api.server.refusals import NO_SPACE, refusal_of, response_of
from query_api.server.request_reader import MAX_BODY_BYTES, Part, RefusedError
from query_api.server.stream_loop import StreamLoop

_CONNECTIONS = 512  # at the same time, besides streams
_CONNECTIONS_PER_ADDRESS = 128  # except a trusted proxy's, whose clients have none of their own
_BLOCK = 65_536  # bytes read at a time
_MAX_KEPT_BYTES = 64_000_000  # bytes of requests and responses of slow clients
_KEEP_ALIVE = 15.0  # seconds between two requests of a client
_SENDING = 60.0  # seconds in which a client must read _LEAST_READ of a response, or the rest of it
_MIN_READ_BYTES = 240_000  # bytes: 4 kB a second
_CLOSING = 2.0  # seconds for a client to close; if cut off earlier, it might not see the response
_MAX_DISCARDED_BYTES = 4 * MAX_BODY_BYTES  # bytes that a client may send after it was refused
_NO_ROOM = (errno.EMFILE, errno.ENFILE)
_CROWDED = "There are too many connections from this address. Try again when some are closed."
_log = logging.getLogger("headwater.api")


class GunicornWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Reads requests and finishes responses in one loop, and runs the app in threads."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        settings = Settings.from_env()
        self.seconds = settings.request_time_limit or math.inf
        self.proxies = settings.trusted_proxies
        self.connections: set[Connection] = set()
        self.upload_limit = settings.upload_limit * 1_000_000
        self.uploads = settings.home / "uploads"
        self.streams = StreamLoop()

    def run(self) -> None:
        """Serve until a signal comes."""
        app_context.begin(self.wsgi)
        super().run()
        app_context.end(self.wsgi)

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Begin to end. Answers are ended at once, so that their readers do not hold up the rest."""
        app = getattr(self, "wsgi", None)  # none before the app is loaded
        if self.alive and app is not None:
            threading.Thread(target=app_context.end, args=(app,), daemon=True).start()
        super().handle_exit(sig, frame)

    def accept(self, listener: socket.socket) -> None:
        """Accept a connection; if there are too many, close the one that has waited longest."""
        try:
            accepted, client = listener.accept()
        except OSError as error:
            if error.errno in _NO_ROOM:  # too many open files; the next round tries again
                self._give_up(self.connections)
            elif error.errno not in (errno.EAGAIN, errno.EWOULDBLOCK, errno.ECONNABORTED):
                raise
            return
        connection = Connection(self.cfg, accepted, client, listener.getsockname(), self.upload_limit)
        peers = [peer for peer in self.connections if peer.address == connection.address]
        self.connections.add(connection)
        self.nr_conns += 1
        is_many = len(peers) >= _CONNECTIONS_PER_ADDRESS and not is_one_of(connection.address, self.proxies)
        full = is_many and not self._give_up(peers)
        is_crowded = len(self.connections) - len(self.streams) > _CONNECTIONS
        if full or (is_crowded and not self._give_up(self.connections - {connection})):
            self._refuse(connection, RefusedError(429, "TOO_MANY_CONNECTIONS", _CROWDED))
            return
        self._watch(connection, selectors.EVENT_READ, self._receive)
        connection.enter(Phase.IDLE, self.seconds)

    def handle_request(self, req: Any, conn: Connection) -> Any:
        """Serve a request whose body has arrived."""
        req._expected_100_continue = False  # noqa: SLF001 - it was answered when the head came
        stays = super().handle_request(req, conn)
        is_read = conn.sock.spool is None or req.body.reader.length == 0
        return stays and is_read  # else the rest of a refused upload would be read into memory

    def finish_request(self, conn: Connection, fs: "Future[Any]") -> None:
        """Continue after the response is ready: send the rest, then wait for the next request or close."""
        stays = not fs.cancelled() and fs.exception() is None and bool(fs.result())
        if conn.sock.stream is None:
            self._finish(conn, stays=stays)
            return
        conn.enter(Phase.STREAMING, 0)
        self.streams.add(conn.sock, partial(self.method_queue.defer, self._finish, conn, stays))

    def _finish(self, conn: Connection, stays: bool, is_whole: bool = True) -> None:
        conn.stays = stays
        if conn.sock.fileno() < 0 or not is_whole:
            self._drop(conn)
        elif conn.sock.has_more:
            conn.enter(Phase.SENDING, _SENDING)
            conn.unread = conn.sock.unread
            self._watch(conn, selectors.EVENT_WRITE, self._send)
            self._keep_within_memory()
        else:
            self._go_on(conn)

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:  # noqa: ARG002 - its base's
        """Answer requests that gunicorn could not parse, and our own errors, with a problem."""
        refusal = refusal_of(exc)
        if refusal.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            _log.exception("a request failed", exc_info=exc)
        with suppress(OSError):
            client.sendall(response_of(refusal, getattr(client, "begun", b"")))

    def murder_pending(self) -> None:
        """Close connections that have taken too long; gunicorn calls this at least every second."""
        now = time.monotonic()
        late = [
            connection
            for connection in self.connections
            if connection.phase < Phase.SERVING and connection.deadline < now
        ]
        for connection in late:
            if connection.phase is Phase.SENDING and connection.unread - connection.sock.unread >= _MIN_READ_BYTES:
                connection.deadline = now + _SENDING
                connection.unread = connection.sock.unread
            elif connection.phase is Phase.RECEIVING and connection.is_flowing(self.seconds):
                connection.deadline = now + self.seconds
                connection.arrived = connection.arriving.arrived
            elif connection.phase is Phase.RECEIVING:
                detail = f"The request did not arrive within {self.seconds:g} s. Send it again."
                self._refuse(connection, RefusedError(408, "REQUEST_TIMEOUT", detail))
            else:
                self._drop(connection)

    def murder_keepalived(self, force: bool = False) -> None:
        """Close connections that delay the end of the process."""
        if force or not self.alive:
            last = Phase.SENDING if force else Phase.RECEIVING
            for connection in [connection for connection in self.connections if connection.phase <= last]:
                self._drop(connection)

    def _receive(self, connection: Connection) -> None:
        try:
            block = connection.sock.take(_BLOCK)
        except OSError:
            block = b""
        if block is None:
            return
        if not block:
            self._drop(connection)
            return
        try:
            connection.arriving.add(block)
        except OSError:
            self._refuse(connection, NO_SPACE)
            return
        self._consider(connection)
        if connection.size > _BLOCK:
            self._keep_within_memory()

    def _consider(self, connection: Connection) -> None:
        """Serve a complete request, refuse one that is malformed, else wait for more."""
        try:
            arrived = connection.arriving.part()
        except RefusedError as refusal:
            self._refuse(connection, refusal)
            return
        if arrived is Part.WHOLE:
            self._unwatch(connection)
            connection.hand_over()
            self.enqueue_req(connection)
        elif arrived is Part.HEAD and connection.phase is Phase.IDLE:
            connection.enter(Phase.RECEIVING, self.seconds)
        elif arrived is Part.BODY and not connection.arriving.is_awaited:
            connection.arriving.is_awaited = True
            if connection.arriving.needs_leave:
                self._ask(connection)
            else:
                connection.enter(Phase.RECEIVING, self.seconds)

    def _ask(self, connection: Connection) -> None:
        """Let the app see the head in a thread; meanwhile, nothing is read."""
        self._unwatch(connection)
        connection.sock.begun = connection.arriving.head
        connection.enter(Phase.SERVING, 0)
        future = self.tpool.submit(ask_app, self, connection)
        future.add_done_callback(lambda finished: self.method_queue.defer(self._on_admission, connection, finished))

    def _on_admission(self, connection: Connection, future: "Future[Admission]") -> None:
        """Read the body that the app lets come, else finish the refusal."""
        error = None if future.cancelled() else future.exception()
        if error is not None and not isinstance(error, OSError):  # else the client has left
            self.handle_error(None, connection.sock, connection.client, error)
        if connection not in self.connections:
            return
        if future.cancelled() or error is not None or not future.result().is_granted:
            self._finish(connection, stays=False)
            return
        if connection.arriving.is_upload and not self._is_spooled(connection, future.result()):
            return
        connection.sock.is_counted = True
        connection.enter(Phase.RECEIVING, self.seconds)
        if connection.arriving.expects_continue:
            with suppress(OSError):  # the error will show when the body is read
                connection.sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        self._watch(connection, selectors.EVENT_READ, self._receive)

    def _is_spooled(self, connection: Connection, admission: Admission) -> bool:
        """Keep the body of an upload on disk; False if the upload was refused."""
        refusal = refuse_place(
            admission, (connection.admission for connection in self.connections if connection.is_upload)
        )
        if refusal is not None:
            self._refuse(connection, refusal)
            return False
        try:
            connection.spool(self.uploads, admission)
        except OSError:
            self._refuse(connection, NO_SPACE)
            return False
        return True

    def _send(self, connection: Connection) -> None:
        try:
            connection.sock.flush()
        except OSError:
            self._drop(connection)
            return
        if not connection.sock.has_more:
            self._unwatch(connection)
            self._go_on(connection)

    def _go_on(self, connection: Connection) -> None:
        if not connection.stays or not self.alive:
            self._close(connection)
            return
        connection.take_back()
        connection.enter(Phase.IDLE, _KEEP_ALIVE)
        self._watch(connection, selectors.EVENT_READ, self._receive)
        self._consider(connection)

    def _refuse(self, connection: Connection, refusal: RefusedError) -> None:
        with suppress(OSError):
            connection.sock.sendall(response_of(refusal, bytes(connection.arriving.data[:200])))
        self._unwatch(connection)
        self._close(connection)

    def _close(self, connection: Connection) -> None:
        """Say that nothing more will be sent, and let the client read the rest."""
        connection.close_files()
        connection.enter(Phase.CLOSING, _SENDING if connection.arriving.is_upload else _CLOSING)
        try:
            connection.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._drop(connection)
            return
        self._watch(connection, selectors.EVENT_READ, self._discard)

    def _discard(self, connection: Connection) -> None:
        try:
            block = connection.sock.take(_BLOCK)
        except OSError:
            block = b""
        connection.discarded += len(block or b"")
        most = 2 * self.upload_limit if connection.arriving.is_upload else _MAX_DISCARDED_BYTES
        if block == b"" or connection.discarded > most:
            self._drop(connection)

    def _drop(self, connection: Connection) -> None:
        self._unwatch(connection)
        if connection not in self.connections:
            return
        self.connections.remove(connection)
        self.nr_conns -= 1
        connection.close_files()
        connection.close()

    def _give_up(self, connections: Iterable[Connection]) -> bool:
        """Close the connection that has waited longest without a thread; first, one that is finished anyway."""
        waiting = [connection for connection in connections if connection.phase < Phase.SERVING]
        if waiting:
            self._drop(min(waiting, key=lambda connection: (connection.phase is not Phase.CLOSING, connection.since)))
        return bool(waiting)

    def _keep_within_memory(self) -> None:
        while sum(connection.size for connection in self.connections) > _MAX_KEPT_BYTES:
            waiting = [connection for connection in self.connections if connection.phase < Phase.SERVING]
            if not waiting:
                return
            self._drop(max(waiting, key=lambda connection: connection.size))

    def _watch(self, connection: Connection, events: int, callback: Callable[[Connection], None]) -> None:
        def proceed(_: Any) -> None:
            if connection in self.connections:  # another one in this round may have closed it
                callback(connection)

        self.poller.register(connection.sock, events, proceed)

    def _unwatch(self, connection: Connection) -> None:
        with suppress(KeyError, ValueError):  # not watched, or already closed
            self.poller.unregister(connection.sock)
