"""Lines of code whose fonts do not say so: comments in another font, and names within text.

Belongs here: what the lines above and below show. Not here: what the block above shows (`paragraphs`). Guarantee: only
the marks of lines change; one pass.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from headwater.parsing.pdf.shapes import Line

_NEAR = 1.5  # of the size: lines of one paragraph, or of code, are this near
_OUTDENT = 2.0  # of the size: how far the second line of a paragraph is to the left of its first, at most
_FULL = 3.0  # of the size: a line that ends this near to the edge of its column is full


def mark_code(lines: Sequence[Line], rights: Mapping[int, float], largest: float) -> None:
    """Mark comments between two lines of code as code; large lines that stand alone, and lines of paragraphs, as text.

    Args:
        lines: in the order of reading.
        rights: the right edge of each column.
        largest: the size of code that stands alone, at most: larger lines are headings.
    """
    lone_lines = [
        line
        for previous, line, following in zip([None, *lines], lines, [*lines[1:], None], strict=False)
        if line.is_mono and line.size > largest and not _is_beside_code(previous, line, following)
    ]
    for line in lone_lines:
        line.is_mono = False
    for previous, line, following in zip(lines, lines[1:], lines[2:], strict=False):
        is_comment = not line.text[:1].isalnum()
        if is_comment and not line.is_mono and previous.is_mono and following.is_mono:
            is_inside = line.left > min(previous.left, following.left) - 1 and previous.column == following.column
            line.is_mono = is_inside and _is_near(previous, line) and _is_near(line, following)
    for line, following in pairwise(lines):
        if line.is_mono and not following.is_mono and _is_near(line, following):
            is_level = -_OUTDENT * line.size < following.left - line.left < 1
            is_full = rights.get(line.column, line.right) - line.right < _FULL * line.size
            line.is_mono = not (is_level and is_full)


def _is_beside_code(previous: Line | None, line: Line, following: Line | None) -> bool:
    is_below_code = previous is not None and previous.is_mono and _is_near(previous, line)
    return is_below_code or (following is not None and following.is_mono and _is_near(line, following))


def _is_near(line: Line, following: Line) -> bool:
    return line.column == following.column and 0 < following.base - line.base < _NEAR * line.size
