"""Bodies that are not what the API reads (SEC-1)."""

import gzip
import json
import zlib
from typing import Any

import pytest

from tests.probe.conftest import Api
from tests.probe.wire import JSON, KB, Reply, assert_harmless, assert_refused, message, send

ALL = "/api/v1/knowledge-bases"
SEARCH = f"{KB}/search"
QUERY = b'{"query": "pump"}'
CHANGES = [
    ("POST", ALL), ("PATCH", KB), ("DELETE", KB), ("POST", SEARCH), ("POST", f"{KB}/answers"), ("POST", f"{KB}/syncs"),
    ("PUT", f"{KB}/golden-questions"), ("POST", f"{KB}/evaluations"), ("POST", f"{KB}/sources"),
    ("PATCH", f"{KB}/sources/docs"), ("DELETE", f"{KB}/sources/docs"), ("POST", f"{KB}/search-indexes/1/switch"),
    ("POST", f"{KB}/search-indexes/rollback"), ("POST", "/api/v1/syncs/1/cancel"),
]  # fmt: skip


def post(api: Api, body: bytes | str, path: str = SEARCH, **headers: str) -> Reply:
    """Send a body, as JSON unless said otherwise."""
    raw = body if isinstance(body, bytes) else body.encode()
    (reply,) = send(api.port, message("POST", path, {**JSON, **headers}, raw))
    return reply


MALFORMED = {
    "200000_brackets": b"[" * 200_000,
    "200000_braces": b'{"a":' * 200_000,
    "5000_nested_lists": b'{"query": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    "33_nested_lists": b'{"query": ' + b"[" * 33 + b"]" * 33 + b"}",
    "nested_objects": b'{"query": ' + b'{"a": ' * 500 + b"1" + b"}" * 501,
    "nan": b'{"query": "pump", "top_k": NaN}',
    "infinity": b'{"query": "pump", "top_k": Infinity}',
    "minus_infinity": b'{"query": "pump", "top_k": -Infinity}',
    "1e400": b'{"query": "pump", "top_k": 1e400}',
    "20000_digits": b'{"query": "pump", "top_k": ' + b"9" * 20_000 + b"}",
    "20000_negative_digits": b'{"query": "pump", "top_k": -' + b"9" * 20_000 + b"}",
    "fraction_of_20000_digits_e999": b'{"query": "pump", "top_k": 0.' + b"9" * 20_000 + b"e999}",
    "a_key_twice": b'{"query": "pump", "query": "oil"}',
    "a_key_twice_inside": b'{"query": "pump", "filters": {"tags": [], "tags": []}}',
    "a_key_twice_by_escape": b'{"query": "pump", "qu\\u0065ry": "oil"}',
    "raw_surrogate": b'{"query": "\xed\xa0\x80"}',
    "raw_invalid_utf_8": b'{"query": "\xff\xfe"}',
    "raw_overlong_utf_8": b'{"query": "\xc0\xaf"}',
    "raw_nul": b'{"query": "\x00"}',
    "raw_newline": b'{"query": "\n"}',
    "utf_16": '{"query": "pump"}'.encode("utf-16"),
    "utf_32": '{"query": "pump"}'.encode("utf-32"),
    "byte_order_mark": b"\xef\xbb\xbf" + QUERY,
    "two_documents": QUERY + QUERY,
    "a_comment": QUERY + b"// x",
    "single_quotes": b"{'query': 'pump'}",
    "a_trailing_comma": b'{"query": "pump",}',
    "half": b'{"query": "pu',
    "spaces": b" " * 1000,
    "gzip_unsaid": gzip.compress(QUERY),
}


@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED.keys())
def test_what_is_no_json_is_refused(api: Api, body: bytes) -> None:
    """400, even if a lenient reader would accept it."""
    assert_refused([post(api, body)], 400, "MALFORMED_JSON")


