"""Making paragraphs, list items and code of lines.

Belongs here: which lines belong together, also across columns and pages. Not here: the order of lines
(`reading_order`), which paragraphs are headings (`headings`). Guarantee: every line is in one block; a part of a block
knows its page.

A line that ends although the next word would have fitted ended on purpose. Together with indents, distances and styles,
this tells paragraphs apart in ragged text, too.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from headwater.parsing.pdf.blocks import CODE, ITEM, LARGE, NOTE, SCANNED, TEXT, Block, block_of, kind_of, table_block
from headwater.parsing.pdf.code_lines import mark_code
from headwater.parsing.pdf.hyphens import SOFT_HYPHEN, Words
from headwater.parsing.pdf.printed_contents import ENTRY
from headwater.parsing.pdf.shapes import Line, Scan, Table

_ENDS = re.compile(r"[.!?:;。！？…][\"'”’»)\]]*$")
_SIZES_DIFFER, _SIZES_MIXED = 0.07, 0.2  # of lines that end on purpose, and of others: one may be full of code
_FURTHER = 1.28  # times the usual distance of lines
_SENTENCE = 40  # characters: a longer line is prose
_NOTE_LINES = 12  # more small lines are something else, such as references
_MIN_COLUMN_LINES = 5  # lines of a column: too few to know its edge
_INDENT = 0.8  # of the size
_PARAGRAPH = 25.0  # points: the widest indent of a paragraph's first line
_MARKS_OF_CODE = ("", "-", "*")  # other marks begin an item of a list of commands
_BULLETS = ("•", "◦", "▪", "–")  # no code begins with one
_WRAPPED = re.compile(r"(␣)$| ?←$")  # what Sphinx and dblatex write where they break a line of code


class Flow:
    """Builds the blocks of a document, line by line."""

    def __init__(self, items: Sequence[Line | Table | Scan], body: float, *, has_code: bool) -> None:
        """Look at the lines as a whole.

        Args:
            items: lines and tables in the order of reading.
            body: the size of most text.
            has_code: whether lines in a font of one width are code, because the body is in another font.
        """
        self._lines = [item for item in items if isinstance(item, Line)]
        self._items = items
        self._body = body
        self._has_code = has_code
        self._words = Words(line.text for line in self._lines)
        self._pitch, self._usual = _pitches(self._lines)
        self._rights = _right_edges(self._lines)
        mark_code(self._lines, self._rights, LARGE * body)
        self.blocks: list[Block] = []
        self._notes: list[Block] = []

    def build(self) -> list[Block]:
        """The blocks in order."""
        for item in self._items:
            if isinstance(item, Table):
                self._end_notes(len(self.blocks))
                self.blocks.append(table_block(item))
            elif isinstance(item, Scan):
                self._end_notes(len(self.blocks))
                self._add_scan(item)
            elif item.is_note:
                self._add_note(item)
            else:
                count = len(self.blocks)
                self._add(item)
                # Notes below a paragraph that continues on the next page stand before it.
                self._end_notes(count - 1 if len(self.blocks) == count else count)
        self._end_notes(len(self.blocks))
        return self.blocks

    def _add_scan(self, scan: Scan) -> None:
        """Add a page that OCR has read: a block per paragraph, with its lines."""
        for paragraph in re.split(r"\n\s*\n", scan.text.strip()):
            block: Block | None = None
            for text in filter(None, map(str.strip, paragraph.split("\n"))):
                line = Line(text, 0, 0, 0, 0, False, False, 0, scan.page)
                kind, marker = kind_of(text)
                if block is None or kind == ITEM or (block.kind == ITEM and not text[:1].islower()):
                    block = block_of(kind if marker else SCANNED, line, marker)
                    self.blocks.append(block)
                    continue
                cut, between = self._words.joint(block.last.text, text)
                last = block.parts[-1][0]
                block.parts[-1] = last[: len(last) - cut], scan.page
                between = "\n" if between and block.kind == SCANNED else between
                block.parts.append((between + text, scan.page))
                block.last = line

    def _end_notes(self, position: int) -> None:
        if self._notes:
            self.blocks[max(0, position) : max(0, position)] = self._notes
            self._notes = []

    def _add_note(self, line: Line) -> None:
        open_ = self._notes[-1] if self._notes else None
        if open_ is not None and open_.last.column == line.column and not _is_note_mark(line.text):
            self._join(open_, line)
        else:
            self._notes.append(block_of(NOTE, line))

    def _add(self, line: Line) -> None:
        open_ = self.blocks[-1] if self.blocks else None
        if self._is_code(open_, line):
            self._add_code(open_, line)
            return
        if line.is_mono:  # the spaces of code are no spaces of text
            line.text = " ".join(line.text.split())
        kind, marker = kind_of(line.text)
        if open_ is not None and open_.kind in (TEXT, ITEM) and not marker:
            if self._is_continued(open_, line):
                self._join(open_, line)
                return
            if self._is_next_line(open_, line):
                open_.parts.append((f"\n{line.text}", line.page))
                open_.last, open_.lines, open_.unbroken = line, open_.lines + 1, 1
                return
        self.blocks.append(block_of(kind, line, marker))

    def _is_code(self, open_: Block | None, line: Line) -> bool:
        """Whether a line is code, and no heading or line of a paragraph that happens to be full of names."""
        if not (line.is_mono and self._has_code):
            return False
        if open_ is not None and open_.kind == CODE:
            return not line.text.startswith(_BULLETS)
        if kind_of(line.text)[1] not in _MARKS_OF_CODE:
            return False
        if open_ is None or open_.kind not in (TEXT, ITEM) or open_.last.text.endswith(":"):
            return True
        outdent = open_.last.left - line.left
        is_level = abs(outdent) < 1 or open_.kind == ITEM or (open_.unbroken == 1 and 0 < outdent < _PARAGRAPH)
        return not is_level or self._has_room(open_.last, line) or not self._is_continued(open_, line)

    def _add_code(self, open_: Block | None, line: Line) -> None:
        if open_ is None or open_.kind != CODE or abs(open_.last.page - line.page) > 1:
            self.blocks.append(block_of(CODE, line))
            return
        width = (line.right - line.left) / max(1, len(line.text))
        indent = max(0, round((line.left - open_.first.left) / width)) if width > 0 else 0
        step = line.base - open_.last.base
        usual = self._usual.get(_to_half_points(line.size), 1.2 * line.size)
        blank = "\n" if open_.last.page == line.page and step > 1.6 * usual else ""
        if line.left < open_.first.left - 0.5 * width:  # the first line was indented more
            shift = round((open_.first.left - line.left) / width)
            open_.parts = [(text.replace("\n", "\n" + " " * shift), page) for text, page in open_.parts]
            open_.parts[0] = (" " * shift + open_.parts[0][0], open_.parts[0][1])
            open_.first = line
        wrapped = _WRAPPED.search(open_.parts[-1][0])
        if wrapped:
            open_.parts[-1] = open_.parts[-1][0][: wrapped.start()], open_.parts[-1][1]
            open_.parts.append((f"{' ' if wrapped[1] else ''}{line.text.removeprefix('˓→')}", line.page))
        else:
            open_.parts.append((f"\n{blank}{' ' * indent}{line.text}", line.page))
        open_.last, open_.lines = line, open_.lines + 1

    def _join(self, block: Block, line: Line) -> None:
        text, page = block.parts[-1]
        cut, between = self._words.joint(text, line.text)
        if cut:
            block.parts[-1] = text[:-cut], page
        block.parts.append((between + line.text, line.page))
        block.last, block.lines, block.unbroken = line, block.lines + 1, block.unbroken + 1
        block.is_bold = block.is_bold and line.is_bold

    def _is_continued(self, block: Block, line: Line) -> bool:
        """Whether a line continues a paragraph or an item without a break."""
        previous = block.last
        differ = abs(line.size - previous.size) / previous.size if previous.size else 1.0
        is_forced = self._is_forced(previous, line)
        if differ > (_SIZES_DIFFER if is_forced else _SIZES_MIXED) or ENTRY.search(previous.text):
            return False
        if previous.column != line.column or line.base < previous.base:
            return self._is_continued_elsewhere(block, line, is_forced=is_forced)
        if self._is_further(previous, line):
            return False
        if previous.size > LARGE * self._body and previous.is_bold == line.is_bold:
            return len(block.text) + len(line.text) < 200 and not re.match(r"\d+(\.\d+)*\.?\s", line.text)
        if block.kind == ITEM:
            return line.left > block.first.left + 0.5 * line.size or (
                not is_forced and line.left > block.first.left - 0.5 * line.size
            )
        return not is_forced and not _is_indented(block, line)

    def _is_continued_elsewhere(self, block: Block, line: Line, *, is_forced: bool) -> bool:
        """Whether a paragraph continues in another column or on another page."""
        previous = block.last
        if previous.is_bold != line.is_bold or previous.size > LARGE * self._body or abs(line.page - previous.page) > 2:
            return False
        text = previous.text
        if text[-1:] in ("-", SOFT_HYPHEN) and line.text[:1].isalpha():
            return True
        if _ENDS.search(text):
            return False
        return line.text[:1].islower() or not is_forced

    def _is_next_line(self, block: Block, line: Line) -> bool:
        """Whether a line that ended on purpose is followed by one that belongs to the same block, as in an address."""
        previous = block.last
        return (
            block.kind == TEXT
            and previous.column == line.column
            and previous.base < line.base
            and previous.is_bold == line.is_bold
            and abs(line.size - previous.size) <= _SIZES_DIFFER * previous.size
            and previous.size <= LARGE * self._body
            and not self._is_further(previous, line)
            and abs(line.left - previous.left) < _INDENT * line.size
            and block.lines < 60
        )

    def _is_further(self, before: Line, line: Line) -> bool:
        usual = self._pitch.get((line.column, _to_half_points(line.size))) or self._usual.get(
            _to_half_points(line.size)
        )
        return line.base - before.base > _FURTHER * (usual or 1.3 * line.size) + 0.5

    def _is_forced(self, before: Line, line: Line) -> bool:
        """Whether a line ended although the next word would have fitted."""
        if before.text[-1:] in ("-", SOFT_HYPHEN) and before.text[-2:-1].isalpha() and line.text[:1].isalpha():
            return False
        if line.text[:1].islower() and len(before.text) > _SENTENCE and not _ENDS.search(before.text):
            return False
        return self._has_room(before, line)

    def _has_room(self, before: Line, line: Line) -> bool:
        """Whether the first word of a line would have fitted on the one before it."""
        room = self._rights.get(before.column, before.edge[1]) - before.right
        word = line.first_word if not line.text[:1] > "\u2e80" else line.size
        return room > 1.25 * word + 0.5 * line.size


def _is_indented(block: Block, line: Line) -> bool:
    """Whether a line's indent, or its end, begins a paragraph; the second line of a paragraph may have any."""
    step = _INDENT * line.size
    return block.unbroken > 1 and abs(line.left - block.last.left) > step


