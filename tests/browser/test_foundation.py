"""What every page has: the frame, the policy, pages for errors, and the modules that all pages share."""

import json
from typing import Any

import httpx
import pytest

from query_api.pages.page_renderer import HEADERS
from tests.browser.web import Web, bytes_counted, check_accessible, check_fits, expect, read_attribute, tab_to

_EVENTS = (
    '\ufeffretry: 5\r\n\r\nid: 7\nevent: block\ndata: {"html": "é 日本 😀"}\ndata: two\n\n: ping\n\n'
    "data\r\rid: 8\rdata: end\n\ndata: cut"
)
_SPLIT = """async ([module, text]) => {
    const { EventParser, readEvents } = await import(module);
    const bytes = new TextEncoder().encode(text);
    const read = async (pieces) => {
        const stream = new ReadableStream({ start(c) { pieces.forEach((p) => c.enqueue(p)); c.close(); } });
        const found = [];
        for await (const event of readEvents(new Response(stream))) found.push(event);
        return JSON.stringify(found);
    };
    const found = new Set([await read([bytes]), await read([...bytes].map((byte) => Uint8Array.of(byte)))]);
    for (let at = 1; at < bytes.length; at += 1) found.add(await read([bytes.slice(0, at), bytes.slice(at)]));
    return [...found];
}"""


def test_pages_have_a_strict_policy_and_errors_are_pages_for_browsers(web: Web) -> None:
    """A program gets the same errors as problem+json; the API's own addresses never answer with a page."""
    browser = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    home = httpx.get(web.url, headers=browser)
    assert {name: home.headers[name] for name in HEADERS} == HEADERS
    assert home.headers["X-Content-Type-Options"] == "nosniff"
    assert " style=" not in home.text
    assert "<script>" not in home.text
    for path in ("/nowhere", "/kb/absent/sources"):
        page = httpx.get(web.url + path, headers=browser)
        assert (page.status_code, page.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
        assert "There is nothing here" in page.text
        assert "`headwater" not in page.text
        assert "Hier ist nichts" in httpx.get(web.url + path, headers={**browser, "Accept-Language": "de"}).text
        assert page.headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]
        assert httpx.get(web.url + path).headers["Content-Type"] == "application/problem+json"
    program = httpx.get(f"{web.url}/api/v1/knowledge-bases/absent", headers=browser)
    assert program.headers["Content-Type"] == "application/problem+json"
    refused = httpx.get(web.url, headers={**browser, "Host": "evil.example"})
    assert (refused.status_code, refused.headers["Content-Type"]) == (403, "text/html; charset=utf-8")
    assert "evil.example is not allowed" in refused.text


def test_static_files_are_kept_for_a_year_under_an_address_that_changes_with_them(web: Web) -> None:
    """An address of another version works too, but is not kept; nothing outside the folder is served."""
    style = httpx.get(web.url).text.split('rel="stylesheet" href="')[1].split('"')[0]
    assert "immutable" in httpx.get(web.url + style).headers["Cache-Control"]
    assert httpx.get(f"{web.url}/static/old/css/headwater.css").headers["Cache-Control"] == "no-cache"
    for name in ("../app.py", "js/../../app.py", "%2e%2e/app.py", "absent.js"):
        assert httpx.get(f"{web.url}/static/old/{name}").status_code == 404
    assert httpx.get(f"{web.url}/favicon.ico").headers["Content-Type"] == "image/svg+xml"


def test_a_form_of_no_page_of_ours_is_refused(web: Web) -> None:
    """A program uses the API; a form without the headers of a browser, or with another site's, changes nothing."""
    form = {"name": "Notes"}
    assert httpx.post(web.url, data=form).status_code == 403
    assert httpx.post(web.url, data=form, headers={"Origin": "https://evil.example"}).status_code == 403
    assert httpx.post(web.url, data=form, headers={"Origin": "null"}).status_code == 403
    assert httpx.post(web.url, json=form, headers={"Origin": web.url}).status_code == 415
    assert httpx.get(f"{web.url}/api/v1/knowledge-bases").json()["knowledge_bases"] == []


def test_shared_modules_in_a_browser(web: Web) -> None:
    """Events arrive whole wherever the network cuts them; problems are readable; the frame passes every check."""
    page = web.visit()
    folder = read_attribute(page.locator("script[type=module]").first, "src").rpartition("/")[0]
    (found,) = page.evaluate(_SPLIT, [f"{folder}/sse.js", _EVENTS])
    expected: list[dict[str, Any]] = [
        {"name": "block", "data": '{"html": "é 日本 😀"}\ntwo', "id": "7"},
        {"name": "message", "data": "", "id": "7"},
        {"name": "message", "data": "end", "id": "8"},
    ]
    assert json.loads(found) == expected
    web.expect_problem("status 404|404 ")
    said = page.evaluate(
        "async (m) => (await import(m)).get('/api/v1/knowledge-bases/absent').catch(e => [e.message, e.code])",
        f"{folder}/api.js",
    )
    assert said[1] == "NOT_FOUND"
    assert "There is no knowledge base absent" in said[0]
    page.evaluate("async (m) => (await import(m)).announce('Done')", f"{folder}/announce.js")
    page.get_by_role("status").filter(has_text="Done").wait_for(state="attached")
    tab_to(page, ".skip-link")
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


@pytest.mark.parametrize("path", ["/", "/nowhere"])
def test_first_views_are_light_and_accessible(web: Web, path: str) -> None:
    """At most 100 kB in all; on a phone, in the dark, with less motion, at 200 %."""
    web.expect_problem("404")
    page = web.visit("/favicon.ico")
    with bytes_counted(page) as sizes:
        page.goto(path, wait_until="networkidle")
    assert len(sizes) >= 4
    assert sum(sizes) <= 100_000
    check_accessible(page)
    for shape in ({"phone": True, "dark": True}, {"zoom": 2, "reduced": True}):
        other = web.visit(path, **shape)
        check_accessible(other)
        check_fits(other)
