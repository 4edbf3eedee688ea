"""Pages and programs without the key against `headwater models serve` (SEC-1)."""

import json
from urllib.parse import urlsplit

import pytest

from cli.processes.model_proxy import ROUTES
from tests.local_llm import NAME, LocalLlm
from tests.probe.wire import JSON, Reply, message, send

_QUESTION = json.dumps({"max_tokens": 1, "messages": [{"role": "user", "content": "hi"}]}).encode()
_PATHS = [*sorted(ROUTES), ("OPTIONS", "/v1/chat/completions")]

PAGES = {
    "another_site": {"Origin": "https://evil.example"},
    "a_sandboxed_frame": {"Origin": "null"},
    "another_port": {"Origin": "http://127.0.0.1:3000"},
    "another_name_of_this_machine": {"Origin": "http://localhost"},
    "a_longer_name": {"Origin": "http://127.0.0.1.evil.example"},
    "an_extension": {"Origin": "chrome-extension://abc"},
    "a_referrer": {"Referer": "https://evil.example/"},
    "cross_site": {"Sec-Fetch-Site": "cross-site"},
    "same_site": {"Sec-Fetch-Site": "same-site"},
    "a_rebound_name": {"Host": "evil.example"},
    "a_rebound_name_of_its_own_page": {"Host": "evil.example", "Origin": "http://evil.example"},
    "a_name_that_ends_in_ours": {"Host": "127.0.0.1.evil.example"},
    "another_spelling": {"Host": "127.1"},
    "a_user_in_the_name": {"Host": "127.0.0.1@evil.example"},
    "any_address": {"Host": "0.0.0.0"},
    "two_origins": {"Origin": "http://127.0.0.1, https://evil.example"},
}
"""Refused whatever key they send."""
KEYS = {
    "none": {},
    "the_word_of_before": {"Authorization": "Bearer none"},
    "empty": {"Authorization": "Bearer "},
    "its_beginning": {"Authorization": "Bearer hwm_"},
    "another_scheme": {"Authorization": "Basic KEY"},
    "without_a_scheme": {"Authorization": "KEY"},
    "in_another_header": {"X-Api-Key": "KEY", "Api-Key": "KEY"},
    "in_a_cookie": {"Cookie": "key=KEY"},
    "no_ascii": {"Authorization": "Bearer \xe9"},
}


def told(local_llm: LocalLlm, method: str, path: str, headers: dict[str, str]) -> Reply:
    """The only reply; it says nothing about the model, and no page may read it."""
    port = urlsplit(local_llm.url).port or 0
    given = {name: value.replace("KEY", local_llm.key) for name, value in headers.items()}
    body = _QUESTION if method == "POST" else b""
    local = {"Host": f"127.0.0.1:{port}", **(JSON if body else {})}
    (reply,) = send(port, message(method, path, {**local, **given}, body))
    assert not [name for name in reply.headers if name.startswith("access-control-")]
    assert NAME.encode() not in reply.body
    assert reply.headers["cross-origin-resource-policy"] == "same-origin"
    return reply


@pytest.mark.parametrize("headers", PAGES.values(), ids=PAGES.keys())
def test_no_page_and_no_foreign_name_reaches_the_model(local_llm: LocalLlm, headers: dict[str, str]) -> None:
    """With the key or without it."""
    for method, path in _PATHS:
        if "Referer" in headers and method != "POST":
            continue  # a browser sends it for a link, too
        for key in ({}, {"Authorization": "Bearer KEY"}):
            assert told(local_llm, method, path, {**headers, **key}).status == 403


@pytest.mark.parametrize("headers", KEYS.values(), ids=KEYS.keys())
def test_without_the_key_the_model_says_nothing(local_llm: LocalLlm, headers: dict[str, str]) -> None:
    """Not even its name; `/health` and the addresses of llama.cpp's own are as closed as the others."""
    more = [
        ("GET", path) for path in ("/", "/health", "/v1/health", "/models", "/props", "/slots", "/metrics", "/api/tags")
    ]
    for method, path in [*_PATHS, *more]:
        assert told(local_llm, method, path, headers).status == 401


@pytest.mark.parametrize(
    "path", ["/slots", "/props", "/metrics", "/completion", "/v1/../slots", "/v1/models/", "//v1/models"]
)
def test_the_key_opens_nothing_else(local_llm: LocalLlm, path: str) -> None:
    """What others asked, and the model's settings, are for nobody."""
    assert told(local_llm, "GET", path, {"Authorization": "Bearer KEY"}).status == 404


def test_programs_with_the_key_get_through(local_llm: LocalLlm) -> None:
    """By each of this machine's names."""
    port = urlsplit(local_llm.url).port or 0
    for host in (f"127.0.0.1:{port}", f"localhost:{port}"):
        headers = {"Host": host, "Authorization": f"Bearer {local_llm.key}"}
        (reply,) = send(port, message("GET", "/v1/models", headers))
        assert (reply.status, NAME.encode() in reply.body) == (200, True)
