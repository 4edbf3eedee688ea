"""The positions of a markdown document's headings, and their anchors.

Belongs here: finding headings outside code, numbering equal ones. Not here: how an anchor is made from a heading
(`headwater.parsing.markdown.headings`), which chunk contains it. Guarantee: the work is linear in the text.
"""

import re
from collections import Counter
from collections.abc import Sequence

from headwater.domain.documents import Chunk
from headwater.parsing.markdown.headings import heading_anchor

_LIMIT = 200  # characters of an anchor that are kept
_LINE = re.compile(
    r"^ {0,3}(?:(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)|#{1,6}[ \t]++(?P<heading>\S(?:[^\n]*\S)?)"
    r"|(?P<underline>=+|-+)[ \t]*$)",
    re.MULTILINE,
)


def chunk_anchors(text: str, chunks: Sequence[Chunk]) -> list[tuple[str, ...]]:
    """Give each chunk the anchors of the headings that begin in it.

    Args:
        text: the markdown document.
        chunks: its chunks in order; a heading that two of them share belongs to the first.
    """
    text_anchors = iter(_anchors(text))
    anchor = next(text_anchors, None)
    anchors: list[tuple[str, ...]] = []
    for chunk in chunks:
        inside = []
        while anchor is not None and anchor[0] < chunk.end:
            inside.append(anchor[1])
            anchor = next(text_anchors, None)
        anchors.append(tuple(inside))
    return anchors


def _anchors(text: str) -> list[tuple[int, str]]:
    """The offset of each heading and its anchor; a second equal anchor ends in -1, as on GitHub."""
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
        if heading is None:  # an underlined heading, if there are words above the line
            start = text.rfind("\n", 0, max(0, match.start() - 1)) + 1
            heading = text[start : max(start, match.start() - 1)].strip()
        name = heading_anchor(heading)[:_LIMIT]
        if name:
            anchors.append((start, f"{name}-{seen[name]}" if seen[name] else name))
            seen[name] += 1
    return anchors
