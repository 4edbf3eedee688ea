"""Syncs of a website (SRC-1): what is touched, what stays, what a question finds.

Belongs here: the connector with a database. Not here: its rules (`tests/unit/test_sources_website.py`).
"""

from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from headwater.domain.source_settings import SourceSettings
from headwater.settings import REPOSITORY
from headwater.syncing.trusted_documents import TrustedDocuments
from tests.page_server import full_sync
from tests.support import Headwater
from tests.web_server import WebServer, html, web_server

Make = Callable[..., Headwater]
FLASK = REPOSITORY.parent / "shared" / "data" / "web" / "flask"
NAMES = ("pump", "mill", "lamp", "gate", "wheel")


@pytest.fixture
def web() -> Iterator[WebServer]:
    """A site whose first page links to five others."""
    with web_server() as told:
        told.put("/", html("Machines", "All machines of the house.", links=tuple(f"{name}.html" for name in NAMES)))
        for name in NAMES:
            told.put(f"/{name}.html", html(name.title(), f"The {name} turns slowly in winter."))
        yield told


def add(kb: Headwater, url: str, **config: object) -> None:
    """Add a website to a knowledge base."""
    kb.store.sources.create(
        kb.slug, slug="site", kind="website", config={"url": url, "delay": 0, **config}, settings=SourceSettings()
    )


@pytest.fixture
def loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sources may read loopback; to be named before whatever reads the settings."""
    monkeypatch.setenv("HEADWATER_FETCH_ALLOW", "127.0.0.1")


@pytest.fixture
def kb(loopback: None, headwater: Make, web: WebServer) -> Headwater:
    """A knowledge base with the site, synced once."""
    made = headwater()
    add(made, f"{web.url}/")
    done = made.sync("site")["site"]
    assert (done.state, done.added, done.errors) == ("ready", 6, [])
    web.asked()
    return made


def test_exactly_what_changed_is_touched(kb: Headwater, web: WebServer) -> None:
    """One page changed, one gone, one new, one failing with 500: three are touched, the failing one stays (SRC-1)."""
    web.put("/pump.html", html("Pump", "The pump stands still.", links=("crane.html",)))
    web.put("/crane.html", html("Crane", "The crane lifts stones."))
    del web.pages["/mill.html"]
    web.put("/lamp.html", "", status=500)
    done = kb.sync("site")["site"]
    assert (done.changed, done.added, done.removed, len(done.errors)) == (1, 1, 1, 1)
    assert (done.unchanged, done.state) == (3, "ready")
    assert [(error.uri, error.code) for error in done.errors] == [(f"{web.url}/lamp.html", "FETCH_FAILED")]
    statuses = dict(web.asked())
    assert statuses == {
        "/": 304, "/pump.html": 200, "/crane.html": 200, "/mill.html": 404, "/lamp.html": 500, "/gate.html": 304,
        "/wheel.html": 304,
    }  # fmt: skip
    found = {passage.uri.removeprefix(web.url) for passage in kb.search("turns slowly in winter")}
    assert {"/lamp.html", "/gate.html", "/wheel.html"} <= found
    assert not {"/mill.html"} & found


def test_an_unchanged_site_writes_nothing(kb: Headwater, web: WebServer) -> None:
    """Each page costs one 304; a full sync fetches every page and finds the same texts."""
    before = kb.content()
    done = kb.sync("site")["site"]
    assert (done.unchanged, done.rows_written, done.removed) == (6, 0, 0)
    assert {status for _, status in web.asked()} == {304}
    assert kb.content() == before
    done = full_sync(kb)
    assert {status for _, status in web.asked()} == {200}
    assert (done.changed, done.added, done.removed, done.embedded) == (0, 0, 0, 0)


def test_any_worker_follows_the_links_of_unchanged_pages(kb: Headwater, web: WebServer) -> None:
    """They are in the database with the validator: nothing in the source's folder is needed."""
    known = kb.store.documents.known(kb.source("site"))
    trusted = TrustedDocuments(known, own_version="html-9", is_full=False)
    assert set(trusted) == {f"{web.url}/", *(f"{web.url}/{name}.html" for name in NAMES)}
    assert not (kb.settings.home / "sources").exists() or not list((kb.settings.home / "sources").rglob("*.html"))


def test_a_failing_site_changes_nothing(kb: Headwater, web: WebServer) -> None:
    """The source fails, and its documents stay searchable."""
    web.put("/", "", status=500)
    done = kb.sync("site")["site"]
    assert (done.state, [error.code for error in done.errors]) == ("failed", ["FETCH_FAILED"])
    assert kb.search("turns slowly in winter")


def test_loopback_is_refused_without_the_setting(headwater: Make, web: WebServer) -> None:
    """No request reaches the server (SEC-1)."""
    kb = headwater()
    add(kb, f"{web.url}/")
    done = kb.sync("site")["site"]
    assert (done.state, [error.code for error in done.errors]) == ("failed", ["FETCH_REFUSED"])
    assert web.answers == []


@pytest.mark.skipif(not FLASK.is_dir(), reason="the data of ../shared is not there")
def test_a_real_site_is_read_and_answers(loopback: None, headwater: Make) -> None:
    """77 pages of Sphinx: all are read but one that needs JavaScript; a question finds the right page."""
    handler = partial(_Quiet, directory=str(FLASK))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    kb = headwater()
    url = f"http://127.0.0.1:{server.server_port}"
    try:
        add(kb, f"{url}/deploying/index.html", mode="crawl")
        done = kb.sync("site")["site"]
        assert (done.state, done.errors) == ("ready", [])
        assert done.added == len(list((FLASK / "deploying").glob("*.html")))
        passage = kb.search("Which server is a pure Python WSGI server without dependencies?", top_k=1)[0]
        assert passage.uri.startswith(f"{url}/deploying/")
        assert kb.sync("site")["site"].rows_written == 0
    finally:
        server.shutdown()
        server.server_close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""
