"""Tables of Word files.

Belongs here: cells, merged ones too, and rows of headers. Not here: the text of a cell (`docx_blocks`). Guarantee: a
row has a text for each column; a cell that spans rows is repeated in each, so that a row stands for itself.
"""

from collections.abc import Callable, Iterator
from typing import Any

from headwater.parsing.office.docx_xml import W, child_value, is_on
from headwater.parsing.office.package import join_header, table

_COLUMNS = 200
_FIRST_ROW = 0x0020  # of a style's mask


def table_markdown(element: Any, cell_text: Callable[[Any], str], is_bold: Callable[[Any], bool | None]) -> str:
    """A table as markdown.

    Args:
        element: the table.
        cell_text: returns the text of a cell.
        is_bold: whether all text of a paragraph is bold; None if it has none.
    """
    rows: list[list[str]] = []
    headers = 0
    for row in _rows(element):
        properties = row.find(f"{W}trPr")
        is_header = headers == len(rows) and is_on(properties, "tblHeader")
        headers += is_header
        rows.append(_cells(row, cell_text, rows[-1] if rows else [], is_header=is_header))
    if headers > 1 and len(rows) > headers:
        width = max(map(len, rows))
        filled = [[*row, *[""] * (width - len(row))] for row in rows]
        rows = [join_header(filled[:headers]), *filled[headers:]]
    return table(rows, has_header=headers > 0 or _sets_first_row_off(element, is_bold))


def list_framed_cells(element: Any, is_heading: Callable[[Any], bool]) -> list[Any] | None:
    """The cells of a table that only frames its text, because it has one column, or one row with a heading.

    Args:
        element: the table.
        is_heading: whether a paragraph is styled as a heading.

    Returns:
        The cells in their order; None for any other table.
    """
    rows = [list(_in_row(row)) for row in _rows(element)]
    if all(len(row) <= 1 for row in rows):
        return [row[0] for row in rows if row]
    has_heading = len(rows) == 1 and any(
        is_heading(paragraph) for cell in rows[0] for paragraph in cell.iterchildren(f"{W}p")
    )
    return rows[0] if has_heading else None


def _sets_first_row_off(element: Any, is_bold: Callable[[Any], bool | None]) -> bool:
    """Whether the first row looks unlike the others, by the table's style or by itself, as in Google's documents."""
    if _styles_first_row(element):
        return True
    rows = list(_rows(element))
    looks = [look for row in rows if (look := _is_row_bold(row, is_bold)) is not None]
    is_set_off = len(looks) > 1 and looks[0] and not any(looks[1:])
    return is_set_off and not any(_ends_label(cell) for cell in _in_row(rows[0]))


def _ends_label(cell: Any) -> bool:
    """Whether a cell is the label of what stands beside it, and no name of a column."""
    return "".join(text.text or "" for text in cell.iter(f"{W}t")).rstrip().endswith((":", "："))


def _is_row_bold(row: Any, is_bold: Callable[[Any], bool | None]) -> bool | None:
    looks = [look for look in map(is_bold, row.iter(f"{W}p")) if look is not None]
    return all(looks) if looks else None


def _styles_first_row(element: Any) -> bool:
    """Whether the table's style sets its first row off; without a word about it, as with most tables, it does."""
    look = element.find(f"{W}tblPr/{W}tblLook")
    if look is None:
        return True
    stated = look.get(f"{W}firstRow")
    if stated is not None:
        return stated not in ("0", "false", "off")
    mask = look.get(f"{W}val", "")
    return not mask or not set(mask.lower()) <= set("0123456789abcdef") or bool(int(mask, 16) & _FIRST_ROW)


def _rows(element: Any) -> Iterator[Any]:
    """Rows, also those in content controls."""
    for child in element.iterchildren():
        if child.tag == f"{W}tr":
            if child.find(f"{W}trPr/{W}del") is None:
                yield child
        elif child.tag in (f"{W}sdt", f"{W}sdtContent", f"{W}ins", f"{W}customXml"):
            yield from _rows(child)


def _in_row(row: Any) -> Iterator[Any]:
    for child in row.iterchildren():
        if child.tag == f"{W}tc":
            yield child
        elif child.tag in (f"{W}sdt", f"{W}sdtContent", f"{W}customXml"):
            yield from _in_row(child)


def _cells(row: Any, cell_text: Callable[[Any], str], above: list[str], *, is_header: bool) -> list[str]:
    properties = row.find(f"{W}trPr")
    texts = [""] * _count(child_value(properties, "gridBefore") if properties is not None else "", 0)
    for cell in _in_row(row):
        settings = cell.find(f"{W}tcPr")
        span = _count(child_value(settings, "gridSpan") if settings is not None else "", 1)
        merge = settings.find(f"{W}vMerge") if settings is not None else None
        is_continued = merge is not None and merge.get(f"{W}val", "continue") == "continue"
        text = (above[len(texts)] if len(texts) < len(above) else "") if is_continued else cell_text(cell)
        texts += [text, *[text if is_header else ""] * (span - 1)]
        if len(texts) > _COLUMNS:
            return texts[:_COLUMNS]
    return texts


def _count(text: str, default: int) -> int:
    return min(int(text), _COLUMNS) if text.isdecimal() and len(text) < 6 else default
