"""Cosense projects: which pages are read, and what happens when the site refuses (SRC-7, SRC-14).

Belongs here: the connector against a site on loopback. Not here: notation (`test_parsing_cosense`), syncs
(`tests/integration/test_cosense.py`), attacks (`tests/probe/test_fetching_media.py`).
"""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from headwater.domain.documents import DocumentProblem
from headwater.errors import FetchError, InvalidConfigurationError, SourceError
from headwater.fetching.politeness import Politeness
from headwater.settings import REPOSITORY
from headwater.sources import source_context as contexts
from headwater.sources.connector import FetchedDocument, UnchangedDocument, open_connector
from headwater.sources.cosense.connector import Cosense
from headwater.sources.source_context import SourceContext
from tests.cosense_server import CosenseServer, cosense_server
from tests.hostile_server import loopback_gate

PAGES = REPOSITORY.parent / "shared" / "data" / "cosense" / "derived"

Item = FetchedDocument | UnchangedDocument | DocumentProblem


@pytest.fixture
def site() -> Iterator[CosenseServer]:
    """A project of three pages."""
    with cosense_server() as running:
        running.put("Pump", "It lifts [water].", updated=100)
        running.put("水車", "[Pump] と #川", updated=200)
        running.put("a/b?c #d", "Odd.", updated=300)
        yield running


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long would have been waited; nobody does."""
    found: list[float] = []
    monkeypatch.setattr(contexts, "Politeness", partial(Politeness, sleep=found.append))
    return found


def source(
    site: CosenseServer, known: Mapping[str, Any] | None = None, waits: list[float] | None = None, **config: Any
) -> Cosense:
    """A source of the project, with what is known of it; `waits` gets how long it waits as the site asks."""
    told: list[float] = [] if waits is None else waits
    context = SourceContext(
        folder=Path("own"), gate=loopback_gate(), known=known or {}, wait=lambda seconds, _: told.append(seconds)
    )
    made = open_connector("cosense", {"project": site.project, "delay": 0, **config}, context)
    assert isinstance(made, Cosense)
    return made


def known_of(items: list[Item]) -> dict[str, Any]:
    """What is stored of fetched documents, as far as a connector sees it."""
    return {
        item.uri: known_one(item.fingerprint, item.validator) for item in items if isinstance(item, FetchedDocument)
    }


def known_one(fingerprint: str, validator: str) -> Any:
    """One known document."""
    return type("One", (), {"fingerprint": fingerprint, "validator": validator})()


def test_every_page_is_a_document(site: CosenseServer) -> None:
    """With its title, dates, links as references, and an address that opens it."""
    (pump, mill, odd) = [item.parse() for item in source(site).fetch() if isinstance(item, FetchedDocument)]
    assert (pump.uri, pump.title, pump.text) == (f"{site.project}/Pump", "Pump", "It lifts [water](water).")
    assert pump.metadata == {"created": "2020-09-13", "updated": "1970-01-01"}
    assert mill.uri == f"{site.project}/水車"
    assert mill.references == (f"{site.project}/Pump", f"{site.project}/川")
    assert odd.uri == f"{site.project}/a%2Fb%3Fc_%23d"
    assert [unquote(path) for path, _ in site.asked()][1:] == ["/Pump", "/水車", "/a/b?c_#d"]


def test_only_updated_pages_are_fetched(site: CosenseServer) -> None:
    """The list says which; a page that is gone is not there any more, one that is only linked to never was."""
    known = known_of(list(source(site).fetch()))
    site.asked()
    site.put("Pump", "It stands.", updated=101)
    del site.pages["水車"]
    items = list(source(site, known).fetch())
    assert [(type(item), item.uri) for item in items] == [
        (FetchedDocument, f"{site.project}/Pump"),
        (UnchangedDocument, f"{site.project}/a%2Fb%3Fc_%23d"),
    ]
    assert [path for path, _ in site.asked()] == ["?skip=0&limit=1000&sort=created", "/Pump"]


def test_a_page_that_vanishes_between_list_and_request_is_gone(site: CosenseServer) -> None:
    """404, and the same for one that only links keep alive: neither is an error."""

    def delete() -> None:
        site.pages.pop("a/b?c #d", None)
        site.pages.pop("Pump", None)

    site.after_list = delete
    items = list(source(site).fetch())
    assert [item.uri for item in items] == [f"{site.project}/水車"]
    assert [status for _, status in site.asked()] == [200, 200, 200, 404]  # Pump is still linked to


@pytest.mark.parametrize("most", [3, 12, 1000])
def test_the_list_is_read_whole_whatever_a_page_of_it_holds(site: CosenseServer, most: int) -> None:
    """The server gives fewer than were asked for, and does not say so."""
    site.most = most
    for number in range(30):
        site.put(f"Page {number}")
    items = list(source(site).fetch())
    assert len({item.uri for item in items}) == len(items) == 33


def test_pages_that_move_while_the_list_is_read_remove_nothing(site: CosenseServer) -> None:
    """A page that was deleted moves the others up: the list may lack one, so no page counts as removed."""
    site.most = 12
    for number in range(30):
        site.put(f"Page {number}")

    def delete_many() -> None:
        for title in list(site.pages)[:11]:
            del site.pages[title]
        site.after_list = lambda: None

    site.after_list = delete_many
    items = list(source(site).fetch())
    assert isinstance(items[-1], DocumentProblem)
    assert items[-1].uri == ""
    assert "changed while it was read" in items[-1].message


def test_a_busy_site_is_waited_for(site: CosenseServer, waits: list[float]) -> None:
    """As long as it asks (429, Retry-After), and the page is read then."""
    site.busy = 2
    assert len(list(source(site, waits=waits).fetch())) == 3
    assert waits == [7.0, 7.0]


def test_a_site_that_stays_busy_is_left_alone(site: CosenseServer, waits: list[float]) -> None:
    """After a quarter of an hour, and three pages in a row; no page counts as removed."""
    for number in range(20):
        site.put(f"Page {number}")
    site.busy = 1000
    items = list(source(site, waits=waits).fetch())
    assert [item.uri != "" for item in items] == [True, True, True, False]
    assert all(isinstance(item, DocumentProblem) and item.code == "FETCH_FAILED" for item in items)
    assert (len(waits), sum(waits)) == (128, 896)
    assert len(site.asked()) == 1 + 129 + 1 + 1
    assert "the other 20 were not asked for" in getattr(items[-1], "message", "")


def test_requests_keep_their_distance(site: CosenseServer, waits: list[float]) -> None:
    """By `delay`."""
    list(source(site, delay=30).fetch())
    assert len(waits) == 3
    assert all(29 < wait <= 30 for wait in waits)


@pytest.mark.parametrize("secret", ["Cookie: connect.sid=s3cr3t", "x-personal-access-token: s3cr3t"])
def test_a_private_project_needs_its_secret(site: CosenseServer, monkeypatch: pytest.MonkeyPatch, secret: str) -> None:
    """The cookie or the token of a member, by name; a message names the variable and not the secret (SRC-14)."""
    site.cookie = site.token = "s3cr3t"
    with pytest.raises(SourceError, match=r"is private\. Name a `credential`"):
        list(source(site).fetch())
    with pytest.raises(SourceError, match="HEADWATER_CREDENTIAL_WIKI"):
        list(source(site, credential="wiki").fetch())
    monkeypatch.setenv("HEADWATER_CREDENTIAL_WIKI", secret)
    monkeypatch.setenv("HEADWATER_CREDENTIAL_WIKI_HOST", site.url.removeprefix("http://"))
    assert len(list(source(site, credential="wiki").fetch())) == 3
    monkeypatch.setenv("HEADWATER_CREDENTIAL_WIKI", secret.replace("s3cr3t", "0ther0ne"))
    with pytest.raises(SourceError, match="refuses the credential wiki") as caught:
        list(source(site, credential="wiki").fetch())
    assert "0ther0ne" not in str(caught.value)


def test_another_project_fails(site: CosenseServer) -> None:
    """Without a word about removed pages."""
    with pytest.raises(SourceError, match="does not exist"):
        list(source(site, project=f"{site.url}/other").fetch())


def test_what_is_no_list_fails_the_source(site: CosenseServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as the page of a proxy; an error of the server is one that may pass."""
    monkeypatch.setattr(site, "answer", lambda *_: (200, ["no"]))
    with pytest.raises(SourceError, match="no list of pages"):
        list(source(site).fetch())
    monkeypatch.setattr(site, "answer", lambda *_: (500, {}))
    with pytest.raises(FetchError, match="answers 500"):
        list(source(site).fetch())


