"""Quotes as markdown.

Belongs here: how each kind of fragment is written, what separates two of them, which words are in bold. Not here:
inline markup (`inline_cleanup`), which fragments are quoted (`quotes`). Guarantee: every word is the source's, in its
order; code is as it was; steps are numbered as they were; a gap between two quoted fragments is marked, and so is one
behind the name of who speaks.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from headwater.quote.block_reader import Block, Kind, cell_spans
from headwater.quote.fragments import TASK_SIGNS, Fragment
from headwater.quote.inline_cleanup import bold, clean_inline, without_admonition_marks, without_invisible

_MARK = re.compile(r"(?:[-*+•◦▪‣●·]|\d{1,9}[.)])[ \t]+(?:\[(?P<task>[ xX])\][ \t]+)?")
_TICKS = re.compile(r"^[^\S\n]*(`{3,})", re.MULTILINE)
_NUMBER = re.compile(r"\d{1,9}[.)]")
_PARAGRAPH_END = "\n\n"
_GAP = "[…]"
"""Stands where fragments between two quoted ones are left out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rendered:
    """A quote as markdown, without its marker; `is_open` means that a marker fits at its end."""

    text: str
    is_open: bool


def render(
    fragments: Sequence[Fragment], positions: Sequence[int], deciding: int | None = None, *, is_cut: bool = False
) -> Rendered:
    """Write some fragments of a stretch.

    Args:
        fragments: all fragments of the stretch.
        positions: the quoted ones, ascending; at least one.
        deciding: the one that is put in bold, if any.
        is_cut: whether the last one is followed by others of its list, which is marked, as is where code is cut.
    """
    text = _begin_quote(fragments, positions[0]) if positions else ""
    previous: Fragment | None = None
    empty = _empty_columns([fragments[position] for position in positions])
    for position, fragment, is_gap in _join_pieces(fragments, positions):
        spans = [(fragment.start, fragment.end)] if position == deciding else []
        text += _separator(previous, fragment, is_gap=is_gap)
        if is_gap and previous and fragment.speaker != previous.speaker and fragment.kind == Kind.PARAGRAPH:
            text += f"**{fragment.speaker_to_name}:** " if fragment.speaker_to_name else ""
        writer = _Writer(fragment.stretch.text, spans)
        text += writer.fragment(fragment, previous, empty.get(fragment.start, frozenset()))
        previous = fragment
    is_cut = is_cut or (bool(positions) and _continues_code(fragments, positions[-1] + 1))
    if is_cut and previous is not None:
        text += _cut_mark(previous)
    return Rendered(text=text.strip(), is_open=not is_cut and previous is not None and _ends_in_text(previous))


def _begin_quote(fragments: Sequence[Fragment], position: int) -> str:
    """What stands before the first quoted fragment: who says it, and that something is left out."""
    gap = f"{_GAP}{_PARAGRAPH_END}" if _continues_code(fragments, position) else ""
    return _name_speaker(fragments[position]) or gap


def _name_speaker(fragment: Fragment) -> str:
    if not fragment.speaker_to_name:
        return ""
    return f"**{fragment.speaker_to_name}:** {_GAP}{' ' if fragment.kind == Kind.PARAGRAPH else _PARAGRAPH_END}"


def _join_pieces(fragments: Sequence[Fragment], positions: Sequence[int]) -> Iterator[tuple[int, Fragment, bool]]:
    """Each position with its fragment and whether there is a gap before it; pieces of the same code are one."""
    joined: tuple[int, Fragment, bool] | None = None
    for last, position in zip([None, *positions], positions, strict=False):
        fragment, is_gap = fragments[position], last is not None and last != position - 1
        if joined and not is_gap and _continues_code(fragments, position):
            content = f"{joined[1].block.content}\n{fragment.block.content}"
            block = replace(joined[1].block, content=content, end=fragment.end)
            joined = (joined[0], replace(joined[1], block=block, end=fragment.end), joined[2])
            continue
        if joined:
            yield joined
        joined = (position, fragment, is_gap)
    if joined:
        yield joined


