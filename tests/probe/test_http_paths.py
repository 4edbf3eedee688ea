"""Paths, ids and query strings that are not what they should be (SEC-1)."""

import pytest

from tests.probe.conftest import Api
from tests.probe.wire import JSON, KB, ask, assert_harmless, message, send

ALL = "/api/v1/knowledge-bases"
UP = ["../", "..%2f", "%2e%2e/", "%2e%2e%2f", "..%5c", "....//", "%252e%252e%252f", "..%c0%af", "..;/", "%2e%2e%00/"]


@pytest.mark.parametrize("step", UP)
def test_pages_of_the_documentation_lead_to_no_other_file(api: Api, step: str) -> None:
    """Neither to files of the machine nor to those of the program."""
    for root in ("/openapi/swagger/", "/openapi/static/", "/openapi/", "/static/", "/"):
        for target in ("etc/passwd", "app.py", "openapi.py", "pyproject.toml"):
            (reply,) = send(api.port, message("GET", f"{root}{step * 12}{target}"))
            assert_harmless(reply)
            assert reply.status >= 400
            assert b"root:" not in reply.body
            assert b"import " not in reply.body


SLUGS = {
    "up": "..",
    "up_encoded": "%2e%2e",
    "slash_encoded": "kb%2fsources",
    "slash_doubled": "/kb",
    "slash_twice": "kb%252fsources",
    "backslash": "kb%5c",
    "nul": "kb%00",
    "newline": "kb%0d%0aSet-Cookie:%20a=b",
    "invalid_utf_8": "%ff%fe",
    "surrogate": "%ed%a0%80",
    "overlong": "%c0%af",
    "umlaut": "%c3%bc",
    "fullwidth": "%ef%bd%8b%ef%bd%82",
    "direction": "kb%e2%80%ae",
    "capital": "KB",
    "space": "%20kb",
    "percent": "%25",
    "underscore": "__",
    "like": "k%25",
    "like_one": "k_",
    "quote": "kb'",
    "statement": "kb';DROP%20TABLE%20chunks;--",
    "union": "x'%20UNION%20SELECT%20*%20FROM%20sources--",
    "template": "%7b%7b7*7%7d%7d",
    "format": "%25s%25(x)s",
    "html": "%3cscript%3ealert(1)%3c/script%3e",
    "long": "k" * 3900,
    "semicolon": "kb;a=b",
    "percent_half": "kb%2",
    "percent_wrong": "kb%zz",
}


@pytest.mark.parametrize("slug", SLUGS.values(), ids=SLUGS.keys())
def test_strange_slugs_name_nothing(api: Api, slug: str) -> None:
    """Not found or not usable, for reading and for changing, for knowledge bases and for sources."""
    for path in (f"{ALL}/{slug}", f"{KB}/sources/{slug}"):
        for method, body in (("GET", b""), ("PATCH", b"{}"), ("DELETE", b"")):
            (reply,) = send(api.port, message(method, path, JSON if body else {}, body))
            assert_harmless(reply)
            assert reply.status in (404, 405, 422), reply
            assert "set-cookie" not in reply.headers


@pytest.mark.parametrize(
    "target", ["//[://x", "/[://x", "//]://", "/a://[x", "/kb?a=//[://", "http://[x/", "//[://x]/"]
)
def test_brackets_in_a_target_name_nothing(api: Api, target: str) -> None:
    """They name no address, so nothing is there, or the request is malformed; it is no fault of the server."""
    for method in ("GET", "DELETE"):
        (reply,) = send(api.port, message(method, target))
        assert_harmless(reply)
        assert reply.status in (400, 403, 404), reply


IDS = [
    "0",
    "-1",
    "9" * 30,
    "9" * 3000,
    "1.5",
    "1e3",
    "0x1",
    "NaN",
    "%00",
    "%d9%a1",
    "1;2",
    "1%20OR%201=1",
    "null",
    "-0",
]
PLACES = [
    "/api/v1/syncs/{}", "/api/v1/syncs/{}/events", "/api/v1/deletions/{}", "/api/v1/answers/{}",
    "/api/v1/answers/{}/lineage", "/api/v1/documents/{}", "/api/v1/documents/{}/versions",
    "/api/v1/document-versions/{}", "/api/v1/chunks/{}", "/api/v1/chunks/{}/lineage",
]  # fmt: skip


