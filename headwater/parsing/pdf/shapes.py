"""What a page draws: pieces of text, rules and images, with their places on the upright page.

Belongs here: plain values, and what the name of a font says. Not here: how they are read (`page_text`,
`page_graphics`). Guarantee: the origin is the upper left corner of the page as readers see it; coordinates are points,
and grow to the right and downwards. Text that is turned has the coordinates of the page turned so that the text is
upright.
"""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

_BOLD = re.compile(r"bold|black|heavy|demi(?!ta)|cmbx|cmssbx|sfbx|[-,]bd|-b$", re.IGNORECASE)
_MONO = re.compile(r"mono|courier|consol|typewriter|cmtt|sftt|menlo|fixed", re.IGNORECASE)
_FIXED_PITCH, _FORCE_BOLD = 1, 1 << 18
_WORD_GAP = 0.55  # of a space: the least gap between words
_SPACE, _WIDEST_SPACE = 0.25, 0.4  # of the size: the usual one, and more than any; in TeX's T1, code 32 is no space
_MONO_WIDTH = 0.45, 0.65  # of the size: fonts of symbols state one width, too, but another

Matrix = tuple[float, float, float, float, float, float]


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


def move(x: float, y: float, matrix: Matrix) -> tuple[float, float]:
    """A point to which a matrix is applied."""
    a, b, c, d, e, f = matrix
    return x * a + y * c + e, x * b + y * d + f


def _is_fixed(flags: int, narrow: float, wide: float) -> bool:
    """Whether a font has one width: by its letters, because the flags of LaTeX and FOP do not say so."""
    if narrow > 0 and wide > 0:
        return narrow == wide and _MONO_WIDTH[0] < wide < _MONO_WIDTH[1]
    return bool(flags & _FIXED_PITCH)


class FontFace:
    """A font, as far as reading needs it."""

    def __init__(self, name: str, *, flags: int = 0, space: float = 0.0, widths: tuple[float, float] = (0, 0)) -> None:
        """Judge a font.

        Args:
            name: as the file writes it.
            flags: of its descriptor.
            space: the width of its space, in sizes; 0 if unknown.
            widths: of a narrow and a wide letter, in sizes; 0 if unknown.
        """
        self.name = name
        self.is_bold = bool(_BOLD.search(name)) or bool(flags & _FORCE_BOLD)
        self.is_unscaled = False  # its size says nothing: that of a run is what its letters show
        self.is_named_mono = bool(_MONO.search(name))
        self.is_mono = self.is_named_mono or _is_fixed(flags, *widths)
        self.word_gap = max(0.1, _WORD_GAP * (space if 0 < space < _WIDEST_SPACE else _SPACE))


class TextRun(NamedTuple):
    """Characters that are drawn at once on one baseline."""

    text: str
    left: float
    right: float
    base: float
    size: float
    face: FontFace
    order: int  # of drawing
    turn: int  # degrees: 0, 90, 180 or 270
    is_bold: bool
    is_unmapped: bool = False  # its font does not say which characters it shows: the text is the font's codes


class Rule(NamedTuple):
    """A straight line, horizontal or vertical."""

    is_horizontal: bool
    at: float
    start: float
    end: float


class Picture(NamedTuple):
    """An image: where it is, and its size in the file."""

    left: float
    top: float
    right: float
    bottom: float
    pixels: tuple[int, int]  # width and height


@dataclass(slots=True)
class Page:
    """What one page draws."""

    number: int
    width: float
    height: float
    runs: list[TextRun] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    dots: list[tuple[float, float]] = field(default_factory=list)  # the centres of small shapes, such as bullets
    dashes: list[Rule] = field(default_factory=list)  # short level lines, which may be underscores
    opaque: int = 0  # glyphs whose characters are unknown
    is_cut: bool = False  # it has more than is read
    draws_annotations: bool = True  # its picture does


@dataclass(slots=True)
class Line:
    """A line of text, or a part of one that stands apart from its neighbours."""

    text: str
    left: float
    right: float
    base: float
    size: float
    is_bold: bool
    is_mono: bool
    order: int
    page: int
    first_word: float = 0.0  # the width of its first word
    column: int = 0  # which column of the document it is in, counted in reading order
    is_note: bool = False  # a footnote
    edge: tuple[float, float] = (0.0, 0.0)  # the left and right edge of its column
    is_nested: bool = False  # whether its column is one of several


@dataclass(slots=True)
class Table:
    """Rows of cells."""

    rows: list[list[str]]
    page: int
    is_certain: bool = True  # whether the columns are; otherwise it is shown as lines


@dataclass(slots=True)
class Scan:
    """The text of a page that is an image."""

    text: str
    page: int
