"""Lists of a site's pages: sitemaps and feeds.

Belongs here: reading one list. Not here: fetching lists (`connector`), what is done with their addresses. Guarantee:
a list of any size and nesting of compression is read within bounds; what is not a list is None.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal
from urllib.parse import urljoin

from headwater.errors import DocumentError, FetchError, TooLargeError
from headwater.fetching.decompression import expand_gzip
from headwater.parsing.parser import File
from headwater.parsing.reader import Reader, invalid_answer
from headwater.parsing.xml import local_name, parse_xml

_LIMIT = 50_000_000  # bytes of a list when decompressed
_MAX_ADDRESSES = 50_000  # addresses of one list, as the protocol of sitemaps says
_GZIP = b"\x1f\x8b"
_FEEDS = frozenset({"rss", "feed", "RDF"})
_HEAD = 300  # bytes that show what a document is


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """A page in a list, and when it was last changed, as the list says it."""

    url: str
    changed: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class PageList:
    """A list: its pages, and the lists that it refers to."""

    kind: Literal["sitemap", "feed"]
    pages: tuple[Listed, ...] = ()
    lists: tuple[str, ...] = ()


class ListReader(Reader):
    """Reads a list in a process of its own."""

    def answer(self, file: File) -> Any:
        """The list's fields, or None."""
        page_list = read_list(file.content, file.uri)
        return None if page_list is None else asdict(page_list)


def list_apart(content: bytes, url: str) -> PageList | None:
    """The same as `read_list`, in a process that can be killed."""
    if not content.startswith(_GZIP) and not _may_be_list(content):
        return None
    fields = ListReader.read(content, url)
    try:
        return (
            None
            if fields is None
            else PageList(
                kind="feed" if fields["kind"] == "feed" else "sitemap",
                pages=tuple(Listed(url=str(page["url"]), changed=str(page["changed"])) for page in fields["pages"]),
                lists=tuple(map(str, fields["lists"])),
            )
        )
    except (KeyError, TypeError) as error:
        raise invalid_answer(error) from error


def read_list(content: bytes, url: str) -> PageList | None:
    """Read a sitemap, an index of sitemaps, RSS, Atom or JSON Feed; None if it is none of them.

    Args:
        content: its bytes, perhaps compressed.
        url: its address, for relative links.

    Raises:
        DocumentError: it is one, but cannot be read.
    """
    plain = _expand(content) if content.startswith(_GZIP) else content
    if not _may_be_list(plain):
        return None
    start = _start(plain)
    if start.startswith(b"{"):
        return _json_feed(plain, url)
    if start.startswith(b"<"):
        return _xml_list(plain, url)
    lines = plain.decode("utf-8", "replace").split("\n", _MAX_ADDRESSES)[:_MAX_ADDRESSES]
    return PageList(kind="sitemap", pages=tuple(Listed(url=line.strip()) for line in lines if line.strip()))


def _may_be_list(plain: bytes) -> bool:
    """Whether a document begins like one; most pages do not, and need not be read for this."""
    start = _start(plain)
    return start.startswith((b"{", b"http://", b"https://")) or (
        start.startswith(b"<") and not _is_html(plain[: _HEAD * 10])
    )


def _start(plain: bytes) -> bytes:
    return plain[:_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n")


def _expand(content: bytes) -> bytes:
    try:
        return expand_gzip(content, _LIMIT)
    except TooLargeError:
        raise DocumentError(f"The list is larger than {_LIMIT // 1_000_000} MB when decompressed. Divide it.") from None
    except FetchError as error:
        raise DocumentError(f"The list is compressed, and damaged: {error}") from error


def _is_html(start: bytes) -> bool:
    lower = start.lower()
    return b"<html" in lower or b"<!doctype html" in lower


def _xml_list(content: bytes, url: str) -> PageList | None:
    if not any(name in content[: _HEAD * 20] for name in (b"<urlset", b"<sitemapindex", b"rss", b"feed", b"RDF")):
        return None
    root = parse_xml(content)
    name = local_name(root)
    if name == "sitemapindex":
        return PageList(
            kind="sitemap", lists=tuple(loc for child in _children(root, "sitemap") if (loc := _text(child, "loc")))
        )
    if name == "urlset":
        pages = (Listed(url=_text(child, "loc"), changed=_text(child, "lastmod")) for child in _children(root, "url"))
        return PageList(kind="sitemap", pages=_limit_pages(pages, url))
    if name not in _FEEDS:
        return None
    entries = [element for element in root.iter() if local_name(element) in ("item", "entry")]
    return PageList(kind="feed", pages=_limit_pages((_entry(entry) for entry in entries), url))


def _entry(entry: Any) -> Listed:
    """An item of RSS or an entry of Atom."""
    updated = next((text for name in ("updated", "pubDate", "date", "published") if (text := _text(entry, name))), "")
    for link in _children(entry, "link"):
        href = link.get("href")
        if href and link.get("rel", "alternate") == "alternate":
            return Listed(url=href, changed=updated)
        if not href and (link.text or "").strip():
            return Listed(url=link.text.strip(), changed=updated)
    guid = next(_children(entry, "guid"), None)
    is_address = guid is not None and guid.get("isPermaLink", "true") == "true"
    return Listed(url=(guid.text or "").strip() if is_address and guid is not None else "", changed=updated)


def _json_feed(content: bytes, url: str) -> PageList | None:
    try:
        feed = json.loads(content)
    except (ValueError, RecursionError):
        return None
    if not isinstance(feed, dict) or "jsonfeed.org" not in str(feed.get("version", "")):
        return None
    items = [item for item in feed.get("items") or () if isinstance(item, dict)]
    pages = (
        Listed(
            url=str(item.get("url") or ""), changed=str(item.get("date_modified") or item.get("date_published") or "")
        )
        for item in items
    )
    return PageList(kind="feed", pages=_limit_pages(pages, url))


def _limit_pages(listed: Iterator[Listed], url: str) -> tuple[Listed, ...]:
    """The pages with an address, which is made absolute, up to the most that a list may have."""
    pages: list[Listed] = []
    for page in listed:
        try:
            address = urljoin(url, page.url) if page.url else ""
        except ValueError:
            continue
        if address and len(pages) < _MAX_ADDRESSES:
            pages.append(Listed(url=address, changed=page.changed[:50]))
    return tuple(pages)


def _children(element: Any, name: str) -> Iterator[Any]:
    return (child for child in element if local_name(child) == name)


def _text(element: Any, name: str) -> str:
    child = next(_children(element, name), None)
    return "" if child is None else (child.text or "").strip()
