"""Reading a website (SRC-1), from a real server on loopback and without a database.

Belongs here: which pages a source has, what a second sync asks for, what happens when pages fail. Not here: the text of
a page (`test_parsing_html`), what a sync does with it (`tests/integration/test_website.py`).
"""

import gzip
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfWriter

from headwater.domain.documents import DocumentProblem, ParsedDocument
from headwater.errors import DocumentError, InvalidConfigurationError, SourceError
from headwater.fetching.networks import parse_allowed
from headwater.fetching.url_guard import UrlGuard
from headwater.parsing.html.page import read_page
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument, check_config
from headwater.sources.source_context import SourceContext
from headwater.sources.website.config import WebsiteConfig
from headwater.sources.website.connector import Website
from tests.web_server import Answer, WebServer, html, web_server

GATE = UrlGuard(allowed=(parse_allowed("127.0.0.1"),))


@dataclass(frozen=True)
class Stored:
    """A document as the database would know it."""

    fingerprint: str
    validator: str


@pytest.fixture
def site() -> Iterator[WebServer]:
    """A site of four pages: the first links to two, one of which links to the last."""
    with web_server() as told:
        told.put("/docs/", html("Start", "Welcome.", links=("a.html", "b.html", "/elsewhere.html")))
        told.put("/docs/a.html", html("Page A", "About a.", links=("c.html#part", "./", "a.html?utm_source=x")))
        told.put("/docs/b.html", html("Page B", "About b."))
        told.put("/docs/c.html", html("Page C", "About c."))
        told.put("/elsewhere.html", html("Elsewhere", "Not below the prefix."))
        yield told


class Source:
    """A source that is synced again and again: keeps what a database would keep."""

    def __init__(self, site: WebServer, path: str = "/docs/", **config: Any) -> None:
        self.site = site
        self.config = WebsiteConfig(url=f"{site.url}{path}", **{"delay": 0, **config})
        self.known: dict[str, Stored] = {}
        self.skipped: list[str] = []

    def sync(self) -> dict[str, Found]:
        """What the source yields, by path; vanished documents are forgotten."""
        context = SourceContext(folder=Path("unused"), gate=GATE, known=dict(self.known))
        connector = Website(self.config, context)
        found = list(connector.fetch())
        self.skipped = [line.message for line in connector.skipped.lines()]
        fetched = {
            item.uri: Stored(item.fingerprint, item.validator) for item in found if isinstance(item, FetchedDocument)
        }
        seen = {item.uri for item in found}
        if "" not in seen:
            self.known = {uri: stored for uri, stored in self.known.items() if uri in seen}
        self.known |= fetched
        assert len(seen) == len(found), "a URI twice"
        return {item.uri.removeprefix(self.site.url): item for item in found}

    def texts(self) -> dict[str, str]:
        """The text of every page, by path."""
        return {uri: document.text for uri, document in parsed(self.sync()).items()}


def parsed(found: dict[str, Found]) -> dict[str, ParsedDocument]:
    """The documents of what was fetched."""
    return {uri: item.parse() for uri, item in found.items() if isinstance(item, FetchedDocument)}


def changes(found: dict[str, Found]) -> dict[str, str]:
    """What became of each page."""
    names = {FetchedDocument: "fetched", UnchangedDocument: "unchanged", DocumentProblem: "problem"}
    return {uri: names[type(item)] for uri, item in found.items()}


ALL = ["/docs/", "/docs/a.html", "/docs/b.html", "/docs/c.html"]


def test_a_crawl_reads_the_pages_below_its_folder_once_each(site: WebServer) -> None:
    """Fragments, tracking parameters and links upwards lead to no further page (SRC-1)."""
    found = Source(site).sync()
    assert list(found) == ALL
    assert site.asked() == [(path, 200) for path in ALL]
    document = parsed(found)["/docs/a.html"]
    assert (document.title, document.language) == ("Page A", "en")
    assert document.text.startswith("# Page A\n\nAbout a.")
    assert f"{site.url}/docs/c.html" in document.references


