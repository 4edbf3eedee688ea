"""Markdown from the lines that are found in a picture.

Belongs here: paragraphs, headings, tables, joined words. Not here: the order of columns (`columns`). Guarantee:
pure; no line is lost.
"""

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from headwater.parsing.markdown.writer import names_columns
from headwater.parsing.ocr.columns import LARGE, join_at_spaces, regions, rows_of, usual_height
from headwater.parsing.ocr.engine import Line
from headwater.parsing.ocr.segments import Segment, join_pieces

_PARAGRAPH = 0.6  # heights by which the space above a line exceeds the usual
_INDENT = 0.7
_OTHER_SIZE = 1.35
_TITLE = 1.9  # times the usual height of a line
_AROUND = 4
_HEADING_LENGTH = 120
_HYPHENATED = re.compile(r"[^\W\d_]{2}[-‐\u00ad]$")
_PREFIX = re.compile(r"(?<![^\W\d_])[^\W\d_]{2}[-‐\u00ad]$")  # re-, co-, ex-: perhaps the hyphen belongs to the word
_LINE = 18  # characters of a line that could end with a part of a word
_DIVIDED = 0.04  # of the lines
_ITEM = re.compile(r"(?:[-–•·▪●○*]|\d{1,2}[.)])\s+\S")
_BULLET = re.compile(r"^[•·▪●○]\s*(?=\w)")
_MARKUP = re.compile(r"^(?=(?:#{1,6}|>|```|~~~)\s?)")


def arranged(lines: Sequence[Line]) -> str:
    """Markdown of lines, in the order of a reader."""
    page_regions = regions(lines)
    pieces = [segment for region in page_regions for segment in region]
    page = _Page(usual_height(pieces), _divides_words(pieces))
    return "\n\n".join(block for region in page_regions for block in _blocks(region, page) if block)


class _Page(NamedTuple):
    """The usual height of its lines, and whether its typesetting divides words between lines."""

    usual: float
    divides_words: bool


def _divides_words(pieces: Sequence[Segment]) -> bool:
    """Whether hyphens at the ends of lines are too many to be those of compounds such as `long-term`."""
    lines = [segment.text for segment in pieces if len(segment.text) >= _LINE]
    return sum(bool(_HYPHENATED.search(line)) for line in lines) > _DIVIDED * len(lines)


def _blocks(region: Sequence[Segment], page: _Page) -> list[str]:
    """Tables, and paragraphs between them."""
    rows = [join_at_spaces(row) for row in rows_of(region)]
    blocks: list[str] = []
    prose: list[Segment] = []
    index = 0
    while index < len(rows):
        end = _table_end(rows, index)
        if end - index > 1:
            blocks += [*_paragraphs(prose, page), _table(rows[index:end])]
            prose, index = [], end
        else:
            prose.append(join_pieces(rows[index]))
            index += 1
    return [*blocks, *_paragraphs(prose, page)]


# Tables


def _table_end(rows: Sequence[Sequence[Segment]], start: int) -> int:
    """The row after those that have cells: each has several, or goes on with one that is not the first."""
    end = start
    while end < len(rows):
        row = rows[end]
        if end > start and row[0].top - rows[end - 1][0].bottom > 2 * row[0].height:
            break
        if len(row) < 2 and not (
            end > start and row[0].left > min(earlier_row[0].right for earlier_row in rows[start:end])
        ):
            break
        end += 1
    while end > start and len(rows[end - 1]) < 2:
        end -= 1
    return end


def _table(rows: Sequence[Sequence[Segment]]) -> str:
    columns = _column_edges(rows)
    if len(columns) < 2:
        return "\n".join(" ".join(segment.text for segment in row) for row in rows)
    cells: list[list[str]] = []
    for row in rows:
        placed = [""] * len(columns)
        for segment in row:
            index = max(range(len(columns)), key=lambda column: _overlap(segment, columns[column]))
            placed[index] = f"{placed[index]} {segment.text}".strip().replace("|", "\\|")
        if len(row) == 1 and cells:
            cells[-1] = [f"{cell} {addition}".strip() for cell, addition in zip(cells[-1], placed, strict=True)]
        else:
            cells.append(placed)
    table_rows = cells if names_columns(cells) else [[""] * len(columns), *cells]
    lines = [f"| {' | '.join(row)} |" for row in table_rows]
    return "\n".join([lines[0], f"|{' --- |' * len(columns)}", *lines[1:]])


