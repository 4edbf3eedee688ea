"""The data of charts in Open XML as markdown, which slides and texts of Word have alike.

Belongs here: the title of a chart, its series, categories and values, of all kinds, also of several in one chart. Not
here: where a chart stands (`pptx_shapes`, `docx_blocks`), what formats of numbers mean (`chart_numbers`). Guarantee:
only what the file keeps of the data is read, no workbook; a chart adds at most `_MAX_CELLS` points; one that is damaged
adds less, and raises nothing.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from headwater.parsing.office.chart_numbers import is_general, write_number
from headwater.parsing.office.package import one_line, table

_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
CHART = f"{_C}chart"
"""The reference to a chart, where it stands; in the chart itself, what holds its title and plots."""
_CX = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
NEW_CHART = f"{_CX}chart"
"""The same of the kinds that came with Office 2016, such as waterfalls and funnels."""
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_MAX_CELLS = 20_000
_MAX_SERIES = 200
_MAX_POINTS = 2_000
_MAX_LEVELS = 10  # of categories
_CATEGORIES = ("cat", "xVal")
_VALUES = ("val", "yVal", "bubbleSize")
_NUMBERS = (f"{_C}numCache", f"{_C}numLit")
_TRUE = ("1", "true")
_ISO_DATE = "yyyy-mm-dd"
_YEARS = range(1900, 2101)

_Points = dict[int, str]
"""Texts by their place in the series."""


class _Series(NamedTuple):
    names: list[str]
    """Of each column: a bubble has a height and a size."""
    columns: list[_Points]
    categories: _Points


def chart_blocks(chart_space: Any) -> list[str]:
    """The title of a chart, and its data as tables: one for all series that have the same categories.

    Args:
        chart_space: the root of the chart's part; None if there is none.
    """
    if chart_space is None:
        return []
    is_new = str(chart_space.tag).startswith(_CX)
    title = _read_title(chart_space, _CX if is_new else _C)
    series = _list_new_series(chart_space) if is_new else _list_series(chart_space)
    tables = [block for group in _group_series(series) if (block := _table(group))]
    return [f"Chart: {title}".rstrip(), *tables] if title or tables else []


def _read_title(chart_space: Any, namespace: str) -> str:
    title = chart_space.find(f"{namespace}chart/{namespace}title/{namespace}tx")
    if title is None:
        return ""
    paragraphs = (
        "".join(" " if run.tag == f"{_A}br" else run.text or "" for run in element.iter(f"{_A}t", f"{_A}br"))
        for element in title.iter(f"{_A}p")
    )
    words = " ".join(value.text or "" for value in title.iter(f"{namespace}v"))
    return one_line(" ".join(paragraphs)) or one_line(words)


class _PointReader:
    """Reads the points of a chart, all series of which count days in the same way."""

    def __init__(self, chart_space: Any, plot_area: Any, point_count: int) -> None:
        self._point_count = point_count
        mark = chart_space.find(f"{_C}date1904")
        self._counts_from_1904 = mark is not None and mark.get("val", "1") in _TRUE
        axis = plot_area.find(f"{_C}dateAx")
        number_format = axis.find(f"{_C}numFmt") if axis is not None else None
        self._has_date_axis = axis is not None
        self._axis_pattern = number_format.get("formatCode", "") if number_format is not None else ""

    def read_values(self, data: Any) -> _Points:
        """The points of a series, or of a level of its categories."""
        return self._read(data, is_on_axis=False)

    def read_categories(self, data: Any) -> _Points:
        """The names of the points: texts, dates, numbers, or those of several levels."""
        levels = [self.read_values(level) for level in islice(data.iter(f"{_C}lvl"), _MAX_LEVELS)]
        return _join_levels(levels) if levels else self._read(data, is_on_axis=True)

    def _read(self, data: Any, *, is_on_axis: bool) -> _Points:
        points: _Points = {}
        common_pattern = data.findtext(f".//{_C}formatCode") or ""
        for point in data.iter(f"{_C}pt"):
            place = point.get("idx", "")
            if not (place.isdecimal() and len(place) < 6 and int(place) < self._point_count):
                continue
            text = one_line(point.findtext(f"{_C}v") or "")
            if point.getparent().tag in _NUMBERS:
                pattern = point.get("formatCode") or common_pattern
                pattern = self._choose_axis_pattern(text, pattern) if is_on_axis else pattern
                text = write_number(text, pattern, counts_from_1904=self._counts_from_1904)
            points[int(place)] = text
        return points

    def _choose_axis_pattern(self, text: str, pattern: str) -> str:
        """The format of a category: on an axis of dates all are some, except years, which people type as numbers."""
        if not self._has_date_axis or not is_general(pattern):
            return pattern
        if not is_general(self._axis_pattern):
            return self._axis_pattern
        return pattern if text.isdecimal() and len(text) == 4 and int(text) in _YEARS else _ISO_DATE


def _join_levels(levels: Sequence[_Points]) -> _Points:
    """The names of points on several levels, the outer ones before the inner.

    Only the first point of a group has the name of the group, and inner names end where a new group begins.
    """
    names: _Points = {}
    current = [""] * len(levels)
    for place in range(max((max(level, default=-1) for level in levels), default=-1) + 1):
        current[0] = ""
        for index in range(len(levels) - 1, -1, -1):
            if text := levels[index].get(place):
                current[: index + 1] = [*[""] * index, text]
        names[place] = " ".join(filter(None, reversed(current)))
    return names


def _list_new_series(chart_space: Any) -> list[_Series]:
    """The series of a chart of 2016, whose data stand apart from what it draws of them."""
    data = {element.get("id"): element for element in chart_space.iterfind(f"{_CX}chartData/{_CX}data")}
    elements = list(islice(chart_space.iter(f"{_CX}series"), _MAX_SERIES))
    point_count = min(_MAX_POINTS, _MAX_CELLS // (len(elements) + 1))
    series = []
    for element in elements:
        reference = element.find(f"{_CX}dataId")
        series_data = None if reference is None else data.get(reference.get("val"))
        if series_data is not None:  # else it is a line that sums up another series
            name = one_line(" ".join(value.text or "" for value in element.iterfind(f"{_CX}tx//{_CX}v")))
            levels = islice(series_data.iterfind(f"{_CX}strDim[@type='cat']/{_CX}lvl"), _MAX_LEVELS)
            columns = [_read_level(level, point_count) for level in series_data.iterfind(f"{_CX}numDim/{_CX}lvl[1]")]
            names = _join_levels([_read_level(level, point_count) for level in levels])
            series.append(_Series([name, f"{name} (size)".strip()], columns, names))
    return series


def _read_level(level: Any, point_count: int) -> _Points:
    """The points of a level of names, or of the values, in a chart of 2016."""
    points = {}
    for point in level.iterchildren(f"{_CX}pt"):
        place = point.get("idx", "")
        if place.isdecimal() and len(place) < 6 and int(place) < point_count:
            text, pattern = one_line(point.text or ""), level.get("formatCode")
            points[int(place)] = text if pattern is None else write_number(text, pattern, counts_from_1904=False)
    return points


def _list_series(chart_space: Any) -> list[_Series]:
    """The series of all plots: columns and a line over them are two."""
    plot_area = chart_space.find(f"{_C}chart/{_C}plotArea")
    if plot_area is None:
        return []
    elements = list(islice(plot_area.iter(f"{_C}ser"), _MAX_SERIES))
    reader = _PointReader(chart_space, plot_area, min(_MAX_POINTS, _MAX_CELLS // (len(elements) + 1)))
    return [_read_series(element, reader) for element in elements]


def _read_series(element: Any, reader: _PointReader) -> _Series:
    name = one_line(" ".join(value.text or "" for value in element.iterfind(f"{_C}tx//{_C}v")))
    data = {name: element.find(f"{_C}{name}") for name in (*_CATEGORIES, *_VALUES)}
    columns = [reader.read_values(data[name]) for name in _VALUES if data[name] is not None]
    categories = next((reader.read_categories(data[name]) for name in _CATEGORIES if data[name] is not None), {})
    return _Series([name, f"{name} (size)".strip()], columns, categories)


def _group_series(series: Sequence[_Series]) -> Iterator[list[_Series]]:
    """Series with the same categories; those that have none belong to the first."""
    groups: dict[tuple[tuple[int, str], ...], list[_Series]] = {}
    first = next((data_series.categories for data_series in series if data_series.categories), {})
    for data_series in series:
        categories = data_series.categories or first
        groups.setdefault(tuple(categories.items()), []).append(data_series._replace(categories=categories))
    yield from groups.values()


def _table(group: Sequence[_Series]) -> str:
    names = [name for data_series in group for name, _ in zip(data_series.names, data_series.columns, strict=False)]
    columns = [column for data_series in group for column in data_series.columns]
    categories = group[0].categories
    if not columns or not any(text for points in (categories, *columns) for text in points.values()):
        return ""  # its names alone say nothing
    length = max((max(points, default=-1) + 1 for points in (categories, *columns)), default=0)
    rows = [
        [categories.get(place, "") if categories else str(place + 1), *(column.get(place, "") for column in columns)]
        for place in range(length)
    ]
    has_names = any(names)
    return table([["", *names], *rows] if has_names else rows, has_header=has_names)
