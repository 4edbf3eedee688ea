"""Streams without threads: what each reader gets, and what one that does not read costs the others (API-2)."""

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from query_api.server import stream_loop
from query_api.server.client_connection import Wire
from query_api.server.stream_loop import StreamLoop
from query_api.sse import Pause, Stream

_PATIENCE = 60  # seconds
_LAST_CHUNK = b"0\r\n\r\n"


class _Client:
    """A client, and what the server knows of its stream."""

    def __init__(self, loop: StreamLoop, lines: Iterator[str | Pause], stack: ExitStack, *, is_chunked: bool) -> None:
        ours, self.socket = socket.socketpair()
        stack.enter_context(self.socket)
        self.socket.settimeout(_PATIENCE)
        self.wire = stack.enter_context(Wire.around(ours))
        self.is_freed, self.is_over = threading.Event(), threading.Event()
        self.is_whole: bool | None = None
        resources = ExitStack()
        resources.callback(self.is_freed.set)
        self.wire.stream_later(Stream(lines, resources))
        if is_chunked:
            self.wire.sendall(_LAST_CHUNK)  # as the server does when the app has returned
        loop.add(self.wire, self._end)

    def _end(self, is_whole: bool) -> None:
        self.is_whole = is_whole
        self.is_over.set()

    def read(self, size: int) -> bytes:
        """So many bytes."""
        data = b""
        while len(data) < size:
            block = self.socket.recv(size - len(data))
            assert block, data
            data += block
        return data


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """What a test opens."""
    with ExitStack() as opened:
        yield opened


def test_200_readers_get_the_same_bytes_from_a_few_threads(stack: ExitStack) -> None:
    """Whether they are new or waited; each place is free again at the end."""
    loop, may_end, before = StreamLoop(), threading.Event(), set(threading.enumerate())

    def lines() -> Iterator[str | Pause]:
        yield "begin "
        yield Pause(_PATIENCE, may_end.is_set)
        yield "end"

    clients = [_Client(loop, lines(), stack, is_chunked=index % 2 == 0) for index in range(200)]
    first, last = (b"6\r\nbegin \r\n", b"begin "), (b"3\r\nend\r\n" + _LAST_CHUNK, b"end")
    assert {client.read(len(first[index % 2])) for index, client in enumerate(clients)} == set(first)
    assert len(loop) == 200
    threads = [thread for thread in set(threading.enumerate()) - before if thread.name.startswith("streams")]
    assert len(threads) <= stream_loop.THREADS + 1
    may_end.set()
    assert {client.read(len(last[index % 2])) for index, client in enumerate(clients)} == set(last)
    assert all(client.is_over.wait(_PATIENCE) and client.is_whole and client.is_freed.is_set() for client in clients)
    assert len(loop) == 0


def test_nothing_is_taken_for_a_client_that_does_not_read(stack: ExitStack) -> None:
    """Others get theirs meanwhile; once it reads, it gets the rest."""
    loop, taken = StreamLoop(), 0
    block = "x" * 100_000

    def many() -> Iterator[str | Pause]:
        nonlocal taken
        for _ in range(100):
            taken += 1
            yield block

    slow = _Client(loop, many(), stack, is_chunked=False)
    slow.read(1)  # it has begun
    for _ in range(20):
        _Client(loop, iter_lines("other"), stack, is_chunked=False).read(5)
    assert taken < 100  # a socket does not hold ten megabytes
    assert slow.read(100 * len(block) - 1) == b"x" * (100 * len(block) - 1)
    assert slow.is_over.wait(_PATIENCE)
    assert slow.is_whole


def test_a_client_that_never_reads_is_given_up(stack: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its stream is closed, and its place is free."""
    monkeypatch.setattr(stream_loop, "_STALLED_SECONDS", 0.05)
    client = _Client(StreamLoop(), iter_lines(*["x" * 100_000] * 100), stack, is_chunked=False)
    assert client.is_over.wait(_PATIENCE)
    assert (client.is_whole, client.is_freed.is_set()) == (False, True)


@pytest.mark.parametrize("how", ["left", "failed"])
def test_a_stream_that_breaks_off_is_closed(stack: ExitStack, how: str) -> None:
    """Because the client has left, or because its lines fail; the others go on."""
    loop, is_closed, may_go_on = StreamLoop(), threading.Event(), threading.Event()

    def lines() -> Iterator[str | Pause]:
        try:
            yield "begin"
            yield Pause(_PATIENCE, may_go_on.is_set)
            if how == "failed":
                raise ValueError("broken")
            while True:
                yield "more"
        finally:
            is_closed.set()

    client = _Client(loop, lines(), stack, is_chunked=False)
    client.read(5)
    if how == "left":
        client.socket.close()
    may_go_on.set()
    assert client.is_over.wait(_PATIENCE)
    assert (client.is_whole, client.is_freed.is_set(), is_closed.is_set()) == (False, True, True)
    with suppress(OSError):
        client.socket.shutdown(socket.SHUT_RDWR)
    assert _Client(loop, iter_lines("other"), stack, is_chunked=False).read(5) == b"other"


def test_a_reader_that_has_ended_gets_no_other_turn(stack: ExitStack) -> None:
    """The loop may have listed it before it ended, and its connection may have the next stream by then."""
    ours, theirs = socket.socketpair()
    stack.enter_context(theirs)
    wire, ends = stack.enter_context(Wire.around(ours)), list[bool]()
    wire.stream_later(Stream(iter_lines("end"), ExitStack()))
    reader = stream_loop._Reader(wire, ends.append)
    reader.is_busy = True  # as the loop does it
    StreamLoop()._advance([reader])
    assert ends == [True]
    assert not reader.is_due(float("inf"))


def test_a_pause_that_fails_ends_its_stream_alone(stack: ExitStack) -> None:
    """And so does an end that fails: the loop goes on."""
    loop = StreamLoop()

    def fail(*_: object) -> bool:
        raise ValueError("broken")

    def lines() -> Iterator[str | Pause]:
        yield "begin"
        yield Pause(_PATIENCE, fail)

    client = _Client(loop, lines(), stack, is_chunked=False)
    assert client.is_over.wait(_PATIENCE)
    assert (client.is_whole, client.is_freed.is_set()) == (False, True)
    ours, theirs = socket.socketpair()
    stack.enter_context(theirs)
    wire = stack.enter_context(Wire.around(ours))
    wire.stream_later(Stream(iter_lines("end"), ExitStack()))
    loop.add(wire, fail)
    assert _Client(loop, iter_lines("other"), stack, is_chunked=False).read(5) == b"other"


def iter_lines(*lines: str) -> Iterator[str | Pause]:
    """Lines without a pause."""
    yield from lines
