"""The blocks of text that is not markdown: prose with wrapped lines, and source code.

Belongs here: paragraphs, bullets and titles of prose; the definitions of source code. Not here: markdown
(`block_reader`). Guarantee: as `block_reader`.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import PurePosixPath

from headwater.quote.block_reader import Block, Kind
from headwater.quote.stretches import Stretch

_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\S\n]*\S[^\n]*)*")
_BULLET = re.compile(r"^[ \t]*(?:[•◦▪‣●·]|[-*](?=[ \t]))[ \t]*(?=\S)", re.MULTILINE)
_NUMBER = re.compile(r"^[ \t]*(\d{1,3})[.)][ \t]+(?=\S)", re.MULTILINE)
_TITLE_SHARE = 0.6  # of the longest line: a wrapped line is rarely this short
_ENDS = ".!?,;:。！？、，"
_SENTENCE_ENDS = ".!?:。！？"


def read_prose(text: str) -> list[Block]:
    """Read plain text: paragraphs between blank lines, bullets as lists, short lines without an end as headings."""
    width = max(map(len, text.split("\n")), default=0)
    blocks: list[Block] = []
    for paragraph in _PARAGRAPH.finditer(text):
        blocks += _of_paragraph(text, *paragraph.span(), width)
    return blocks


def _of_paragraph(text: str, start: int, end: int, width: int) -> Iterator[Block]:
    line = text.rfind("\n", 0, start) + 1  # a bullet may be indented
    bullets = [match.start() for match in _BULLET.finditer(text, line, end)] or _find_numbered_lines(text, line, end)
    first = max(start, bullets[0]) if bullets else end
    for begin, stop in _without_titles(text, start, first, width):
        yield _trim(text, Kind.PARAGRAPH, begin, stop)
    if bullets:
        borders = [*bullets, end]
        item_blocks = []
        for begin, stop in pairwise(borders):
            item = _trim(text, Kind.ITEM, begin, stop)
            item_blocks.append(Block(kind=Kind.ITEM, start=item.start, end=item.end, parts=(_as_paragraph(item),)))
        counted = _NUMBER.match(text, bullets[0])
        first_number = int(counted[1]) if counted else 0
        yield Block(
            kind=Kind.LIST,
            start=item_blocks[0].start,
            end=item_blocks[-1].end,
            parts=tuple(item_blocks),
            number=first_number,
        )


def _find_numbered_lines(text: str, start: int, end: int) -> list[int]:
    """Where lines begin with numbers that count; a single number is one of the text."""
    matches = list(_NUMBER.finditer(text, start, end))
    counts = all(int(following[1]) == int(preceding[1]) + 1 for preceding, following in pairwise(matches))
    return [match.start() for match in matches] if len(matches) > 1 and counts else []


def _without_titles(text: str, start: int, end: int, width: int) -> Iterator[tuple[int, int]]:
    """A paragraph, split after each short line without an end mark that a capital letter follows."""
    begin = start
    while (line_end := text.find("\n", begin, end)) > 0:
        line_start = begin
        while line_end > 0:
            line = text[line_start:line_end].strip()
            is_short = 0 < len(line) <= _TITLE_SHARE * width and line[-1] not in _ENDS
            is_hanging = _indent(text, line_end + 1) > 1 + _indent(
                text, line_start
            )  # it names what the text below is about
            if is_short and (is_hanging or text[line_end + 1 : line_end + 2].isupper()):
                break
            line_start = line_end + 1
            line_end = text.find("\n", line_start, end)
        if line_end < 0:
            break
        if (
            text[begin:line_start].rstrip().endswith(tuple(_SENTENCE_ENDS))
        ):  # a title above it was no part of its paragraph
            yield begin, line_start - 1
            begin = line_start
        yield begin, line_end
        begin = line_end + 1
    if text[begin:end].strip():
        yield begin, end


def _indent(text: str, offset: int) -> int:
    """How far the line of an offset is indented."""
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", start)
    line = text[start : end if end >= 0 else len(text)]
    return len(line) - len(line.lstrip())


def read_code(stretch: Stretch) -> list[Block]:
    """Read source code: its outermost definitions, each with the comments and decorators above it."""
    text = stretch.text
    language = PurePosixPath(stretch.chunks[0].uri).suffix.removeprefix(".")
    blocks: list[Block] = []
    for paragraph in _PARAGRAPH.finditer(text):
        start, end = paragraph.span()
        line_start = text.rfind("\n", 0, start) + 1
        is_inside = start > line_start or text[start] in ")}]"
        if blocks and is_inside:
            blocks[-1] = _code(text, blocks[-1].start, end, language)
        else:
            blocks.append(_code(text, line_start, end, language))
    return blocks


def _code(text: str, start: int, end: int, language: str) -> Block:
    content = text[start:end].rstrip()
    return Block(kind=Kind.CODE, start=start, end=start + len(content), content=content, language=language)


def _as_paragraph(block: Block) -> Block:
    return Block(kind=Kind.PARAGRAPH, start=block.start, end=block.end)


def _trim(text: str, kind: Kind, start: int, end: int) -> Block:
    inside = text[start:end]
    start += len(inside) - len(inside.lstrip())
    return Block(kind=kind, start=start, end=start + len(inside.strip()))
