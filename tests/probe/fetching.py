"""Answers of hostile servers, fetched in a process of its own, whose memory can be measured.

Belongs here: what such servers say, and fetching it. Not here: what is expected (`test_fetching`). Guarantee: prints
one line of JSON per attack: its name, the error's code, the seconds it took, and the most megabytes the process had.
"""

import json
import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from headwater.errors import HeadwaterError
from headwater.fetching.decompression import expand_gzip
from headwater.fetching.http_client import HttpClient
from headwater.fetching.politeness import Politeness
from headwater.parsing.xml import parse_xml
from tests.hostile_server import Answer, Asked, for_ever, gzip_of_zeros, loopback_gate, response

TIME_LIMIT = 1.0  # seconds for one request
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
_CHUNKED = _HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


def _bomb(_: Asked) -> Iterator[bytes]:
    yield _HEAD + b"Content-Encoding: gzip\r\n\r\n"
    yield from gzip_of_zeros(10)


def _many_members(_: Asked) -> Iterator[bytes]:
    yield _HEAD + b"Content-Encoding: gzip\r\n\r\n"
    empty = bytes.fromhex("1f8b08000000000000ff03000000000000000000")
    while True:
        yield empty * 3000


ANSWERS: Mapping[str, Answer] = {
    "ten-gigabytes-of-zeros": _bomb,
    "empty-gzip-members": _many_members,
    "announced-terabyte": response(b"a", length=10**12),
    "announced-number-of-digits": _HEAD + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n",
    "endless-body": for_ever(b"a" * 65536, _HEAD + b"\r\n"),
    "endless-chunks": for_ever(b"1\r\na\r\n" * 1000, _CHUNKED),
    "endless-chunk-size": for_ever(b"0" * 65536, _CHUNKED),
    "endless-chunk-extension": for_ever(b"a" * 65536, _CHUNKED + b"1;"),
    "endless-trailers": for_ever(b"X-A: b\r\n" * 1000, _CHUNKED + b"0\r\n"),
    "endless-headers": for_ever(b"X-A: b\r\n" * 1000, _HEAD),
    "endless-header": for_ever(b"a" * 65536, _HEAD + b"X-A: "),
    "endless-status": for_ever(b"a" * 65536, b"HTTP/1.1 200 "),
    # Each has some bytes, so that a busy machine, too, reads as many as are allowed before its time ends.
    "endless-interim-responses": for_ever((b"HTTP/1.1 100 Continue\r\nX-A: " + b"a" * 250 + b"\r\n\r\n") * 100),
    "endless-early-hints": for_ever((b"HTTP/1.1 103 Hints\r\nLink: " + b"a" * 250 + b"\r\n\r\n") * 100),
    "drip-of-the-body": for_ever(b"a", _HEAD + b"Content-Length: 10000\r\n\r\n", pause=0.1),
    "drip-of-the-head": for_ever(b"X", _HEAD, pause=0.1),
    "drip-of-chunks": for_ever(b"1\r\na\r\n", _CHUNKED, pause=0.1),
    "silence": for_ever(b"", pause=0.1),
    "silence-after-the-head": for_ever(b"", _HEAD + b"Content-Length: 10\r\n\r\n", pause=0.1),
    "too-short": lambda _: [response(b"a", length=10)],
    "two-lengths": _HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "negative-length": _HEAD + b"Content-Length: -1\r\n\r\nab",
    "negative-chunk": lambda _: [_CHUNKED + b"-1\r\na\r\n"],
    "no-answer": lambda _: [],
    "not-http": lambda _: [b"SSH-2.0-OpenSSH_9.2\r\n"],
    "header-with-nul": lambda _: [_HEAD + b"X-A: a\0b\r\n\r\n"],
    "damaged-gzip": response(b"\x1f\x8b\x08garbage" * 10, Content_Encoding="gzip"),
    "half-a-gzip": response(next(gzip_of_zeros(1))[:500], Content_Encoding="gzip"),
    "brotli-unasked": response(b"abc", Content_Encoding="br"),
    "gzip-in-gzip": response(b"abc", Content_Encoding="gzip, gzip"),
    "redirect-loop": response(status="302 Loop", Location="/redirect-loop"),
    "growing-redirects": lambda asked: [
        response(status="302 Grow", Location=f"/growing-redirects?{asked.path.partition('?')[2]}{'a' * 1000}")
    ],
}


def _entities() -> bytes:
    levels = "".join(f'<!ENTITY a{level} "{f"&a{level - 1};" * 10}">' for level in range(1, 12))
    return f'<!DOCTYPE x [<!ENTITY a0 "lol">{levels}]><x a="&a11;">&a11;</x>'.encode()


CONTENTS: Mapping[str, Callable[[], object]] = {
    "billion-laughs": lambda: parse_xml(_entities()),
    "billion-laughs-utf-16": lambda: parse_xml(_entities().decode().encode("utf-16")),
    "quadratic-entities": lambda: parse_xml(
        b'<!DOCTYPE x [<!ENTITY a "' + b"a" * 100_000 + b'">]><x>' + b"&a;" * 100_000 + b"</x>"
    ),
    "external-entity": lambda: parse_xml(b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'),
    "parameter-entity": lambda: parse_xml(b'<!DOCTYPE x [<!ENTITY % a SYSTEM "file:///etc/passwd">%a;]><x/>'),
    "deep-xml": lambda: parse_xml(b"<a>" * 500_000),
    "millions-of-elements": lambda: parse_xml(b"<x>" + b"<a/>" * 5_000_000 + b"</x>"),
    "millions-of-attributes": lambda: parse_xml(b"<x>" + b'<a b="" c="" d=""/>' * 1_000_000 + b"</x>"),
    "gzip-file-of-zeros": lambda: expand_gzip(b"".join(gzip_of_zeros(10)), 50_000_000),
}


def _fetch(port: int, name: str) -> Callable[[], object]:
    def fetch() -> object:
        polite = Politeness(sleep=lambda _: None)
        with HttpClient(loopback_gate(seconds=TIME_LIMIT), politeness=polite) as client:
            return client.get(f"http://site.test:{port}/{name}")

    return fetch


def _peak() -> float:
    """The most memory that this program has had, in megabytes; `ru_maxrss` would be at least that of its parent."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # bytes on a Mac


def _attack(name: str, act: Callable[[], object]) -> None:
    began, worked = time.monotonic(), time.thread_time()
    try:
        code = f"none: {act()!r}"
    except HeadwaterError as error:
        code = error.code
    except Exception as error:  # noqa: BLE001 - anything else is a finding
        code = f"{type(error).__name__}: {error}"
    taken = {"seconds": time.thread_time() - worked, "waited": time.monotonic() - began, "megabytes": _peak()}
    found = {"name": name, "code": code, **taken}
    sys.stdout.write(f"{json.dumps(found)}\n")
    sys.stdout.flush()


def main(port: int) -> None:
    """Fetch everything from a server on this machine: what is large one by one, what is slow at the same time."""
    slow = [name for name in ANSWERS if name.startswith(("drip", "silence"))]
    for name in ANSWERS:
        if name not in slow:
            _attack(name, _fetch(port, name))
    for name, act in CONTENTS.items():
        _attack(name, act)
    with ThreadPoolExecutor(len(slow)) as threads:
        list(threads.map(lambda name: _attack(name, _fetch(port, name)), slow))


if __name__ == "__main__":
    main(int(sys.argv[1]))
