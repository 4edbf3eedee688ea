"""The straight horizontal and vertical lines that a page draws: the borders of tables.

Belongs here: paths, and which of their parts are lines. Not here: tables (`tables`). Guarantee: at most `MAX_RULES` of
a page, so that a drawing with a million lines takes no more than reading its operators.
"""

from collections.abc import Callable

from headwater.parsing.pdf.shapes import Page, Rule

Matrix = tuple[float, float, float, float, float, float]
MAX_RULES = 4_000
_THIN = 3.0  # points: a filled rectangle narrower than this is a line
_SHORT = 4.0  # points: anything shorter is no border
_DOT, _DOTS = (1.2, 9.0), 1_000  # points: the width and height of a bullet; how many of a page are noted
_STRAIGHT = 0.7  # points


class Paths:
    """The path that is being built, in the coordinates of the page."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._matrix: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
        self._point = self._begun = (0.0, 0.0)
        self._lines: list[tuple[tuple[float, float], tuple[float, float]]] = []
        self._boxes: list[tuple[tuple[float, float], tuple[float, float]]] = []
        self._curved: list[tuple[float, float]] = []
        self.painted: dict[bytes, Callable[[], None]] = {
            **dict.fromkeys((b"S", b"s", b"B", b"B*", b"b", b"b*"), self._stroke),
            **dict.fromkeys((b"f", b"F", b"f*"), self._fill),
            b"n": self._clear,
        }

    def build(self, operator: bytes, operands: list[float], matrix: Matrix) -> None:
        """Follow an operator that builds a path."""
        if len(self._page.rules) >= MAX_RULES or len(self._lines) >= MAX_RULES or len(self._boxes) >= MAX_RULES:
            return
        self._matrix = matrix
        if operator == b"re":
            x, y, width, height = operands
            self._boxes.append((self._on_page(x, y), self._on_page(x + width, y + height)))
        elif operator == b"m":
            self._point = self._begun = self._on_page(*operands)
        elif operator == b"l":
            point = self._on_page(*operands)
            self._lines.append((self._point, point))
            self._point = point
        elif operator == b"h":
            self._lines.append((self._point, self._begun))
            self._point = self._begun
        else:
            self._point = self._on_page(*operands[-2:])
            self._curved.append(self._point)

    def _on_page(self, x: float, y: float) -> tuple[float, float]:
        a, b, c, d, e, f = self._matrix
        return x * a + y * c + e, self._page.height - (x * b + y * d + f)

    def _clear(self) -> None:
        self._lines, self._boxes, self._curved = [], [], []

    def _add_dot(self) -> None:
        """Note a small shape, which may be the bullet of a list."""
        points = self._curved or [corner for box in self._boxes[:2] for corner in box]
        if not points or len(points) > 40 or len(self._page.dots) >= _DOTS:
            return
        xs, ys = [x for x, _ in points], [y for _, y in points]
        if _DOT[0] <= max(xs) - min(xs) <= _DOT[1] and _DOT[0] <= max(ys) - min(ys) <= _DOT[1]:
            self._page.dots.append(((max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2))

    def _stroke(self) -> None:
        self._add_dot()
        for (left, top), (right, bottom) in self._boxes:
            corners = ((left, top), (right, top), (right, bottom), (left, bottom))
            self._lines += zip(corners, (*corners[1:], corners[0]), strict=True)
        for start, end in self._lines:
            self._add(*start, *end)
        self._clear()

    def _fill(self) -> None:
        self._add_dot()
        for (left, top), (right, bottom) in self._boxes:
            if abs(bottom - top) <= _THIN:
                middle = (top + bottom) / 2
                self._add(left, middle, right, middle)
            elif abs(right - left) <= _THIN:
                middle = (left + right) / 2
                self._add(middle, top, middle, bottom)
        self._clear()

    def _add(self, left: float, top: float, right: float, bottom: float) -> None:
        rules = self._page.rules
        if len(rules) >= MAX_RULES:
            return
        if abs(top - bottom) <= _STRAIGHT and abs(right - left) >= _SHORT:
            rules.append(Rule(True, (top + bottom) / 2, min(left, right), max(left, right)))
        elif abs(left - right) <= _STRAIGHT and abs(bottom - top) >= _SHORT:
            rules.append(Rule(False, (left + right) / 2, min(top, bottom), max(top, bottom)))
