"""The links of a document, whatever its type.

Belongs here: which reader reads which type, and the bounds for all of them. Not here: the readers (`references`,
`python_links`, `code_links`). Guarantee: pure; equal documents give equal links; `READER` grows with every change of
what is read, so that old links are read again.
"""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice

from headwater.chunking.text_links import TextLinks
from headwater.domain.links import Link, LinkKind
from headwater.linking.code_links import FAMILIES, code_links
from headwater.linking.python_links import python_links
from headwater.linking.references import references

READER = 1
_MAX_LINKS = 20_000  # links of a document
_MAX_TARGET_BYTES = 2_000  # bytes of a target or a name, which an index can hold


def read_links(found: TextLinks, *, text: str, uri: str, media_type: str) -> list[tuple[Link, int]]:
    """The links of a document, each with its line, in the order of the text.

    A definition that mentions the same symbol more than once has one link to it, from the first place.

    Args:
        found: the result of `find_links`.
        text: the document's text.
        uri: its URI.
        media_type: its type.
    """
    links = sorted(islice(_distinct(_links(found, text, uri, media_type)), _MAX_LINKS), key=lambda link: link.offset)
    starts = [0]
    place = text.find("\n") + 1
    while place:
        starts.append(place)
        place = text.find("\n", place) + 1
    return [(link, bisect_right(starts, link.offset)) for link in links]


def _links(text_links: TextLinks, text: str, uri: str, media_type: str) -> Iterator[Link]:
    yield from references(text_links.references, uri)
    if media_type == "text/x-python":
        yield from python_links(text_links.mentions, uri, len(text))
    elif media_type in FAMILIES:
        yield from code_links(text_links.mentions, uri, len(text), media_type)


def _distinct(links: Iterator[Link]) -> Iterator[Link]:
    seen = set()
    for link in links:
        if not _fits(link):
            continue
        place = link.offset if link.kind in (LinkKind.REFERENCES, LinkKind.DEFINES) else -1
        key = (link.kind, link.name, link.targets, link.origin, place)
        if key not in seen:
            seen.add(key)
            yield link


def _fits(link: Link) -> bool:
    """Whether an index can hold its name and its targets."""
    if len(link.name) + sum(map(len, link.targets)) <= _MAX_TARGET_BYTES // 4:
        return True
    return all(
        len(text.encode("utf-8", "replace")) <= _MAX_TARGET_BYTES for text in (link.name, link.origin, *link.targets)
    )
