"""The links of a text, as names of documents of its source.

Belongs here: the URIs that a link may mean, and its anchor. Not here: finding links in a text
(`headwater.chunking.markdown_links`), which documents exist. Guarantee: pure; a link that cannot lead to a document has
no targets.
"""

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from headwater.domain.links import Link, LinkKind
from headwater.parsing.markdown.parser import resolve_link


def references(found: Sequence[tuple[int, str]], uri: str) -> Iterator[Link]:
    """The links of a text.

    Args:
        found: the offset of each link, and its target as written.
        uri: the document's URI, a path or an http(s) address.
    """
    for offset, link in found:
        target = link_target(link, uri)
        if target is not None:
            yield Link(LinkKind.REFERENCES, link, target.uris, offset, anchor=target.anchor)
        elif _is_address(link):
            # A document of a source of kind `website` has its address as URI, perhaps without the slash at the end.
            address, fragment = urldefrag(link)
            other_address = address.rstrip("/") if address.endswith("/") else f"{address}/"
            yield Link(LinkKind.REFERENCES, link, (address, other_address), offset, anchor=unquote(fragment).lower())


def _is_address(link: str) -> bool:
    try:
        url_parts = urlsplit(link)
    except ValueError:
        return False
    return url_parts.scheme in ("http", "https") and bool(url_parts.netloc)


# Documentation tools leave out common endings: `install` is install.md, or the first page of a folder.
_ENDINGS = ("", ".md", ".mdx", "/index.md", "/index.mdx", "/README.md")


@dataclass(frozen=True, kw_only=True, slots=True)
class LinkTarget:
    """The possible targets of a link: URIs, the likeliest first, and the anchor (empty for the whole document)."""

    uris: tuple[str, ...]
    anchor: str


def link_target(link: str, uri: str) -> LinkTarget | None:
    """Return where a link may lead.

    Args:
        link: the link as written in the document.
        uri: the document's URI, a path or an http(s) address.

    Returns:
        None if the link leads out of the source. A path that begins with a slash may start in any folder above the
        document, because only the site knows which one is its root.
    """
    try:
        path, fragment = urldefrag(link)
        anchor = unquote(fragment).lower()
        if not path:
            return LinkTarget(uris=(uri,), anchor=anchor) if anchor else None
        if urlsplit(uri).netloc:
            return LinkTarget(uris=(urljoin(uri, path),), anchor=anchor)
    except ValueError:
        return None
    roots = _folders_above(uri) if path.startswith("/") else [""]
    targets = [target for root in roots if (target := resolve_link(path, uri, root)) is not None]
    uris = [posixpath.normpath(target + ending) for target in targets for ending in _ENDINGS]
    return LinkTarget(uris=tuple(dict.fromkeys(uris)), anchor=anchor) if uris else None


def _folders_above(uri: str) -> list[str]:
    """The folders above a path, the widest first."""
    folders = uri.split("/")[:-1]
    return ["/".join(folders[:count]) for count in range(len(folders) + 1)]
