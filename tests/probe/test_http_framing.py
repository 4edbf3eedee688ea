"""Requests that are not what HTTP has them to be (SEC-1).

Each ends with a second request that deletes the knowledge base wherever a careless parser would find one.
"""

from collections.abc import Callable

import pytest

from tests.probe.conftest import ADMIN_KEY, Api
from tests.probe.wire import JSON, KB, assert_harmless, assert_refused, message, send

SMUGGLED = f"DELETE {KB} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
SEARCH = f"{KB}/search"
SYNCS = f"{KB}/syncs"
QUERY = b'{"query": "pump"}'
CHUNKED = {**JSON, "Transfer-Encoding": "chunked"}
HEAD = f"POST {SEARCH} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n".encode()
GET = f"GET {KB} HTTP/1.1\r\nHost: 127.0.0.1\r\n".encode()


def chunks(*lines: bytes) -> bytes:
    """A search whose body is sent in these pieces."""
    return message("POST", SEARCH, CHUNKED, b"\r\n".join(lines))


MALFORMED = {
    "both_lengths": HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "both_lengths_reversed": HEAD + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "two_lengths_alike": HEAD + b"Content-Length: 0\r\nContent-Length: 0\r\n\r\n" + SMUGGLED,
    "two_lengths_unlike": HEAD + b"Content-Length: 0\r\nContent-Length: 99\r\n\r\n" + SMUGGLED,
    "length_list": HEAD + b"Content-Length: 0, 99\r\n\r\n" + SMUGGLED,
    "length_negative": HEAD + b"Content-Length: -1\r\n\r\n" + SMUGGLED,
    "length_plus": HEAD + b"Content-Length: +0\r\n\r\n" + SMUGGLED,
    "length_hexadecimal": HEAD + b"Content-Length: 0x10\r\n\r\n" + SMUGGLED,
    "length_underscore": HEAD + b"Content-Length: 1_0\r\n\r\n" + SMUGGLED,
    "length_superscript": HEAD + "Content-Length: ²\r\n\r\n".encode("latin-1") + SMUGGLED,
    "length_empty": HEAD + b"Content-Length:\r\n\r\n" + SMUGGLED,
    "length_spaced_name": HEAD + b"Content-Length : 0\r\n\r\n" + SMUGGLED,
    "coding_unknown": HEAD + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "coding_twice": HEAD + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "coding_chunked_first": HEAD + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "coding_identity": HEAD + b"Transfer-Encoding: identity\r\n\r\n" + SMUGGLED,
    "coding_spaced_name": HEAD + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "coding_vertical_tab": HEAD + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "coding_in_http_1_0": HEAD.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "folded_header": GET + b"X-A: b\r\n c\r\n\r\n" + SMUGGLED,
    "folded_first_header": f"GET {KB} HTTP/1.1\r\n Host: 127.0.0.1\r\n\r\n".encode() + SMUGGLED,
    "bare_lf": GET.replace(b"\r\n", b"\n") + b"\n" + SMUGGLED,
    "bare_lf_in_a_header": GET + b"X-A: b\nTransfer-Encoding: chunked\r\n\r\n" + SMUGGLED,
    "bare_cr_in_a_header": GET + b"X-A: b\rX-C: d\r\n\r\n" + SMUGGLED,
    "nul_in_a_header": GET + b"X-A: b\x00c\r\n\r\n" + SMUGGLED,
    "nul_in_the_path": b"GET /\x00 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" + SMUGGLED,
    "space_in_the_path": b"GET /a b HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" + SMUGGLED,
    "utf_8_in_the_path": "GET /ü HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode() + SMUGGLED,
    "no_colon": GET + b"no colon\r\n\r\n" + SMUGGLED,
    "no_name": GET + b": value\r\n\r\n" + SMUGGLED,
    "two_hosts": GET + b"Host: evil.example\r\n\r\n" + SMUGGLED,
    "two_content_types": HEAD + b"Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}" + SMUGGLED,
    "no_host": f"GET {KB} HTTP/1.1\r\nConnection: close\r\n\r\n".encode() + SMUGGLED,
    "http_0_9": f"GET {KB}\r\n\r\n".encode() + SMUGGLED,
    "http_2_preface": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + SMUGGLED,
    "http_3_0": GET.replace(b"1.1", b"3.0") + b"\r\n" + SMUGGLED,
    "tls_hello": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64),
    "small_method": GET.replace(b"GET", b"get") + b"\r\n" + SMUGGLED,
    "long_method": GET.replace(b"GET", b"G" * 100) + b"\r\n" + SMUGGLED,
    "empty_request": b"\r\n\r\n\r\n\r\n" + SMUGGLED,
    "chunk_size_zz": chunks(b"zz", QUERY, b"0", b"", SMUGGLED),
    "chunk_size_negative": chunks(b"-5", QUERY, b"0", b"", SMUGGLED),
    "chunk_size_0x": chunks(b"0x11", QUERY, b"0", b"", SMUGGLED),
    "chunk_size_plus": chunks(b"+11", QUERY, b"0", b"", SMUGGLED),
    "chunk_size_empty": chunks(b"", QUERY, b"0", b"", SMUGGLED),
    "chunk_size_underscore": chunks(b"1_1", QUERY, b"0", b"", SMUGGLED),
    "chunk_without_end": chunks(b"11", QUERY + b"XX0", b"", SMUGGLED),
    "chunk_bare_lf": chunks(b"11\n" + QUERY + b"\n0\n", b"", SMUGGLED),
    "chunk_after_a_good_one": chunks(b"11", QUERY, b"zz", b"", SMUGGLED),
    "chunk_extension_endless": chunks(b"11", QUERY, b"1;" + b"a" * 9000),
    "chunk_extension_bare_cr": chunks(b"11;a=\rb", QUERY, b"0", b"", SMUGGLED),
    "trailer_host": chunks(b"11", QUERY, b"0", b"Host: evil.example", b"", SMUGGLED),
    "trailer_malformed": chunks(b"11", QUERY, b"0", b"no colon", b"", SMUGGLED),
    "trailers_endless": chunks(b"11", QUERY, b"0", b"a: b\r\n" * 12_000),
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_requests_are_refused(api: Api, data: bytes) -> None:
    """400, and the connection is closed: nothing after it is taken for a request."""
    assert_refused(send(api.port, data), 400, "MALFORMED_REQUEST")