def _is_note_mark(text: str) -> bool:
    return bool(re.match(r"[¹²³⁴⁵⁶⁷⁸⁹⁰*†‡§]|\d{1,3}\s*\D|\[\d+\]", text))


def mark_notes(items: Iterable[Line | Table | Scan], body: float) -> None:
    """Mark the footnotes: small lines at the end of a column that begin with a mark."""
    columns: dict[int, list[Line]] = defaultdict(list)
    for item in items:
        if isinstance(item, Line):
            columns[item.column].append(item)
    for lines in columns.values():
        first = len(lines)
        while first and lines[first - 1].size < 0.93 * body:
            first -= 1
        while first < len(lines) and not _is_note_mark(lines[first].text):
            first += 1
        if first and 0 < len(lines) - first <= _NOTE_LINES:
            for line in lines[first:]:
                line.is_note = True


def _to_half_points(size: float) -> int:
    return round(size * 2)


def _pitches(lines: Sequence[Line]) -> tuple[dict[tuple[int, int], float], dict[int, float]]:
    """The usual distance of lines, by column and size, and by size alone."""
    in_column: dict[tuple[int, int], list[float]] = defaultdict(list)
    by_size: dict[int, list[float]] = defaultdict(list)
    for a, b in pairwise(lines):
        step = b.base - a.base
        if (
            a.column == b.column
            and _to_half_points(a.size) == _to_half_points(b.size)
            and 0.8 * a.size < step < 2.4 * a.size
        ):
            in_column[b.column, _to_half_points(b.size)].append(step)
            by_size[_to_half_points(b.size)].append(step)
    usual = {size: _low(steps) for size, steps in by_size.items()}
    return {key: min(_low(steps), 1.5 * usual[key[1]]) for key, steps in in_column.items() if len(steps) >= 6}, usual


def _low(steps: list[float]) -> float:
    """The lower quartile: lines of one paragraph are nearer than paragraphs."""
    return sorted(steps)[len(steps) // 4]


def _right_edges(lines: Sequence[Line]) -> dict[int, float]:
    """The right edge of each column; of one with a few lines, that of most pages."""
    rights: dict[int, list[float]] = defaultdict(list)
    alone: dict[int, float] = {}
    edges: dict[int, float] = {}
    for line in lines:
        rights[line.column].append(line.right)
        if not line.is_nested:
            alone[line.column] = line.edge[1]
            edges[line.page] = max(edges.get(line.page, 0.0), line.edge[1])
    usual = sorted(edges.values())[len(edges) * 3 // 4] if edges else 0.0
    return {
        column: max(usual, *column_rights)
        if len(column_rights) <= _MIN_COLUMN_LINES and column in alone
        else max(column_rights)
        for column, column_rights in rights.items()
    }