def test_a_second_sync_asks_for_each_page_and_reads_none(site: WebServer) -> None:
    """Every page costs one 304, also those below pages whose links were not sent again (SRC-1)."""
    source = Source(site)
    source.sync()
    site.asked()
    assert changes(source.sync()) == dict.fromkeys(ALL, "unchanged")
    assert site.asked() == [(path, 304) for path in ALL]


def test_only_what_changed_is_fetched(site: WebServer) -> None:
    """One changed, one gone, one new, one failing: three are touched, the failing one keeps its version."""
    source = Source(site)
    source.sync()
    site.put("/docs/a.html", html("Page A", "Now different.", links=("c.html", "new.html")))
    site.put("/docs/new.html", html("New", "It is new."))
    del site.pages["/docs/b.html"]
    site.put("/docs/c.html", "", status=500)
    found = source.sync()
    assert changes(found) == {
        "/docs/": "unchanged", "/docs/a.html": "fetched", "/docs/c.html": "problem", "/docs/new.html": "fetched",
    }  # fmt: skip
    problem = found["/docs/c.html"]
    assert isinstance(problem, DocumentProblem)
    assert (problem.code, problem.message) == ("FETCH_FAILED", f"{site.url}/docs/c.html answers 500.")


def test_pages_below_a_failing_page_stay(site: WebServer) -> None:
    """The links of its last version lead on, so what only it links to is not taken for gone."""
    source = Source(site)
    source.sync()
    site.put("/docs/a.html", "", status=502)
    assert changes(source.sync()) == {**dict.fromkeys(ALL, "unchanged"), "/docs/a.html": "problem"}


def test_nothing_counts_as_removed_if_a_page_fails_whose_links_are_unknown(site: WebServer) -> None:
    """In a full sync nothing is known; what is below a failing page cannot be found, and the list is incomplete."""
    site.put("/docs/a.html", "", status=500)
    found = Source(site).sync()
    assert changes(found) == {"/docs/": "fetched", "/docs/a.html": "problem", "/docs/b.html": "fetched", "": "problem"}


@pytest.mark.parametrize("status", [404, 500])
def test_a_start_page_that_fails_fails_the_source(site: WebServer, status: int) -> None:
    """Then nothing changes."""
    site.put("/docs/", "", status=status)
    with pytest.raises(SourceError, match=f"answers {status}; nothing was changed"):
        Source(site).sync()


def test_a_page_without_validators_is_compared_by_its_bytes(site: WebServer) -> None:
    """It is fetched again, keeps its fingerprint, and its links are followed."""
    for path in list(site.pages):
        site.put(path, site.pages[path].content, has_etag=False)
    source = Source(site)
    source.sync()
    first = dict(source.known)
    assert list(source.sync()) == ALL
    assert source.known == first


def test_robots_txt_is_obeyed_and_what_it_excludes_is_counted(site: WebServer) -> None:
    """A rule for Headwater goes before one for everyone (SRC-1)."""
    site.put(
        "/robots.txt", "User-agent: *\nDisallow: /\n\nUser-agent: headwater\nDisallow: /docs/b", media_type="text/plain"
    )
    source = Source(site)
    assert list(source.sync()) == ["/docs/", "/docs/a.html", "/docs/c.html"]
    assert "/docs/b.html" not in [path for path, _ in site.asked()]
    assert source.skipped == ["1 page that the site excludes by robots.txt."]


def test_a_site_that_forbids_its_first_page_says_so(site: WebServer) -> None:
    """No page is fetched."""
    site.put("/robots.txt", "User-agent: *\nDisallow: /docs/", media_type="text/plain")
    with pytest.raises(SourceError, match=r"robots\.txt of 127\.0\.0\.1:\d+ does not allow"):
        Source(site).sync()
    assert site.asked() == []


def test_a_site_whose_robots_txt_fails_is_not_read(site: WebServer) -> None:
    """A server error there may hide a rule (RFC 9309); a missing file hides none."""
    site.put("/robots.txt", "", status=500)
    with pytest.raises(SourceError, match=r"robots\.txt answers 500"):
        Source(site).sync()
    assert site.asked() == []


