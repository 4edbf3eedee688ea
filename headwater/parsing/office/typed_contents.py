"""A table of contents that was typed by hand, or whose styles do not say what it is.

Belongs here: finding its entries. Not here: those that programs make, which styles and elements tell (`docx_styles`,
`headwater.parsing.opendocument.odf_html`). Guarantee: entries end with a number after a tab or dots, follow each other,
and most of them are called as lines further below are.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from headwater.parsing.office.line_headings import TextLine

_PAGE = re.compile(r"(?:\t|\.{3,}+|…)[\s.…]*+(?P<page>\d{1,4}|[ivxlc]{1,6}|\d{1,2}-\d{1,3})$")
_NUMBER = re.compile(r"\A[\s(]*(?:(?:\d+(?:\.\d+)*|[ivxlc]+|[a-z])[.)]|\d+(?:\.\d+)*(?=\s))\s*(?=\S)", re.IGNORECASE)
_SIGNS = re.compile(r"[\W_]+")
_MIN_ENTRIES = 4
_MAX_CHARS = 300
_MAX_GAP = 3  # lines from one entry to the next
_END = 100  # characters in which the dots and the number of a page are


class _Entry(NamedTuple):
    position: int
    title: str
    page: int
    """0 for one that is no number."""


def find_contents(lines: Sequence[TextLine]) -> frozenset[Any]:
    """The elements of the lines that are entries of a table of contents.

    Args:
        lines: those of a document, without what is in tables.
    """
    texts = [line.text if len(line.text) <= _MAX_CHARS else "" for line in lines]
    last_positions = {_plain(text): position for position, text in enumerate(texts) if text}
    for run in _group_entries(texts):
        named_entries = sum(last_positions.get(entry.title, -1) > run[-1].position for entry in run)
        pages = [entry.page for entry in run if entry.page]
        if len(run) >= _MIN_ENTRIES and 2 * named_entries > len(run) and pages == sorted(pages):
            return frozenset(lines[entry.position].element for entry in run)
    return frozenset()


def _group_entries(texts: Sequence[str]) -> Iterator[list[_Entry]]:
    """The runs of lines that end as entries do; a few others, such as the titles of chapters, may be between them."""
    run: list[_Entry] = []
    for position, text in enumerate(texts):
        match = _PAGE.search(text, max(len(text) - _END, 0))
        if not match:
            continue
        if run and position - run[-1].position > _MAX_GAP:
            yield run
            run = []
        page = int(match["page"]) if match["page"].isdecimal() else 0
        run.append(_Entry(position, _plain(text[: match.start()]), page))
    yield from [run] if run else []


def _plain(title: str) -> str:
    """A title without its number, which programs count in headings, and without signs."""
    return _SIGNS.sub("", _NUMBER.sub("", title)).casefold()
