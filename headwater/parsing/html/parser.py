"""Parsing HTML (SRC-1, SRC-4).

Belongs here: the parser, and a document made of a page. Not here: reading a page (`page`), what front matter adds
(`front_matter_page`), sites (`headwater.sources`). Guarantee: the text is markdown with the page's headings, lists,
tables and code; a broken page gives its text or a `DocumentError`.
"""

from collections.abc import Sequence
from typing import ClassVar
from urllib.parse import unquote, urldefrag, urlsplit

from headwater.domain.documents import ParsedDocument
from headwater.parsing.html.blocks import Block, join_blocks
from headwater.parsing.html.front_matter_page import add_front_matter, read_generator_page
from headwater.parsing.html.html_tree import html_text
from headwater.parsing.html.page import HtmlPage, parse_page, require_content
from headwater.parsing.language import correct_language
from headwater.parsing.markdown.front_matter import split_front_matter
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.registry import folder_category

PARSER_VERSION = "html-9"


class HtmlParser(Parser):
    """Reads HTML and XHTML."""

    media_types: ClassVar[tuple[str, ...]] = ("text/html", "application/xhtml+xml")
    suffixes: ClassVar[tuple[str, ...]] = (".html", ".htm", ".xhtml")
    version: ClassVar[str] = PARSER_VERSION
    limits: ClassVar[Limits | None] = Limits(seconds=60, megabytes=1_000)

    def prepare(self) -> None:
        """Import the libraries."""
        import trafilatura  # noqa: F401 - slow to import

    def parse(self, file: File) -> ParsedDocument:
        """Read a file; its category is that of its front matter, else its folder below `root`."""
        text = html_text(file.content, file.media_type)
        front_matter = split_front_matter(text)
        if len(front_matter.body) == len(text):
            return page_document(parse_page(text, file.uri), uri=file.uri, root=file.root)
        page = read_generator_page(front_matter.body, file.uri)
        return add_front_matter(page_document(page, uri=file.uri, root=file.root), front_matter)


def page_document(page: HtmlPage, *, uri: str, root: str = "", blocks: Sequence[Block] | None = None) -> ParsedDocument:
    """Make a document of a page.

    Args:
        page: the page.
        uri: the document's URI.
        root: the root folder of its source, or the address that its pages begin with.
        blocks: the blocks to use, if not all.

    Raises:
        DocumentError: the page has no content without JavaScript.
    """
    require_content(page)
    used = page.blocks if blocks is None else blocks
    metadata = dict(page.head.values)
    text = join_blocks(used)
    if page.head.canonical:
        metadata["canonical"] = page.head.canonical
    return ParsedDocument(
        uri=uri,
        title=page.head.title,
        text=text,
        category=_category(uri, root),
        language=correct_language(page.head.language, text),
        metadata=metadata,
        references=_references(page.links, uri),
    )


def _category(uri: str, root: str) -> str:
    if "://" not in uri:
        return folder_category(uri, root)
    if not root or not uri.startswith(root):
        return ""
    return unquote(urlsplit(uri).path[len(urlsplit(root).path) :].strip("/").rpartition("/")[0])


def _references(links: Sequence[str], uri: str) -> tuple[str, ...]:
    """The links that stay within the site, or, for a file, within the folder."""
    if "://" in uri:
        site = urlsplit(uri)[:2]
        return tuple(link for link in links if _site(link) == site)
    own_address = urldefrag(uri)[0]
    inside = (unquote(urlsplit(link).path) for link in links if "://" not in link and not link.startswith(("..", "/")))
    return tuple(dict.fromkeys(link for link in inside if link and link != own_address))


def _site(link: str) -> tuple[str, str] | None:
    try:
        return urlsplit(link)[:2]
    except ValueError:
        return None
