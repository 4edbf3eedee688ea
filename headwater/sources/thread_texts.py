"""What people write in threads, as parts of the thread's document.

Belongs here: markdown of a description or a comment, below the heading of its part; the words for its author. Not here:
the document (`document` of each kind). Guarantee: code stays as it is; no heading of a part is above that of the part.
"""

import re

from headwater.parsing.markdown.fences import fence_end, has_mark, next_fence
from headwater.parsing.markdown.markup import without_markup

_HEADING_PATTERN = re.compile(r"^( {0,3})(#{1,6})(?=[ \t]|$)", re.MULTILINE)
_UNDERLINED_PATTERN = re.compile(r"^(?=[^ \n>|-])([^\n]++)\n(=++|-{3,}+)[ \t]*+$", re.MULTILINE)
_BLANKS_PATTERN = re.compile(r"\n{3,}")
_MAX_DEPTH = 6


def name_author(author: str) -> str:
    """The words for an author behind a noun; empty if nobody is named."""
    return f" by {' '.join(author.split())}" if author.strip() else ""


def lower_headings(text: str, *, below: int) -> str:
    """Markdown without HTML, its headings below a level; code stays as it is."""
    plain = without_markup(text.replace("\r\n", "\n").replace("\r", "\n"), is_mdx=False)
    if not has_mark(plain):
        return _lower(plain, below).strip()
    pieces: list[str] = []
    position = 0
    while opening := next_fence(plain, position):
        end = fence_end(plain, opening)
        pieces += [_lower(plain[position : opening.start()], below), plain[opening.start() : end]]
        position = end
    return "".join([*pieces, _lower(plain[position:], below)]).strip()


def _lower(text: str, below: int) -> str:
    """Headings with more marks; those that are underlined get marks as well."""
    marked = _UNDERLINED_PATTERN.sub(lambda match: f"{'#' if match[2][0] == '=' else '##'} {match[1].strip()}", text)
    deeper = _HEADING_PATTERN.sub(lambda match: match[1] + "#" * min(len(match[2]) + below, _MAX_DEPTH), marked)
    return _BLANKS_PATTERN.sub("\n\n", deeper)
