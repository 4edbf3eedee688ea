"""Documents that a source need not send again (SRC-11): what is known of them, and what a sync makes of "unchanged"."""

import dataclasses
import gc
from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType, ModuleType

import psycopg
import pytest

from headwater.domain.source_settings import SourceSettings
from headwater.parsing.markdown.parser import MarkdownParser
from headwater.parsing.parser import File
from headwater.parsing.plain_text import PlainTextParser
from headwater.parsing.registry import parse_file, parser_of_name
from headwater.sources.connector import FetchedDocument, UnchangedDocument
from headwater.store.content.known_documents import KnownDocument
from headwater.store.server.query_session import Session
from headwater.syncing.source_job import SourceJob
from headwater.syncing.trusted_documents import TrustedDocuments
from tests.page_server import Pages, PageServer, add_site, full_sync
from tests.support import Headwater

Make = Callable[..., Headwater]
PAGES = {
    f"{name}.txt": f"The {name} turns wheel {number}.".encode() for number, name in enumerate(["pump", "mill", "lamp"])
}


@pytest.fixture
def kb(headwater: Make, site: PageServer) -> Headwater:
    """A knowledge base with a site as a source, synced once."""
    made = headwater()
    site.pages = dict(PAGES)
    add_site(made, site)
    done = made.sync("site")["site"]
    assert (done.state, done.added, done.documents_total) == ("ready", 3, 3)
    assert site.asked() == [(name, 200) for name in sorted(PAGES)]
    return made


def validators(kb: Headwater) -> dict[str, str]:
    """The stored validators."""
    return {row["uri"]: row["validator"] for row in kb.query("SELECT uri, validator FROM documents ORDER BY uri")}


def test_the_second_sync_sends_conditional_requests_alone(kb: Headwater, site: PageServer) -> None:
    """Each is answered 304; nothing is parsed or written, and everything counts as seen and unchanged."""
    before, digest = kb.content(), kb.store.documents.documents_digest(kb.source("site"))
    done = kb.sync("site")["site"]
    assert site.asked() == [(name, 304) for name in sorted(PAGES)]
    assert (done.state, done.unchanged, done.documents_done, done.removed) == ("ready", 3, 3, 0)
    assert (done.rows_written, done.embedded, done.errors) == (0, 0, [])
    assert (kb.content(), kb.store.documents.documents_digest(kb.source("site"))) == (before, digest)
    assert {passage.uri for passage in kb.search("turns wheel")} == set(PAGES)


def test_any_worker_asks_by_what_another_was_told(kb: Headwater, site: PageServer) -> None:
    """Validators are in the database, because the source's folder may be on another machine."""
    assert validators(kb) == {name: site.etag(name) for name in PAGES}
    assert not (kb.settings.home / "sources").exists()
    assert Pages.contexts[0].known == {}
    kb.sync("site")
    assert {uri: known.validator for uri, known in Pages.contexts[-1].known.items()} == validators(kb)


def test_what_changed_is_fetched_and_touches_one_document(kb: Headwater, site: PageServer) -> None:
    """The others are not; the new page is asked by what came with it."""
    versions = {row["id"] for row in kb.query("SELECT id FROM document_versions")}
    site.pages["mill.txt"] = b"The mill grinds corn."
    done = kb.sync("site")["site"]
    assert site.asked() == [("lamp.txt", 304), ("mill.txt", 200), ("pump.txt", 304)]
    assert (done.changed, done.unchanged, done.added, done.removed) == (1, 2, 0, 0)
    (fresh,) = kb.query("SELECT d.uri FROM document_versions v JOIN documents d ON d.id = v.document_id"
                        " WHERE v.id <> ALL(%s)", list(versions))  # fmt: skip
    assert fresh["uri"] == "mill.txt"
    assert [passage.uri for passage in kb.search("grinds corn")][:1] == ["mill.txt"]
    assert validators(kb)["mill.txt"] == site.etag("mill.txt")


def test_what_vanished_and_came_back_is_fetched_whole(kb: Headwater, site: PageServer) -> None:
    """It is not among what may be said to be unchanged, though its content is known."""
    page = site.pages.pop("lamp.txt")
    assert kb.sync("site")["site"].removed == 1
    site.pages["lamp.txt"] = page
    site.asked()
    done = kb.sync("site")["site"]
    assert dict(site.asked())["lamp.txt"] == 200
    assert (done.added, done.unchanged) == (1, 2)
    assert "lamp.txt" in {passage.uri for passage in kb.search("lamp turns wheel")}


