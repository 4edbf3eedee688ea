"""Refusing texts that would take too much memory to split.

Belongs here: an estimate from a text's length and lines. Not here: the measurements behind it (`bench/memory.py`).
Guarantee: text written by a person is not refused; an accepted text takes at most 64 MB plus 40 times its bytes.
"""

import re

from headwater.errors import DocumentError

_BASE = 64 * 2**20
_FACTOR = 40
_PER_CHARACTER = 8  # copies of the text: the document's, its chunks', their prose
_PER_LINE = 110
_PER_HEADING = 100
_MARKUP_LINE = re.compile(r"^[^\n<]{0,100}<[^\n]{500000}", re.MULTILINE)  # a tag's attributes take 100 bytes each
_HEADING = re.compile(r"^ {0,3}(?:#{1,6}(?=\s)|[=-]+[ \t]*$)", re.MULTILINE)


def require_bounds(text: str, media_type: str) -> None:
    """Refuse a text that would take more memory than its bytes allow.

    Raises:
        DocumentError: it would; the message says why.
    """
    if media_type == "text/markdown" and _MARKUP_LINE.search(text):
        raise DocumentError("A line that holds markup is longer than 500,000 characters. Break it into lines.")
    lines = text.count("\n") + 1
    headings = sum(1 for _ in _HEADING.finditer(text)) if media_type == "text/markdown" else 0
    width = 1 if text.isascii() else 4 if max(text) > "\uffff" else 2
    size = len(text.encode("utf-8", "surrogatepass"))
    needed = _PER_CHARACTER * width * len(text) + _PER_LINE * lines + _PER_HEADING * headings
    if needed > _BASE + _FACTOR * size:
        raise DocumentError(
            f"The text has {lines:,} lines and {headings:,} headings in {size:,} bytes; splitting it would take about"
            f" {needed // 2**20:,} MB of memory. Divide it into smaller documents."
        )
