"""Fenced code in markdown: where it begins and ends.

Belongs here: the rules of fences. Not here: indented code (`indentation`), inline code (`markup`). Guarantee:
the work is linear in the text.
"""

import re
from collections.abc import Callable, Iterator

# Possessive quantifiers keep the time linear for any text.
FENCE = r"^(?P<before>(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])))*+[ \t]*+)(?P<mark>`{3,}+(?=[^`\n]*$)|~{3,}+)"
_FENCE = re.compile(FENCE, re.MULTILINE)
_MARK = re.compile(r"[`~]{3}")


def has_mark(text: str) -> bool:
    """Whether a text may contain fenced code: most do not, and a plain search is fast."""
    return "```" in text or "~~~" in text


def next_fence(text: str, position: int) -> re.Match[str] | None:
    """The first match of `FENCE` after an offset; lines without a mark are skipped quickly."""
    mark = _MARK.search(text, position)
    if mark is None:
        return None
    line = text.rfind("\n", position, mark.start()) + 1
    return _FENCE.search(text, max(position, line))


def fence_end(text: str, opening: re.Match[str]) -> int:
    """The offset where a fence's code ends: after the mark that closes it, else at the end of the text.

    Args:
        text: the whole text.
        opening: a match of `FENCE` in it.
    """
    mark, is_quoted = opening["mark"], ">" in opening["before"]
    closing = re.compile(  # code in a quotation ends with the quotation
        rf"^[ \t>]*{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$" + (r"|^(?![ \t]*>)" if is_quoted else ""),
        re.MULTILINE,
    )
    line_end = text.find("\n", opening.end())
    end = closing.search(text, line_end + 1) if line_end >= 0 else None
    return end.end() if end else len(text)


def find_fences(text: str) -> list[tuple[int, int]]:
    """Where each fenced code begins and ends."""
    fences, position = [], 0
    while has_mark(text) and (opening := next_fence(text, position)):
        position = fence_end(text, opening)
        fences.append((opening.start(), position))
    return fences


def spans_outside_code(text: str) -> Iterator[tuple[int, int]]:
    """Where each part outside fenced code begins and ends."""
    begin = position = 0
    while opening := next_fence(text, position):
        position = fence_end(text, opening)
        yield begin, opening.start()
        begin = position
    yield begin, len(text)


def outside_code(text: str, look: Callable[[str], None]) -> None:
    """Call a function with each part outside fenced code."""
    for begin, end in spans_outside_code(text):
        look(text[begin:end])
