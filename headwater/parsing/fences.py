"""Fenced code in markdown: where it begins and ends.

Belongs here: the rules of fences. Not here: indented code (`indentation`), code within a line (`markup`). Guarantee:
the work grows with the text.
"""

import re
from collections.abc import Callable

# Possessive where it repeats, so that the time it takes grows with the text, whatever the text.
FENCE = r"^(?P<before>(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])))*+[ \t]*+)(?P<mark>`{3,}+(?=[^`\n]*$)|~{3,}+)"
_FENCE = re.compile(FENCE, re.MULTILINE)


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
    begin = position = 0
    while opening := _FENCE.search(text, position):
        position = fence_end(text, opening)
        look(text[begin : opening.start()])
        begin = position
    look(text[begin:])