LARGE: dict[str, tuple[Callable[[], bytes], int]] = {
    "a_length_of_2_mb": (lambda: message("POST", SEARCH, {**JSON, "Content-Length": "2000000"}), 413),
    "a_length_of_30_digits": (lambda: message("POST", SEARCH, {**JSON, "Content-Length": "9" * 30}), 413),
    "a_length_of_4000_digits": (lambda: message("POST", SEARCH, {**JSON, "Content-Length": "9" * 4000}), 413),
    "a_body_of_2_mb": (lambda: message("POST", SEARCH, JSON, b'"' + b"x" * 2_000_000 + b'"'), 413),
    "a_chunk_of_2_mb": (lambda: chunks(b"1e8480", b'{"query": "' + b"x" * 2_000_000), 413),
    "a_chunk_of_16_digits": (lambda: chunks(b"ffffffffffffffff", QUERY), 413),
    "chunks_of_2_mb": (lambda: chunks(*[b"8000", b"x" * 32_768] * 64, b"0", b"", b""), 413),
    "a_large_chunk_after_an_empty_object": (
        lambda: message("POST", SYNCS, CHUNKED, b"2\r\n{}\r\n1e8480\r\n"),
        413,
    ),
    "chunks_of_one_byte": (lambda: chunks(*[b"1;" + b"x" * 200, b" "] * 25_000, b"0", b"", b""), 413),
    "a_body_of_a_get": (lambda: message("GET", KB, {**JSON, "Content-Length": "2000000"}), 413),
    "a_url_of_100_kb": (lambda: message("GET", f"/{'a' * 100_000}"), 414),
    "a_url_of_5_kb": (lambda: message("GET", f"/{'a' * 5_000}"), 414),
    "a_query_of_5_kb": (lambda: message("GET", f"{KB}?{'a' * 5_000}"), 414),
    "a_cookie_of_20_kb": (lambda: message("GET", KB, {"Cookie": "a" * 20_000}), 431),
    "a_cookie_of_1_mb": (lambda: message("GET", KB, {"Cookie": "a" * 1_000_000}), 431),
    "two_hundred_headers": (lambda: message("GET", KB, {f"X-{number}": "a" for number in range(200)}), 431),
    "twenty_thousand_headers": (lambda: message("GET", KB, {f"X-{number}": "a" for number in range(20_000)}), 431),
    "an_unknown_expectation": (lambda: message("POST", SEARCH, {**JSON, "Expect": "200-ok"}, QUERY), 417),
    "continue_for_2_mb": (
        lambda: message("POST", SEARCH, {**JSON, "Expect": "100-continue", "Content-Length": "2000000"}),
        413,
    ),
}
CODES = {
    413: "REQUEST_ENTITY_TOO_LARGE",
    414: "URI_TOO_LONG",
    417: "EXPECTATION_FAILED",
    431: "HEADERS_TOO_LARGE",
}


