"""The data of charts in Open XML as markdown, which slides and texts of Word have alike.

Belongs here: the title of a chart, its series, categories and values, of all kinds, also of several in one chart. Not
here: where a chart stands (`pptx_shapes`, `docx_blocks`). Guarantee: only what the file keeps of the data is read, no
workbook; a chart adds at most `_MAX_CELLS` points; one that is damaged adds less, and raises nothing.
"""

import math
import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import islice
from typing import Any, NamedTuple

from headwater.parsing.office.package import one_line, table

_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
CHART = f"{_C}chart"
"""The reference to a chart, where it stands; in the chart itself, what holds its title and plots."""
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_MAX_CELLS = 20_000
_MAX_SERIES = 200
_MAX_POINTS = 2_000
_MAX_LEVELS = 10  # of categories
_CATEGORIES = ("cat", "xVal")
_VALUES = ("val", "yVal", "bubbleSize")
_NUMBERS = (f"{_C}numCache", f"{_C}numLit")
_DATE_FORMAT = re.compile(r"[ymd]", re.IGNORECASE)
_LITERAL = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.|General')

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
        chart_space: the root of the chart's part.
    """
    title = _read_title(chart_space)
    tables = [block for group in _group_series(_list_series(chart_space)) if (block := _table(group))]
    return [f"Chart: {title}".rstrip(), *tables] if title or tables else []


def _read_title(chart_space: Any) -> str:
    title = chart_space.find(f"{_C}chart/{_C}title/{_C}tx")
    if title is None:
        return ""
    paragraphs = ("".join(run.text or "" for run in element.iter(f"{_A}t")) for element in title.iter(f"{_A}p"))
    return one_line(" ".join(paragraphs)) or one_line(" ".join(value.text or "" for value in title.iter(f"{_C}v")))


def _list_series(chart_space: Any) -> list[_Series]:
    """The series of all plots: columns and a line over them are two."""
    plot_area = chart_space.find(f"{_C}chart/{_C}plotArea")
    elements = list(islice(plot_area.iter(f"{_C}ser"), _MAX_SERIES)) if plot_area is not None else []
    point_count = min(_MAX_POINTS, _MAX_CELLS // (len(elements) + 1))
    return [_read_series(element, point_count) for element in elements]


def _read_series(element: Any, point_count: int) -> _Series:
    name = one_line(" ".join(value.text or "" for value in element.iterfind(f"{_C}tx//{_C}v")))
    data = {name: element.find(f"{_C}{name}") for name in (*_CATEGORIES, *_VALUES)}
    columns = [_read_points(data[name], point_count) for name in _VALUES if data[name] is not None]
    categories = next((_read_categories(data[name], point_count) for name in _CATEGORIES if data[name] is not None), {})
    return _Series([name, f"{name} (size)".strip()], columns, categories)


def _read_categories(data: Any, point_count: int) -> _Points:
    """The names of the points: texts, dates, numbers, or those of several levels, the outer ones before the inner."""
    levels = [_read_points(level, point_count) for level in islice(data.iter(f"{_C}lvl"), _MAX_LEVELS)]
    if not levels:
        points = _read_points(data, point_count)
        pattern = _LITERAL.sub("", data.findtext(f".//{_C}formatCode") or "")
        return {place: _day(text) for place, text in points.items()} if _DATE_FORMAT.search(pattern) else points
    names: _Points = {}
    current = [""] * len(levels)  # an outer name stands at its first point alone
    for place in range(max((max(level, default=-1) for level in levels), default=-1) + 1):
        current = [level.get(place, text) for level, text in zip(levels, current, strict=True)]
        names[place] = " ".join(filter(None, reversed(current)))
    return names


def _read_points(data: Any, point_count: int) -> _Points:
    points: _Points = {}
    for point in data.iter(f"{_C}pt"):
        place = point.get("idx", "")
        if place.isdecimal() and len(place) < 6 and int(place) < point_count:
            text = one_line(point.findtext(f"{_C}v") or "")
            points[int(place)] = _write_number(text) if point.getparent().tag in _NUMBERS else text
    return points


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
    length = max((max(points, default=-1) + 1 for points in (categories, *columns)), default=0)
    rows = [
        [categories.get(place, "") if categories else str(place + 1), *(column.get(place, "") for column in columns)]
        for place in range(length)
    ]
    has_names = any(names)
    return table([["", *names], *rows] if has_names else rows, has_header=has_names) if columns else ""


def _write_number(text: str) -> str:
    """A number without the noise of its last digits; a value that is an error stays as it is."""
    try:
        value = float(text)
    except ValueError:
        return text
    return f"{value:.10g}" if math.isfinite(value) else ""


def _day(serial: str) -> str:
    """The date of a number of days, as spreadsheets count them."""
    try:
        return (date(1899, 12, 30) + timedelta(days=float(serial))).isoformat()
    except (ValueError, OverflowError):
        return serial
