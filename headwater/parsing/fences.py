"""Fenced code in markdown: where it begins and ends.

Belongs here: the rules of fences. Not here: indented code (`indentation`), code within a line (`markup`). Guarantee:
the work grows with the text.
"""

import re
from collections.abc import Callable

# Possessive where it repeats, so that the time it takes grows with the text, whatever the text.
FENCE = r"^(?P<before>(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])))*+[ \t]*+)(?P<mark>`{3,}+(?=[^`\n]*$)|~{3,}+)"
_FENCE = re.compile(FENCE, re.MULTILINE)
_MARK = re.compile(r"[`~]{3}")


def has_mark(text: str) -> bool:
    """Whether a text may hold fenced code: most do not, and a plain search says so at once."""
    return "```" in text or "~~~" in text


def next_fence(text: str, position: int) -> re.Match[str] | None:
    """The first match of `FENCE` from an offset on; lines without a mark are passed over quickly."""
    near = _MARK.search(text, position)
    if near is None:
        return None
    line = text.rfind("\n", position, near.start()) + 1
    return _FENCE.search(text, max(position, line))


def fence_end(text: str, opening: re.Match[str]) -> int:
    """The offset where the code of an opened fence ends: behind the mark that closes it, else at the text's end.

    Args:
        text: the whole text.
        opening: a match of `FENCE` in it.
    """
    mark, is_quoted = opening["mark"], ">" in opening["before"]
    closing = re.compile(  # code in a quotation ends with it
        rf"^[ \t>]*{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$" + (r"|^(?![ \t]*>)" if is_quoted else ""),
        re.MULTILINE,
    )
    line_end = text.find("\n", opening.end())
    end = closing.search(text, line_end + 1) if line_end >= 0 else None
    return end.end() if end else len(text)


def outside_code(text: str, look: Callable[[str], None]) -> None:
    """Show what is outside fenced code, part by part."""
    if not has_mark(text):
        look(text)
        return
    begin = position = 0
    while opening := next_fence(text, position):
        position = fence_end(text, opening)
        look(text[begin : opening.start()])
        begin = position
    look(text[begin:])
