"""Clients that send, read or close slowly, or in numbers (SEC-1)."""

import contextlib
import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from tests.probe.conftest import Api
from tests.probe.wire import JSON, KB, ask, assert_refused, connect, message, read, replies, send

SEARCH = f"{KB}/search"
QUERY = {"query": "How many litres does the pump lift?"}
BODY = b'{"query": "pump"}'
WHOLE = message("POST", SEARCH, JSON, BODY)
HALVES = {
    "nothing": b"",
    "half_a_method": b"PO",
    "half_a_request_line": b"POST /api/v1/know",
    "half_a_header": b"POST / HTTP/1.1\r\nHost: 127.0",
    "no_empty_line": WHOLE.split(b"\r\n\r\n")[0] + b"\r\n",
    "no_body": WHOLE.split(b"\r\n\r\n")[0] + b"\r\n\r\n",
    "half_a_body": WHOLE[:-5],
    "a_body_but_one_byte": WHOLE[:-1],
    "half_a_large_body": message("POST", SEARCH, {**JSON, "Content-Length": "900000"}, b"[" * 100_000),
    "no_chunk": message("POST", SEARCH, {**JSON, "Transfer-Encoding": "chunked"}),
    "half_a_chunk": message("POST", SEARCH, {**JSON, "Transfer-Encoding": "chunked"}, b"11\r\n" + BODY[:5]),
    "no_last_chunk": message("POST", SEARCH, {**JSON, "Transfer-Encoding": "chunked"}, b"11\r\n" + BODY + b"\r\n"),
    "no_end_of_trailers": message(
        "POST", SEARCH, {**JSON, "Transfer-Encoding": "chunked"}, b"11\r\n" + BODY + b"\r\n0\r\nA: b\r\n"
    ),
    "no_body_after_continue": message("POST", SEARCH, {**JSON, "Expect": "100-continue", "Content-Length": "17"}),
}


@contextmanager
def many(port: int, data: bytes, count: int, *sources: str) -> Iterator[list[socket.socket]]:
    """Hold that many connections from each address open, each with these bytes sent."""
    with ExitStack() as stack:
        clients = [stack.enter_context(connect(port, source)) for source in sources for _ in range(count)]
        for client in clients:
            with contextlib.suppress(ConnectionError):  # displaced
                client.sendall(data)
        yield clients


def is_open(client: socket.socket) -> bool:
    """Whether the server has kept a connection, and said nothing on it but that it waits."""
    client.setblocking(False)
    try:
        return client.recv(65_536) == b"HTTP/1.1 100 Continue\r\n\r\n"
    except BlockingIOError:
        return True
    except ConnectionResetError:
        return False


@pytest.mark.parametrize("half", HALVES.values(), ids=HALVES.keys())
def test_200_halves_of_requests_keep_nobody_waiting(api: Api, half: bytes) -> None:
    """Others are answered while all of them stay open: 32 of them, one for each thread, used to stop the server."""
    with many(api.port, half, 100, "127.0.0.2", "127.0.0.3") as clients:
        assert [ask(api.port, "POST", SEARCH, QUERY).status for _ in range(3)] == [200, 200, 200]
        assert all(is_open(client) for client in clients)


@pytest.fixture(scope="module")
def given_up(hasty_api: Api) -> dict[str, bytes]:
    """The response to each half request, all sent at once, each from its own address."""
    with ExitStack() as stack:
        clients = {}
        for number, (name, half) in enumerate(HALVES.items()):
            clients[name] = stack.enter_context(connect(hasty_api.port, f"127.0.1.{number + 1}"))
            clients[name].sendall(half)
        return {name: read(client) for name, client in clients.items()}


