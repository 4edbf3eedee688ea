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
    straight = _with_whole_headings([segment for segment in pieces if not segment.is_sideways])
    return _split(straight, 0) + [[segment] for segment in pieces if segment.is_sideways]


def _gap(piece: Segment, other: Segment) -> float:
    return max(piece.left - other.right, other.left - piece.right)


def usual_height(pieces: Sequence[Segment]) -> float:
    """The height of the line that the middle character is in."""
    heights = sorted((segment.height, len(segment.text)) for segment in pieces)
    half = sum(length for _, length in heights) / 2
    for height, length in heights:
        half -= length
        if half <= 0:
            return height
    return 1.0


def join_at_spaces(row: Sequence[Segment]) -> list[Segment]:
    """Join the pieces of a row that only a space separates."""
    segments = [row[0]]
    for segment in row[1:]:
        if segment.left - segments[-1].right < _ONE_LINE * min(segment.height, segments[-1].height):
            segments[-1] = join_pieces([segments[-1], segment])
        else:
            segments.append(segment)
    return segments


def _with_whole_headings(pieces: Sequence[Segment]) -> list[Segment]:
    """Join what was found of large lines: their words are as far apart as columns of text."""
    large = LARGE * usual_height(pieces)
    rows = rows_of(segment for segment in pieces if segment.height > large)
    return [segment for segment in pieces if segment.height <= large] + [
        segment for row in rows for segment in join_at_spaces(row)
    ]


def rows_of(pieces: Iterable[Segment]) -> list[list[Segment]]:
    """Pieces beside one another, from left to right; the rows from top to bottom."""
    rows: list[list[Segment]] = []
    for segment in sorted(pieces, key=lambda segment: segment.middle):
        for row in rows[-1:-_ROWS_NEAR:-1]:
            if segment.is_beside(min(row, key=partial(_gap, segment))):
                row.append(segment)
                break
        else:
            rows.append([segment])
    rows.sort(key=lambda row: median(segment.middle for segment in row))
    return [sorted(row, key=lambda segment: segment.left) for row in rows]


def _split(pieces: list[Segment], depth: int) -> list[list[Segment]]:
    """Cut where columns are beside one another; what spans them separates what is above from what is below."""
    if not pieces:
        return []
    bands = _best_bands(pieces) if depth < _DEPTH else None
    if bands is None:
        return [pieces]
    groups = (group for band in bands for group in (band.spanning, band.left, band.right, band.between))
    return [region for group in groups for region in _split(group, depth + 1)]


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
    unit = median(segment.height for segment in pieces) / 2
    clusters: dict[int, list[float]] = {}
    for row in rows_of(pieces):
        for left_segment, right_segment in pairwise(row):
            if right_segment.left - left_segment.right > 0:
                between = (left_segment.right + right_segment.left) / 2
                clusters.setdefault(round(between / unit), []).append(between)
    return [places[-1] for places in sorted(clusters.values(), key=len, reverse=True)[:_GUTTERS]]


def _bands(pieces: Sequence[Segment], gutter: float) -> list[_Band]:
    """What spans the gutter, then what is beside it, from top to bottom."""
    bands = [_Band([], [], [], [])]
    large = LARGE * usual_height(pieces)  # a heading that spans columns is not cut
    cut_pieces = (
        cut_segment
        for segment in pieces
        for cut_segment in (_cut_at(segment, gutter) if segment.height < large else [segment])
    )
    ordered = sorted(cut_pieces, key=lambda segment: segment.middle)
    for index, segment in enumerate(ordered):
        if segment.right <= gutter:
            bands[-1].left.append(segment)
        elif segment.left >= gutter:
            bands[-1].right.append(segment)
        elif _is_between(segment, ordered[max(0, index - _NEAR) : index + _NEAR]):
            bands[-1].between.append(segment)
        else:
            if bands[-1].left or bands[-1].right:
                bands.append(_Band([], [], [], []))
            bands[-1].spanning.append(segment)
    return bands


def _is_between(piece: Segment, near: Sequence[Segment]) -> bool:
    """Whether something is on both sides of a piece, such as text that flows around a caption."""
    beside = [neighbour for neighbour in near if abs(neighbour.middle - piece.middle) < 0.7 * piece.height]
    return any(neighbour.right <= piece.left for neighbour in beside) and any(
        neighbour.left >= piece.right for neighbour in beside
    )


def _cut_at(piece: Segment, gutter: float) -> list[Segment]:
    """Cut a piece in two if it was read across a gutter: its widest space is there."""
    if not piece.left < gutter < piece.right:
        return [piece]
    spaces = {index: piece.where[index] - piece.where[index - 1] for index in spaces_before(piece)}
    for index, space in spaces.items():
        if piece.where[index - 1] < gutter < piece.where[index]:
            other_spaces = [width for place, width in spaces.items() if place != index]
            usual = median(other_spaces) if other_spaces else piece.height
            if space > max(_WIDE_SPACE * usual, 0.7 * piece.height):
                first, second = cut(piece, [index])
                return [replace(first, right=min(first.right, gutter)), replace(second, left=max(second.left, gutter))]
    return [piece]


def _are_columns(left: Sequence[Segment], right: Sequence[Segment]) -> bool:
    """Whether both sides are columns of text that run beside one another, not the cells of a table."""
    if len(left) < _ROWS or len(right) < _ROWS:
        return False
    if min(len(rows_of(side)) for side in (left, right)) < _ROWS:
        return False
    shared = min(_bottom(left), _bottom(right)) - max(_top(left), _top(right))
    if shared < 2 * median(segment.height for segment in left):
        return False
    if _aligned_share(left, right) < _TABLE:
        return True
    if all(_in_sentences(side) or _in_items(side) for side in (left, right)):
        return True
    lower, higher = sorted((left, right), key=lambda side: _bottom(side) - _top(side))
    return _in_sentences(higher) and _is_caption(lower, higher)


def _is_caption(pieces: Sequence[Segment], text: Sequence[Segment]) -> bool:
    """Whether pieces are lines close to one another beside a part of a text; labels are all along it."""
    free = _bottom(pieces) - _top(pieces) - sum(max(segment.height for segment in row) for row in rows_of(pieces))
    is_close = free < sum(segment.height for segment in pieces) / 2
    return is_close and _bottom(pieces) - _top(pieces) < _CAPTION * (_bottom(text) - _top(text))


def _in_items(pieces: Sequence[Segment]) -> bool:
    """Whether most of its lines are items of a list."""
    return sum(segment.text.startswith(("•", "·", "▪", "- ", "– ")) for segment in pieces) > len(pieces) / 2


def _in_sentences(pieces: Sequence[Segment]) -> bool:
    """Whether most of a text is in pieces that are longer than the cells of a table."""
    lengths = [_length(segment.text) for segment in pieces]
    return sum(length for length in lengths if length >= _SENTENCE) > sum(lengths) / 2


def _length(text: str) -> int:
    """The characters of a text; those of scripts without spaces count twice."""
    return len(text) + sum(east_asian_width(character) in "WF" for character in text)


def _aligned_share(left: Sequence[Segment], right: Sequence[Segment]) -> float:
    """The share of the shorter side's pieces that have one beside them."""
    few, many = sorted((left, right), key=len)
    few = few[:: max(1, len(few) // _SAMPLE)]
    return sum(any(segment.is_beside(neighbour, 0.3) for neighbour in many) for segment in few) / len(few)


def _top(pieces: Sequence[Segment]) -> float:
    return min(segment.top for segment in pieces)


def _bottom(pieces: Sequence[Segment]) -> float:
    return max(segment.bottom for segment in pieces)
