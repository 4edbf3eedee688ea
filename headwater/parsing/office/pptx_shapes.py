"""The shapes of a PowerPoint slide as markdown.

Belongs here: titles, tables, pictures, groups. Not here: slides and notes (`pptx`), texts (`pptx_text`), the data of
charts (`charts`).
Guarantee: shapes come in reading order, and a shape without words adds nothing.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from headwater.parsing.markdown.writer import names_columns
from headwater.parsing.office.charts import NEW_CHART, chart_blocks
from headwater.parsing.office.package import join_blocks, one_line, picture, table
from headwater.parsing.office.pptx_text import frame_markdown

_DECORATION = ("sldNum", "dt", "ftr", "hdr")  # placeholders that repeat on every slide
_TITLES = ("title", "ctrTitle")
_ROW = 300_000  # EMU, about 8 mm: shapes that begin closer than that are in one row
_DEPTH = 20
_REPEATED_CHARS = 20_000  # that cells which span rows repeat in a table
_MAX_NAME_CHARS = 40  # of a column
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
_TITLE_LINE = re.compile(r"[^\W\d_][^\n\v]{3,79}(?<![.,;:!])")


def title_of(slide: Any) -> str:
    """The title of a slide; empty if it has none."""
    shape = _title_shape(slide)
    return shape.text_frame.text.replace("\v", " ") if shape is not None else ""


def shape_blocks(slide: Any) -> Iterator[str]:
    """The blocks of a slide, without its title."""
    title = _title_shape(slide)
    title_id = title.shape_id if title is not None else None
    yield from _blocks([shape for shape in slide.shapes if shape.shape_id != title_id], 0)


def _title_shape(slide: Any) -> Any:
    """The shape of the title: the one that is called so, or else a short line above all other texts; None without."""
    titles = (shape for shape in slide.shapes if _placeholder(shape) in _TITLES)
    title = next((shape for shape in titles if getattr(shape, "has_text_frame", False)), None)  # it may be a picture
    if title is not None and title.text_frame.text.strip():
        return title
    shapes = [shape for shape in slide.shapes if _placeholder(shape) not in _DECORATION]
    worded = [shape for shape in shapes if getattr(shape, "has_text_frame", False) and shape.text_frame.text.strip()]
    worded.sort(key=_position)
    if len(worded) < 2 or _position(worded[0])[0] == _position(worded[1])[0]:
        return title
    return worded[0] if _TITLE_LINE.fullmatch(worded[0].text_frame.text.strip()) else title


def _blocks(shapes: Sequence[Any], depth: int) -> Iterator[str]:
    if depth > _DEPTH:
        return
    for shape in sorted(shapes, key=_position):
        if _placeholder(shape) in _DECORATION:
            continue
        if hasattr(shape, "shapes"):
            yield _describe_picture(shape)
            yield from _blocks(list(shape.shapes), depth + 1)
        elif getattr(shape, "has_table", False):
            yield _table(shape.table)
        elif getattr(shape, "has_chart", False) or shape.element.find(f".//{NEW_CHART}") is not None:
            yield _chart(shape)
        elif getattr(shape, "has_text_frame", False):
            yield frame_markdown(shape.text_frame, placeholder=_placeholder(shape))
        elif shape.element.find(f".//{{{_DIAGRAM}}}relIds") is not None:
            yield join_blocks([_describe_picture(shape), _diagram(shape)])
        else:
            yield _describe_picture(shape)


def _describe_picture(shape: Any) -> str:
    """What a picture shows, in the words for people who do not see it."""
    picture_properties = next(
        (
            element
            for element in shape.element.iter()
            if isinstance(element.tag, str) and element.tag.endswith("}cNvPr")
        ),
        None,
    )
    return "" if picture_properties is None else picture(picture_properties.get("descr", ""))


def _position(shape: Any) -> tuple[int, int]:
    """Top to bottom, then left to right; an inherited place comes first, as placeholders do."""
    try:
        top, left = shape.top, shape.left
    except (AttributeError, ValueError, KeyError):
        top, left = None, None
    return (int(top) // _ROW if top is not None else -1, int(left) if left is not None else -1)


def _placeholder(shape: Any) -> str | None:
    """The type of a placeholder; empty for another shape."""
    element = shape.element
    placeholder = next(
        (child for child in element.iter() if isinstance(child.tag, str) and child.tag.endswith("}ph")), None
    )
    if placeholder is None or hasattr(shape, "shapes"):
        return ""
    kind: str | None = placeholder.get("type")
    return kind


def _table(shape_table: Any) -> str:
    """A table; a cell that spans rows stands in each, so that a row stands for itself."""
    rows: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}  # by column: for how many more rows, its words
    chars_left = _REPEATED_CHARS
    for row in shape_table.rows:
        texts = []
        for column, cell in enumerate(row.cells):
            count, text = hanging.pop(column, (0, ""))
            if not cell.is_spanned:
                count, text = cell.span_height, cell.text_frame.text.replace("\v", " ")
            elif (chars_left := chars_left - len(text)) < 0:
                text = ""
            texts.append(text)
            if count > 1:
                hanging[column] = count - 1, text
        rows.append(texts)
    return table(rows, has_header=_has_header(shape_table, rows))


def _has_header(shape_table: Any, rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: the table's look says so, or its words do if nothing is said."""
    looks = ("first_row", "last_row", "first_col", "last_col", "horz_banding", "vert_banding")
    if any(getattr(shape_table, look) for look in looks):
        return bool(shape_table.first_row)
    corner, *names = map(one_line, rows[0] if len(rows) > 1 else [""])
    is_short = len(corner) <= _MAX_NAME_CHARS and all(0 < len(name) <= _MAX_NAME_CHARS for name in names)
    has_words = any(map(str.isalpha, "".join((corner, *names))))
    is_header = has_words and len(names) > 0 if corner else len(names) > 1  # years, too, beside an empty corner
    return is_short and is_header and names_columns(rows)


def _chart(shape: Any) -> str:
    """What a chart shows in the words for people who do not see it, its title, and its data as a table."""
    return join_blocks([_describe_picture(shape), *chart_blocks(_find_chart(shape))])


def _find_chart(shape: Any) -> Any:
    """The root of a chart's part; None if it is missing, or lies elsewhere."""
    from lxml.etree import XMLSyntaxError
    from pptx.oxml import parse_xml

    try:
        if getattr(shape, "has_chart", False):
            return shape.chart.element
        reference = shape.element.find(f".//{NEW_CHART}")
        return parse_xml(shape.part.related_part(reference.get(f"{_R}id", "")).blob)
    except (ValueError, AttributeError, KeyError, XMLSyntaxError):
        return None


def _diagram(shape: Any) -> str:
    """The texts of a SmartArt diagram."""
    relation = shape.element.find(f".//{{{_DIAGRAM}}}relIds")
    names = [value for name, value in relation.attrib.items() if name.endswith("}dm")]
    try:
        data = shape.part.related_part(names[0]).blob if names else b""
    except KeyError:
        return ""
    return _diagram_texts(data) if data else ""


def _diagram_texts(data: bytes) -> str:
    from pptx.oxml import parse_xml

    root = parse_xml(data)
    texts = (
        one_line(" ".join(text_element.text or "" for text_element in paragraph.iter(f"{_A}t")))
        for paragraph in root.iter(f"{_A}p")
    )
    return "\n".join(f"- {text}" for text in texts if text)
