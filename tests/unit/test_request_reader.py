"""Where a request ends (SEC-1)."""

from collections.abc import Callable, Iterator

import pytest
from gunicorn.config import Config
from gunicorn.http.errors import NoMoreData, ParseException
from gunicorn.http.parser import RequestParser
from hypothesis import given
from hypothesis import strategies as st

from query_api.server.request_reader import MAX_BODY_BYTES, Part, RefusedError, RequestReader

HEAD = b"POST /x HTTP/1.1\r\nHost: a\r\n"
BODIES = st.binary(max_size=60)


def with_length(body: bytes) -> bytes:
    """A request whose head says how long its body is."""
    return HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body


def in_chunks(pieces: list[bytes]) -> bytes:
    """A request whose body comes in these chunks."""
    chunks = b"".join(b"%x;a=b\r\n%s\r\n" % (len(piece), piece) for piece in pieces if piece)
    return HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\nX-T: u\r\n\r\n"


REQUESTS = st.one_of(BODIES.map(with_length), st.lists(BODIES, max_size=4).map(in_chunks), st.just(HEAD + b"\r\n"))


@given(REQUESTS, st.binary(max_size=5), st.data())
def test_a_request_is_whole_with_its_last_byte(request: bytes, more: bytes, data: st.DataObject) -> None:
    """Not before, and however it is cut up on its way; what follows belongs to the next."""
    cut = data.draw(st.integers(0, len(request) - 1))
    arriving = RequestReader()
    for position in range(cut):
        assert arriving.part() is not Part.WHOLE
        arriving.add(request[position : position + 1])
    assert arriving.part() is not Part.WHOLE
    arriving.add(request[cut:] + more)
    assert arriving.part() is Part.WHOLE


class WaitedError(Exception):
    """The parser asked for more than had come."""


def only(data: bytes) -> Iterator[bytes]:
    """Bytes, after which nothing may be asked for."""
    yield data
    raise WaitedError


MUTATIONS = st.lists(
    st.tuples(st.integers(0, 200), st.sampled_from([b"", b"\r", b"\n", b"\r\n", b":", b";", b"0", b"1", b"f", b" "])),
    max_size=3,
)


@given(REQUESTS, MUTATIONS)
def test_the_parser_never_waits_for_a_whole_request(request: bytes, mutations: list[tuple[int, bytes]]) -> None:
    """Whatever is called whole, malformed or not, is read to its end or refused with what is there."""
    for place, text in mutations:
        request = request[:place] + text + request[place + 1 :]
    try:
        if RequestReader(request).part() is not Part.WHOLE:
            return
    except RefusedError:
        return
    try:
        parsed = next(RequestParser(Config(), only(request), ("127.0.0.1", 1)))
        parsed.body.read()
    except (ParseException, StopIteration):
        pass
    except NoMoreData as error:
        raise WaitedError from error


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"\x16\x03\x01", 400),
        (b"GET / HTTP/1.1\nHost: a\n\n", 400),
        (b"GET /" + b"a" * 5000, 414),
        (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 12_000, 431),
        (HEAD + b"Content-Length: %d\r\n\r\n" % (MAX_BODY_BYTES + 1), 413),
        (HEAD + b"Content-Length: " + b"9" * 1000 + b"\r\n\r\n", 413),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\nF4241\r\n", 413),
        (lambda: HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 700_000, 413),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n-5\r\n", 400),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX", 400),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n" + b"A: b\r\n" * 12_000, 400),
    ],
)
def test_what_can_become_no_request_is_refused_at_once(data: bytes | Callable[[], bytes], status: int) -> None:
    """Without waiting for its end."""
    with pytest.raises(RefusedError) as refused:
        RequestReader(data() if callable(data) else data).part()
    assert refused.value.status == status


def test_the_largest_body_is_taken() -> None:
    """The limit is the last size that passes."""
    assert RequestReader(with_length(b"x" * MAX_BODY_BYTES)).part() is Part.WHOLE
    assert RequestReader(in_chunks([b"x" * (MAX_BODY_BYTES // 2)] * 2)).part() is Part.WHOLE


def test_a_client_that_waits_for_leave_is_known() -> None:
    """`Expect: 100-continue` in any case."""
    arriving = RequestReader(HEAD + b"expect: 100-Continue\r\nContent-Length: 2\r\n\r\n")
    assert (arriving.part(), arriving.expects_continue) == (Part.BODY, True)


PUT = b"PUT /api/v1/knowledge-bases/kb/sources/inbox/files/a HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@pytest.mark.parametrize(
    ("head", "needs"),
    [
        (HEAD + b"Content-Length: 65536\r\n\r\n", False),
        (HEAD + b"Content-Length: 65537\r\n\r\n", True),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", True),
        (HEAD + b"Content-Length: 2\r\nExpect: 100-continue\r\n\r\n", True),
        (PUT + b"Content-Length: 2\r\n\r\n", True),
        (PUT + b"Transfer-Encoding: chunked\r\n\r\n", True),
    ],
)
def test_a_body_that_is_worth_asking_for_needs_leave(head: bytes, needs: bool) -> None:
    """A file, a large one, one of unknown length, one that the client asks for; not a small one that comes later."""
    arriving = RequestReader(head + b"1", upload_limit=100)
    assert arriving.part() is Part.BODY
    assert (arriving.needs_leave, arriving.head) == (needs, head)