def test_a_new_validator_of_the_same_content_is_no_change(kb: Headwater, site: PageServer) -> None:
    """It is kept, without a version, a row of content or a count; from then on it is what is asked by."""
    before, versions = kb.content(), kb.query("SELECT count(*) AS n FROM document_versions")
    site.salt = "another server"
    done = kb.sync("site")["site"]
    assert {status for _, status in site.asked()} == {200}
    assert (done.unchanged, done.changed, done.rows_written) == (3, 0, 0)
    assert kb.query("SELECT count(*) AS n FROM document_versions") == versions
    assert validators(kb) == {name: site.etag(name) for name in PAGES}
    assert {table: rows for table, rows in kb.content().items() if table != "documents"} == {
        table: rows for table, rows in before.items() if table != "documents"
    }
    kb.sync("site")
    assert {status for _, status in site.asked()} == {304}


def test_a_validator_that_cannot_be_stored_costs_nothing(
    kb: Headwater, site: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a server sends: what Postgres cannot hold of it is left out, so the document is asked for whole."""
    get = Pages._get

    def hostile(pages: Pages, path: str, headers: dict[str, str]) -> tuple[int, str, bytes]:
        status, etag, content = get(pages, path, {})
        return status, f"{etag}\0\ud800", content

    monkeypatch.setattr(Pages, "_get", hostile)
    site.pages["fan.txt"] = b"The fan turns a wheel."
    done = kb.sync("site")["site"]
    assert (done.state, done.added, done.unchanged, done.errors) == ("ready", 1, 3, [])


def test_a_full_sync_fetches_everything(kb: Headwater, site: PageServer) -> None:
    """Nothing is known to its connector; where the content is the same, nothing is written."""
    before = kb.content()
    done = full_sync(kb)
    assert site.asked() == [(name, 200) for name in sorted(PAGES)]
    assert Pages.contexts[-1].known == {}
    assert (done.state, done.unchanged, done.rows_written) == ("ready", 3, 0)
    assert kb.content() == before


def test_what_another_parser_read_is_fetched_whole(
    kb: Headwater, site: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise its text would stay the result of the older parser; where it is the same, it is no new version."""
    monkeypatch.setattr(Pages, "parser_version", "pages-2")
    done = kb.sync("site")["site"]
    assert {status for _, status in site.asked()} == {200}
    assert (done.changed, done.unchanged) == (0, 3)
    kb.sync("site")
    assert {status for _, status in site.asked()} == {304}


@pytest.fixture
def parsed_kb(headwater: Make, site: PageServer, monkeypatch: pytest.MonkeyPatch) -> Headwater:
    """A knowledge base with a site of several types as a source, synced once; installed parsers read its pages."""
    fetch = Pages.fetch

    def with_parsers(pages: Pages) -> Iterator[FetchedDocument | UnchangedDocument]:
        for item in fetch(pages):
            if isinstance(item, UnchangedDocument):
                yield item
                continue
            parser = parser_of_name(item.uri)
            parse = partial(parse_file, parser, File(content=site.pages[item.uri], uri=item.uri))
            yield dataclasses.replace(item, parse=parse, parser_version=parser.version)

    monkeypatch.setattr(Pages, "fetch", with_parsers)
    made = headwater()
    site.pages = {name: f"The wheel of {name} turns.".encode() for name in ("a.md", "b.mdx", "c.txt")}
    add_site(made, site)
    assert made.sync("site")["site"].added == 3
    assert {row["v"] for row in made.query("SELECT parser_version AS v FROM document_versions")} == {
        PlainTextParser.version,
        MarkdownParser.version,
    }
    site.asked()
    return made


@pytest.mark.parametrize(
    ("parser", "version", "read"),
    [
        (MarkdownParser, "markdown-next", {"a.md", "b.mdx"}),
        (MarkdownParser, "markdown-of-tomorrow", {"a.md", "b.mdx"}),
        (PlainTextParser, MarkdownParser.version, {"c.txt"}),
    ],
)
def test_a_newer_parser_has_its_own_documents_fetched_again(
    parsed_kb: Headwater,
    site: PageServer,
    monkeypatch: pytest.MonkeyPatch,
    parser: type[MarkdownParser | PlainTextParser],
    version: str,
    read: set[str],
) -> None:
    """Also where another parser still has the version that they were read by; all others are asked for as before.

    What it reads as before is no new version, and it is not read again.
    """
    monkeypatch.setattr(parser, "version", version)
    done = parsed_kb.sync("site")["site"]
    assert {name for name, status in site.asked() if status == 200} == read
    assert (done.changed, done.unchanged, done.errors) == (0, 3, [])
    assert parsed_kb.sync("site")["site"].unchanged == 3
    assert {status for _, status in site.asked()} == {304}


def test_unchanged_is_said_of_what_an_older_parser_read(
    parsed_kb: Headwater, site: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a problem of that document, so that nobody mistakes the older text for the current one."""
    config = {"url": site.url, "claims": ["a.md", "c.txt"]}
    parsed_kb.store.sources.update(parsed_kb.source("site"), kind="pages", config=config, settings=SourceSettings())
    monkeypatch.setattr(MarkdownParser, "version", "markdown-next")
    done = parsed_kb.sync("site")["site"]
    assert [(error.uri, "another version of the parser" in error.message) for error in done.errors] == [("a.md", True)]


def test_unchanged_is_said_of_what_is_not_known(headwater: Make, site: PageServer) -> None:
    """It is a problem of that document, with a reason, and its neighbours are read."""
    kb = headwater()
    site.pages = dict(PAGES)
    add_site(kb, site, claims=("mill.txt",))
    done = kb.sync("site")["site"]
    assert (done.state, done.added, done.unchanged, done.documents_failed) == ("ready", 2, 0, 1)
    (error,) = done.errors
    assert (error.uri, error.code) == ("mill.txt", "DOCUMENT_FAILED")
    assert error.message == "Its connector, pages, reported it as unchanged, but had to fetch it: it was never read."


def test_unchanged_in_a_full_sync_is_a_problem_and_keeps_the_document(kb: Headwater, site: PageServer) -> None:
    """Such a sync verifies, so a connector must not answer from memory; stored documents keep answering."""
    config = {"url": site.url, "claims": ["mill.txt"]}
    kb.store.sources.update(kb.source("site"), kind="pages", config=config, settings=SourceSettings())
    done = full_sync(kb)
    assert [(error.uri, "a full sync reads every document" in error.message) for error in done.errors] == [
        ("mill.txt", True)
    ]
    assert (done.unchanged, done.removed, done.documents_failed) == (2, 0, 1)
    assert "mill.txt" in {passage.uri for passage in kb.search("mill turns wheel")}


def test_what_is_known_is_read_once_and_looked_up_without_the_database(
    kb: Headwater, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One query for any number of documents, and no object for documents that are not looked up."""
    asked: list[str] = []
    run = Session._run

    def noting(session: Session, query: str, values: object) -> psycopg.Cursor[dict[str, object]]:
        asked.append(query)
        return run(session, query, values)  # type: ignore[arg-type]

    monkeypatch.setattr(Session, "_run", noting)
    kb.sync("site")
    assert asked.count("known_documents") == 1
    known = Pages.contexts[-1].known
    asked.clear()
    assert known.get("mill.txt") is known["mill.txt"]
    assert (known.get("no.txt"), len(known), sorted(known)) == (None, 3, sorted(PAGES))
    assert asked == []
    assert isinstance(known, TrustedDocuments)
    assert isinstance(known["mill.txt"], KnownDocument)


def reachable(start: object) -> Iterator[object]:
    """Every object that can be reached from one by attributes, items and closures; not by what a module holds."""
    seen, waiting = {id(start)}, [start]
    while waiting:
        found = waiting.pop()
        yield found
        if isinstance(found, ModuleType | type):
            continue
        below = [found.__closure__, found.__defaults__] if isinstance(found, FunctionType) else gc.get_referents(found)
        for each in below:
            if each is not None and id(each) not in seen:
                seen.add(id(each))
                waiting.append(each)


def test_a_context_leads_to_no_secret(headwater: Make, site: PageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the database's address nor the broker's, the file store's or a credential can be reached from it."""
    secrets = {
        "HEADWATER_BROKER_URL": "redis://:broker-secret@127.0.0.1:1/0",
        "HEADWATER_FILES": "memory://files-user:files-secret@store/context",
        "HEADWATER_CREDENTIAL_SITE": "credential-secret",
    }
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    kb = headwater()
    site.pages = dict(PAGES)
    add_site(kb, site)
    kb.sync("site")
    kb.sync("site")
    (_, context) = Pages.contexts
    texts = {found for found in reachable(context) if isinstance(found, str | bytes)}
    assert {"mill.txt", site.etag("mill.txt")} <= texts  # it does look behind what is known
    hidden = [kb.store.database.url, "broker-secret", "files-secret", "credential-secret"]
    assert [text for text in texts for secret in hidden if secret in str(text)] == []
    names = {field.name for field in dataclasses.fields(context)}
    assert names == {"folder", "local_paths", "time_limit", "gate", "known", "uploads", "wait", "patience"}
    assert context.time_limit == kb.settings.source_time_limit
    with pytest.raises(dataclasses.FrozenInstanceError):
        context.time_limit = 1  # type: ignore[misc]


def test_a_connector_says_how_many_there_are(kb: Headwater, site: PageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first document on, people see the total number (SRC-10)."""
    totals: list[tuple[str, int, int]] = []
    progress = SourceJob.progress

    def noting(job: SourceJob, stage: str, done: int, total: int) -> None:
        totals.append((stage, done, total))
        progress(job, stage, done, total)

    monkeypatch.setattr(SourceJob, "progress", noting)
    kb.sync("site")
    read = [(done, total) for stage, done, total in totals if stage == "documents" and done]
    assert read == [(1, 3), (2, 3), (3, 3)]
