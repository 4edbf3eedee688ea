"""The charts in texts and slides of OpenDocument as tables.

Belongs here: the title of a chart and the table of its data, which a chart has of its own; in a cell, both as words.
Not here: finding the chart in its file (`odf_file`). Guarantee: a chart adds at most `_MAX_CELLS` cells, and one that
has more, nothing; all charts of a file add at most `_MAX_FILE_CELLS`.
"""

from html import escape

from headwater.errors import DocumentError
from headwater.parsing.office.package import one_line
from headwater.parsing.opendocument.odf_file import TABLE, OdfFile
from headwater.parsing.opendocument.odf_sheets import read_cells
from headwater.parsing.xml import Element

_CHART = "{urn:oasis:names:tc:opendocument:xmlns:chart:1.0}"
_MAX_CELLS = 20_000
_MAX_FILE_CELLS = 30_000  # a cell is two tags, of which the HTML of a file may have 200,000
_CELL_CHARS = 50  # a longer text counts as several cells, because a few bytes of a file may repeat it
_NO_VALUE = "NaN"


class ChartWriter:
    """Writes the charts of one file."""

    def __init__(self, file: OdfFile) -> None:
        """Make one.

        Args:
            file: the file that has the charts.
        """
        self._file = file
        self._cells_left = _MAX_FILE_CELLS

    def write_table(self, element: Element) -> str:
        """The title and the data of a chart as HTML; empty of other objects.

        Args:
            element: the object, where it stands.
        """
        title, rows = self._read(element)
        lines = (
            "".join(f"<{name}>{escape(text)}</{name}>" for text in row)
            for name, row in zip(("th", *["td"] * len(rows)), rows, strict=False)
        )
        table = "".join(f"<tr>{line}</tr>" for line in lines)
        return f"<p>{escape(f'Chart: {title}'.rstrip())}</p><table>{table}</table>" if rows or title else ""

    def write_words(self, element: Element) -> str:
        """The same on one line, for a cell, which can hold no table.

        Args:
            element: the object, where it stands.
        """
        title, rows = self._read(element)
        lines = (", ".join(filter(None, map(one_line, row))) for row in rows)
        words = "; ".join(filter(None, (f"Chart: {title}".rstrip(), *lines)))
        return f"<p>{escape(words)}</p>" if rows or title else ""

    def _read(self, element: Element) -> tuple[str, list[list[str]]]:
        """The title of a chart and its rows."""
        root = self._file.read_object(element)
        chart = next(root.iter(f"{_CHART}chart"), None) if root is not None else None
        data = chart.find(f"{TABLE}table") if chart is not None else None
        if chart is None or data is None:
            return "", []
        title = one_line(" ".join("".join(words.itertext()) for words in chart.iterchildren(f"{_CHART}title")))
        rows = self._read_rows(data)
        return (title, rows) if rows is not None else ("", [])

    def _read_rows(self, data: Element) -> list[list[str]] | None:
        """The rows of a chart's table, all with the same columns; None if they are too many."""
        limit = min(_MAX_CELLS, self._cells_left)
        try:
            rows, _ = read_cells(data, limit)
            columns = sorted({column for row in rows.values() for column in row})
            char_count = sum(len(text) for row in rows.values() for text in row.values())
            size = max(len(rows) * (len(columns) + 1), char_count // _CELL_CHARS)
        except DocumentError:
            size = limit + 1
        if size > limit:
            self._cells_left -= limit // 10  # for the work, so that many such charts end, too
            return None
        self._cells_left -= size
        return [[_write_value(row.get(column, "")) for column in columns] for row in rows.values()]


def _write_value(text: str) -> str:
    return "" if text == _NO_VALUE else text
