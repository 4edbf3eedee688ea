"""Where the links of a document may lead within its source.

Belongs here: the URIs that a link, as it is written, may mean, and its anchor. Not here: finding links in a text, which
documents there are. Guarantee: pure; a link out of the source means nothing.
"""

import posixpath
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


def link_target(link: str, uri: str) -> LinkTarget | None:
    """Say where a link may lead.

    Args:
        link: as it is written in the document.
        uri: the document's, a path or an http(s) address.

    Returns:
        None when the link leads out of the source. A path that begins with a slash may begin in any folder above the
        document: which one is a site's root, only the site knows.
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
    found = [target for root in roots if (target := resolve_link(path, uri, root)) is not None]
    uris = [posixpath.normpath(target + ending) for target in found for ending in _ENDINGS]
    return LinkTarget(uris=tuple(dict.fromkeys(uris)), anchor=anchor) if uris else None


def _folders_above(uri: str) -> list[str]:
    """The folders that a path lies in, the widest first."""
    parts = uri.split("/")[:-1]
    return ["/".join(parts[:count]) for count in range(len(parts) + 1)]
