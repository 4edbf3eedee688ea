"""The text of a page, read by PDFium: which characters stand where.

Belongs here: characters, their fonts and places. Not here: lines and images (`page_graphics`), what the pieces mean.
Guarantee: the characters of a page are bounded; headers and footers that the file marks as such are left out.
"""

import ctypes
from collections.abc import Iterable, Iterator
from itertools import chain, groupby, pairwise
from math import hypot, inf
from statistics import median
from typing import Any, NamedTuple

from pypdfium2 import raw

from headwater.parsing.pdf.characters import drawn_order
from headwater.parsing.pdf.shapes import FontFace, Matrix, Page, TextRun, move, multiply

_CHARACTERS = 1_000_000  # per page
_BREAK = 0.7  # of the size: a gap this wide begins a new piece, which may belong to another column
_BACK = 0.5  # of the size: text that begins this far to the left of the last one's end is another piece
_LEAST_GAP = 0.4  # points: a smaller one parts no words
_FEWEST_GAPS = 3  # of a text object: fewer do not show whether all its letters are apart
_UNIT = 0.3  # points: a smaller "size" is the unit of a bitmap font, of which dvips makes each pixel one
_ASCENDER = 0.69  # of the size: how tall an `h` of Computer Modern is
_FLAT = 0.08  # how far a direction may be off upright
_FILLED_AND_STROKED = 2  # drawn to look bold
_MARK_BYTES, _NAME_BYTES = 64, 256
_LINE_END_HYPHENS = str.maketrans({"\x02": "-", "\ufffe": "-"})
"""PDFium's characters for a hyphen at the end of a line."""


class Style(NamedTuple):
    """What all characters of one text object share."""

    face: FontFace
    size: float  # before matrices
    is_bold: bool
    is_artifact: bool  # a header, footer or page number


class Word(NamedTuple):
    """Characters of one text object up to a gap."""

    drawn: int  # which text object
    style: Style
    text: str
    first: int  # the index of its first character
    is_apart: bool  # whether PDFium sees a gap before it


def add_text(source: Any, page: Page, start: Matrix) -> None:
    """Add the text of a page of PDFium.

    Args:
        source: the page.
        page: where the pieces are added.
        start: turns the page upright.
    """
    text_page = source.get_textpage()
    try:
        drawn = 0
        by_object = groupby(_words(text_page.raw, page), key=lambda word: word.drawn)
        for word in chain.from_iterable(_split(text_page.raw, words) for _, words in by_object):
            run = None if word.style.is_artifact else _run(text_page.raw, word, page, start)
            if run is None:
                drawn = 0
            elif word.drawn == drawn and (joined := _join(page.runs[-1], run, word)):
                page.runs[-1] = joined
            else:
                if word.is_apart and page.runs:
                    page.runs[-1] = _add_space(page.runs[-1], run)
                page.runs.append(run)
                drawn = word.drawn
    finally:
        text_page.close()


def _words(handle: Any, page: Page) -> Iterator[Word]:
    read_object, read_character = raw.FPDFText_GetTextObject, raw.FPDFText_GetUnicode
    styles: dict[int, Style] = {}
    faces: dict[int, FontFace] = {}
    characters: list[str] = []
    drawn = first = 0
    is_apart = False
    count = raw.FPDFText_CountChars(handle)
    page.is_cut = count > _CHARACTERS
    for index in range(min(count, _CHARACTERS)):
        character = chr(read_character(handle, index))
        is_generated = character in " \r\n" and raw.FPDFText_IsGenerated(handle, index) == 1  # it is not in the file
        text_object = None if is_generated else read_object(handle, index)
        address = ctypes.addressof(text_object.contents) if text_object else 0
        if characters and (address != drawn or characters[-1] == " " != character):
            yield Word(drawn, styles[drawn], "".join(characters), first, is_apart)
            characters, is_apart = [], False
        if not address:
            is_apart = True
            continue
        if not characters:
            drawn, first = address, index
            if drawn not in styles:
                styles[drawn] = _read_style(text_object, faces)
        characters.append(character)
    if characters:
        yield Word(drawn, styles[drawn], "".join(characters), first, is_apart)