@pytest.mark.parametrize(("data", "status"), LARGE.values(), ids=LARGE.keys())
def test_large_requests_are_refused_before_they_are_there(api: Api, data: Callable[[], bytes], status: int) -> None:
    """The reply comes while the rest is still to be sent, or never sent at all."""
    assert_refused(send(api.port, data()), status, CODES[status])


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (message("POST", "/v1/chat/completions", {**JSON, "Content-Length": "2000000"}), 413),
        (message("POST", "/v1/chat/completions", {**JSON, "X-Long": "a" * 20_000}, QUERY), 431),
        (message("GET", f"/v1/models?{'a' * 5_000}"), 414),
        (message("DELETE", "/v1/models"), 405),
        (message("GET", "/v1/models/headwater%2Fnone"), 404),
        (message("GET", "/v1/models/headwater%2Fa%2Fb"), 404),
    ],
)
def test_openais_clients_get_refusals_in_their_shape(api: Api, data: bytes, status: int) -> None:
    """Also those of the server itself, which come before the app sees the request (API-3)."""
    (reply,) = send(api.port, data)
    assert_harmless(reply)
    assert (reply.status, reply.headers["content-type"]) == (status, "application/json")
    assert reply.headers["x-request-id"]


def test_pipelined_requests_are_answered_one_by_one(api: Api) -> None:
    """As many replies as requests, in their order, and nothing after the one that closes."""
    first = message("GET", KB, {"Connection": "keep-alive"})
    body = message("POST", SEARCH, {**JSON, "Connection": "keep-alive"}, QUERY)
    found = send(api.port, first + body + first + message("GET", "/health/live") + SMUGGLED)
    assert [reply.status for reply in found] == [200, 200, 200, 200]
    assert found[1].json["query"] == "pump"


def test_a_body_is_not_taken_for_the_next_request(api: Api) -> None:
    """A refused body is read to its end, or the connection is closed."""
    hidden = message("POST", SEARCH, {"Content-Type": "text/plain", "Connection": "keep-alive"}, SMUGGLED)
    found = send(api.port, hidden + message("GET", "/health/live"))
    assert [reply.status for reply in found] == [415, 200]


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "PUT", "PROPFIND", "DEBUG", "PURGE", "OPTIONS"])
def test_other_methods_do_nothing(api: Api, method: str) -> None:
    """None changes anything; TRACE gives nothing back that was sent."""
    (reply,) = send(api.port, message(method, KB, {"X-Secret": "hush"}))
    assert_harmless(reply)
    assert b"hush" not in reply.body
    assert (reply.status, reply.body) == (200, b"") if method == "OPTIONS" else reply.status in (404, 405)


@pytest.mark.parametrize("header", ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "_method"])
def test_no_header_changes_the_method(api: Api, header: str) -> None:
    """A GET stays a GET."""
    (reply,) = send(api.port, message("GET", f"{KB}?_method=DELETE", {header: "DELETE"}))
    assert reply.status == 200


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("Script_Name", "/api"),
        ("Script-Name", "/api"),
        ("Path_Info", KB),
        ("X-Forwarded-Prefix", "/api"),
        ("X-Original-URL", KB),
        ("X-Rewrite-URL", KB),
        ("Upgrade", "h2c"),
    ],
)
def test_no_header_changes_the_path(api: Api, header: str, value: str) -> None:
    """A path is what the request line says."""
    (reply,) = send(api.port, message("GET", "/v3/nothing", {header: value}))
    assert_refused([reply], 404, "NOT_FOUND")


def test_a_header_of_two_schemes_is_no_fault(keyed_api: Api) -> None:
    """A proxy's headers about the scheme are ignored, and contradictory ones cause no error."""
    proxied = {"X-Forwarded-Proto": "https", "X-Forwarded-Ssl": "off", "Authorization": f"Bearer {ADMIN_KEY}"}
    (reply,) = send(keyed_api.port, message("GET", KB, proxied))
    assert reply.status == 200
