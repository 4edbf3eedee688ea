"""The order in which a reader takes the lines of a picture.

Belongs here: rows and columns of pieces, and their order. Not here: pieces (`segments`), text from them
(`layout`). Guarantee: pure; every piece is in exactly one region.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from statistics import median
from typing import NamedTuple
from unicodedata import east_asian_width

from headwater.parsing.ocr.engine import Line
from headwater.parsing.ocr.segments import Segment, cut, join_pieces, pieces_of, spaces_before

_WIDE_SPACE = 1.3  # times the usual space of a line
_NEAR = 12
_ROWS_NEAR = 4
_CAPTION = 0.7
_GUTTERS = 12  # of most rows, which are tried; a page has a few, a drawing with many labels has hundreds
_SAMPLE = 40
_ONE_LINE = 0.8  # heights between two pieces that a space separates
LARGE = 1.45  # times the usual height of a line, that of a heading
_ROWS = 3  # that both sides of a gutter have
_TABLE = 0.7  # of the cells of a column have one beside them
_SENTENCE = 18  # characters of the usual line of text in a column; cells of a table have less
_DEPTH = 12


def regions(lines: Sequence[Line]) -> list[list[Segment]]:
    """Regions of one column each, or of one table, in reading order."""
    pieces = pieces_of(lines)
    straight = _with_whole_headings([piece for piece in pieces if not piece.is_sideways])
    return _split(straight, 0) + [[piece] for piece in pieces if piece.is_sideways]


def _gap(piece: Segment, other: Segment) -> float:
    return max(piece.left - other.right, other.left - piece.right)


def usual_height(pieces: Sequence[Segment]) -> float:
    """The height of the line that the middle character is in."""
    heights = sorted((piece.height, len(piece.text)) for piece in pieces)
    half = sum(length for _, length in heights) / 2
    for height, length in heights:
        half -= length
        if half <= 0:
            return height
    return 1.0


def join_at_spaces(row: Sequence[Segment]) -> list[Segment]:
    """Join the pieces of a row that only a space separates."""
    found = [row[0]]
    for piece in row[1:]:
        if piece.left - found[-1].right < _ONE_LINE * min(piece.height, found[-1].height):
            found[-1] = join_pieces([found[-1], piece])
        else:
            found.append(piece)
    return found


def _with_whole_headings(pieces: Sequence[Segment]) -> list[Segment]:
    """Join what was found of large lines: their words are as far apart as columns of text."""
    large = LARGE * usual_height(pieces)
    rows = rows_of(piece for piece in pieces if piece.height > large)
    return [piece for piece in pieces if piece.height <= large] + [
        piece for row in rows for piece in join_at_spaces(row)
    ]


def rows_of(pieces: Iterable[Segment]) -> list[list[Segment]]:
    """Pieces beside one another, from left to right; the rows from top to bottom."""
    rows: list[list[Segment]] = []
    for piece in sorted(pieces, key=lambda piece: piece.middle):
        for row in rows[-1:-_ROWS_NEAR:-1]:
            if piece.is_beside(min(row, key=partial(_gap, piece))):
                row.append(piece)
                break
        else:
            rows.append([piece])
    rows.sort(key=lambda row: median(piece.middle for piece in row))
    return [sorted(row, key=lambda piece: piece.left) for row in rows]


def _split(pieces: list[Segment], depth: int) -> list[list[Segment]]:
    """Cut where columns are beside one another; what spans them separates what is above from what is below."""
    if not pieces:
        return []
    bands = _best_bands(pieces) if depth < _DEPTH else None
    if bands is None:
        return [pieces]
    parts = (part for band in bands for part in (band.spanning, band.left, band.right, band.between))
    return [region for part in parts for region in _split(part, depth + 1)]


class _Band(NamedTuple):
    """What spans a gutter, and below it what is left and right of the gutter, or between the two."""

    spanning: list[Segment]
    left: list[Segment]
    right: list[Segment]
    between: list[Segment]


def _best_bands(pieces: list[Segment]) -> list[_Band] | None:
    """The bands of the gutter that has most columns beside it; None if there is none."""
    best, score = None, 0.0
    for gutter in _gutters(pieces):
        bands = _bands(pieces, gutter)
        columns = [band for band in bands if _are_columns(band.left, band.right)]
        beside = sum(len(band.left) + len(band.right) for band in columns)
        across = sum(len(band.spanning) + len(band.between) for band in bands)
        if columns and beside - across / 1000 > score:
            best, score = _merge_bands(bands), beside - across / 1000
    return best


def _merge_bands(bands: Sequence[_Band]) -> list[_Band]:
    """Bands without columns stay together, with those next to them."""
    merged: list[_Band] = []
    loose: list[Segment] = []
    for band in bands:
        if _are_columns(band.left, band.right):
            merged += [_Band(loose + band.spanning, [], [], []), band._replace(spanning=[])]
            loose = []
        else:
            loose = [*loose, *band.spanning, *band.left, *band.right, *band.between]
    return [*merged, _Band(loose, [], [], [])]


def _gutters(pieces: Sequence[Segment]) -> list[float]:
    """Places between pieces of most rows, about one per half line height."""
    unit = median(piece.height for piece in pieces) / 2
    found: dict[int, list[float]] = {}
    for row in rows_of(pieces):
        for one, other in pairwise(row):
            if other.left - one.right > 0:
                between = (one.right + other.left) / 2
                found.setdefault(round(between / unit), []).append(between)
    return [places[-1] for places in sorted(found.values(), key=len, reverse=True)[:_GUTTERS]]


def _bands(pieces: Sequence[Segment], gutter: float) -> list[_Band]:
    """What spans the gutter, then what is beside it, from top to bottom."""
    bands = [_Band([], [], [], [])]
    large = LARGE * usual_height(pieces)  # a heading that spans columns is not cut
    cut_pieces = (part for piece in pieces for part in (_cut_at(piece, gutter) if piece.height < large else [piece]))
    parts = sorted(cut_pieces, key=lambda piece: piece.middle)
    for at, piece in enumerate(parts):
        if piece.right <= gutter:
            bands[-1].left.append(piece)
        elif piece.left >= gutter:
            bands[-1].right.append(piece)
        elif _is_between(piece, parts[max(0, at - _NEAR) : at + _NEAR]):
            bands[-1].between.append(piece)
        else:
            if bands[-1].left or bands[-1].right:
                bands.append(_Band([], [], [], []))
            bands[-1].spanning.append(piece)
    return bands


def _is_between(piece: Segment, near: Sequence[Segment]) -> bool:
    """Whether something is on both sides of a piece, such as text that flows around a caption."""
    beside = [other for other in near if abs(other.middle - piece.middle) < 0.7 * piece.height]
    return any(other.right <= piece.left for other in beside) and any(other.left >= piece.right for other in beside)


def _cut_at(piece: Segment, gutter: float) -> list[Segment]:
    """Cut a piece in two if it was read across a gutter: its widest space is there."""
    if not piece.left < gutter < piece.right:
        return [piece]
    spaces = {at: piece.where[at] - piece.where[at - 1] for at in spaces_before(piece)}
    for at, space in spaces.items():
        if piece.where[at - 1] < gutter < piece.where[at]:
            others = [other for place, other in spaces.items() if place != at]
            usual = median(others) if others else piece.height
            if space > max(_WIDE_SPACE * usual, 0.7 * piece.height):
                left, right = cut(piece, [at])
                return [replace(left, right=min(left.right, gutter)), replace(right, left=max(right.left, gutter))]
    return [piece]


def _are_columns(left: Sequence[Segment], right: Sequence[Segment]) -> bool:
    """Whether both sides are columns of text that run beside one another, not the cells of a table."""
    if len(left) < _ROWS or len(right) < _ROWS:
        return False
    if min(len(rows_of(side)) for side in (left, right)) < _ROWS:
        return False
    shared = min(_bottom(left), _bottom(right)) - max(_top(left), _top(right))
    if shared < 2 * median(piece.height for piece in left):
        return False
    if _aligned_share(left, right) < _TABLE:
        return True
    if all(_in_sentences(side) or _in_items(side) for side in (left, right)):
        return True
    lower, higher = sorted((left, right), key=lambda side: _bottom(side) - _top(side))
    return _in_sentences(higher) and _is_caption(lower, higher)


def _is_caption(pieces: Sequence[Segment], text: Sequence[Segment]) -> bool:
    """Whether pieces are lines close to one another beside a part of a text; labels are all along it."""
    free = _bottom(pieces) - _top(pieces) - sum(max(piece.height for piece in row) for row in rows_of(pieces))
    is_close = free < sum(piece.height for piece in pieces) / 2
    return is_close and _bottom(pieces) - _top(pieces) < _CAPTION * (_bottom(text) - _top(text))


def _in_items(pieces: Sequence[Segment]) -> bool:
    """Whether most of its lines are items of a list."""
    return sum(piece.text.startswith(("•", "·", "▪", "- ", "– ")) for piece in pieces) > len(pieces) / 2


def _in_sentences(pieces: Sequence[Segment]) -> bool:
    """Whether most of a text is in pieces that are longer than the cells of a table."""
    lengths = [_length(piece.text) for piece in pieces]
    return sum(length for length in lengths if length >= _SENTENCE) > sum(lengths) / 2


def _length(text: str) -> int:
    """The characters of a text; those of scripts without spaces count twice."""
    return len(text) + sum(east_asian_width(character) in "WF" for character in text)


def _aligned_share(left: Sequence[Segment], right: Sequence[Segment]) -> float:
    """The share of the shorter side's pieces that have one beside them."""
    few, many = sorted((left, right), key=len)
    few = few[:: max(1, len(few) // _SAMPLE)]
    return sum(any(piece.is_beside(other, 0.3) for other in many) for piece in few) / len(few)


def _top(pieces: Sequence[Segment]) -> float:
    return min(piece.top for piece in pieces)


def _bottom(pieces: Sequence[Segment]) -> float:
    return max(piece.bottom for piece in pieces)