def test_pages_beyond_the_limit_are_counted(site: CosenseServer) -> None:
    """And said, so that someone raises it."""
    limited = source(site, pages=2)
    assert len(list(limited.fetch())) == 2
    (line,) = limited.skipped.lines()
    assert line.text.startswith("1 page was not visited, because 2 pages are the limit. Raise `pages`")


def test_an_exported_file_gives_the_same_documents(site: CosenseServer, tmp_path: Path) -> None:
    """Its lines are texts, or objects with one."""
    pages = [
        {"title": "Pump", "created": 1, "updated": 100, "id": "1", "lines": ["Pump", "It lifts [water]."]},
        {"title": "水車", "created": 1, "updated": 200, "id": "2", "lines": [{"text": "水車"}, {"text": "[Pump]"}]},
        {"title": "", "lines": []},
    ]
    (tmp_path / "mill.json").write_text(json.dumps({"name": "mill", "displayName": "M", "pages": pages}))
    context = SourceContext(folder=tmp_path / "own")
    found = open_connector("cosense", {"path": str(tmp_path / "mill.json")}, context)
    documents = [item.parse() for item in found.fetch() if isinstance(item, FetchedDocument)]
    assert [document.uri for document in documents] == [
        "https://scrapbox.io/mill/Pump",
        "https://scrapbox.io/mill/水車",
    ]
    assert documents[0].text == "It lifts [water](water)."
    (tmp_path / "mill.json").write_text("[" * 100_000)
    with pytest.raises(SourceError, match="nested too deeply"):
        list(open_connector("cosense", {"path": str(tmp_path / "mill.json")}, context).fetch())


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"project": "a b"},
        {"project": "https://ida:tulip@scrapbox.io/mill"},
        {"project": "ftp://scrapbox.io/mill"},
        {"project": "https://scrapbox.io/"},
        {"project": "mill/../../etc"},
        {"project": "mill", "credential": "not a name"},
        {"project": "mill", "path": "/a.json"},
    ],
)
def test_a_wrong_config_is_refused(config: dict[str, Any]) -> None:
    """Before anything is fetched; a password is not repeated."""
    with pytest.raises(InvalidConfigurationError) as caught:
        open_connector("cosense", config, SourceContext(folder=Path("own")))
    assert "tulip" not in str(caught.value)


@pytest.mark.skipif(not PAGES.is_dir(), reason="the pages of shared/data are not there")
def test_real_pages_are_read() -> None:
    """In the shape of the API: every bracket of the text becomes something else, and code stays as it is."""
    from headwater.sources.cosense.config import read_project
    from headwater.sources.cosense.connector import _document

    for path in PAGES.glob("page.*.json"):
        page = json.loads(path.read_text(encoding="utf-8"))
        read = _document(read_project("sample"), "u", page["title"], page, "").parse()
        assert read.text
        in_code = {"include"}  # which the file lists, but a page does not link to
        assert {link.rpartition("/")[2] for link in read.references} >= {
            link.replace(" ", "_") for link in page["links"] if link not in in_code
        }
