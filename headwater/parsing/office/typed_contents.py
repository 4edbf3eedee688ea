"""A table of contents that was typed by hand, or whose styles do not say what it is.

Belongs here: finding its entries. Not here: those that programs make, which styles and elements tell (`docx_styles`,
`headwater.parsing.opendocument.odf_html`). Guarantee: a paragraph is an entry only if it ends with a number after a tab
or dots, and most of such paragraphs are called as others of the document are.
"""

import re
from collections.abc import Iterable
from typing import Any

from headwater.parsing.office.line_headings import TextLine

_PAGE = re.compile(r"(?:\t|\.{3,}|…)[\s.…]*(?:\d{1,4}|[ivxlc]{1,6}|\d{1,2}-\d{1,3})$")
_NUMBER = re.compile(r"[\s(]*(?:\d+(?:\.\d+)*|[ivxlc]+|[a-z])[.)\s]\s*(?=\S)", re.IGNORECASE)
_SIGNS = re.compile(r"[\W_]+")
_MIN_ENTRIES = 4
_MAX_CHARS = 300
_END = 100  # characters in which the dots and the number of a page are


def find_contents(lines: Iterable[TextLine]) -> frozenset[Any]:
    """The elements of the lines that are entries of a table of contents.

    Args:
        lines: those of a document.
    """
    entries: dict[Any, str] = {}
    titles: set[str] = set()
    for line in lines:
        text = line.text if len(line.text) <= _MAX_CHARS else ""
        end = max(len(text) - _END, 0)
        if match := _PAGE.search(text, end):
            entries[line.element] = _plain(text[: match.start()])
        elif text:
            titles.add(_plain(text))
    named_entries = sum(title in titles for title in entries.values())
    return frozenset(entries) if len(entries) >= _MIN_ENTRIES and 2 * named_entries > len(entries) else frozenset()


def _plain(title: str) -> str:
    """A title without its number, which programs count in headings, and without signs."""
    return _SIGNS.sub("", _NUMBER.sub("", title, count=1)).casefold()