def _split(handle: Any, words: Iterable[Word]) -> Iterator[Word]:
    """The pieces of the words of one text object: PDFium misses gaps within one, such as those of Ghostscript."""
    gaps_of = [(word, _read_gaps(handle, word.first, len(word.text))) for word in words]
    gaps = [gap for _, gaps_of_word in gaps_of for gap in gaps_of_word]
    limit = inf
    if len(gaps) >= _FEWEST_GAPS and max(gaps) > _LEAST_GAP:
        style = gaps_of[0][0].style
        spread = 2 * max(0.0, median(gaps))  # if all letters are apart
        limit = spread + style.face.word_gap * style.size * _read_scale(handle, gaps_of[0][0].first)
    for word, gaps_of_word in gaps_of:
        ends = [end for end, gap in enumerate(gaps_of_word, 1) if gap > limit]
        for start, end in pairwise([0, *ends, len(word.text)]):
            is_apart = word.is_apart if start == 0 else True
            yield word._replace(text=word.text[start:end], first=word.first + start, is_apart=is_apart)


def _read_gaps(handle: Any, first: int, count: int) -> list[float]:
    """The gaps between the characters of a line that is level in the file, in points; others have none above 0."""
    if count < 2:
        return []
    read_box, box = raw.FPDFText_GetLooseCharBox, raw.FS_RECTF()
    place = ctypes.byref(box)
    read_box(handle, first, place)
    end, gaps = box.right, []
    for index in range(first + 1, first + count):
        read_box(handle, index, place)
        gaps.append(box.left - end)
        end = box.right
    return gaps


def _read_style(drawn: Any, faces: dict[int, FontFace]) -> Style:
    size = ctypes.c_float()
    raw.FPDFTextObj_GetFontSize(drawn, size)
    font = raw.FPDFTextObj_GetFont(drawn)
    address = ctypes.addressof(font.contents) if font else 0
    face = faces.get(address)
    if face is None:
        face = faces[address] = _read_face(font) if font else FontFace("")
    is_bold = face.is_bold or raw.FPDFTextObj_GetTextRenderMode(drawn) == _FILLED_AND_STROKED
    marks = (raw.FPDFPageObj_GetMark(drawn, index) for index in range(raw.FPDFPageObj_CountMarks(drawn)))
    return Style(face, abs(size.value), is_bold, any(_is_pagination(mark) for mark in marks))


def _read_scale(handle: Any, index: int) -> float:
    matrix = raw.FS_MATRIX()
    raw.FPDFText_GetMatrix(handle, index, matrix)
    return hypot(matrix.c, matrix.d)


def _read_face(font: Any) -> FontFace:
    name = ctypes.create_string_buffer(_NAME_BYTES)
    raw.FPDFFont_GetBaseFontName(font, name, _NAME_BYTES)
    space, narrow, wide, unused = (_read_width(font, letter) for letter in " iM\x01")
    flags = max(0, raw.FPDFFont_GetFlags(font))
    widths = (0.0, 0.0) if wide == unused else (narrow, wide)  # the font has no such letter
    return FontFace(name.value.decode("utf-8", "replace"), flags=flags, space=space, widths=widths)


def _read_width(font: Any, letter: str) -> float:
    width = ctypes.c_float()
    raw.FPDFFont_GetGlyphWidth(font, ord(letter), 1.0, width)
    return width.value


def _is_pagination(mark: Any) -> bool:
    """Whether marked content is a header, footer or page number: only such an artifact has one of two keys."""

    def read(function: Any, *arguments: Any) -> str:
        buffer, length = ctypes.create_string_buffer(_MARK_BYTES), ctypes.c_ulong()
        function(mark, *arguments, ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)), _MARK_BYTES, length)
        return buffer.raw[: max(0, min(length.value, _MARK_BYTES) - 2)].decode("utf-16-le", "replace")

    return read(raw.FPDFPageObjMark_GetName) == "Artifact" and any(
        raw.FPDFPageObjMark_GetParamValueType(mark, key) > 0 for key in (b"Subtype", b"Attached")
    )