@pytest.mark.parametrize("value", IDS)
def test_strange_ids_name_nothing(api: Api, value: str) -> None:
    """Not found or not usable, wherever an id is read."""
    for place in PLACES:
        (reply,) = send(api.port, message("GET", place.format(value)))
        assert_harmless(reply)
        assert reply.status in (404, 422), (place, reply)
    for place in (f"{KB}/search-indexes/{value}/switch", f"/api/v1/syncs/{value}/cancel"):
        (reply,) = send(api.port, message("POST", place))
        assert_harmless(reply)
        assert reply.status in (404, 422), (place, reply)


QUERIES = [
    "after=%00", "after=%ff", "after=%ed%a0%80", "after=%25", "after='", "after=" + "9" * 3000, "after=-1", "limit=0",
    "limit=201", "limit=-1", "limit=" + "9" * 3000, "limit=1e400", "limit=NaN", "limit=1&limit=200", "limit[]=1",
    "limit=%d9%a1", "after=a&after=b", "&&&===", "%00=1", "a" * 2000 + "=1", "=&=&" * 500, "after=%0d%0aX:%20y",
]  # fmt: skip


@pytest.mark.parametrize("query", QUERIES)
def test_strange_queries_are_answered_or_refused(api: Api, query: str) -> None:
    """Lists, evaluations, deletions and texts alike."""
    version = "00000000-0000-0000-0000-000000000000"
    spans = query.replace("after", "start").replace("limit", "context")
    for path in (
        f"{ALL}?{query}", f"{KB}/evaluations?{query}", f"/api/v1/deletions?{query}",
        f"/api/v1/document-versions/{version}?{spans}",
    ):  # fmt: skip
        (reply,) = send(api.port, message("GET", path))
        assert_harmless(reply)
        assert reply.status in (200, 404, 422), (path, reply)
        assert "x" not in reply.headers


TEXTS = [
    "/?find=%00", "/?after=%00", "/?nothing=%00", "/?%00=1", "/audit?after=%00", "/bots?channel=%00", "/bots?test=%00",
    "/kb/kb/chat?find=%00", "/kb/kb/chat?q=%00", "/kb/kb/chat?turn=%00", "/kb/kb/contents?source=%00",
    "/kb/kb/documents?find=%00", "/kb/kb/documents?find=pump&find=%00", "/kb/kb/documents?source=a%00",
    "/kb/kb/new-source?kind=%00", "/kb/kb/sources?receipt=%00", "/kb/kb/sources/docs?after=%00", "/login?next=/%00",
    "/kb/kb/documents?find=%25%00", f"{ALL}?after=%00", f"{KB}/sources?after=%00", f"{KB}/conversations?query=%00",
    f"{KB}/documents?find=%00", f"{KB}/summary-tree?source=%00", f"{KB}/links?source=%00", "/v1/models?after=%00",
    "/api/v1/usage?knowledge_base=%00", "/api/v1/feedback?knowledge_base=%00", "/widget.js?%00",
]  # fmt: skip


@pytest.mark.parametrize("path", TEXTS)
def test_a_nul_in_a_query_is_refused(api: Api, path: str) -> None:
    """In the texts of pages and of the API alike: it is told, as a page or as a problem, and no fault of the server."""
    program, browser = {"Accept": "application/json"}, {"Accept": "text/html"}
    for headers in (program, browser):
        (reply,) = send(api.port, message("GET", path, headers))
        assert reply.status == (400 if path.startswith("/v1/") else 422), reply
        assert b"contains a NUL" in reply.body
        if headers is program or "json" in reply.headers["content-type"]:
            assert_harmless(reply)
        (other,) = send(api.port, message("GET", path.replace("%00", "%2500"), headers))
        assert other.status < 500
        assert b"contains a NUL" not in other.body


NEW = {
    "slug_up": {"slug": ".."},
    "slug_slash": {"slug": "a/b"},
    "slug_newline": {"slug": "a\r\nSet-Cookie: b"},
    "slug_trailing_newline": {"slug": "a\n"},
    "slug_empty": {"slug": ""},
    "slug_long": {"slug": "a" * 5000},
    "slug_umlaut": {"slug": "\u00fc"},
    "slug_html": {"slug": "<b>"},
    "name_long": {"slug": "new", "name": "a" * 201},
    "name_nul": {"slug": "new", "name": "\x00"},
    "name_surrogate": {"slug": "new", "name": "\ud800"},
    "description_surrogate": {"slug": "new", "description": "\udfff"},
    "description_long": {"slug": "new", "description": "a" * 4001},
    "setting_surrogate": {"slug": "new", "settings": {"embedding_model": "\ud800"}},
    "setting_path": {"slug": "new", "settings": {"embedding_model": "../../etc/passwd"}},
    "setting_huge": {"slug": "new", "settings": {"chunk_max": 10**900}},
    "setting_unknown": {"slug": "new", "settings": {"__init__": 1}},
    "setting_boost": {"slug": "new", "settings": {"boosts": [{"uri": "(" * 5000, "factor": -1}]}},
}


