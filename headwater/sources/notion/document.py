"""A page of Notion as a document.

Belongs here: its text, places and metadata. Not here: Notion's markdown (`enhanced_markdown`), pages
(`page`).
Guarantee: properties stand in the text in words; links to pages are references to their documents.
"""

import re
from typing import Any

from headwater.domain.documents import ParsedDocument
from headwater.parsing.markdown.parser import MarkdownParser
from headwater.parsing.parser import File
from headwater.parsing.registry import parse_file
from headwater.sources.notion.page import Page
from headwater.sources.part_places import heading_places

WEB = "https://www.notion.so"
_LINK_PATTERN = re.compile(
    r"https://(?:www\.|app\.)?notion\.(?:so|com)/(?:[\w%-]+/)*(?:[\w%-]*?-)?([0-9a-f]{32})(?![0-9a-f])"
)


def page_uri(identity: str) -> str:
    """The URI of a page, which stays when it is renamed or moved."""
    return f"{WEB}/{identity}"


def page_document(
    page: Page, body: str, headings: tuple[tuple[str, str], ...], category: str, author: str
) -> ParsedDocument:
    """Write a page.

    Args:
        page: the page.
        body: its content as plain markdown.
        headings: the words and ids of its headings, in order.
        category: the title of what the page is in.
        author: the name of who wrote it.

    Raises:
        DocumentError: its markdown cannot be read.
    """
    uri = page_uri(page.id)
    title = page.title or "Untitled"
    properties = "\n".join(f"- {name}: {words}" for name, words in page.properties)
    page_text = "\n\n".join(filter(None, (f"# {title}", properties, body)))
    file = File(content=page_text.encode("utf-8", "replace"), uri=uri, media_type="text/markdown")
    text = parse_file(MarkdownParser(), file).text.strip()
    counts: dict[str, int] = {}
    endings: dict[tuple[str, int], str] = {}
    for words, identity in headings:
        count = counts.get(words, 0)
        counts[words] = count + 1
        endings[words, count] = f"#{identity}"
    address = page.web if page.web.startswith("https://") else uri
    return ParsedDocument(
        uri=uri,
        title=title,
        text=text,
        category=category,
        metadata=_metadata(page, author),
        references=tuple(dict.fromkeys(page_uri(identity) for identity in _LINK_PATTERN.findall(text))),
        places=heading_places(text, address, lambda words, count: endings.get((words, count), "")),
    )


def _metadata(page: Page, author: str) -> dict[str, Any]:
    values: dict[str, Any] = {
        **dict(page.properties),
        "labels": list(page.labels),
        "author": author,
        "created": page.created,
        "updated": page.updated,
    }
    return {name: value for name, value in values.items() if value not in ("", [])}
