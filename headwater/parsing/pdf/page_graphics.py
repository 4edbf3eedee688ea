"""The lines and images of a page, read by PDFium: the borders of tables, bullets, scans.

Belongs here: paths, which of their parts are lines, dashes or bullets, where images are. Not here: text (`page_text`),
tables (`tables`).
Guarantee: the objects of a page, their segments and the rules are bounded.
"""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from math import hypot
from typing import Any

from pypdfium2 import raw

from headwater.parsing.pdf.shapes import Matrix, Page, Picture, Rule, move, multiply

MAX_RULES = 4_000
_OBJECTS, _SEGMENTS, _DEPTH = 300_000, 4_000, 15  # per page; of one path; of forms within forms
_PICTURES, _DOTS = 500, 1_000  # per page
_THIN = 3.0  # points: a filled rectangle narrower than this is a line
_SHORT = 4.0  # points: anything shorter is no border
_DOT, _DOT_POINTS = (1.2, 9.0), 60  # points: the width and height of a bullet; corners and curves
_SQUARE = 1.5  # times the other side, at most
_STRAIGHT = 0.7  # points
_DASH = 1.5, 9.0  # points: the width of what may be a character

Point = tuple[float, float]


@dataclass(slots=True)
class Outline:
    """One part of a path, drawn without lifting the pen."""

    points: list[Point] = field(default_factory=list)
    lines: list[tuple[Point, Point]] = field(default_factory=list)
    is_curved: bool = False

    def measure(self) -> tuple[float, float, float, float]:
        """Its left, top, right and lower edge."""
        xs, ys = [x for x, _ in self.points], [y for _, y in self.points]
        return min(xs), min(ys), max(xs), max(ys)

    def is_rectangle(self) -> bool:
        """Whether its corners are those of the box around it."""
        if self.is_curved or not 4 <= len(self.points) <= 5:
            return False
        x_min, y_min, x_max, y_max = self.measure()
        return set(self.points) == {(x_min, y_min), (x_max, y_min), (x_max, y_max), (x_min, y_max)}


def add_graphics(source: Any, page: Page, start: Matrix) -> None:
    """Add the rules, bullets and images of a page of PDFium.

    Args:
        source: the page.
        page: where they are added.
        start: turns the page upright.
    """
    for kind, drawn, matrix in islice(_walk(source.raw, start), _OBJECTS):
        if kind == raw.FPDF_PAGEOBJ_PATH and len(page.rules) < MAX_RULES:
            _add_path(drawn, matrix, page)
        elif kind == raw.FPDF_PAGEOBJ_IMAGE and len(page.pictures) < _PICTURES:
            page.pictures.append(_read_picture(drawn, matrix, page))


def _walk(container: Any, matrix: Matrix, depth: int = 0) -> Iterator[tuple[int, Any, Matrix]]:
    """The objects of a page or form, each with its matrix."""
    count, get = raw.FPDFFormObj_CountObjects, raw.FPDFFormObj_GetObject
    if not depth:
        count, get = raw.FPDFPage_CountObjects, raw.FPDFPage_GetObject
    for index in range(count(container)):
        drawn = get(container, index)
        kind = raw.FPDFPageObj_GetType(drawn)
        if kind == raw.FPDF_PAGEOBJ_TEXT:
            continue
        entries = raw.FS_MATRIX()
        raw.FPDFPageObj_GetMatrix(drawn, entries)
        placed = multiply((entries.a, entries.b, entries.c, entries.d, entries.e, entries.f), matrix)
        if kind != raw.FPDF_PAGEOBJ_FORM:
            yield kind, drawn, placed
        elif depth < _DEPTH:
            yield from _walk(drawn, placed, depth + 1)


def _read_picture(image: Any, matrix: Matrix, page: Page) -> Picture:
    width, height = ctypes.c_uint(), ctypes.c_uint()
    raw.FPDFImageObj_GetImagePixelSize(image, width, height)
    corners = [move(x, y, matrix) for x in (0.0, 1.0) for y in (0.0, 1.0)]
    xs, ys = [x for x, _ in corners], [page.height - y for _, y in corners]
    return Picture(min(xs), min(ys), max(xs), max(ys), (width.value, height.value))


