"""The printed table of contents: its entries say what the headings say, and where on paper.

Belongs here: finding its lines. Not here: the outline of the file (`outline`). Guarantee: an entry is left out only on
a page of entries most of which are lines of the document, too, such as its headings.
"""

import re
from collections import defaultdict
from collections.abc import Sequence

from headwater.parsing.pdf.headings import plain_title
from headwater.parsing.pdf.shapes import Line, Scan, Table

ENTRY = re.compile(r"(?:[.·…_]\s?){4,}\S{1,6}$")
"""The end of an entry: the dots that lead to the number of a page."""
_CAPTION = re.compile(r"^[^\W\d_]+ (?=\d)")  # `Figure 2.1`, which a list of figures calls `2.1`
_CHAPTER = re.compile(r"^(.*?\w)\s+\d{1,4}$")
_ENTRIES = 4  # on a page
_LONGEST = 300  # characters of an entry

Item = Line | Table | Scan


def drop_contents(items: Sequence[Item]) -> list[Item]:
    """The lines and tables of a document without its table of contents.

    Args:
        items: in the order of reading.
    """
    titles: dict[int, list[tuple[int, str]]] = defaultdict(list)
    other_lines: set[str] = set()
    for position, item in enumerate(items):
        if not isinstance(item, Line):
            continue
        match = ENTRY.search(item.text) if len(item.text) <= _LONGEST else None
        if match:
            titles[item.page].append((position, _plain(item.text[: match.start()])))
        else:
            other_lines.add(_plain(item.text))
    dropped: set[int] = set()
    for entries in titles.values():
        count = sum(title in other_lines for _, title in entries)
        if len(entries) >= _ENTRIES and 2 * count > len(entries):
            first, last = entries[0][0], entries[-1][0]
            while first and _is_chapter(items[first - 1], other_lines):
                first -= 1
            dropped.update(range(first, last + 1))
    return [item for position, item in enumerate(items) if position not in dropped]


def _is_chapter(item: Item, other_lines: set[str]) -> bool:
    """Whether a line is the entry of a chapter, which has no dots before the page number."""
    match = _CHAPTER.match(item.text) if isinstance(item, Line) and len(item.text) <= _LONGEST else None
    return match is not None and _plain(match[1]) in other_lines


def _plain(text: str) -> str:
    return plain_title(_CAPTION.sub("", text))
