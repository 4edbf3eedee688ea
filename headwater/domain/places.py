"""Positions in the original of a text: page, slide, sheet, cells, second, lines, or a part with an address of its own.

Belongs here: places, and how a range of them is shown. Not here: what a place adds to a link (`place_links`), the
places of a format (`headwater.parsing`), how cells are written (`cells`). Guarantee: pure; a range covers every place
that its text comes from.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from operator import itemgetter
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from headwater.domain.cells import CellLines, CellRange, cover_cells, join_cells, read_cells
from headwater.domain.moments import format_moment

_LABELS = {"page": ("p. {}", "p. {}–{}"), "slide": ("slide {}", "slides {}–{}"), "sheet": ("sheet {}", "sheets {}–{}"),
           "second": ("{}", "{}–{}"), "line": ("L{}", "L{}–L{}")}  # fmt: skip
_COMMENT = re.compile(r"(?:[?&]focusedCommentId=|#note_)(\d+)")
_MESSAGE = re.compile(r"/archives/[A-Z0-9]+/p(\d{9,10})\d{6}", re.ASCII)
_BLOCK = re.compile(r"[0-9a-f]{32}")


class PlaceKind(StrEnum):
    """The unit of a place; a sheet has a name, a cell a reference such as `Prices!B14`, all but a part a number.

    A part is such as a heading or a comment of a web page: its place is what the page's address ends with, such as
    `#Getting-started` or `?focusedCommentId=12`, or another path at the same host, as that of a message; empty before
    the first part.
    """

    PAGE = "page"
    SLIDE = "slide"
    SHEET = "sheet"
    CELL = "cell"
    SECOND = "second"
    LINE = "line"
    PART = "part"


@dataclass(frozen=True, kw_only=True, slots=True)
class PlaceRange:
    """The first and last place of a text in the original; equal if it has one place.

    `address` is that of the original at its version, empty if the document's URI is all that is known.
    """

    kind: PlaceKind
    first: int | str
    last: int | str
    address: str = ""

    @property
    def label(self) -> str:
        """The text for people: `p. 12–14`, `slide 3`, `Prices!B14`, `02:15`, `L10–L42`, `§ Use`; empty for no part."""
        if self.kind == PlaceKind.PART:
            return _part_label(str(self.first))
        if self.kind == PlaceKind.CELL:
            return f"{self.first} – {self.last}" if self.cells is None else self.cells.reference
        singular, several = _LABELS[self.kind]
        is_time = self.kind == PlaceKind.SECOND
        first, last = (_clock(int(value)) if is_time else value for value in (self.first, self.last))
        return singular.format(first) if first == last else several.format(first, last)

    @property
    def cells(self) -> CellRange | None:
        """The cells of one sheet; None for another kind, or cells of several sheets."""
        if self.kind != PlaceKind.CELL:
            return None
        first, last = read_cells(str(self.first)), read_cells(str(self.last))
        return join_cells((first, last)) if first.sheet == last.sheet else None

    def extend(self, other: "PlaceRange") -> "PlaceRange":
        """The range from its first place to the last of one that follows it in the text."""
        if self.cells is None or other.cells is None or self.cells.sheet != other.cells.sheet:
            return replace(self, last=other.last)
        first, last = join_cells((self.cells, other.cells)).corners
        return replace(self, first=first, last=last)

    def joined(self, other: "PlaceRange") -> "PlaceRange | None":
        """The range of both; None if a place lies between them, or they count in different units.

        Pages 12 and 13 are joined, and rows 12 and 13 of the same columns; seconds only if they overlap; sheets and
        parts only if they are equal.
        """
        if self.kind != other.kind:
            return None
        if self.kind in (PlaceKind.SHEET, PlaceKind.CELL, PlaceKind.PART):
            is_one = (self.first, self.last) == (other.first, other.last) or _touch(self.cells, other.cells)
            return self.extend(other) if is_one else None
        gap = max(int(self.first), int(other.first)) - min(int(self.last), int(other.last))
        if gap > (0 if self.kind == PlaceKind.SECOND else 1):
            return None
        first, last = min(int(self.first), int(other.first)), max(int(self.last), int(other.last))
        return replace(self, first=first, last=last)


class Mark(NamedTuple):
    """The place that begins at an offset of the text: from `first` to `last`, which differ if it is not known exactly.

    For lines, it is the number of lines by which the original is ahead of the text; a text that is its original needs
    none. For the rows of a sheet, `first` is their columns, and `last` the number of lines by which the sheet is ahead.
    """

    offset: int
    first: int | str
    last: int | str


@dataclass(frozen=True, kw_only=True, slots=True)
class Places:
    """The places of a text, by its offsets: one kind, and marks in order.

    `address` is that of the original at this version, such as a file's page at a commit; empty if there is none.
    """

    kind: PlaceKind
    marks: tuple[Mark, ...] = ()
    address: str = ""

    @classmethod
    def of(cls, kind: PlaceKind, starts: Sequence[tuple[int, int | str]]) -> "Places":
        """Places that are known exactly, each by the offset where it begins."""
        return cls(kind=kind, marks=tuple(Mark(offset, value, value) for offset, value in starts))

    @classmethod
    def from_json(cls, value: Mapping[str, Any], *, within: tuple[int, int] | None = None) -> "Places":
        """Read the result of `to_json`; with `within`, only the marks needed for the text between two offsets."""
        stored_marks: Sequence[Any] = value["marks"]  # a file may have many thousands
        if within is not None:
            first = max(0, bisect_right(stored_marks, within[0], key=itemgetter(0)) - 1)
            stored_marks = stored_marks[first : bisect_right(stored_marks, within[1], key=itemgetter(0))]
        marks = tuple(Mark(offset, first, *(last or (first,))) for offset, first, *last in stored_marks)
        return cls(kind=PlaceKind(value["kind"]), marks=marks, address=value.get("address") or "")

    def to_json(self) -> dict[str, Any]:
        """Make JSON values, as few as possible."""
        marks = [[*mark[:2]] if mark.first == mark.last else [*mark] for mark in self.marks]
        return {"kind": self.kind.value, "marks": marks, **({"address": self.address} if self.address else {})}

    def moved(self, move: Callable[[int], int]) -> "Places":
        """The places of a text whose offsets changed."""
        return replace(self, marks=tuple(mark._replace(offset=move(mark.offset)) for mark in self.marks))

    def between(self, start: int, end: int, *, text: str, offset: int = 0, line: int = 1) -> PlaceRange | None:
        """The place of a span in the original; None if no mark covers it.

        Args:
            start: offset of the span.
            end: offset after the span.
            text: a part of the text that contains the span.
            offset: the offset of this part.
            line: the line of the text in which this part begins, from 1.
        """
        span = text[start - offset : end - offset]
        begin = start + (len(span) - len(span.lstrip()) if span.strip() else 0)
        stop = max(begin, start + len(span.rstrip()) - 1)  # the last visible character
        first, last = self._at(begin), self._at(stop)
        if first is None or last is None:
            return None
        if self.kind == PlaceKind.CELL:
            cells = cover_cells(self._lines_by_mark(begin, stop, text[begin - offset : stop + 1 - offset],
                                                    line + text.count("\n", 0, begin - offset)))  # fmt: skip
            return PlaceRange(kind=self.kind, first=cells[0], last=cells[1], address=self.address)
        if self.kind != PlaceKind.LINE:
            return PlaceRange(kind=self.kind, first=first.first, last=last.last, address=self.address)
        first_line = line + text.count("\n", 0, begin - offset)
        last_line = first_line + text.count("\n", begin - offset, stop - offset)
        return PlaceRange(
            kind=self.kind, first=first_line + int(first.first), last=last_line + int(last.last), address=self.address
        )

    def _lines_by_mark(self, begin: int, stop: int, span: str, line: int) -> Iterator[CellLines]:
        """The lines of a span that each mark covers, by the offsets of the span, its text and its first line."""
        index = bisect_right(self.marks, begin, key=_offset) - 1
        while index < len(self.marks) and self.marks[index].offset <= stop:
            mark = self.marks[index]
            until = self.marks[index + 1].offset if index + 1 < len(self.marks) else stop + 1
            covered = span[max(0, mark.offset - begin) : until - begin]
            yield CellLines(mark.first, mark.last, line, line + covered.rstrip().count("\n"))
            line += covered.count("\n")
            index += 1

    def _at(self, offset: int) -> Mark | None:
        count = bisect_right(self.marks, offset, key=_offset)
        if count:
            return self.marks[count - 1]
        return Mark(0, 0, 0) if self.kind == PlaceKind.LINE else None


UNREAD_PLACES = Places(kind=PlaceKind.PAGE)
"""Places that are too many to be read along with a passage; known by identity, and until they are read, by no mark."""


def _part_label(part: str) -> str:
    """How people call a part of a web page: a comment by its number, a message by its time, a heading by its words.

    A block has no name.
    """
    if comment := _COMMENT.search(part):
        return f"comment {comment[1]}"
    if message := _MESSAGE.fullmatch(part.partition("?")[0]):
        return f"message of {format_moment(datetime.fromtimestamp(int(message[1]), UTC))}"
    words = unquote(urlsplit(part).fragment).replace("-", " ").replace("_", " ").strip()
    return "" if not words or _BLOCK.fullmatch(words) else f"§ {words}"


def _touch(cells: CellRange | None, others: CellRange | None) -> bool:
    """Whether the range of both has only their cells."""
    if cells is None or others is None or cells.sheet != others.sheet:
        return False
    if cells.contains(others) or others.contains(cells):
        return True
    are_below = max(cells.first_row, others.first_row) - min(cells.last_row, others.last_row) <= 1
    return are_below and (cells.first_column, cells.last_column) == (others.first_column, others.last_column)


def _offset(mark: Mark) -> int:
    return mark.offset


def _clock(seconds: int) -> str:
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute:02}:{second:02}"