@pytest.mark.parametrize("name", HALVES)
def test_halves_of_requests_are_given_up(given_up: dict[str, bytes], name: str) -> None:
    """408 after the time limit; a connection on which nothing came is closed without a word."""
    found = replies(given_up[name].removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n"))
    if name == "nothing":
        assert found == []
    else:
        assert_refused(found, 408, "REQUEST_TIMEOUT")


@pytest.mark.parametrize("end", [10, -len(BODY)], ids=["head", "body"])
def test_a_byte_now_and_then_buys_no_time(hasty_api: Api, end: int) -> None:
    """The limit is for the whole head, and for the whole body, not for the next byte."""
    with connect(hasty_api.port) as client:
        client.sendall(WHOLE[:end])
        client.settimeout(0.2)
        found = b""
        for position in range(100):
            with contextlib.suppress(ConnectionError):
                client.sendall(WHOLE[end:][position : position + 1])
            with contextlib.suppress(TimeoutError):
                found = client.recv(65_536)
                break
    assert_refused(replies(found), 408, "REQUEST_TIMEOUT")


def test_300_connections_of_one_address_displace_each_other(api: Api) -> None:
    """The address keeps as many as it may have, and is answered itself, not only others."""
    with many(api.port, HALVES["half_a_header"], 300, "127.0.0.1") as clients:
        assert ask(api.port, "POST", SEARCH, QUERY).status == 200
        assert ask(api.port, "POST", SEARCH, QUERY, "127.0.0.2").status == 200
        kept = [is_open(client) for client in clients]
        assert 100 <= sum(kept) <= 128
        assert not any(kept[:100])  # the oldest went


def test_a_trusted_proxy_has_a_connection_for_each_of_its_clients(api: Api) -> None:
    """They have no other address, so a limit per address would be one for all of them."""
    with many(api.port, HALVES["half_a_header"], 140, "127.0.0.6") as clients:
        assert ask(api.port, "POST", SEARCH, QUERY).status == 200
        assert all(is_open(client) for client in clients)


def test_connections_of_eight_addresses_displace_each_other(api: Api) -> None:
    """There is a limit for all of them together, and a newcomer is answered all the same."""
    addresses = [f"127.0.0.{number}" for number in range(10, 18)]
    with many(api.port, HALVES["half_a_header"], 100, *addresses) as clients:
        assert ask(api.port, "POST", SEARCH, QUERY).status == 200
        assert sum(is_open(client) for client in clients) <= 512


def test_100_idle_connections_that_asked_before_keep_nobody_waiting(api: Api) -> None:
    """A connection that is kept alive takes no thread."""
    request = message("GET", "/health/live", {"Connection": "keep-alive"})
    with many(api.port, request, 100, "127.0.0.2") as clients:
        assert all(client.recv(65_536).startswith(b"HTTP/1.1 200") for client in clients)
        assert ask(api.port, "POST", SEARCH, QUERY).status == 200


@pytest.mark.parametrize("path", ["/openapi/openapi.json", "/openapi/swagger/js/swagger-ui-bundle.js"])
def test_clients_that_do_not_read_keep_nobody_waiting(api: Api, path: str) -> None:
    """Unread bytes are sent when the client reads them, without a thread."""
    size = len(read_whole(api, path))
    with ExitStack() as stack:
        clients = []
        for _ in range(64):
            client = stack.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            client.bind(("127.0.0.2", 0))
            client.settimeout(60)
            client.connect(("127.0.0.1", api.port))
            client.sendall(message("GET", path))
            clients.append(client)
        assert [ask(api.port, "POST", SEARCH, QUERY).status for _ in range(3)] == [200, 200, 200]
        assert len(replies(read(clients[-1]))[0].body) == size


def read_whole(api: Api, path: str) -> bytes:
    """A page's bytes, which are more than a socket takes at once."""
    (reply,) = send(api.port, message("GET", path))
    assert (reply.status, len(reply.body) > 50_000) == (200, True)
    return reply.body


def test_clients_that_ask_without_end_and_never_read_keep_nobody_waiting(api: Api) -> None:
    """Requests in a row wait until the replies before them were read."""
    row = message("GET", "/openapi/openapi.json", {"Connection": "keep-alive"}) * 100
    with many(api.port, row, 40, "127.0.0.2"):
        assert ask(api.port, "POST", SEARCH, QUERY).status == 200


def test_clients_that_never_close_keep_nobody_waiting(api: Api) -> None:
    """The server closes; it used to wait two seconds for each of them, and accepted nothing meanwhile."""
    with many(api.port, b"malformed\r\n\r\n", 60, "127.0.0.2"), many(api.port, WHOLE, 60, "127.0.0.3") as clients:
        assert all(client.recv(12).startswith(b"HTTP/1.1 200") for client in clients)
        assert ask(api.port, "POST", SEARCH, QUERY).status == 200


@pytest.mark.parametrize("data", [b"", HALVES["half_a_body"], WHOLE], ids=["nothing", "half", "whole"])
def test_clients_that_vanish_leave_nothing_behind(api: Api, data: bytes) -> None:
    """A connection that is reset is forgotten, whenever that happens."""
    with many(api.port, data, 100, "127.0.0.2") as clients:
        for client in clients:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert ask(api.port, "POST", SEARCH, QUERY).status == 200


def test_streams_flow_while_200_halves_of_requests_wait(patient_api: Api) -> None:
    """A client can follow a sync to its end, whichever other clients are connected."""
    sync = ask(patient_api.port, "POST", f"{KB}/syncs", {}).json
    stream = message("GET", f"/api/v1/syncs/{sync['id']}/events")
    with many(patient_api.port, HALVES["no_body"], 100, "127.0.0.2", "127.0.0.3"), connect(patient_api.port) as client:
        client.sendall(stream)
        first = b""
        while b"event: progress" not in first:
            first += client.recv(65_536)
        assert ask(patient_api.port, "POST", f"/api/v1/syncs/{sync['id']}/cancel").status == 202
        assert b"event: done" in read(client)


def test_an_address_that_keeps_all_its_connections_busy_gets_no_more(hasty_api: Api) -> None:
    """429 for it, and others are answered."""
    sync = ask(hasty_api.port, "POST", f"{KB}/syncs", {}).json
    with many(hasty_api.port, message("GET", f"/api/v1/syncs/{sync['id']}/events"), 128, "127.0.0.4") as streams:
        for stream in streams:
            assert stream.recv(65_536).startswith(b"HTTP/1.1 200")
        found = send(hasty_api.port, b"", "127.0.0.4")
        assert_refused(found, 429, "TOO_MANY_CONNECTIONS")
        assert ask(hasty_api.port, "POST", SEARCH, QUERY, "127.0.0.5").status == 200
        assert ask(hasty_api.port, "POST", f"/api/v1/syncs/{sync['id']}/cancel").status == 202