@pytest.mark.parametrize("document", NEW.values(), ids=NEW.keys())
def test_strange_knowledge_bases_are_not_made(api: Api, document: dict[str, object]) -> None:
    """422, and nothing is there afterwards."""
    reply = ask(api.port, "POST", ALL, document)
    assert_harmless(reply)
    assert reply.status == 422
    assert "set-cookie" not in reply.headers


SOURCES = {
    "kind_module": {"slug": "s", "kind": "os:system"},
    "kind_surrogate": {"slug": "s", "kind": "\ud800"},
    "slug_up": {"slug": "..", "kind": "markdown_tree", "path": "/nowhere"},
    "path_nul": {"slug": "s", "kind": "markdown_tree", "path": "/nowhere\x00"},
    "path_surrogate": {"slug": "s", "kind": "markdown_tree", "path": "/nowhere\ud800"},
    "git_ext": {"slug": "s", "kind": "markdown_tree", "git": "ext::sh -c id"},
    "git_option": {"slug": "s", "kind": "markdown_tree", "git": "--upload-pack=id"},
    "git_fd": {"slug": "s", "kind": "markdown_tree", "git": "fd::17"},
    "config_twice": {"slug": "s", "kind": "markdown_tree", "path": "/nowhere", "config": {"path": 7}, "x": 1},
    "refresh_huge": {"slug": "s", "kind": "jsonl", "path": "/n.jsonl", "refresh": 10**300},
    "refresh_text": {"slug": "s", "kind": "jsonl", "path": "/n.jsonl", "refresh": "1" * 900 + "h"},
    "category_nul": {"slug": "s", "kind": "jsonl", "path": "/n.jsonl", "category": "\x00"},
    "tags_nested": {"slug": "s", "kind": "jsonl", "path": "/n.jsonl", "tags": [["a"]]},
}


@pytest.mark.parametrize("document", SOURCES.values(), ids=SOURCES.keys())
def test_strange_sources_are_not_registered(api: Api, document: dict[str, object]) -> None:
    """422, and nothing is there afterwards."""
    reply = ask(api.port, "POST", f"{KB}/sources", document)
    assert_harmless(reply)
    assert reply.status == 422, reply


@pytest.mark.parametrize("last", ["", "-1", "9" * 4000, "\x7f\x80", "'; DROP TABLE syncs; --", "\xff\xfe"])
def test_streams_do_not_believe_the_last_event_id(api: Api, last: str) -> None:
    """A stream starts with the current state, whatever the client says it has seen."""
    sync = ask(api.port, "GET", f"{KB}/sources/docs").json
    assert sync["state"] == "ready"
    (reply,) = send(api.port, message("GET", "/api/v1/syncs/1/events", {"Last-Event-ID": last}))
    assert_harmless(reply)
    assert reply.status == 400 if "\x7f" in last else b"event: done" in reply.body


@pytest.mark.parametrize("path", ["/api/v1/%3cscript%3ealert(1)%3c/script%3e", "/openapi/%3cscript%3e", "/api/{{7*7}}"])
def test_problems_hold_no_markup(api: Api, path: str) -> None:
    """A problem is JSON that browsers are told not to take for anything else."""
    (reply,) = send(api.port, message("GET", path, {"Accept": "text/html"}))
    assert_harmless(reply)
    assert reply.status in (400, 404)
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert b"<script" not in reply.body
    assert b"49" not in reply.body


@pytest.mark.parametrize(
    "path",
    [
        "/%3cscript%3ealert(1)%3c/script%3e",
        "/{{7*7}}",
        "/kb/%3ci%3e/sources",
        "/?<i>",
        "/?find=%3ci%3e",
        "/kb/kb/sources?receipt=%3ci%3e",
        "/kb/kb/sources?receipt=99999999999999999999",
    ],
)
def test_pages_hold_no_markup_of_an_address(api: Api, path: str) -> None:
    """Whatever a page repeats of its address is text, and its policy would let nothing run."""
    (reply,) = send(api.port, message("GET", path, {"Accept": "text/html"}))
    assert reply.status in (200, 404)
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert "script-src 'self'" in reply.headers["content-security-policy"]
    assert not any(hostile in reply.body for hostile in (b"<script>", b"alert(1)", b"<i>", b">49<", b"Traceback"))
