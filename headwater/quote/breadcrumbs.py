"""The headings above a sentence of a chunk.

Belongs here: the headings above an offset in a chunk that joins several short sections. Not here: which sections are
joined (`headwater.chunking.markdown`). Guarantee: pure; a chunk without headings of its own has one breadcrumb
throughout.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence

_LINE = re.compile(
    r"^(?:[^\S\n]*(?P<fence>`{3,}|~{3,})| {0,3}(?P<marks>#{1,6})[ \t]+(?P<words>[^\n]*?)[ \t]*#*[ \t]*$)", re.MULTILINE
)
_MARKUP = re.compile(r"!?\[([^\]]{0,300})\]\([^)]{0,1000}\)|[*`]+|\s*\{#[\w-]+\}")


def breadcrumb_at(text: str, breadcrumb: Sequence[str], offset: int) -> tuple[str, ...]:
    """The headings above an offset of a chunk.

    Args:
        text: the chunk.
        breadcrumb: the chunk's own breadcrumb, which is that of its first section.
        offset: an offset in the text.
    """
    paths = breadcrumb_paths(text, breadcrumb)
    return paths[max(bisect_right(paths, offset, key=lambda path: path[0]) - 1, 0)][1]


def breadcrumb_paths(text: str, breadcrumb: Sequence[str]) -> list[tuple[int, tuple[str, ...]]]:
    """Where in a chunk each path of headings begins, in order; the first begins at 0. The arguments are as above."""
    headings = _headings(text)
    paths = [(0, tuple(breadcrumb))]
    first = headings[0][2].casefold() if headings else ""
    outer = next((n for n, words in enumerate(breadcrumb) if words.casefold() == first), None)
    if len(headings) < 2 or outer is None:
        return paths
    path: list[tuple[int, str]] = []
    for offset, level, words in headings:
        path = [*(entry for entry in path if entry[0] < level), (level, words)]
        paths.append((offset, (*breadcrumb[:outer], *(words for _, words in path))))
    return paths


def named_heading(heading: str, uri: str) -> str:
    """A heading in one line; of a document without a title, which is called by its path, the name of its file."""
    words = " ".join(heading.split())
    is_path = heading == uri and not uri.startswith(("http://", "https://"))
    return uri.rstrip("/").rpartition("/")[2] if is_path else words


def _headings(text: str) -> list[tuple[int, int, str]]:
    """Offset, level and words of the headings outside code."""
    found, fence = [], ""
    for match in _LINE.finditer(text):
        mark = match["fence"]
        if mark:
            fence = "" if fence and mark.startswith(fence) else fence or mark
        elif not fence:
            words = _MARKUP.sub(lambda markup: markup.group(1) or "", match["words"])
            found.append((match.start(), len(match["marks"]), " ".join(words.split())))
    return found
