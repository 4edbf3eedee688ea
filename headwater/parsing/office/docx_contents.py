"""A table of contents that was typed by hand, or whose styles do not say what it is.

Belongs here: finding its entries. Not here: those that Word makes, which their styles tell (`docx_styles`). Guarantee:
a paragraph is an entry only if it ends with a number after a tab or dots, and most of such paragraphs are called as
others of the document are.
"""

import re
from typing import Any

from headwater.parsing.office.docx_xml import W, run_text

_ENTRY = re.compile(r"(?P<title>.*\w.*?)(?:\t|\.{3,}|…)[\s.…]*(?:\d{1,4}|[ivxlc]{1,6}|\d{1,2}-\d{1,3})\s*")
_NUMBER = re.compile(r"[\s(]*(?:\d+(?:\.\d+)*|[ivxlc]+|[a-z])[.)\s]\s*(?=\S)", re.IGNORECASE)
_LETTERS = re.compile(r"[\W_]+")
_MIN_ENTRIES = 4
_MAX_CHARS = 300


def find_contents(body: Any) -> frozenset[Any]:
    """The paragraphs that are entries of a table of contents.

    Args:
        body: the document's body.
    """
    entries: dict[Any, str] = {}
    titles: set[str] = set()
    for paragraph in body.iter(f"{W}p"):
        text = "".join(map(run_text, paragraph.iter(f"{W}r"))).strip()
        match = _ENTRY.fullmatch(text) if len(text) <= _MAX_CHARS else None
        if match:
            entries[paragraph] = _plain(match["title"])
        elif len(text) <= _MAX_CHARS:
            titles.add(_plain(text))
    named_entries = sum(title in titles for title in entries.values())
    return frozenset(entries) if len(entries) >= _MIN_ENTRIES and 2 * named_entries > len(entries) else frozenset()


def _plain(title: str) -> str:
    """A title without its number, which Word counts in headings, and without signs."""
    return _LETTERS.sub("", _NUMBER.sub("", title, count=1)).casefold()
