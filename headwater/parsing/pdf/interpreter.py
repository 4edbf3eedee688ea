"""Following a page's operators: where text, rules and images are drawn.

Belongs here: the state of graphics and text (ISO 32000-1, 8.4 and 9.3). Not here: syntax (`content_stream`), fonts
(`fonts`), what the pieces mean. Guarantee: the operators, forms and pieces of a page are bounded; a form that contains
itself is drawn once.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from math import hypot
from typing import Any

from headwater.parsing.pdf.content_stream import MAX_TOKENS, Operand, from_hex, operations, unescape
from headwater.parsing.pdf.fonts import FontFace, FontTable
from headwater.parsing.pdf.shapes import Page, Picture, TextRun
from headwater.parsing.pdf.straight_lines import Matrix, Paths

IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_FORMS, _DEPTH = 2_000, 15  # per page
_RUNS, _PICTURES = 300_000, 500  # per page
_STATES = 500  # nested `q`
_BREAK = 0.7  # of the size: a gap this wide begins a new piece, which may belong to another column
_FLAT = 0.08  # how far a direction may be off upright
_BUILDING = frozenset((b"re", b"m", b"l", b"c", b"v", b"y", b"h"))
_ACTUAL = re.compile(rb"/ActualText\s*(\((?:[^()\\]++|\\.)*+\)|<[0-9A-Fa-f\s]*+>)", re.DOTALL)


def multiply(m: Matrix, n: Matrix) -> Matrix:
    """The matrix that applies `m`, then `n`."""
    return (
        m[0] * n[0] + m[1] * n[2],
        m[0] * n[1] + m[1] * n[3],
        m[2] * n[0] + m[3] * n[2],
        m[2] * n[1] + m[3] * n[3],
        m[4] * n[0] + m[5] * n[2] + n[4],
        m[4] * n[1] + m[5] * n[3] + n[5],
    )


class PageInterpreter:
    """Reads the content of one page."""

    def __init__(self, page: Page, start: Matrix, faces: FontTable) -> None:
        self.page = page
        self._faces = faces
        self._matrix = start
        self._text: Matrix = IDENTITY
        self._line: Matrix = IDENTITY
        self._face: FontFace | None = None
        self._size = 0.0
        self._spacing = self._word_spacing = self._leading = self._rise = 0.0
        self._scale = 1.0
        self._mode = 0
        self._saved: list[tuple[Any, ...]] = []
        self._fonts: Any = {}
        self._objects: Any = {}
        self._forms = 0
        self._within: list[int] = []
        self._tokens = MAX_TOKENS
        self._paths = Paths(page)
        self._marks: list[tuple[bool, str | None, int]] = []
        self._artifacts = 0  # how many of the marks are of headers, footers and page numbers
        self._handlers = self._table()

    def _table(self) -> dict[bytes, Callable[[list[Operand]], None]]:
        return {
            b"Tj": lambda o: self._show([_bytes(o[0])]),
            b"TJ": lambda o: self._show(o[0]) if isinstance(o[0], list) else None,
            b"'": self._next_line_show,
            b'"': self._show_with_spacing,
            b"Td": lambda o: self._move(_float(o[0]), _float(o[1])),
            b"TD": self._move_leading,
            b"Tm": self._set_text,
            b"T*": lambda _: self._move(0.0, -self._leading),
            b"BT": self._begin_text,
            b"Tf": self._set_font,
            b"Tc": lambda o: setattr(self, "_spacing", _float(o[0])),
            b"Tw": lambda o: setattr(self, "_word_spacing", _float(o[0])),
            b"Tz": lambda o: setattr(self, "_scale", _float(o[0]) / 100),
            b"TL": lambda o: setattr(self, "_leading", _float(o[0])),
            b"Ts": lambda o: setattr(self, "_rise", _float(o[0])),
            b"Tr": lambda o: setattr(self, "_mode", int(_float(o[0]))),
            b"q": self._save,
            b"Q": self._restore,
            b"cm": self._transform,
            b"Do": self._draw,
            b"BMC": self._begin_mark,
            b"BDC": self._begin_mark,
            b"EMC": self._end_mark,
        }

    def paint(self, content: bytes, resources: Any) -> None:
        """Follow the operators of a page or form."""
        saved = self._fonts, self._objects
        if resources is not None:  # a form without any uses those of its page
            self._fonts, self._objects = _entry(resources, "/Font"), _entry(resources, "/XObject")
        handlers, painted = self._handlers, self._paths.painted
        for operator, operands in operations(content, self._tokens):
            handler = handlers.get(operator)
            self._tokens -= len(operands) + 1
            if handler is not None:
                with suppress(IndexError, TypeError, ValueError, OverflowError):  # without a right operand, no effect
                    handler(operands)
            elif operator in _BUILDING:
                with suppress(TypeError, ValueError, OverflowError):
                    self._paths.build(operator, [float(value) for value in operands], self._matrix)  # type: ignore[arg-type]  # others raise
            elif operator in painted:
                painted[operator]()
            if self._tokens < 0 or len(self.page.runs) > _RUNS:
                self.page.is_cut = True
                break
        self._fonts, self._objects = saved

    # --- text ---

    def _begin_text(self, _: list[Operand]) -> None:
        self._text = self._line = IDENTITY

    def _set_text(self, operands: list[Operand]) -> None:
        a, b, c, d, e, f = map(_float, operands[-6:])
        self._text = self._line = (a, b, c, d, e, f)

    def _move(self, x: float, y: float) -> None:
        a, b, c, d, e, f = self._line
        self._text = self._line = (a, b, c, d, x * a + y * c + e, x * b + y * d + f)

    def _move_leading(self, operands: list[Operand]) -> None:
        self._leading = -_float(operands[1])
        self._move(_float(operands[0]), _float(operands[1]))

    def _next_line_show(self, operands: list[Operand]) -> None:
        self._move(0.0, -self._leading)
        self._show([_bytes(operands[0])])

    def _show_with_spacing(self, operands: list[Operand]) -> None:
        self._word_spacing, self._spacing = _float(operands[0]), _float(operands[1])
        self._next_line_show(operands[2:])

    def _set_font(self, operands: list[Operand]) -> None:
        self._size = _float(operands[1])
        self._face = self._faces.of(self._fonts, str(operands[0]))

    def _show(self, parts: list[bytes | float]) -> None:
        face, size, scale = self._face, self._size, self._scale
        if face is None:
            return
        pieces: list[str] = []
        begin = position = 0.0  # along the baseline, in text space
        for item in parts:
            if isinstance(item, bytes):
                text, width, glyphs, spaces = face.shown(item)
                position += (width * size / 1000 + glyphs * self._spacing + spaces * self._word_spacing) * scale
                pieces.append(text)
                if not face.is_readable:
                    self.page.opaque += glyphs
                continue
            gap = -item / 1000
            if gap > _BREAK and pieces:
                self._add(face, "".join(pieces), begin, position)
                pieces = []
            elif gap > face.word_gap and pieces and pieces[-1][-1:] != " ":
                pieces.append(" ")
            position += gap * size * scale
            if not pieces:
                begin = position
        if pieces:
            self._add(face, "".join(pieces), begin, position)
        a, b, c, d, e, f = self._text
        self._text = (a, b, c, d, position * a + e, position * b + f)

    def _add(self, face: FontFace, text: str, begin: float, end: float) -> None:
        if not text or self._artifacts:
            return
        a, b, c, d, e, f = multiply(self._text, self._matrix)
        size = abs(self._size) * hypot(c, d)
        length = hypot(a, b)
        if not (0.3 < size < 5_000 and length > 0):
            return
        x, y = e + self._rise * c + begin * a, f + self._rise * d + begin * b
        width = (end - begin) * length
        if b * b <= _FLAT * length * length:
            turn, left, base = (0, x, self.page.height - y) if a > 0 else (180, self.page.width - x, y)
        elif a * a <= _FLAT * length * length:
            turn, left, base = (90, y, x) if b > 0 else (270, self.page.height - y, self.page.width - x)
        else:
            return  # slanted: a watermark, or the label of an axis
        if width < 0:
            left, width = left + width, -width
        is_bold = face.is_bold or self._mode == 2
        runs = self.page.runs
        runs.append(TextRun(text, left, left + width, base, size, face, len(runs), turn, is_bold))

    # --- marked content ---

    def _begin_mark(self, operands: list[Operand]) -> None:
        source = operands[1] if len(operands) > 1 else b""
        if isinstance(source, str):
            source = b""
        is_artifact = operands[0] == "/Artifact" and b"/Pagination" in bytes(_bytes(source))
        match = _ACTUAL.search(_bytes(source))
        self._marks.append((is_artifact, _actual(match[1]) if match else None, len(self.page.runs)))
        self._artifacts += is_artifact
        if len(self._marks) > _STATES:
            self._marks = self._marks[-_STATES:]

    def _end_mark(self, _: list[Operand]) -> None:
        if not self._marks:
            return
        is_artifact, actual, first = self._marks.pop()
        self._artifacts -= is_artifact
        runs = self.page.runs
        if actual is None or len(runs) <= first:
            return
        drawn = runs[first:]
        if max(run.base for run in drawn) - min(run.base for run in drawn) > drawn[0].size / 2:
            return  # several lines: their own text says where the lines are
        runs[first:] = [drawn[0]._replace(text=actual, right=max(run.right for run in drawn))]

    # --- graphics ---

    def _save(self, _: list[Operand]) -> None:
        if len(self._saved) < _STATES:
            self._saved.append(
                (self._matrix, self._face, self._size, self._spacing, self._word_spacing, self._leading, self._rise,
                 self._scale, self._mode)
            )  # fmt: skip

    def _restore(self, _: list[Operand]) -> None:
        if self._saved:
            (self._matrix, self._face, self._size, self._spacing, self._word_spacing, self._leading, self._rise,
             self._scale, self._mode) = self._saved.pop()  # fmt: skip

    def _transform(self, operands: list[Operand]) -> None:
        a, b, c, d, e, f = map(_float, operands[-6:])
        self._matrix = multiply((a, b, c, d, e, f), self._matrix)

    def _draw(self, operands: list[Operand]) -> None:
        try:
            drawn = self._objects[operands[0]].get_object()
            kind = drawn.get("/Subtype")
        except Exception:  # noqa: BLE001  # the object can be broken in any way; the rest of the page can be read
            return
        if kind == "/Image" and len(self.page.pictures) < _PICTURES:
            self.page.pictures.append(Picture(drawn, self._matrix))
        elif kind == "/Form":
            self._draw_form(drawn)

    def _draw_form(self, form: Any) -> None:
        self._forms += 1
        if id(form) in self._within or len(self._within) > _DEPTH or self._forms > _FORMS:
            return
        state = (self._matrix, self._text, self._line, self._face, self._size, self._saved, self._marks)
        self._within.append(id(form))
        self._saved, self._marks = [], []
        try:
            matrix = form.get("/Matrix")
            if matrix is not None:
                a, b, c, d, e, f = (float(value) for value in matrix)
                self._matrix = multiply((a, b, c, d, e, f), self._matrix)
            self.paint(form.get_data(), form.get("/Resources"))
        finally:
            self._within.pop()
            (self._matrix, self._text, self._line, self._face, self._size, self._saved, self._marks) = state


def _entry(resources: Any, name: str) -> Any:
    try:
        return resources[name].get_object() if name in resources else {}
    except Exception:  # noqa: BLE001  # the resources can be broken in any way; text that needs none can be read
        return {}


def _bytes(operand: Operand) -> bytes:
    return operand if isinstance(operand, bytes) else b""


def _float(operand: Operand) -> float:
    return float(operand)  # type: ignore[arg-type]  # an array raises TypeError, which skips the operator


def _actual(source: bytes) -> str:
    """The text that marked content stands for."""
    value = unescape(source[1:-1]) if source[:1] == b"(" else from_hex(source)
    if value[:2] == b"\xfe\xff":
        return value[2:].decode("utf-16-be", "replace")
    return value.decode("utf-8" if value[:3] == b"\xef\xbb\xbf" else "latin-1", "replace").lstrip("\ufeff")
