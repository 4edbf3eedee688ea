"""Where the headings of a markdown document begin, and what links call them.

Belongs here: finding headings outside code, numbering those that are called the same. Not here: what a heading is
called (`headwater.parsing.headings`), which chunk holds it. Guarantee: the work grows with the text.
"""

import re
from collections import Counter
from collections.abc import Sequence

from headwater.domain.documents import Chunk
from headwater.parsing.headings import heading_anchor

_LIMIT = 200  # characters that are kept of an anchor
_LINE = re.compile(
    r"^ {0,3}(?:(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)|#{1,6}[ \t]++(?P<heading>\S(?:[^\n]*\S)?)"
    r"|(?P<underline>=+|-+)[ \t]*$)",
    re.MULTILINE,
)


def chunk_anchors(text: str, chunks: Sequence[Chunk]) -> list[tuple[str, ...]]:
    """Give each chunk the anchors of the headings that begin in it.

    Args:
        text: the markdown document that was cut up.
        chunks: its chunks in order; a heading in what two of them share is the first one's.
    """
    found = iter(_anchors(text))
    anchor = next(found, None)
    anchors: list[tuple[str, ...]] = []
    for chunk in chunks:
        inside = []
        while anchor is not None and anchor[0] < chunk.end:
            inside.append(anchor[1])
            anchor = next(found, None)
        anchors.append(tuple(inside))
    return anchors


def _anchors(text: str) -> list[tuple[int, str]]:
    """Where each heading begins, and its anchor; the second of the same name ends in -1, as on GitHub."""
    anchors: list[tuple[int, str]] = []
    seen: Counter[str] = Counter()
    fence = ""
    for match in _LINE.finditer(text):
        mark = match["fence"]
        if mark and fence:
            is_closing = mark[0] == fence[0] and len(mark) >= len(fence) and not match["info"].strip()
            fence = "" if is_closing else fence
        elif mark:
            fence = mark if "`" not in match["info"] or mark[0] == "~" else ""
        if mark or fence:
            continue
        heading, start = match["heading"], match.start()
        if heading is None:  # underlined, when there are words above the line
            start = text.rfind("\n", 0, max(0, match.start() - 1)) + 1
            heading = text[start : max(start, match.start() - 1)].strip()
        name = heading_anchor(heading)[:_LIMIT]
        if name:
            anchors.append((start, f"{name}-{seen[name]}" if seen[name] else name))
            seen[name] += 1
    return anchors
