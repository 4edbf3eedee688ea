"""The tables of a Word file up to 2003, in the XML of today's Word files.

Belongs here: rows and cells from paragraphs that say how deep they are in tables, and merged cells. Not here: their
markdown (`docx_tables`). Guarantee: no paragraph is lost, also of a row without an end; tables are nested at most to a
fixed depth.
"""

import struct
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, NamedTuple

from headwater.parsing.office.doc_markup import add_element, make_root
from headwater.parsing.office.doc_properties import Sprms, is_set, read_number

DEPTH = 8
MERGED, BELOW, RESTART = 0x02, 0x20, 0x40
"""Of a cell: it belongs to the one before it, to those of its column, and is the first of these."""
_DEFINITION, _HEADER, _LOOK = 0xD608, 0x3404, 0x740A
_CELL_SIZE = 20
_NEAR = 30  # twentieths of a point: edges of cells that are one


class RowDefinition(NamedTuple):
    """What the mark that ends a row says of it."""

    edges: tuple[int, ...] = ()
    """Where its cells begin and end, in twentieths of a point."""
    flags: Sequence[int] = ()
    """How each cell is merged with others."""
    is_header: bool = False
    look: int = 0
    """The mask of the table's style; 0 if it says nothing."""


class _Row(NamedTuple):
    element: Any
    definition: RowDefinition


class _Table:
    """A table that is not finished."""

    def __init__(self, container: Any) -> None:
        self.element = add_element(container, "tbl")
        self.cell = make_root("tc")
        self._cells: list[Any] = []
        self._rows: list[_Row] = []

    def end_cell(self) -> None:
        self._cells.append(self.cell)
        self.cell = make_root("tc")

    def end_row(self, definition: RowDefinition) -> None:
        if len(self.cell):
            self.end_cell()
        row = add_element(self.element, "tr")
        if definition.is_header:
            add_element(add_element(row, "trPr"), "tblHeader")
        row.extend(self._cells)
        self._cells = []
        self._rows.append(_Row(row, definition))
        if len(self._rows) == 1 and definition.look:
            add_element(add_element(self.element, "tblPr"), "tblLook", val=f"{definition.look:04X}")

    def end(self) -> None:
        if len(self.cell) or self._cells:
            self.end_row(RowDefinition())
        columns = _join_edges(self._rows)
        for row in self._rows:
            _merge_cells(row, columns)


class Body:
    """Puts paragraphs into a container, and into tables in it."""

    def __init__(self, container: Any) -> None:
        """Make one.

        Args:
            container: the element for the paragraphs.
        """
        self._container = container
        self._open: list[_Table] = []

    def add_paragraph(self, paragraph: Any, depth: int, *, ends_cell: bool) -> None:
        """Add a paragraph.

        Args:
            paragraph: the paragraph.
            depth: in how many tables it is.
            ends_cell: whether its cell ends with it.
        """
        self._go_to(depth)
        self._parent().append(paragraph)
        if ends_cell and self._open:
            self._open[-1].end_cell()

    def end_row(self, definition: RowDefinition, depth: int) -> None:
        """End a row of the table at a depth."""
        self._go_to(max(depth, 1))
        self._open[-1].end_row(definition)

    def end(self) -> None:
        """End the tables that are open."""
        self._go_to(0)

    def _go_to(self, depth: int) -> None:
        depth = min(depth, DEPTH)
        while len(self._open) > depth:
            self._open.pop().end()
        while len(self._open) < depth:
            self._open.append(_Table(self._parent()))

    def _parent(self) -> Any:
        return self._open[-1].cell if self._open else self._container


def read_row(sprms: Sprms) -> RowDefinition:
    """What the properties of the mark that ends a row say of it."""
    edges, flags = _read_cells(sprms.get(_DEFINITION, b""))
    return RowDefinition(edges, flags, is_set(sprms, _HEADER), (read_number(sprms, _LOOK) or 0) >> 16)


def _read_cells(content: bytes) -> tuple[tuple[int, ...], list[int]]:
    """The edges of a row's cells, and how each is merged with others."""
    count = content[0] if content else 0
    first = 1 + 2 * (count + 1)
    if len(content) < first:
        return (), []
    edges = struct.unpack_from(f"<{count + 1}h", content, 1)
    places = range(first, min(first + count * _CELL_SIZE, len(content) - 1), _CELL_SIZE)
    return edges, [int.from_bytes(content[place : place + 2], "little") for place in places]


def _join_edges(rows: list[_Row]) -> list[int]:
    """The columns of a table: the different edges of all rows."""
    columns: list[int] = []
    for edge in sorted({edge for row in rows for edge in row.definition.edges}):
        if not columns or edge > columns[-1] + _NEAR:
            columns.append(edge)
    return columns


def _merge_cells(row: _Row, columns: list[int]) -> None:
    """Say how many columns each cell spans, and which cells go on from the row above."""
    cells = [cell for cell in row.element if cell.tag.endswith("}tc")]
    edges, row_flags = row.definition.edges, row.definition.flags
    if len(edges) != len(cells) + 1 or list(edges) != sorted(edges):
        return
    numbers = [bisect_left(columns, edge - _NEAR) for edge in edges]
    if numbers[0]:
        _add_property(row.element, "trPr", "gridBefore", str(numbers[0]))
    for index, cell in enumerate(cells):
        flags = row_flags[index] if index < len(row_flags) else 0
        if flags & MERGED and index and not "".join(cell.itertext()).strip():
            row.element.remove(cell)
            continue
        last = index + 1
        while last < min(len(cells), len(row_flags)) and row_flags[last] & MERGED:
            last += 1
        if numbers[last] > numbers[index] + 1:
            _add_property(cell, "tcPr", "gridSpan", str(numbers[last] - numbers[index]))
        if flags & BELOW:
            _add_property(cell, "tcPr", "vMerge", "restart" if flags & RESTART else "continue")


def _add_property(element: Any, group: str, name: str, value: str) -> None:
    """Add a property to a group of them, which comes first in its element."""
    properties = next((child for child in element if child.tag.endswith(f"}}{group}")), None)
    if properties is None:
        properties = make_root(group)
        element.insert(0, properties)
    add_element(properties, name, val=value)