def test_pages_with_noindex_are_left_out_and_nofollow_ends_there(site: WebServer) -> None:
    """By a meta element or by a header; the links of a page with noindex alone are followed."""
    meta = '<meta name="robots" content="noindex">'
    site.put("/docs/a.html", html("Page A", "Hidden.", links=("c.html",), head=meta))
    site.put("/docs/c.html", html("Page C", "About c.", links=("d.html",)), headers={"X-Robots-Tag": "nofollow"})
    site.put("/docs/d.html", html("Page D", "Never seen."))
    site.put("/docs/b.html", html("Page B", "Hidden."), headers={"X-Robots-Tag": "otherbot: nofollow, noindex"})
    source = Source(site)
    assert list(source.sync()) == ["/docs/", "/docs/c.html"]
    assert source.skipped == ["2 pages that the site excludes by noindex."]


INDEX = "".join(f"<li><a href='/elsewhere/{n}.html#place'>word number {n}</a>, {n}</li>" for n in range(1_000))
NO_INDEX = {
    "text": f"<ul>{INDEX}</ul><p>{'It says more of each of them than its name alone would say. ' * 999}</p>",
    "a price list": f"<ul>{INDEX.replace('#place', '')}</ul>",
    "questions": f"<ul>{INDEX.replace('/elsewhere/', '#')}</ul>",
}


@pytest.mark.parametrize("name", NO_INDEX)
def test_many_links_make_no_index(name: str) -> None:
    """A long page with as many links, links to whole pages, and links within the page."""
    page = read_page(f"<body>{NO_INDEX[name]}</body>".encode(), "https://docs.example.com/faq.html")

    assert page.blocks


def test_an_index_of_words_has_no_text_and_leads_to_pages(site: WebServer) -> None:
    """What it leads to stays when it fails once."""
    site.put("/docs/", html("Start", "Welcome.", links=("genindex.html",)))
    site.put("/docs/genindex.html", f"<html><body><ul>{INDEX}<li><a href='b.html'>Page B</a></li></ul></body></html>")
    site.put("/docs/b.html", html("Page B", "About b."))
    source = Source(site)

    texts = source.texts()
    assert list(texts) == ["/docs/", "/docs/genindex.html", "/docs/b.html"]
    assert texts["/docs/genindex.html"] == ""

    site.put("/docs/genindex.html", "", status=500)
    source.sync()
    assert f"{site.url}/docs/b.html" in source.known


def test_the_canonical_address_is_the_document(site: WebServer) -> None:
    """Several addresses of a page give one document, and the second sync asks for the same address again."""
    link = f'<link rel="canonical" href="{site.url}/docs/b.html">'
    site.put("/docs/b-old.html", html("Page B", "About b.", head=link))
    site.put("/docs/", html("Start", "Welcome.", links=("b-old.html", "b.html", "index.html", "b.html?fbclid=1")))
    source = Source(site)
    assert list(source.sync()) == ["/docs/", "/docs/b.html"]
    site.asked()
    assert changes(source.sync()) == {"/docs/": "unchanged", "/docs/b.html": "unchanged"}


def test_a_canonical_address_that_names_the_first_page_everywhere_is_ignored(site: WebServer) -> None:
    """Such a mistake of a template would leave one page of the site; addresses elsewhere are ignored too."""
    site.put("/docs/a.html", html("A", "About a.", head=f'<link rel="canonical" href="{site.url}/">'))
    site.put("/docs/b.html", html("B", "About b.", head='<link rel="canonical" href="https://other.example/b">'))
    assert list(Source(site).sync()) == ["/docs/", "/docs/a.html", "/docs/b.html"]


def test_redirects_lead_to_the_page_and_out_of_the_prefix_to_nothing(site: WebServer) -> None:
    """The document has the final address."""
    site.put("/docs/a.html", "", status=301, headers={"Location": "/docs/c.html"})
    site.put("/docs/b.html", "", status=302, headers={"Location": "/elsewhere.html"})
    source = Source(site)
    assert list(source.sync()) == ["/docs/", "/docs/c.html"]
    assert source.skipped == ["1 link leads out of the folder."]
    assert changes(source.sync()) == {"/docs/": "unchanged", "/docs/c.html": "unchanged"}