def _continues_code(fragments: Sequence[Fragment], position: int) -> bool:
    """Whether there is a fragment that is a piece of the same code as the one before it."""
    if not 0 < position < len(fragments) or fragments[position].code_start < 0:
        return False
    return fragments[position].code_start == fragments[position - 1].code_start


def _cut_mark(last: Fragment) -> str:
    """What stands behind the last quoted item, row or piece of what goes on."""
    if last.kind == Kind.ROW:
        return f"\n| {_GAP} |"
    is_bullet = last.kind == Kind.ITEM and not last.mark and not _NUMBER.match(_source(last))
    return f"\n- {_GAP}" if is_bullet else f"\n\n{_GAP}"


def _empty_columns(fragments: Sequence[Fragment]) -> dict[int, frozenset[int]]:
    """For each row, by its start, the columns of its table that hold nothing in any of the rows; they are not shown."""
    empty_by_start: dict[int, frozenset[int]] = {}
    for (kind, header), rows in groupby(fragments, key=lambda fragment: (fragment.kind, fragment.header)):
        if kind == Kind.ROW:
            blocks = [fragment.block for fragment in rows]
            writer = _Writer(fragments[0].stretch.text, ())
            empty_by_start |= dict.fromkeys((block.start for block in blocks), writer.empty_columns(header, blocks))
    return empty_by_start


def _separator(before: Fragment | None, fragment: Fragment, *, is_gap: bool) -> str:
    """What stands between two quoted fragments; left-out items and rows are marked by one of their own."""
    if before is None:
        return ""
    if before.kind == fragment.kind == Kind.PARAGRAPH and before.block.start == fragment.block.start:
        return f" {_GAP} " if is_gap else "  \n" if fragment.is_line else " "
    if before.kind == fragment.kind == Kind.ITEM and before.group == fragment.group:
        is_numbered = bool(fragment.mark or _NUMBER.match(_source(fragment)))
        return "\n" if not is_gap else f"\n\n{_GAP}\n\n" if is_numbered else f"\n- {_GAP}\n"
    if before.kind == fragment.kind == Kind.ROW and before.header == fragment.header:
        return f"\n| {_GAP} |\n" if is_gap else "\n"
    return f"\n\n{_GAP}\n\n" if is_gap else "\n\n"


def _source(fragment: Fragment) -> str:
    return fragment.stretch.text[fragment.start : fragment.end]


def _ends_in_text(fragment: Fragment) -> bool:
    """Whether a marker may follow: behind code or a row it would become part of it."""
    if fragment.kind == Kind.ITEM:
        return len(fragment.block.parts) == 1 and fragment.block.parts[0].kind == Kind.PARAGRAPH
    return fragment.kind == Kind.PARAGRAPH