def _run(handle: Any, word: Word, page: Page, start: Matrix) -> TextRun | None:
    is_unmapped = raw.FPDFText_HasUnicodeMapError(handle, word.first) == 1
    page.opaque += len(word.text) if is_unmapped else 0
    matrix, x, y = raw.FS_MATRIX(), ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetMatrix(handle, word.first, matrix)
    raw.FPDFText_GetCharOrigin(handle, word.first, x, y)
    a, b, c, d, _, _ = multiply((matrix.a, matrix.b, matrix.c, matrix.d, 0.0, 0.0), start)
    size, length = word.style.size * hypot(c, d), hypot(a, b)
    if is_unmapped and 0 < size <= _UNIT:
        word.style.face.is_unscaled = True
        size = _read_height(handle, word) / _ASCENDER
    if not (0.3 < size < 5_000 and length > 0):
        return None
    if b * b <= _FLAT * length * length:
        turn = 0 if a > 0 else 180
    elif a * a <= _FLAT * length * length:
        turn = 90 if b > 0 else 270
    else:
        return None  # slanted: a watermark, or the label of an axis
    base = _upright(move(x.value, y.value, start), turn, page)[1]
    ends = {word.first, word.first + len(word.text) - 1}
    xs = [_upright(move(*corner, start), turn, page)[0] for end in ends for corner in _corners(handle, end)]
    text = word.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # PDFium counts in halves
    text = text.translate(_LINE_END_HYPHENS)
    if len(ends) == 1 or len(set(xs)) > 2:  # else they are one glyph, whose characters PDFium reverses
        text = drawn_order(text)
    face, is_bold = word.style.face, word.style.is_bold
    return TextRun(text, min(xs), max(xs), base, size, face, len(page.runs), turn, is_bold, is_unmapped)


def _read_height(handle: Any, word: Word) -> float:
    """The height of a word's tallest letter, in points."""
    box, heights = raw.FS_RECTF(), [0.0]
    for index in range(word.first, word.first + len(word.text)):
        raw.FPDFText_GetLooseCharBox(handle, index, box)
        heights.append(box.top - box.bottom)
    return max(heights)


def _corners(handle: Any, index: int) -> tuple[tuple[float, float], tuple[float, float]]:
    box = raw.FS_RECTF()
    raw.FPDFText_GetLooseCharBox(handle, index, box)
    return (box.left, box.bottom), (box.right, box.top)


def _upright(point: tuple[float, float], turn: int, page: Page) -> tuple[float, float]:
    """A point of the upright page in the coordinates in which text of this turn is upright."""
    x, y = point
    if turn == 0:
        return x, page.height - y
    if turn == 180:
        return page.width - x, y
    return (y, x) if turn == 90 else (page.height - y, page.width - x)


def _join(run: TextRun, following: TextRun, word: Word) -> TextRun | None:
    """A piece with the next word of its text object; None if they may belong to different columns."""
    if not _is_near(run, following) or (word.is_apart and run.face.is_mono):  # of code, the gap says how many spaces
        return None
    space = " " if word.is_apart and run.text[-1] != " " else ""
    return run._replace(text=f"{run.text}{space}{following.text}", right=max(run.right, following.right))


def _add_space(run: TextRun, following: TextRun) -> TextRun:
    """A piece with the space that PDFium sees before code; between other pieces, the gap itself says it."""
    is_before_code = following.face.is_mono and not run.face.is_mono
    return run._replace(text=f"{run.text} ") if is_before_code and _is_near(run, following) else run


def _is_near(run: TextRun, following: TextRun) -> bool:
    gap = (following.left - run.right) / run.size
    is_level = run.turn == following.turn and abs(run.base - following.base) < 0.01 * run.size
    return is_level and run.is_unmapped == following.is_unmapped and -_BACK < gap <= _BREAK