def _add_path(path: Any, matrix: Matrix, page: Page) -> None:
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(path, fill, stroke)
    if not fill.value and not stroke.value:
        return
    outlines = list(_outlines(path, matrix, page.height))
    _add_dot(outlines, _read_width(path, matrix) if stroke.value else 0.0, page)
    for outline in outlines:
        if stroke.value:
            for (x, y), (x_end, y_end) in outline.lines:
                _add_rule(x, y, x_end, y_end, page)
        elif outline.is_rectangle():
            left, top, right, bottom = outline.measure()
            if bottom - top <= _THIN:
                _add_rule(left, (top + bottom) / 2, right, (top + bottom) / 2, page)
            elif right - left <= _THIN:
                _add_rule((left + right) / 2, top, (left + right) / 2, bottom, page)


def _outlines(path: Any, matrix: Matrix, height: float) -> Iterator[Outline]:
    outline = Outline()
    x, y = ctypes.c_float(), ctypes.c_float()
    for index in range(min(raw.FPDFPath_CountSegments(path), _SEGMENTS)):
        segment = raw.FPDFPath_GetPathSegment(path, index)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        across, up = move(x.value, y.value, matrix)
        point = across, height - up
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_MOVETO:
            if outline.lines or outline.is_curved:
                yield outline
            outline = Outline()
        elif kind == raw.FPDF_SEGMENT_LINETO and outline.points:
            outline.lines.append((outline.points[-1], point))
        else:
            outline.is_curved = True
        outline.points.append(point)
        if raw.FPDFPathSegment_GetClose(segment):
            outline.lines.append((point, outline.points[0]))
    if outline.lines or outline.is_curved:
        yield outline


def _read_width(path: Any, matrix: Matrix) -> float:
    """The width of a path's stroke on the page."""
    width = ctypes.c_float()
    raw.FPDFPageObj_GetStrokeWidth(path, width)
    return width.value * hypot(matrix[0], matrix[1])


def _add_dot(outlines: list[Outline], stroke: float, page: Page) -> None:
    """Note a small shape, which may be the bullet of a list: a short line may be as wide as it is long."""
    shapes = [outline for outline in outlines if outline.is_curved or outline.is_rectangle()]
    points = [point for outline in shapes for point in outline.points]
    if not points and stroke and len(outlines) == 1 and len(outlines[0].lines) == 1:
        ((x, y), (x_end, y_end)), half = outlines[0].lines[0], stroke / 2
        across, along = (half, 0.0) if abs(x - x_end) < abs(y - y_end) else (0.0, half)
        length = max(abs(x - x_end), abs(y - y_end))
        if length < _SQUARE * stroke and stroke < _SQUARE * length:
            points = [(x - across, y - along), (x_end + across, y_end + along)]
    if not points or len(points) > _DOT_POINTS or len(page.dots) >= _DOTS:
        return
    x_min, y_min, x_max, y_max = Outline(points).measure()
    if _DOT[0] <= x_max - x_min <= _DOT[1] and _DOT[0] <= y_max - y_min <= _DOT[1]:
        page.dots.append(((x_min + x_max) / 2, (y_min + y_max) / 2))


def _add_rule(left: float, top: float, right: float, bottom: float, page: Page) -> None:
    rules = page.rules
    if len(rules) >= MAX_RULES:
        return
    is_level = abs(top - bottom) <= _STRAIGHT
    if is_level and _DASH[0] <= abs(right - left) <= _DASH[1] and len(page.dashes) < MAX_RULES:
        page.dashes.append(Rule(True, (top + bottom) / 2, min(left, right), max(left, right)))
    if is_level and abs(right - left) >= _SHORT:
        rules.append(Rule(True, (top + bottom) / 2, min(left, right), max(left, right)))
    elif abs(left - right) <= _STRAIGHT and abs(bottom - top) >= _SHORT:
        rules.append(Rule(False, (left + right) / 2, min(top, bottom), max(top, bottom)))
