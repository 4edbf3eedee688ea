"""Which requests reach the Dagster UI, whatever their headers hold (SEC-1)."""

from typing import Any

import pytest

from cli.processes.request_guard import RequestGuard


async def _app(*_: Any) -> None:
    raise AssertionError


def refusal(kind: str, method: str, **headers: str) -> tuple[int, str] | None:
    """The response of a guard of http://localhost:3000 to a request."""
    pairs = [(b"host", b"localhost:3000"), *((name.encode(), value.encode()) for name, value in headers.items())]
    guard = RequestGuard(_app, urls=["http://localhost:3000"])
    return guard.refusal({"type": kind, "scheme": "http", "method": method, "path": "/", "headers": pairs})


@pytest.mark.attacks
@pytest.mark.parametrize("url", ["http://[", "http://[x", "http://]", "http://[::1", "http://a\u212f[", "://["])
@pytest.mark.parametrize(
    ("kind", "method", "header"),
    [
        ("http", "GET", "origin"),
        ("http", "POST", "origin"),
        ("http", "POST", "referer"),
        ("websocket", "GET", "origin"),
        ("websocket", "GET", "referer"),
    ],
)
def test_a_malformed_origin_is_foreign(kind: str, method: str, header: str, url: str) -> None:
    """403, not a fault of the server, for pages and for web sockets."""
    found = refusal(kind, method, **{header: url})
    assert found is not None
    assert found[0] == 403


@pytest.mark.parametrize("header", ["origin", "referer"])
def test_a_page_of_its_own_passes(header: str) -> None:
    """The same headers, well-formed."""
    assert refusal("websocket", "GET", **{header: "http://localhost:3000"}) is None
