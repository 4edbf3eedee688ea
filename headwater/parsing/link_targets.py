"""Where the links of a document may lead within its source.

Belongs here: the URIs that a link, as it is written, may mean, and its anchor. Not here: finding links in a text, which
documents there are. Guarantee: pure; a link out of the source means nothing.
"""

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from headwater.parsing.markdown import resolve_link

# Documentation tools leave out what every file has: `install` is install.md, or the first page of a folder.
_ENDINGS = ("", ".md", ".mdx", "/index.md", "/index.mdx", "/README.md")


@dataclass(frozen=True, kw_only=True, slots=True)
class LinkTarget:
    """What a link may mean: URIs, the likeliest first, and what it names of the document (nothing for all of it)."""

    uris: tuple[str, ...]
    anchor: str


def link_target(link: str, uri: str, document_links: Sequence[str]) -> LinkTarget | None:
    """Say where a link may lead.

    Args:
        link: as it is written in the document.
        uri: the document's, a path or an http(s) address.
        document_links: the URIs that the whole document links to, as its source resolved them; they tell where a path
            that begins with a slash starts.

    Returns:
        None when the link leads out of the source.
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
    found = resolve_link(path, uri, "")
    if found is None:
        return None
    rooted = [known for known in document_links if known.endswith(f"/{found}")] if path.startswith("/") else []
    uris = [candidate.rstrip("/") + ending for candidate in (*rooted, found) for ending in _ENDINGS]
    return LinkTarget(uris=tuple(dict.fromkeys(map(posixpath.normpath, uris))), anchor=anchor)
