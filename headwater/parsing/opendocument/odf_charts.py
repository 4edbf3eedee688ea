"""The charts in texts and slides of OpenDocument as tables.

Belongs here: the title of a chart and the table of its data, which a chart has of its own. Not here: finding the chart
in its file (`odf_file`). Guarantee: a chart adds at most `_MAX_CELLS` cells, and one that has more, nothing.
"""

from html import escape

from headwater.errors import DocumentError
from headwater.parsing.office.package import one_line
from headwater.parsing.opendocument.odf_file import TABLE, OdfFile
from headwater.parsing.opendocument.odf_sheets import read_cells
from headwater.parsing.xml import Element

_CHART = "{urn:oasis:names:tc:opendocument:xmlns:chart:1.0}"
_MAX_CELLS = 20_000
_NO_VALUE = "NaN"


def chart_html(file: OdfFile, element: Element) -> str:
    """The title and the data of a chart as HTML; empty of other objects.

    Args:
        file: the file that has the chart.
        element: the object, where it stands.
    """
    root = file.read_object(element)
    chart = next(root.iter(f"{_CHART}chart"), None) if root is not None else None
    data = chart.find(f"{TABLE}table") if chart is not None else None
    if chart is None or data is None:
        return ""
    try:
        rows, _ = read_cells(data, _MAX_CELLS)
    except DocumentError:
        return ""
    columns = sorted({column for row in rows.values() for column in row})
    lines = [
        "".join(f"<{name}>{escape(_value(row.get(column, '')))}</{name}>" for column in columns)
        for name, row in zip(("th", *["td"] * len(rows)), rows.values(), strict=False)
    ]
    title = one_line(" ".join("".join(words.itertext()) for words in chart.iterchildren(f"{_CHART}title")))
    table = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<p>{escape(f'Chart: {title}'.rstrip())}</p><table>{table}</table>" if lines or title else ""


def _value(text: str) -> str:
    return "" if text == _NO_VALUE else text
