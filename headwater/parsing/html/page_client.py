"""Reading web pages for connectors in a process of its own.

Belongs here: a page, and the feeds that it names, as JSON and back. Not here: reading a page (`page`). Guarantee: a
page that a library never comes to an end with costs only itself; every field has its type.
"""

import re
from dataclasses import asdict
from typing import Any

from headwater.parsing.html.blocks import Block
from headwater.parsing.html.html_tree import html_text, html_tree
from headwater.parsing.html.metadata import Head
from headwater.parsing.html.page import HtmlPage, read_page
from headwater.parsing.parser import File
from headwater.parsing.reader import Reader, invalid_answer

_FEED = re.compile(r"rss|atom|feed")
_KINDS = ("heading", "text", "code", "list", "table", "quote")


class PageReader(Reader):
    """Reads a page."""

    def prepare(self) -> None:
        """Import the libraries."""
        import trafilatura  # noqa: F401 - slow to import

    def answer(self, file: File) -> Any:
        """The page's fields."""
        page = read_page(file.content, file.uri, file.media_type)
        return {**asdict(page), "head": {**asdict(page.head), "robots": sorted(page.head.robots)}}


class FeedReader(Reader):
    """Reads which feeds a page names."""

    def answer(self, file: File) -> Any:
        """Their addresses, as the page has them."""
        tree = html_tree(html_text(file.content, file.media_type))
        links = (link for link in tree.iter("link") if "alternate" in (link.get("rel") or "").lower().split())
        return [href for link in links if _FEED.search(link.get("type") or "") and (href := link.get("href"))]


def page_apart(content: bytes, uri: str, media_type: str = "") -> HtmlPage:
    """Read a page; the arguments and errors are those of `read_page`."""
    fields = PageReader.read(content, uri, media_type)
    try:
        return HtmlPage(
            head=_head(fields["head"]),
            blocks=tuple(_block(block) for block in fields["blocks"]),
            links=_texts(fields["links"]),
            needs_javascript=bool(fields["needs_javascript"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise invalid_answer(error) from error


def feeds_apart(content: bytes, uri: str, media_type: str = "") -> tuple[str, ...]:
    """The feeds that a page names.

    Raises:
        DocumentError: the page cannot be read.
    """
    try:
        return _texts(FeedReader.read(content, uri, media_type))
    except TypeError as error:
        raise invalid_answer(error) from error


def _head(fields: Any) -> Head:
    names = ("title", "language", "canonical", "base", "refresh")
    return Head(
        **{name: _text(fields[name]) for name in names},
        robots=frozenset(_texts(fields["robots"])),
        values={_text(name): _text(value) for name, value in fields["values"].items()},
    )


def _block(fields: Any) -> Block:
    if fields["kind"] not in _KINDS or type(fields["level"]) is not int:
        raise TypeError("block")
    return Block(fields["kind"], _text(fields["text"]), fields["level"])


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise TypeError("list")
    return tuple(map(_text, values))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text")
    return value
