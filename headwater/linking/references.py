"""The links of a markdown text, as names of documents.

Belongs here: the URIs that a link may mean. Not here: finding links (`headwater.chunking.markdown_links`), paths
(`headwater.parsing.link_targets`). Guarantee: pure; a link that cannot lead to a document has no targets.
"""

from collections.abc import Iterator, Sequence
from urllib.parse import unquote, urldefrag, urlsplit

from headwater.domain.links import Link, LinkKind
from headwater.parsing.link_targets import link_target


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
