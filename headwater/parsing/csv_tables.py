"""Parsing tables of comma- or tab-separated values.

Belongs here: their delimiters, rows and lines. Not here: spreadsheets, splitting tables (`headwater.chunking`).
Guarantee: every cell stays; a row's place is its line in the file.
"""

import csv
import io
import itertools
import posixpath
from collections import Counter
from collections.abc import Iterator
from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.markdown.writer import line_places, row, ruler
from headwater.parsing.parser import File, Parser
from headwater.parsing.registry import folder_category
from headwater.parsing.text import decode

_DELIMITERS = ",;\t|"
_SAMPLE = 100  # lines
_MAX_COLUMNS = 1_000
_MAX_FILLED_CELLS = 100_000  # empty cells added to short rows: a wide header could make them 1,000 times the file


class CsvParser(Parser):
    """Reads tables as markdown; the first row names the columns."""

    media_types: ClassVar[tuple[str, ...]] = ("text/csv", "text/tab-separated-values", "application/csv")
    suffixes: ClassVar[tuple[str, ...]] = (".csv", ".tsv", ".tab")
    version: ClassVar[str] = "csv-1"

    def parse(self, file: File) -> ParsedDocument:
        """Read a file.

        Raises:
            DocumentError: it is not such a table.
        """
        source = decode(file.content)
        lines: list[str] = []
        starts: list[tuple[int, int]] = []
        offset = width = filled = 0
        for line, cells in _rows(source, _delimiter(source)):
            starts.append((offset, line))
            width = width or len(cells)
            missing = min(max(width - len(cells), 0), _MAX_FILLED_CELLS - filled)
            filled += missing
            lines.append(row([*cells, *[""] * missing]))
            if len(lines) == 1:
                lines[0] += f"\n{ruler(width)}"
            offset += len(lines[-1]) + 1
        text = "\n".join(lines)
        return ParsedDocument(
            uri=file.uri,
            title=posixpath.basename(file.uri),
            text=text,
            category=folder_category(file.uri, file.root),
            places=line_places(starts, text),
        )


def _delimiter(source: str) -> str:
    """The delimiter that divides most of the first lines into the same number of cells, and into the most."""
    sample = "".join(itertools.islice(io.StringIO(source), _SAMPLE))

    def quality(delimiter: str) -> tuple[int, int]:
        try:
            widths = Counter(len(cells) for cells in csv.reader(io.StringIO(sample), delimiter=delimiter) if cells)
        except csv.Error:
            return 0, 0
        width, times = max(widths.items(), key=lambda item: (item[0] > 1, item[1])) if widths else (1, 0)
        return (times, width) if width > 1 else (0, 0)

    return max(_DELIMITERS, key=quality)


def _rows(source: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Each row that is not empty, and the line in which it begins."""
    reader = csv.reader(io.StringIO(source), delimiter=delimiter)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise DocumentError(f"Line {line} is no row of a table ({error}). Close its quotation marks.") from error
        if cells is None:
            return
        if len(cells) > _MAX_COLUMNS:
            raise DocumentError(f"Line {line} has more than {_MAX_COLUMNS:,} columns.")
        if any(cell.strip() for cell in cells):
            yield line, cells