UNUSABLE = {
    "surrogate_in_query": {"query": "\ud800"},
    "surrogate_low_in_query": {"query": "a\udfffb"},
    "surrogates_reversed": {"query": "\udc00\ud800"},
    "nul_in_query": {"query": "a\x00b"},
    "surrogate_in_a_key": {"query": "pump", "\ud800": 1},
    "surrogate_in_sources": {"query": "pump", "filters": {"sources": ["\ud800"]}},
    "surrogate_in_categories": {"query": "pump", "filters": {"categories": ["\ud800"]}},
    "surrogate_in_tags": {"query": "pump", "filters": {"tags": ["\ud800"]}},
    "surrogate_in_documents": {"query": "pump", "filters": {"documents": ["\ud800"]}},
    "surrogate_in_languages": {"query": "pump", "filters": {"languages": ["\ud800"]}},
    "nul_in_documents": {"query": "pump", "filters": {"documents": ["a\x00"]}},
    "surrogate_in_mode": {"query": "pump", "mode": "\ud800"},
    "surrogate_in_as_of": {"query": "pump", "as_of": "\ud800"},
    "unknown_field": {"query": "pump", "__class__": "x"},
    "proto": {"query": "pump", "__proto__": {"top_k": 5}},
    "list_for_a_text": {"query": ["pump"]},
    "object_for_a_text": {"query": {"$ne": ""}},
    "null_for_a_text": {"query": None},
    "top_k_zero": {"query": "pump", "top_k": 0},
    "top_k_huge": {"query": "pump", "top_k": 10**900},
    "top_k_negative": {"query": "pump", "top_k": -1},
    "top_k_fraction": {"query": "pump", "top_k": 1.5},
    "depth_huge": {"query": "pump", "traversal_depth": 2**63},
    "query_of_spaces": {"query": " " * 100},
    "1001_documents": {"query": "pump", "filters": {"documents": ["a"] * 1001}},
    "as_of_year_10000": {"query": "pump", "as_of": 10**14},
    "as_of_1e300": {"query": "pump", "as_of": 1e300},
    "as_of_at_the_end_of_time": {"query": "pump", "as_of": "9999-12-31T23:59:59-23:59"},
    "a_list": [{"query": "pump"}],
    "a_text_of_json": '{"query": "pump"}',
    "a_number": 7,
    "a_word": True,
}


@pytest.mark.parametrize("document", UNUSABLE.values(), ids=UNUSABLE.keys())
def test_what_cannot_be_used_is_refused(api: Api, document: Any) -> None:
    """422, and no text comes as far as the database that it could not hold."""
    assert_refused([post(api, json.dumps(document))], 422, "INVALID_INPUT")


@pytest.mark.parametrize(("method", "path"), CHANGES)
def test_no_form_and_no_text_is_taken_for_a_body(api: Api, method: str, path: str) -> None:
    """415 on every route that changes or asks something, however the body is framed: pages can send these unasked."""
    kinds = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "text/json"]
    for kind in kinds:
        said = {"Content-Type": kind} if kind else {}
        for body in (b"{}", b'{"sources": []}', b""):
            if not body and not kind:
                continue  # nothing sent, nothing said: as `curl -X POST` does
            (plain,) = send(api.port, message(method, path, said, body))
            pieces = b"%x\r\n%s\r\n" % (len(body), body) if body else b""
            (chunked,) = send(
                api.port, message(method, path, {**said, "Transfer-Encoding": "chunked"}, pieces + b"0\r\n\r\n")
            )
            assert_refused([plain], 415, "UNSUPPORTED_MEDIA_TYPE")
            assert_refused([chunked], 415, "UNSUPPORTED_MEDIA_TYPE")


BOMBS = {
    "gzip": gzip.compress(b"[" * 50_000_000),
    "deflate": zlib.compress(b'{"query": "pump"}'),
    "br": b"\x0b\x08\x80",
    "gzip, gzip": gzip.compress(gzip.compress(QUERY)),
    "unknown": QUERY,
}


@pytest.mark.parametrize(("coding", "body"), BOMBS.items(), ids=BOMBS.keys())
def test_compressed_bodies_are_not_unpacked(api: Api, coding: str, body: bytes) -> None:
    """415, so that 50 kB cannot become 50 MB."""
    assert_refused([post(api, body, **{"Content-Encoding": coding})], 415, "UNSUPPORTED_MEDIA_TYPE")


HARMLESS = {
    "quotes": "'\"`; DROP TABLE chunks; --",
    "tsquery": "& | ! ( ) :* <-> 'a':*B <2> \\",
    "like": "%_\\%",
    "format": "%s %(x)s {0} {x!r} ${jndi:ldap://127.0.0.1/a} #{7*7} {{7*7}}",
    "html": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "control": "\x01\x02\x1b[31m\x7f\x85",
    "direction": "\u202e\u2066\ufeff\u200d",
    "combining": "e" + "\u0301" * 3000,
    "noncharacters": "\uffff\U0010ffff\ufdd0",
    "emoji": "\U0001f600" * 900,
    "zeros": "0" * 3900,
    "words": "pump oil " * 400,
    "lines": "\r\n\t\u2028" * 500 + "pump",
}


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS.keys())
@pytest.mark.parametrize("field", ["query", "sources", "documents"])
def test_texts_are_only_texts(api: Api, text: str, field: str) -> None:
    """Whatever a text looks like to a database, a template or a terminal, it comes back as itself or is refused."""
    asked: dict[str, Any] = {"query": text} if field == "query" else {"query": "pump", "filters": {field: [text]}}
    reply = post(api, json.dumps(asked))
    assert_harmless(reply)
    assert reply.status in (200, 422)
    if reply.status == 200:
        assert reply.json["query"] == asked["query"]
        assert field == "query" or not reply.json["passages"]