def test_an_endless_calendar_ends(site: WebServer) -> None:
    """At most fifty addresses differ in their query alone; sorted lists are not followed at all."""
    for month in range(80):
        links = (f"cal?month={month + 1}", f"cal?sort=name&page={month}")
        site.put(f"/docs/cal?month={month}", html(f"Month {month}", "Nothing happens.", links=links))
    site.put("/docs/", html("Start", "Welcome.", links=("cal?month=0",)))
    source = Source(site)
    assert len(source.sync()) == 51
    assert source.skipped == ["51 addresses of lists or calendars without end."]


def test_the_limit_of_pages_is_reported(site: WebServer) -> None:
    """The first pages in the order of links are read, the others counted."""
    source = Source(site, pages=2)
    assert list(source.sync()) == ALL[:2]
    assert source.skipped == ["2 pages were not visited, because 2 pages are the limit. Raise `pages`."]


def test_depth_counts_links_from_the_first_page(site: WebServer) -> None:
    """Depth 1 reads what the first page links to."""
    assert list(Source(site, depth=1).sync()) == ALL[:3]
    assert list(Source(site, depth=0).sync()) == ALL[:1]


def test_patterns_choose_pages(site: WebServer) -> None:
    """`include` and `exclude` compare whole addresses, or paths if they begin with a slash."""
    assert list(Source(site, exclude=["/docs/b*"]).sync()) == ["/docs/", "/docs/a.html", "/docs/c.html"]
    assert list(Source(site, include=["*.html"]).sync()) == ["/docs/a.html", "/docs/b.html", "/docs/c.html"]