class _Writer:
    """Writes blocks of one text."""

    def __init__(self, text: str, deciding: Sequence[tuple[int, int]]) -> None:
        self._text = text
        self._deciding = sorted(deciding)

    def fragment(self, fragment: Fragment, before: Fragment | None, empty: frozenset[int]) -> str:
        """One fragment; the first row of a table below its header, without its empty columns."""
        if fragment.kind == Kind.ROW:
            is_first = before is None or before.kind != Kind.ROW or before.header != fragment.header
            row = fragment.block
            return self.rows(fragment.header, [row], empty) if is_first else self._row(row, empty)
        if fragment.kind == Kind.ITEM:
            number_match = _NUMBER.match(self._text, fragment.start)
            return self._item(fragment.block, fragment.mark or (number_match[0] if number_match else "-"))
        if fragment.kind == Kind.CODE:
            return _fence(fragment.block)
        text = self._paragraph(Block(kind=Kind.PARAGRAPH, start=fragment.start, end=fragment.end))
        return f"{fragment.mark} {text}" if fragment.mark else text

    def blocks(self, blocks: Sequence[Block]) -> Iterator[str]:
        """Each block that has something to show."""
        for block in blocks:
            if rendered := self._block(block):
                yield rendered

    def empty_columns(self, header: str, rows: Sequence[Block]) -> frozenset[int]:
        """The numbers of the columns that hold nothing; none if that were all."""
        cells = [_cell_texts(header, 0, len(header)), *(_cell_texts(self._text, row.start, row.end) for row in rows)]
        width = max(map(len, cells))
        filled = {index for row in cells for index, cell in enumerate(row) if cell}
        return frozenset(range(width)) - filled if filled else frozenset()

    def rows(self, header: str, rows: Sequence[Block], empty: frozenset[int]) -> str:
        """Rows of a table below its header, or below an empty one: a table without any is not shown as a table."""
        columns = _cell_texts(header, 0, len(header))
        if not header.strip() and rows:
            columns = [""] * len(cell_spans(self._text, rows[0].start, rows[0].end))
        columns = [name for index, name in enumerate(columns) if index not in empty]
        header_lines = [_line(columns), _line(["---"] * len(columns))] if columns else []
        return "\n".join([*header_lines, *(self._row(row, empty) for row in rows)])

    def _block(self, block: Block) -> str:
        if block.kind == Kind.CODE:
            return _fence(block)
        if block.kind == Kind.LIST:
            return self._list(block)
        if block.kind == Kind.ITEM:
            return self._item(block, "-")
        if block.kind == Kind.TABLE:
            first, *rows = block.parts
            header = self._text[first.start : first.end]
            return self.rows(header, rows, self.empty_columns(header, rows))
        if block.kind == Kind.ROW:
            return self._row(block, frozenset())
        if block.kind in (Kind.HEADING, Kind.LABEL):
            return f"**{clean_inline(block.content)}**"
        if block.kind == Kind.QUOTE:
            return "\n\n".join(self.blocks(block.parts))
        return self._paragraph(block)

    def _paragraph(self, block: Block) -> str:
        mark = _MARK.match(self._text, block.start, block.end)
        is_item = mark is not None and self._begins_line(block)
        position = mark.end() if mark and is_item else block.start
        texts = [TASK_SIGNS.get(mark["task"], "")] if mark and is_item else []
        for start, end in self._deciding:
            begin = max(start, position)  # the mark of an item is not put in bold
            if begin < end <= block.end:
                texts += [self._inline(position, begin), bold(self._inline(begin, end))]
                position = end
        return clean_inline("".join([*texts, self._inline(position, block.end)]))

    def _begins_line(self, block: Block) -> bool:
        """Whether a block begins its line, so that a mark before its words is that of an item."""
        line = self._text.rfind("\n", 0, block.start) + 1
        return not self._text[line : block.start].strip(" \t>")

    def _inline(self, start: int, end: int) -> str:
        text = without_admonition_marks(self._text[start:end])
        has_space_before, has_space_after = text[:1].isspace(), text[-1:].isspace()
        return f"{' ' * has_space_before}{clean_inline(text)}{' ' * has_space_after}"

    def _list(self, block: Block) -> str:
        items = []
        for item_number, item in enumerate(block.parts, start=block.number):
            items.append(self._item(item, f"{item_number}." if block.number else "-"))
        is_loose = any("\n\n" in item for item in items)
        return ("\n\n" if is_loose else "\n").join(filter(None, items))

    def _item(self, item: Block, mark: str) -> str:
        inside = "\n\n".join(self.blocks(item.parts)).replace("\n\n- ", "\n- ")
        if not inside:
            return ""
        first, *other_lines = inside.split("\n")
        return "\n".join(
            [f"{mark} {first}", *(f"{' ' * (len(mark) + 1)}{line}" if line else "" for line in other_lines)]
        )

    def _row(self, row: Block, empty: frozenset[int]) -> str:
        is_deciding = any(start <= row.start and row.end <= end for start, end in self._deciding)
        cells = [cell for index, cell in enumerate(_cell_texts(self._text, row.start, row.end)) if index not in empty]
        return _line([bold(cell) for cell in cells] if is_deciding else cells)


def _cell_texts(text: str, start: int, end: int) -> list[str]:
    """The cells of a table's row as they are shown."""
    return [clean_inline(text[slice(*span)]) for span in cell_spans(text, start, end)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _fence(block: Block) -> str:
    longest = max(map(len, _TICKS.findall(block.content)), default=2)
    fence = "`" * max(3, longest + 1)
    content = without_invisible(block.content).strip("\n")  # a piece may begin or end with a blank line
    return f"{fence}{block.language}\n{content}\n{fence}"
