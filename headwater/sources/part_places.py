"""The headings of a page as places that its address can end with.

Belongs here: finding the headings of markdown, and marks of them. Not here: how a server names them (the connectors),
addresses (`headwater.domain.places`). Guarantee: a line in fenced code is no heading; the work is linear in the text.
"""

import re
from collections.abc import Callable, Iterator

from headwater.domain.places import PlaceKind, Places
from headwater.parsing.markdown.fences import spans_outside_code
from headwater.parsing.markdown.headings import plain_heading

_HEADING_PATTERN = re.compile(r"^#{1,6}[ \t]+(?P<words>[^\n]+)$", re.MULTILINE)


def headings_of(text: str) -> Iterator[tuple[int, str]]:
    """The offset and the words of every heading that begins with `#`."""
    for begin, end in spans_outside_code(text):
        for match in _HEADING_PATTERN.finditer(text, begin, end):
            yield match.start(), plain_heading(match["words"])


def heading_places(text: str, address: str, ending: Callable[[str, int], str]) -> Places:
    """Places of a text by its headings.

    Args:
        text: markdown, whose first heading is its title.
        address: the page's.
        ending: what the address ends with at a heading, by its words and how often they were there before; empty if
            the page has no such place.
    """
    starts: list[tuple[int, int | str]] = [(0, "")]
    counts: dict[str, int] = {}
    for offset, words in list(headings_of(text))[1:]:
        count = counts.get(words, 0)
        counts[words] = count + 1
        if ending_part := ending(words, count):
            starts.append((offset, ending_part))
    return part_places(starts, address)


def part_places(starts: list[tuple[int, int | str]], address: str) -> Places:
    """Places of parts at known offsets, and the address that they are of."""
    places = Places.of(PlaceKind.PART, starts)
    return Places(kind=places.kind, marks=places.marks, address=address)
