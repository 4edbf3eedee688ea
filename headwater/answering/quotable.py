"""The spans of a passage that can be quoted as sentences.

Belongs here: telling quotable lines of markdown (paragraphs, list items) from others (code, headings, tables,
markup), and the paragraphs of source code. Not here: which sentence answers. Guarantee: `text[start:end]` is
verbatim, trimmed, and not part of fenced code.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from headwater.chunking.sentences import sentence_spans
from headwater.domain.documents import ChunkKind
from headwater.lexical.tokens import UNSPACED
from headwater.parsing.headings import plain_heading

_FENCE = re.compile(r"^[\s>]*(?:[-*+]\s+|\d{1,3}[.)]\s+)?(`{3,}|~{3,})([^`\n]*)$")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.*?)[\s#]*$")
_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\S\n]*\S[^\n]*)*")
_UNDERLINE = re.compile(r"^\s{0,3}(?:=+|-{2,})\s*$")
_SKIP = re.compile(
    r"^\s*(?:\||:::|!!!|\?\?\?|>\s*\[![A-Za-z]+\]"  # tables, admonitions
    r"|<[^>]*>\s*$|\[[^\]]+\]:\s|!\[[^\]]*\]\([^)]*\)\s*$|[-*_=\s]{3,}$"  # tags, link targets, images, rules
    r"|[^`]*\s\|\s[^`]*$)"  # rows of tables without outer bars; in backticks it is a shell's pipe
)
_MARKER = re.compile(r"\s*(?:>\s*)*(?:[-*+•◦▪‣]\s+|\d{1,3}[.)]\s+)?(?:\[[ xX]\]\s+)?")
_STARTS = re.compile(r"^\s*(?:[-*+•◦▪‣]\s|\d{1,3}[.)]\s)")
_QUOTED = re.compile(r"^\s*>")
_ITEM = re.compile(r"\n(?=[ \t]*[•◦▪‣])")  # in plain text, "-" and "1." also occur where wrapped lines break
_BREAK = re.compile(r"\n|[.;:,]\s|\s")
_LINE_BREAK = re.compile(r"[ \t]*\n\s*")
_MARKS = ".!?,;:。！？、，"
_WORD = re.compile(r"\w+")
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]{{6}}")
_BULLET = re.compile(r"[•◦▪‣]\s+$")
_TITLE_LIMIT = 80  # characters
_TITLE_SHARE = 0.6  # of the longest line: a wrapped line is rarely this short
_LIMIT = 600  # characters; anything longer is a list or a text without punctuation, and is cut


class Span(NamedTuple):
    """A sentence at `text[start:end]`; `heading` is the nearest heading above it in the chunk, or empty."""

    start: int
    end: int
    heading: str


def quotable_spans(text: str, kind: ChunkKind | str, *, is_continued: bool = False) -> list[Span]:
    """Find the sentences of a chunk.

    Questions, and short lines of prose without an end mark, are not statements: they are not quoted, but serve as the
    heading of the sentences after them.

    Args:
        text: the chunk, including its code.
        kind: in markdown, only some lines are sentences; prose consists of sentences; source code is split at blank
            lines.
        is_continued: other prose precedes the chunk, so it may begin inside a sentence, which is then left out.
    """
    if kind == ChunkKind.CODE:
        return _code_spans(text)
    return _prose_spans(text, is_continued=is_continued) if kind == ChunkKind.PROSE else _markdown_spans(text)


def _code_spans(text: str) -> list[Span]:
    spans = []
    for paragraph in _PARAGRAPH.finditer(text):
        for start, end in _pieces(text, *paragraph.span()):
            stripped = text[start:end].rstrip()
            if len(_WORD.findall(stripped)) >= 3:
                spans.append(Span(start, start + len(stripped), ""))
    return spans


def _markdown_spans(text: str) -> list[Span]:
    spans = []
    for block in _blocks(text):
        heading = block.heading
        for start, end in _sentences(text, block.start, block.end):
            if text[end - 1] in "?？":
                heading = text[start:end]
            else:
                spans.append(Span(start, end, heading))
    return spans


def _prose_spans(text: str, *, is_continued: bool) -> list[Span]:
    spans, heading = [], ""
    width = max(map(len, text.split("\n")))
    for item_start, item_end in _items(text):
        sentences = _sentences(text, item_start, item_end)
        parts = (part for start, end in sentences for part in _apart(text, start, end, width))
        for part_start, end in parts:
            start = _after_titles(text, part_start, end, width)
            heading = text[part_start:start].strip() or heading
            if text[end - 1] in "?？" or _is_title(text, start, end):
                heading = text[start:end]
            elif not (is_continued and start == 0 and text[0].islower()):
                spans.append(Span(start, end, heading))
    return spans


def _apart(text: str, start: int, end: int, width: int) -> Iterator[tuple[int, int]]:
    """Split a sentence where a short line without an end mark is followed by a capital letter.

    Such a line is a title or the last item of a list; wrapped lines are longer.
    """
    begin = _after_titles(text, start, end, width)
    part = start
    for line_break in _LINE_BREAK.finditer(text, begin, end):
        line = text[text.rfind("\n", 0, line_break.start()) + 1 : line_break.start()]
        following = text[line_break.end() : line_break.end() + 1]
        if len(line) <= _TITLE_SHARE * width and line[-1:] not in _MARKS and following.isupper():
            yield part, line_break.start()
            part = line_break.end()
    if part == start or len(_WORD.findall(text, part, end)) >= 3:
        yield part, end


def _after_titles(text: str, start: int, end: int, width: int) -> int:
    """Where a sentence begins after title lines: short lines without an end mark, before a capital letter."""
    while start == 0 or text[start - 1] == "\n":
        line_end = text.find("\n", start, end)
        line = text[start:line_end].rstrip() if line_end > 0 else ""
        if not line or len(line) > _TITLE_SHARE * width or line[-1] in ".!?,;" or not text[line_end + 1].isupper():
            break
        start = line_end + 1
    return start


def _is_title(text: str, start: int, end: int) -> bool:
    """Whether it is a heading, or text that the end of a page cut off."""
    is_item = _BULLET.search(text, 0, start) is not None
    return (
        not is_item
        and end - start <= _TITLE_LIMIT
        and text[end - 1].isalnum()
        and not _UNSPACED_RUN.search(text[start:end])
    )


def _sentences(text: str, block_start: int, block_end: int) -> Iterator[tuple[int, int]]:
    """The sentences of a block, without surrounding marks and spaces; none has fewer than three words."""
    for sentence in sentence_spans(text, block_start, block_end):
        for piece_start, piece_end in _pieces(text, *sentence):
            marker = _MARKER.match(text, piece_start, piece_end)
            start = marker.end() if marker else piece_start
            stripped = text[start:piece_end].strip()
            start += len(text[start:piece_end]) - len(text[start:piece_end].lstrip())
            if len(_WORD.findall(stripped)) >= 3 or _UNSPACED_RUN.search(stripped):
                yield start, start + len(stripped)


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut a span that is too long at the best place in reach: a line's end, a mark, or a space."""
    while end - start > _LIMIT:
        breaks = list(_BREAK.finditer(text, start + _LIMIT // 3, start + _LIMIT))
        cut = max(breaks, key=lambda match: (match[0] == "\n", len(match[0]), match.start()), default=None)
        middle = cut.end() if cut else start + _LIMIT
        yield start, middle
        start = middle
    yield start, end


def _items(text: str) -> list[tuple[int, int]]:
    """Plain text between bullets."""
    borders = [0, *(match.end() for match in _ITEM.finditer(text)), len(text)]
    return list(pairwise(borders))


def _blocks(text: str) -> list[Span]:
    """Lines that belong together: a paragraph, or one list item."""
    blocks: list[Span] = []
    begin: int | None = None
    heading, position, previous = "", 0, ""
    for line, is_code in _lines(text):
        if begin is not None and _UNDERLINE.match(line) and begin + len(previous) == position:
            heading, begin = plain_heading(previous), None  # the line above was a heading
        title = None if is_code else _HEADING.match(line)
        breaks = bool(is_code or title or not line.strip() or _SKIP.match(line))
        starts = _STARTS.match(line) or (_QUOTED.match(line) and not _QUOTED.match(previous))
        if begin is not None and (breaks or starts):
            blocks.append(Span(begin, position, heading))
            begin = None
        if not breaks and begin is None:
            begin = position
        heading = plain_heading(title.group(1)) if title else heading
        position += len(line)
        previous = line
    if begin is not None:
        blocks.append(Span(begin, position, heading))
    return blocks


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Lines, and whether each belongs to fenced code, fences included."""
    lines = text.splitlines(keepends=True)
    fences = [mark for mark in map(_FENCE.match, lines) if mark]
    # A long code block is split into chunks; in the later ones, the first fence closes a block opened earlier.
    fence = fences[0].group(1) if len(fences) % 2 and not fences[0].group(2).strip() else ""
    for line in lines:
        mark = _FENCE.match(line)
        yield line, bool(fence or mark)
        if mark and not fence:
            fence = mark.group(1)
        elif mark and mark.group(1).startswith(fence) and not mark.group(2).strip():
            fence = ""
