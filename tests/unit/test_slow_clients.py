"""How long the API waits for clients that read (SEC-1)."""

import fcntl
import os
import resource
import selectors
import socket
from collections.abc import Iterator
from contextlib import closing, suppress

import pytest
from gunicorn.config import Config

from query_api.server import client_connection, gunicorn_worker
from query_api.server.client_connection import Connection, Phase, Wire
from query_api.server.gunicorn_worker import GunicornWorker


@pytest.fixture
def client() -> Iterator[tuple[socket.socket, Connection, GunicornWorker]]:
    """A client that has read nothing, its connection with 6 MB to send, and the worker that keeps it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        reader = socket.socket()
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)  # less than it must read
        reader.connect(listener.getsockname())
        accepted, address = listener.accept()
    server = GunicornWorker(1, os.getpid(), [], None, 30, Config(), None)
    server.poller = selectors.DefaultSelector()
    connection = Connection(Config(), accepted, address, ("127.0.0.1", 1))
    server.connections.add(connection)
    connection.sock.unsent = bytearray(6_000_000)
    connection.sock.flush()
    connection.enter(Phase.SENDING, -1)  # its time is over
    connection.unread = connection.sock.unread
    with closing(reader), closing(server.poller), closing(connection.sock):
        yield reader, connection, server
    server.tmp.close()


def test_a_client_that_reads_slowly_gets_the_rest(
    client: tuple[socket.socket, Connection, GunicornWorker],
) -> None:
    """Each time that it has read enough, it gets as much time again."""
    reader, connection, server = client
    for _ in range(3):
        left = gunicorn_worker._MIN_READ_BYTES * 4  # a window opens in steps
        while left > 0:
            left -= len(reader.recv(left))
            with suppress(OSError):
                connection.sock.flush()
        server.murder_pending()
        assert connection in server.connections
        connection.deadline = 0.0


@pytest.mark.parametrize("size", [0, 1, 1000])
def test_a_client_that_reads_next_to_nothing_is_given_up(
    client: tuple[socket.socket, Connection, GunicornWorker], size: int
) -> None:
    """A byte now and then buys no time."""
    reader, connection, server = client
    if size:
        reader.recv(size)
    server.murder_pending()
    assert connection not in server.connections
    assert connection.sock.fileno() < 0


def test_descriptors_may_have_any_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server with more than a thousand open files waits for its clients like any other."""
    monkeypatch.setattr(client_connection, "_MAX_UNSENT_BYTES", 10)
    monkeypatch.setattr(client_connection, "_PATIENCE", 0.05)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    ours, theirs = socket.socketpair()
    try:
        high = socket.socket(fileno=fcntl.fcntl(ours.fileno(), fcntl.F_DUPFD, 1024))
        with ours, theirs, closing(Wire.around(high)) as sending:
            sending.unsent = bytearray(6_000_000)
            with pytest.raises(ConnectionResetError):
                sending.sendall(b"more")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
