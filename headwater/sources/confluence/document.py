"""A page of Confluence as a document.

Belongs here: its text, places and metadata, and what it links to. Not here: the storage format (`storage`). Guarantee:
what it links to are URIs of pages, as far as their titles are known.
"""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import quote, urlsplit

from headwater.domain.documents import ParsedDocument
from headwater.sources.confluence.content import Content
from headwater.sources.confluence.storage import display_address, read_storage
from headwater.sources.part_places import heading_places

_SPACES_PATTERN = re.compile(r"\s+")


def page_uri(web: str, identity: str) -> str:
    """The URI of a page, which stays when it is renamed or moved."""
    return f"{web}/pages/viewpage.action?pageId={identity}"


def attachment_uri(web: str, page: str, name: str) -> str:
    """The URI of an attachment."""
    return f"{web}/download/attachments/{quote(page, safe='')}/{quote(name, safe='')}"


def page_document(content: Content, web: str, uris: Mapping[tuple[str, str], str], *, is_cloud: bool) -> ParsedDocument:
    """Write a page.

    Args:
        content: the page with its body.
        web: the address that those of all pages begin with.
        uris: the URIs of pages by space and title.
        is_cloud: whether headings are named as Confluence Cloud does.

    Raises:
        DocumentError: it cannot be read.
    """
    uri = page_uri(web, content.id)
    body, links = read_storage(content.body or "", uri, web=web, space=content.space)
    labels = f"Labels: {', '.join(content.labels)}." if content.labels else ""
    text = "\n\n".join(filter(None, (f"# {content.title}", labels, body.strip())))
    targets_by_url = {display_address(web, space, title): target for (space, title), target in uris.items()}
    for link in targets_by_url.keys() & set(links):
        text = text.replace(f"]({_site_path(link)})", f"]({_site_path(targets_by_url[link])})")
    ending = _cloud_ending if is_cloud else partial(_data_center_ending, content.title)
    return ParsedDocument(
        uri=uri,
        title=content.title,
        text=text,
        category=content.space_name or content.space,
        metadata=content_metadata(content),
        references=tuple(dict.fromkeys(targets_by_url.get(link, link) for link in links)),
        places=heading_places(text, f"{web}{content.web}" if content.web else "", ending),
    )


def content_metadata(content: Content) -> dict[str, Any]:
    """What Confluence says about an item."""
    values: dict[str, Any] = {
        "space": content.space,
        "parent": content.parent_title,
        "labels": list(content.labels),
        "author": content.author,
        "edited_by": content.editor if content.editor != content.author else "",
        "created": content.created,
        "updated": content.updated,
        "version": content.number,
    }
    return {name: value for name, value in values.items() if value not in ("", [])}


def _cloud_ending(words: str, count: int) -> str:
    return f"#{quote(_SPACES_PATTERN.sub('-', words))}{f'.{count}' if count else ''}"


def _data_center_ending(title: str, words: str, count: int) -> str:
    """Data Center names headings with the page's title, without spaces."""
    name = _SPACES_PATTERN.sub("", f"{title}-{words}")
    return f"#{quote(name)}{f'.{count}' if count else ''}"


def _site_path(url: str) -> str:
    """An address as a link within its site, which is how texts name it."""
    url_parts = urlsplit(url)
    return f"{url_parts.path}?{url_parts.query}" if url_parts.query else url_parts.path
