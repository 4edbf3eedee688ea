"""Uploads that are large, slow, broken off or badly named, and originals that are read in parts (SEC-1)."""

import hashlib
import random
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path

import psutil
import pytest

from tests.probe.conftest import Api
from tests.probe.test_http_slow import BODY, SEARCH, many
from tests.probe.wire import (
    JSON,
    KB,
    Reply,
    ask,
    assert_harmless,
    assert_refused,
    connect,
    message,
    read,
    replies,
    send,
)

FILES = f"{KB}/sources/inbox/files"
LIMIT = 100_000_000


@cache
def big() -> bytes:
    """The content of a large file: 12 MB, made when the first test needs it."""
    return random.Random(0).randbytes(12_000_000)


def put(port: int, name: str, content: bytes, headers: dict[str, str] | None = None) -> Reply:
    """Upload a file."""
    return send(port, message("PUT", f"{FILES}/{name}", headers, content))[0]


@pytest.fixture
def clean(api: Api) -> Iterator[Api]:
    """The server; what the test uploads is deleted."""
    yield api
    for file in ask(api.port, "GET", FILES).json["files"]:
        ask(api.port, "DELETE", f"{FILES}/{file['name']}")


def processes_of(api: Api) -> list[psutil.Process]:
    """The processes of the server."""
    found = [each for each in psutil.process_iter(["cmdline"]) if str(api.port) in (each.info["cmdline"] or [])]
    assert found
    return found


def files_of_uploads(api: Api) -> list[str]:
    """The files, without names, into which the server writes bodies that arrive."""
    folder = str(api.log.parent / "uploads")
    links = [link for one in processes_of(api) for link in Path(f"/proc/{one.pid}/fd").iterdir()]
    found = []
    for link in links:
        with suppress(OSError):  # closed meanwhile
            found.append(str(link.readlink()))
    return [path for path in found if path.startswith(folder)]


def wait_for_uploads(api: Api, count: int) -> None:
    """Wait until that many uploads arrive."""
    deadline = time.monotonic() + 120
    while len(files_of_uploads(api)) != count:
        assert time.monotonic() < deadline, files_of_uploads(api)
        time.sleep(0.02)


def peak(api: Api) -> int:
    """The most memory that a process of the server has used, in bytes."""
    found = []
    for process in processes_of(api):
        with open(f"/proc/{process.pid}/status", encoding="ascii") as status:  # noqa: PTH123 - not a file
            found += [int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM")]
    return max(found)


def test_a_large_upload_is_never_in_memory(clean: Api) -> None:
    """It goes from the socket to the disk, and from there to the store."""
    put(clean.port, "small", b"x")
    before = peak(clean)
    content = big() * 5
    stored = put(clean.port, "large", content).json
    assert (stored["size"], stored["hash"]) == (len(content), hashlib.sha256(content).hexdigest())
    assert peak(clean) - before < 20_000_000


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 1_000_000, 1_000_001])
def test_every_size_arrives_whole(clean: Api, size: int) -> None:
    """Also with a request behind it on the same connection, which gets its own answer."""
    content = big()[:size]
    head = {"Connection": "keep-alive", "Content-Length": str(size)}
    row = message("PUT", f"{FILES}/a", head, content) + message("GET", f"{FILES}/a")
    stored, shown = send(clean.port, row)
    assert (stored.status, stored.json["hash"]) == (201, hashlib.sha256(content).hexdigest())
    assert (shown.status, shown.json["size"]) == (200, size)


def test_a_chunked_upload_may_be_small(clean: Api) -> None:
    """A large one must name its length."""
    chunked = {"Transfer-Encoding": "chunked"}
    assert put(clean.port, "a", b"3\r\nabc\r\n0\r\n\r\n", chunked).json["size"] == 3
    found = send(clean.port, message("PUT", f"{FILES}/b", chunked, b"F4241\r\n"))
    assert_refused(found, 413, "REQUEST_ENTITY_TOO_LARGE")


def test_an_upload_over_the_limit_is_refused_before_it_is_sent(api: Api) -> None:
    """One byte more is too much; a client that asks first sends nothing."""
    for headers in ({}, {"Expect": "100-continue"}):
        head = message("PUT", f"{FILES}/a", {"Content-Length": str(LIMIT + 1), **headers})
        assert_refused(send(api.port, head), 413, "REQUEST_ENTITY_TOO_LARGE")


@pytest.mark.parametrize("path", [f"{KB}/sources/none/files/a", f"{KB}/sources/docs/files/a", f"{FILES}/a%0Ab"])
def test_the_rest_of_a_refused_upload_is_no_request(api: Api, path: str) -> None:
    """The connection ends with the refusal, so that nothing in the file is taken for a request."""
    inside = message("DELETE", f"{KB}/sources/docs") * 20_000
    found = send(api.port, message("PUT", path, {"Connection": "keep-alive"}, inside))
    assert len(found) == 1
    assert_harmless(found[0])
    assert found[0].status in (404, 409, 413, 422)


