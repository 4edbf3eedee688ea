"""Pieces of lines that are found in a picture.

Belongs here: where pieces are, cutting and joining them. Not here: their order (`columns`). Guarantee: pure; no
character is lost.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from math import atan2, cos, sin
from statistics import median

from headwater.parsing.ocr.engine import Line

_GAP = 1.6  # heights between the middles of two characters that belong to different pieces; a space takes .6
_STRAIGHT = 5  # times its height, the width of a line whose direction counts
_SEVERAL = 4
_LEVEL = 0.015  # of a slope that a scan or a screenshot may seem to have


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a line without a wide gap. `where` are the middles of its visible characters, if known."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    height: float
    is_sideways: bool = False
    where: tuple[float, ...] = ()
    slope: float = 0.0  # pixels down for each to the right, as in a photograph of a page

    @property
    def width(self) -> float:
        """From its left to its right."""
        return self.right - self.left

    @property
    def middle(self) -> float:
        """Half-way between its top and bottom."""
        return (self.top + self.bottom) / 2

    def is_beside(self, other: "Segment", reach: float = 0.5) -> bool:
        """Whether two pieces are in one row, at most a part of the lower one's height apart."""
        longer, shorter = (self, other) if self.width > other.width else (other, self)
        expected = longer.middle + longer.slope * (shorter.left + shorter.right - longer.left - longer.right) / 2
        return abs(expected - shorter.middle) < reach * min(self.height, other.height)


def pieces_of(lines: Sequence[Line]) -> list[Segment]:
    """Cut lines into pieces, and turn them so that most are level."""
    angle = _angle(lines)
    return [segment for line in lines for segment in _pieces_of(line, angle)]


def _angle(lines: Sequence[Line]) -> float:
    """The angle of the picture: that of its usual line."""
    angles = [
        atan2(float(line.corners[1][1] - line.corners[0][1]), float(line.corners[1][0] - line.corners[0][0]))
        for line in lines
        if line.corners[1][0] - line.corners[0][0] > _STRAIGHT * abs(line.corners[3][1] - line.corners[0][1])
    ]
    return median(angles) if angles else 0.0


def _pieces_of(line: Line, angle: float) -> list[Segment]:
    across, down = cos(angle), sin(angle)
    corners = [(x * across + y * down, y * across - x * down) for x, y in line.corners.tolist()]
    left, right = min(x for x, _ in corners), max(x for x, _ in corners)
    top, bottom = min(y for _, y in corners), max(y for _, y in corners)
    height = min((corners[3][1] + corners[2][1] - corners[0][1] - corners[1][1]) / 2, bottom - top)
    line_segment = Segment(line.text.strip(), left, top, right, bottom, max(1.0, height), slope=_slope(corners))
    if bottom - top > 1.5 * (right - left) and len(line_segment.text) > 1:
        return [replace(line_segment, height=max(1.0, right - left), is_sideways=True)]
    return _parts(line, line_segment)


def _slope(corners: Sequence[tuple[float, float]]) -> float:
    """The slope of a line, if it is long enough to have one."""
    across = corners[1][0] - corners[0][0] + corners[2][0] - corners[3][0]
    down = corners[1][1] - corners[0][1] + corners[2][1] - corners[3][1]
    is_long = across > _STRAIGHT * (corners[3][1] - corners[0][1])
    return down / across if is_long and abs(down) > _LEVEL * across else 0.0


def _parts(line: Line, whole: Segment) -> list[Segment]:
    """Cut a line at gaps between its characters that no space makes."""
    visible = [index for index, character in enumerate(whole.text) if not character.isspace()]
    if len(visible) != len(line.places):
        return [whole]
    positions = tuple(whole.left + min(1.0, place) * whole.width for place in line.places)
    whole = replace(_tight(whole, positions), where=positions)
    return cut(
        whole,
        [index for index in spaces_before(whole) if positions[index] - positions[index - 1] > _GAP * whole.height],
    )


def spaces_before(piece: Segment) -> list[int]:
    """The visible characters, by number, that follow a space."""
    words = piece.text.split()
    return list(accumulate(len(word) for word in words[:-1])) if piece.where else []


def cut(piece: Segment, cuts: Sequence[int]) -> list[Segment]:
    """Cut a piece before some of its visible characters."""
    visible = [index for index, character in enumerate(piece.text) if not character.isspace()]
    half = piece.height / 4
    segments = []
    for first, end in pairwise([0, *cuts, len(visible)]):
        text = piece.text[visible[first] : visible[end - 1] + 1]
        left = piece.left if first == 0 else piece.where[first] - half
        right = piece.right if end == len(visible) else piece.where[end - 1] + half
        segments.append(replace(piece, text=text, left=left, right=right, where=piece.where[first:end]))
    return segments


def _tight(whole: Segment, where: Sequence[float]) -> Segment:
    """A line without the margin of its box: half a character before its first and after its last."""
    if len(where) < _SEVERAL:
        return whole
    half = 0.6 * (where[-1] - where[0]) / (len(where) - 1)
    return replace(whole, left=max(whole.left, where[0] - half), right=min(whole.right, where[-1] + half))


def join_pieces(row: Sequence[Segment]) -> Segment:
    """One piece of several that are beside one another."""
    if len(row) == 1:
        return row[0]
    return Segment(
        text=" ".join(segment.text for segment in row),
        left=row[0].left,
        top=min(segment.top for segment in row),
        right=max(segment.right for segment in row),
        bottom=max(segment.bottom for segment in row),
        height=max(segment.height for segment in row),
    )