def _column_edges(rows: Sequence[Sequence[Segment]]) -> list[tuple[float, float]]:
    """Columns: pieces that overlap are in one, unless they span two pieces of another row."""
    columns: list[tuple[float, float]] = []
    for row in sorted(rows, key=len, reverse=True):
        for segment in row:
            touching = [column for column in columns if _overlap(segment, column) > 0]
            if len(touching) > 1:
                continue
            untouched = [column for column in columns if column not in touching]
            left = min([segment.left, *(column[0] for column in touching)])
            right = max([segment.right, *(column[1] for column in touching)])
            if not any(left < column[1] and column[0] < right for column in untouched):
                columns = [*untouched, (left, right)]
    return sorted(columns)


def _overlap(piece: Segment, column: tuple[float, float]) -> float:
    return min(piece.right, column[1]) - max(piece.left, column[0])


# Paragraphs


def _paragraphs(lines: Sequence[Segment], page: _Page) -> list[str]:
    if not lines:
        return []
    spaces = [lower.top - upper.bottom for upper, lower in pairwise(lines)]
    space = median(spaces) if spaces else 0.0
    blocks = [[_Broken(lines[0], is_item=False)]]
    for index, (upper, lower) in enumerate(pairwise(lines)):
        is_short = _is_cut_short(upper, lower, _right(lines, index))
        if _is_new_paragraph(upper, lower, space, is_short=is_short):
            blocks.append([])
        blocks[-1].append(_Broken(lower, is_item=is_short or bool(_ITEM.match(lower.text))))
    return [_block(block, page) for block in blocks]


class _Broken(NamedTuple):
    """A line, and whether the one above it ends on purpose."""

    line: Segment
    is_item: bool


def _right(lines: Sequence[Segment], at: int) -> float:
    """Where lines around one end: text may become narrower beside a picture."""
    right_below = max(line.right for line in lines[at : at + _AROUND])
    right_above = max(line.right for line in lines[max(0, at - _AROUND + 1) : at + 1])
    return min(right_above, right_below) if at else right_below


def _is_new_paragraph(above: Segment, below: Segment, space: float, *, is_short: bool) -> bool:
    if max(above.height, below.height) > _OTHER_SIZE * min(above.height, below.height):
        return True
    if below.top - above.bottom > space + _PARAGRAPH * below.height:
        return True
    return _ends_sentence(above.text) and (is_short or below.left - above.left > _INDENT * below.height)


def _ends_sentence(text: str) -> bool:
    return text.rstrip("\"'”’)»").endswith((".", "!", "?", ":", "。", "！", "？"))


def _is_cut_short(above: Segment, below: Segment, right: float) -> bool:
    """Whether a line ends on purpose: the first word of the next had room in it, or both are centred."""
    edges = min(abs(above.left - below.left), abs(above.right - below.right))
    if edges > below.height and abs(above.left + above.right - below.left - below.right) < below.height:
        return True
    first = below.text[:1] if _is_wide(below.text[:1]) else below.text.split(maxsplit=1)[0]
    needed = below.width * (len(first) + 1) / max(1, len(below.text))
    return right - above.right > needed + below.height / 2


def _block(lines: Sequence[_Broken], page: _Page) -> str:
    size = median(line.line.height for line in lines)
    text = _concatenate([line.line.text for line in lines], divides_words=page.divides_words)
    if size > LARGE * page.usual and len(text) <= _HEADING_LENGTH and len(lines) < 4 and any(map(str.isalpha, text)):
        return f"{'#' if size > _TITLE * page.usual else '##'} {text}"
    texts = [_plain(lines[0].line.text)]
    for line, is_item in lines[1:]:
        if is_item:
            texts.append(_plain(line.text))
        else:
            texts[-1] = _concatenate([texts[-1], line.text], divides_words=page.divides_words)
    return "\n".join(texts)


def _plain(text: str) -> str:
    """A line that is no markup by accident."""
    return _MARKUP.sub("\\\\", _BULLET.sub("- ", text))


def _concatenate(texts: Sequence[str], *, divides_words: bool) -> str:
    """One text of several; a word that is divided between them is whole again."""
    joined = texts[0]
    for text in texts[1:]:
        if divides_words and _PREFIX.search(joined):
            joined += f"\n{text}"
        elif _HYPHENATED.search(joined) and text[:1].islower():
            joined = (joined[:-1] if divides_words else joined) + text
        elif _is_wide(joined[-1:]) and _is_wide(text[:1]):
            joined += text
        else:
            joined = f"{joined} {text}"
    return joined


def _is_wide(character: str) -> bool:
    """Whether it is of a script that has no spaces, such as Chinese; Korean has some."""
    return bool(character) and unicodedata.east_asian_width(character) in "WF" and not "가" <= character <= "힣"