@pytest.mark.parametrize("path", ["/api/v1/knowledge-bases/kb", f"{KB}/search", f"{KB}/sources/inbox/files"])
def test_only_uploads_may_be_large(api: Api, path: str) -> None:
    """A body for another route has the usual limit."""
    for method in ("PUT", "POST"):
        head = message(method, path, {"Content-Length": "1000001"})
        assert_refused(send(api.port, head), 413, "REQUEST_ENTITY_TOO_LARGE")


NAMES = {
    "parent": "..", "in_the_middle": "a/../../b", "encoded_dots": "%2e%2e/a", "encoded_slash": "a%2Fb",
    "backslash": "a%5Cb", "nul": "a%00b", "line_end": "a%0D%0AX-Evil:%201", "escape": "%1B[2J", "delete": "a%7Fb",
    "empty_part": "a//b", "slash_at_the_end": "a/", "dot": "./a", "spaces": "%20", "space_at_the_end": "a%20",
    "no_utf8": "%FF%FE", "surrogate": "%ED%A0%80", "bidi": "a%E2%80%AEfdp.exe", "no_width": "a%E2%80%8Bb",
    "line_separator": "a%E2%80%A8b", "c1": "a%C2%85b", "long_part": "a" * 256, "long": "/".join(["a" * 250] * 5),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
@pytest.mark.parametrize("method", ["PUT", "GET", "DELETE"])
def test_names_that_nobody_needs_are_refused(api: Api, method: str, name: str) -> None:
    """Nothing is stored, inside or outside the store (SEC-1)."""
    (reply,) = send(api.port, message(method, f"{FILES}/{name}", {}, b"x" if method == "PUT" else b""))
    assert_harmless(reply)
    assert reply.status in (404, 415, 422), reply  # 415: a path with a line end is no upload's


@pytest.mark.parametrize(
    "name", ["r%C3%A9sum%C3%A9.md", "a%20b.md", "%E6%96%87%E6%9B%B8/a.md", "a'\"<>&%23%3F.md", ".x"]
)
def test_names_that_people_use_are_taken(clean: Api, name: str) -> None:
    """And lead back to the file."""
    stored = put(clean.port, name, b"text")
    assert stored.status == 201
    assert send(clean.port, message("GET", stored.headers["location"]))[0].json["size"] == 4
    assert send(clean.port, message("DELETE", f"{FILES}/{name}"))[0].status == 200


@pytest.mark.parametrize("end", [0, 10, 2_000_000], ids=["no_body", "a_little", "a_lot"])
def test_uploads_that_break_off_leave_nothing(api: Api, end: int) -> None:
    """No row, and nothing on the disk."""
    with connect(api.port) as client:
        client.sendall(message("PUT", f"{FILES}/half", {"Content-Length": "3000000"}, big()[:end] or b""))
        assert ask(api.port, "POST", SEARCH, {"query": "pump"}).status == 200
    assert ask(api.port, "GET", FILES).json["files"] == []
    assert list((api.log.parent / "uploads").glob("*")) == []


def test_sixteen_uploads_arrive_at_once(api: Api) -> None:
    """Eight of one address; a further one waits for its turn, and other requests for nobody."""
    half = message("PUT", f"{FILES}/half", {"Content-Length": "3000000"}, big()[:1000])
    with many(api.port, half, 8, "127.0.0.2"):
        wait_for_uploads(api, 8)
        assert_refused(send(api.port, half, "127.0.0.2"), 429, "TOO_MANY_UPLOADS")
        with many(api.port, half, 8, "127.0.0.3"):
            wait_for_uploads(api, 16)
            assert ask(api.port, "POST", SEARCH, {"query": "pump"}).status == 200
            assert_refused(send(api.port, half), 429, "TOO_MANY_UPLOADS")
    assert ask(api.port, "GET", FILES).json["files"] == []


def test_an_upload_that_stands_still_is_given_up(hasty_api: Api) -> None:
    """One that flows takes as long as it needs."""
    with connect(hasty_api.port) as client:
        client.sendall(message("PUT", f"{FILES}/slow", {"Content-Length": "30000"}, big()[:1000]))
        assert_refused(replies(read(client)), 408, "REQUEST_TIMEOUT")


def test_a_page_of_another_site_uploads_nothing(api: Api) -> None:
    """As for every change."""
    found = send(api.port, message("PUT", f"{FILES}/a", {"Origin": "https://evil.example"}, BODY))
    assert_refused(found, 403, "ORIGIN_NOT_ALLOWED")
    found = send(api.port, message("PUT", f"{FILES}/a", {"Content-Encoding": "gzip"}, BODY))
    assert_refused(found, 415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.fixture(scope="module")
def original(patient_api: Api) -> Iterator[str]:
    """The path of an original of 12 MB."""
    assert put(patient_api.port, "big", big()).status == 201
    (row,) = patient_api.database.execute(
        "UPDATE document_versions SET original_hash = f.hash, original_media_type = 'application/pdf'"
        " FROM source_files f WHERE f.name = 'big' RETURNING document_versions.id"
    ).fetchall()
    yield f"/api/v1/document-versions/{row[0]}/original"
    patient_api.database.execute("UPDATE document_versions SET original_hash = NULL")
    assert ask(patient_api.port, "DELETE", f"{FILES}/big").status == 200


def get(api: Api, path: str, method: str = "GET", **headers: str) -> Reply:
    """Read an original, or a part of it."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return send(api.port, message(method, path, named))[0]


def test_an_original_is_read_in_parts(api: Api, original: str) -> None:
    """Whole, from the middle, from the end; each byte is the file's own."""
    whole = get(api, original)
    assert (whole.status, whole.body) == (200, big())
    assert whole.headers["accept-ranges"] == "bytes"
    for wanted, first, last in (
        ("bytes=0-0", 0, 0), ("bytes=5000000-8999999", 5_000_000, 8_999_999), ("bytes=-10", 11_999_990, 11_999_999),
        ("bytes=11999990-", 11_999_990, 11_999_999), ("bytes=0-99999999999", 0, 11_999_999),
    ):  # fmt: skip
        part = get(api, original, Range=wanted)
        assert (part.status, part.body) == (206, big()[first : last + 1])
        assert part.headers["content-range"] == f"bytes {first}-{last}/12000000"


@pytest.mark.parametrize("wanted", ["bytes=12000000-", "bytes=99999999999-", "bytes=-0"])
def test_a_range_beyond_the_end_is_refused(api: Api, original: str, wanted: str) -> None:
    """With the size, so that the client can ask again."""
    part = get(api, original, Range=wanted)
    assert_harmless(part)
    assert (part.status, part.headers["content-range"]) == (416, "bytes */12000000")


@pytest.mark.parametrize(
    "wanted", ["bytes=0-1,5-6", "bytes=" + ",".join(f"{n}-{n}" for n in range(1000)), "pages=1-2", "bytes=a-b", "x", ""]
)
def test_other_ranges_get_the_whole_file(api: Api, original: str, wanted: str) -> None:
    """Many small ones in one request are no attack, because they are not served."""
    part = get(api, original, Range=wanted)
    assert part.status == 416 or (part.status, len(part.body)) == (200, len(big()))


def test_an_original_that_is_known_is_not_sent(api: Api, original: str) -> None:
    """By its ETag; a part is sent only of the same file; HEAD sends none."""
    head = get(api, original, "HEAD")
    etag = f'"{hashlib.sha256(big()).hexdigest()}"'
    assert (head.status, head.headers["content-length"], head.headers["etag"]) == (200, "12000000", etag)
    assert head.body == b""
    known = get(api, original, If_None_Match=etag)
    assert (known.status, known.body) == (304, b"")
    assert get(api, original, Range="bytes=0-1", If_Range=etag).status == 206
    assert get(api, original, Range="bytes=0-1", If_Range='"other"').status == 200


def test_originals_on_one_connection_follow_each_other(api: Api, original: str) -> None:
    """Each is complete before the next begins."""
    first = message("GET", original, {"Connection": "keep-alive", "Range": "bytes=0-2999999"})
    found = send(api.port, first + first + message("GET", "/health/live"))
    assert [(reply.status, len(reply.body)) for reply in found[:2]] == [(206, 3_000_000)] * 2
    assert found[0].body == found[1].body == big()[:3_000_000]
    assert found[2].status == 200


def test_readers_of_originals_that_do_not_read_keep_nobody_waiting(api: Api, original: str) -> None:
    """They are more than the server has threads; another client still gets its whole file."""
    with ExitStack() as stack:
        clients = []
        for number in range(40):
            client = stack.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            client.bind(("127.0.0.2", 0))
            client.settimeout(60)
            client.connect(("127.0.0.1", api.port))
            client.sendall(message("GET", original, {"Range": "bytes=0-799999"} if number == 39 else {}))
            clients.append(client)
        assert [ask(api.port, "POST", SEARCH, {"query": "pump"}).status for _ in range(3)] == [200, 200, 200]
        assert replies(read(clients[-1]))[0].body == big()[:800_000]


def test_an_original_tells_a_browser_what_it_may_do(api: Api, original: str) -> None:
    """Nothing else: no script, no frame, no guess at its type."""
    sent = get(api, original, "HEAD").headers
    assert sent["content-type"] == "application/pdf"
    assert sent["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in sent["content-security-policy"]
    assert sent["content-disposition"] == 'inline; filename="pump.md"'
    assert ask(api.port, "POST", SEARCH, {"query": "pump"}).headers["content-type"] == JSON["Content-Type"]
