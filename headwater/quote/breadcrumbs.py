"""The headings above a sentence of a chunk.

Belongs here: the headings above an offset in a chunk that joins several short sections. Not here: which sections are
joined (`headwater.chunking.markdown_chunker`). Guarantee: pure; a chunk without headings of its own has one breadcrumb
throughout.
"""

import re
from bisect import bisect_right

from headwater.domain.documents import ChunkKind
from headwater.domain.search import Passage
from headwater.parsing.markdown.headings import plain_heading
from headwater.parsing.navigation import is_navigation

_LINE = re.compile(
    r"^(?:[^\S\n]*(?P<fence>`{3,}|~{3,})| {0,3}(?P<marks>#{1,6})[ \t]+(?P<words>[^\n]*?)[ \t]*#*[ \t]*$"
    r"|(?<!\S\n)(?! {4}|[ \t]*(?:[-*+>|]|\d{1,9}[.)][ \t]))(?P<title> {0,3}\S[^\n]*+)\n {0,3}(?P<line>=+|-+)[ \t]*$)",
    re.MULTILINE,
)


def breadcrumb_at(passage: Passage, offset: int) -> tuple[str, ...]:
    """The headings above an offset of a passage's text."""
    paths = breadcrumb_paths(passage)
    return paths[max(bisect_right(paths, offset, key=lambda path: path[0]) - 1, 0)][1]


def breadcrumb_paths(passage: Passage) -> list[tuple[int, tuple[str, ...]]]:
    """Where in a passage's text each path of headings begins, in order; the first begins at 0, below its breadcrumb."""
    breadcrumb, paths = passage.breadcrumb, [(0, tuple(passage.breadcrumb))]
    if passage.kind != ChunkKind.MARKDOWN:  # the signs of a heading begin comments of code
        return paths
    headings, is_in_code = _headings(passage.text)
    first = headings[0] if headings else (0, 0, "")
    outer = next((n for n, words in enumerate(breadcrumb) if words.casefold() == first[2].casefold()), None)
    has_text_above = not is_in_code and bool(passage.text[: first[0]].strip())
    if outer is not None and has_text_above:  # it stands in the chunk of the section below it
        paths = [(0, breadcrumb[:outer]), (first[0], breadcrumb)]
    if not headings or (outer is None and not has_text_above) or (outer is not None and len(headings) < 2):
        return paths
    path: list[tuple[int, str]] = []
    for offset, level, words in headings:
        path = [*(entry for entry in path if entry[0] < level), (level, words)]
        outer_count = max(1, path[0][0] - 1) if outer is None else outer
        visible_headings = (words for _, words in path if not is_navigation(words))
        paths.append((offset, (*breadcrumb[:outer_count], *visible_headings)))
    return paths


def format_heading(heading: str, uri: str) -> str:
    """A heading in one line; of a document without a title, which is called by its path, the name of its file."""
    words = " ".join(heading.split())
    is_path = heading == uri and not uri.startswith(("http://", "https://"))
    return uri.rstrip("/").rpartition("/")[2] if is_path else words


def _headings(text: str) -> tuple[list[tuple[int, int, str]], bool]:
    """Offset, level and words of the headings outside code; and whether the text begins or ends within code."""
    headings, fence = [], ""
    for match in _LINE.finditer(text):
        mark = match["fence"]
        if mark:
            fence = "" if fence and mark.startswith(fence) else fence or mark
        elif not fence:
            words = plain_heading(match["words"] or match["title"] or "")
            level = len(match["marks"]) if match["marks"] else 1 + (match["line"][0] == "-")
            headings.append((match.start(), level, words))
    return headings, bool(fence)
