"""The levels of headings in a text that becomes part of another one.

Belongs here: giving headings more marks. Not here: their words (`headings`). Guarantee: code stays as it is; no heading
of a part is above that of the part; the work is linear.
"""

import re

from headwater.parsing.markdown.fences import fence_end, has_mark, next_fence
from headwater.parsing.markdown.markup import without_markup

_HEADING_PATTERN = re.compile(r"^( {0,3})(#{1,6})(?=[ \t]|$)", re.MULTILINE)
_UNDERLINED_PATTERN = re.compile(r"^(?=[^ \n>|-])([^\n]++)\n(=++|-{3,}+)[ \t]*+$", re.MULTILINE)
_BLANKS_PATTERN = re.compile(r"\n{3,}")
_MAX_DEPTH = 6


def plain_part(text: str, *, below: int) -> str:
    """What people wrote in markdown, without HTML, its headings below a level."""
    return lower_headings(without_markup(text.replace("\r\n", "\n").replace("\r", "\n"), is_mdx=False), below=below)


def lower_headings(text: str, *, below: int) -> str:
    """Markdown, its headings below a level; those that are underlined get marks as well."""
    if not has_mark(text):
        return _lower(text, below).strip()
    pieces: list[str] = []
    position = 0
    while opening := next_fence(text, position):
        end = fence_end(text, opening)
        pieces += [_lower(text[position : opening.start()], below), text[opening.start() : end]]
        position = end
    return "".join([*pieces, _lower(text[position:], below)]).strip()


def _lower(text: str, below: int) -> str:
    marked = _UNDERLINED_PATTERN.sub(lambda match: f"{'#' if match[2][0] == '=' else '##'} {match[1].strip()}", text)
    deeper = _HEADING_PATTERN.sub(lambda match: match[1] + "#" * min(len(match[2]) + below, _MAX_DEPTH), marked)
    return _BLANKS_PATTERN.sub("\n\n", deeper)