def test_passwords_open_encrypted_files(site: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that the source names are tried on each PDF file of the site (SRC-3)."""
    monkeypatch.setenv("HEADWATER_CREDENTIAL_DRAWER", "secret")
    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    writer.encrypt("secret")
    writer.write(locked := BytesIO())
    site.put("/docs/", html("Start", "Welcome.", links=("a.pdf",)))
    site.put("/docs/a.pdf", locked.getvalue(), media_type="application/pdf")
    for passwords, message in (((), "needs a password"), (("drawer",), "has no text")):
        found = [one for one in Source(site, passwords=passwords).sync().values() if isinstance(one, FetchedDocument)]
        with pytest.raises(DocumentError, match=message):
            found[-1].parse()


def test_other_files_are_read_by_their_parsers_or_counted(site: WebServer) -> None:
    """By the type that the server names, or by the name if that says little."""
    site.put("/docs/", html("Start", "Welcome.", links=("notes.txt", "guide.md", "logo.png", "x.tar.gz", "data.bin2")))
    site.put("/docs/notes.txt", "Plain notes.", media_type="text/plain")
    site.put("/docs/guide.md", "# Guide\n\nRead this.", media_type="text/plain; charset=utf-8")
    site.put("/docs/data.bin2", b"\x00\x01", media_type="application/x-unknown")
    source = Source(site)
    found = parsed(source.sync())
    assert list(found) == ["/docs/", "/docs/notes.txt", "/docs/guide.md"]
    assert (found["/docs/notes.txt"].text, found["/docs/guide.md"].title) == ("Plain notes.", "Guide")
    assert sorted(source.skipped) == [
        "1 .bin2 file: no parser reads this type here.", "1 .gz file: no parser reads this type here.",
        "1 .png file: no parser reads this type here.",
    ]  # fmt: skip


def urlset(site: WebServer, *paths: str, lastmod: str = "") -> str:
    """A sitemap."""
    changed = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    urls = "".join(f"<url><loc>{site.url}{path}</loc>{changed}</url>" for path in paths)
    return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'


def index(site: WebServer, *paths: str) -> str:
    """An index of sitemaps."""
    maps = "".join(f"<sitemap><loc>{site.url}{path}</loc></sitemap>" for path in paths)
    return f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{maps}</sitemapindex>'


def test_a_sitemap_is_known_by_its_content(site: WebServer) -> None:
    """Also as an index, compressed, or as plain text (SRC-1)."""
    site.put("/map.xml", index(site, "/one.xml.gz", "/two.txt"), media_type="application/xml")
    site.put("/one.xml.gz", gzip.compress(urlset(site, "/docs/b.html").encode()), media_type="application/gzip")
    site.put("/two.txt", f"{site.url}/docs/c.html\n{site.url}/docs/c.html#again\n", media_type="text/plain")
    assert list(Source(site, "/map.xml").sync()) == ["/docs/b.html", "/docs/c.html"]


def test_a_page_that_a_sitemap_no_longer_lists_disappears(site: WebServer) -> None:
    """A sitemap of the index that fails makes the list incomplete instead."""
    site.put("/map.xml", index(site, "/one.xml", "/two.xml"), media_type="application/xml")
    site.put("/one.xml", urlset(site, "/docs/a.html", "/docs/b.html"), media_type="application/xml")
    site.put("/two.xml", urlset(site, "/docs/c.html"), media_type="application/xml")
    source = Source(site, "/map.xml")
    source.sync()
    site.put("/one.xml", urlset(site, "/docs/b.html"), media_type="application/xml")
    assert changes(source.sync()) == {"/docs/b.html": "unchanged", "/docs/c.html": "unchanged"}
    site.put("/two.xml", "", status=500)
    assert changes(source.sync()) == {"/docs/b.html": "unchanged", "": "problem"}
    site.put("/two.xml", "<urlset><url>", media_type="application/xml")
    assert changes(source.sync()) == {"/docs/b.html": "unchanged", "": "problem"}
    site.put("/two.xml", gzip.compress(f"{site.url}/docs/c.html\n".encode() * 99)[:-9], media_type="application/gzip")
    assert changes(source.sync()) == {"/docs/b.html": "unchanged", "": "problem"}


def test_a_sitemap_of_another_host_says_what_to_set(site: WebServer) -> None:
    """Pages outside the prefix are not read; if all are, the source fails and names one."""
    listed = urlset(site, "/docs/a.html").replace(site.url, "http://127.0.0.1:1/base")
    site.put("/sitemap.xml", listed, media_type="text/xml")
    with pytest.raises(
        SourceError, match=r"lists 1 page, such as http://127\.0\.0\.1:1/base/docs/a\.html, but none below"
    ):
        Source(site, "/sitemap.xml").sync()


def test_an_empty_sitemap_removes_nothing(site: WebServer) -> None:
    """It is more likely a mistake than the end of a site."""
    site.put("/sitemap.xml", urlset(site), media_type="text/xml")
    with pytest.raises(SourceError, match="lists no page, so nothing was changed"):
        Source(site, "/sitemap.xml").sync()


def test_lastmod_saves_the_request_for_a_page_without_validators(site: WebServer) -> None:
    """A page with a validator is asked all the same, because a 304 is certain."""
    site.put("/docs/b.html", site.pages["/docs/b.html"].content, has_etag=False)
    site.put("/map.xml", urlset(site, "/docs/a.html", "/docs/b.html", lastmod="2024-01-01"), media_type="text/xml")
    source = Source(site, "/map.xml")
    source.sync()
    site.asked()
    assert changes(source.sync()) == {"/docs/a.html": "unchanged", "/docs/b.html": "unchanged"}
    assert site.asked() == [("/map.xml", 200), ("/docs/a.html", 304)]
    site.put("/map.xml", urlset(site, "/docs/a.html", "/docs/b.html", lastmod="2024-02-01"), media_type="text/xml")
    assert changes(source.sync())["/docs/b.html"] == "fetched"


def test_a_site_names_its_sitemap(site: WebServer) -> None:
    """`mode: sitemap` with any address of a site finds it in robots.txt."""
    site.put("/robots.txt", f"Sitemap: {site.url}/hidden-map.xml", media_type="text/plain")
    site.put("/hidden-map.xml", urlset(site, "/docs/c.html"), media_type="text/xml")
    assert list(Source(site, mode="sitemap").sync()) == ["/docs/c.html"]
    del site.pages["/hidden-map.xml"]
    with pytest.raises(SourceError, match="is not a sitemap and names none"):
        Source(site, mode="sitemap").sync()


RSS = (
    '<rss version="2.0"><channel><title>t</title><link>{url}/</link><item><title>A</title>'
    "<link>{url}/docs/a.html</link></item><item><guid>{url}/docs/b.html</guid></item></channel></rss>"
)
ATOM = (
    '<feed xmlns="http://www.w3.org/2005/Atom"><link href="{url}/"/><entry><link rel="self" href="{url}/x"/>'
    '<link href="/docs/a.html"/></entry><entry><link rel="alternate" href="{url}/docs/b.html"/></entry></feed>'
)
JSON_FEED = (
    '{{"version": "https://jsonfeed.org/version/1.1", "items": [{{"id": "1", "url": "{url}/docs/a.html"}},'
    ' {{"id": "2", "url": "/docs/b.html"}}, 7]}}'
)
FEEDS = {
    "rss": ("application/rss+xml", RSS),
    "atom": ("application/atom+xml", ATOM),
    "json": ("application/feed+json", JSON_FEED),
}


@pytest.mark.parametrize("kind", FEEDS)
def test_the_pages_of_a_feed_are_read(site: WebServer, kind: str) -> None:
    """RSS, Atom and JSON Feed, by content; or by the page that names the feed (SRC-1)."""
    media_type, text = FEEDS[kind]
    site.put("/feed", text.format(url=site.url), media_type=media_type)
    assert list(Source(site, "/feed").sync()) == ["/docs/a.html", "/docs/b.html"]
    named = f'<link rel="alternate" type="{media_type}" href="/feed">'
    site.put("/blog", html("Blog", "Read our feed.", head=named))
    assert list(Source(site, "/blog", mode="feed").sync()) == ["/docs/a.html", "/docs/b.html"]


def test_one_page_is_one_document(site: WebServer) -> None:
    """An address without a slash at its end is one page, unless the mode says more."""
    assert list(Source(site, "/docs/a.html").sync()) == ["/docs/a.html"]
    assert list(Source(site, "/docs/a.html", mode="crawl").sync()) == [
        "/docs/a.html",
        "/docs/c.html",
        "/docs/",
        "/docs/b.html",
    ]


def test_a_page_that_needs_javascript_says_so(site: WebServer) -> None:
    """It is that page's error, with what to do."""
    site.put("/docs/b.html", '<html><body><div id="root"></div><script src="/app.js"></script></body></html>')
    item = Source(site).sync()["/docs/b.html"]
    assert isinstance(item, FetchedDocument)
    with pytest.raises(SourceError, match="only with JavaScript"):
        item.parse()


BANNER, FOOTER = "We use cookies to make this site better for you.", "Was this page helpful? Tell us on our page."


def repeating_site(site: WebServer, count: int = 8) -> None:
    """A site whose pages share a banner, a note between paragraphs, a label and a footer."""
    note = "This is the documentation of version 2, which is not the newest one."
    for number in range(count):
        site.put(f"/r/{number}.html", html(f"Part {number}", BANNER, f"Text of part {number}.", note, "Example:",
                                           f"More of part {number}.", FOOTER))  # fmt: skip
    site.put("/r/", html("Parts", "All parts.", links=tuple(f"{number}.html" for number in range(count))))


def test_text_that_repeats_on_the_pages_is_dropped(site: WebServer) -> None:
    """A banner, a footer, and long text between others; labels, headings and what is the page's own stay."""
    repeating_site(site)
    texts = Source(site, "/r/").texts()
    assert texts["/r/3.html"] == "# Part 3\n\nText of part 3.\n\nExample:\n\nMore of part 3."


def test_links_to_the_next_page_repeat_although_they_lead_elsewhere(site: WebServer) -> None:
    """Their words are the same on each page."""
    for number in range(6):
        next_link = f'<a href="{number + 1}.html">Next</a>'
        site.put(f"/n/{number}.html", html(f"Part {number}", f"Text of part {number}.", next_link))
    site.put("/n/", html("Parts", "All parts.", links=tuple(f"{number}.html" for number in range(6))))
    assert Source(site, "/n/").texts()["/n/3.html"] == "# Part 3\n\nText of part 3."


@pytest.mark.parametrize(("count", "is_kept"), [(4, True), (5, False)])
def test_a_long_list_below_some_of_the_pages_is_dropped(site: WebServer, count: int, is_kept: bool) -> None:
    """Articles end with the latest news, other pages do not; a few paragraphs that some pages share are content."""
    news = [f"Teaser of article {number}." for number in range(count)]
    for number in range(4):
        site.put(f"/l/{number}.html", html(f"Article {number}", f"Text of article {number}.", *news))
    for number in range(4, 9):
        site.put(f"/l/{number}.html", html(f"Page {number}", f"Text of page {number}."))
    site.put("/l/", html("Start", "All pages.", links=tuple(f"{number}.html" for number in range(9))))
    text = Source(site, "/l/").texts()["/l/3.html"]
    assert text == "\n\n".join(["# Article 3", "Text of article 3.", *(news if is_kept else [])])


def test_what_repeats_does_not_depend_on_what_is_fetched(site: WebServer) -> None:
    """One changed page of a later sync loses the same text as in the first, though the others are not sent again."""
    repeating_site(site)
    source = Source(site, "/r/")
    source.sync()
    before = site.pages["/r/5.html"].content.decode()
    site.put("/r/5.html", before.replace("More of", "Still more of"))
    found = source.sync()
    assert [uri for uri, item in found.items() if isinstance(item, FetchedDocument)] == ["/r/5.html"]
    assert parsed(found)["/r/5.html"].text == "# Part 5\n\nText of part 5.\n\nExample:\n\nStill more of part 5."


def test_few_pages_show_no_repetition(site: WebServer) -> None:
    """Three pages that agree prove nothing."""
    repeating_site(site, 3)
    assert BANNER in Source(site, "/r/").texts()["/r/1.html"]


def test_the_order_of_fetching_changes_no_text(site: WebServer) -> None:
    """A sitemap in another order gives the same texts."""
    repeating_site(site)
    paths = [f"/r/{number}.html" for number in range(8)]

    def texts(order: Sequence[str]) -> dict[str, str]:
        site.put("/map.xml", urlset(site, *order), media_type="text/xml")
        return Source(site, "/map.xml").texts()

    assert texts(paths) == texts(paths[::-1])


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"url": "ftp://example.com/"}, "url: must be an address that begins with http:// or https://"),
        ({"url": "https://me:secret@example.com/"}, "url: must not contain a user name or password"),
        ({"url": "https://example.com/", "prefix": "docs"}, "prefix: must be an address"),
        ({"url": "https://example.com/", "delay": -1}, "delay: "),
        ({"url": "https://example.com/", "include": [""]}, "include: each pattern must have 1 to 300 characters"),
    ],
)
def test_a_wrong_config_names_its_field(config: dict[str, Any], message: str) -> None:
    """Before anything is fetched; the message repeats no secret."""
    with pytest.raises(InvalidConfigurationError) as raised:
        check_config("website", config)
    assert str(raised.value).startswith(message)
    assert "secret@" not in str(raised.value)


def test_answers_of_any_kind_are_problems_of_their_page(site: WebServer) -> None:
    """Refused, too many requests, an empty body, not text: the others are read."""
    site.pages |= {
        "/docs/a.html": Answer(status=403, content=b"no"),
        "/docs/b.html": Answer(content=b"", has_etag=False),
        "/docs/c.html": Answer(content=b"\x00\xff\xfe" * 50, has_etag=False),
    }
    site.put("/docs/", html("Start", "Welcome.", links=("a.html", "b.html", "c.html", "d.html")))
    site.put("/docs/d.html", html("Page D", "About d."))
    found = changes(Source(site).sync())
    assert (found["/docs/"], found["/docs/a.html"], found["/docs/d.html"]) == ("fetched", "problem", "fetched")
