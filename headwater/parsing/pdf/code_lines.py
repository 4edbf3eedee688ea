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
        for above, line, below in zip([None, *lines], lines, [*lines[1:], None], strict=False)
        if line.is_mono and line.size > largest and not _is_beside_code(above, line, below)
    ]
    for line in lone_lines:
        line.is_mono = False
    for above, line, below in zip(lines, lines[1:], lines[2:], strict=False):
        is_comment = not line.text[:1].isalnum()
        if is_comment and not line.is_mono and above.is_mono and below.is_mono:
            is_inside = line.left > min(above.left, below.left) - 1 and above.column == below.column
            line.is_mono = is_inside and _is_near(above, line) and _is_near(line, below)
    for line, below in pairwise(lines):
        if line.is_mono and not below.is_mono and _is_near(line, below):
            is_level = -_OUTDENT * line.size < below.left - line.left < 1
            is_full = rights.get(line.column, line.right) - line.right < _FULL * line.size
            line.is_mono = not (is_level and is_full)


def _is_beside_code(above: Line | None, line: Line, below: Line | None) -> bool:
    is_below_code = above is not None and above.is_mono and _is_near(above, line)
    return is_below_code or (below is not None and below.is_mono and _is_near(line, below))


def _is_near(line: Line, below: Line) -> bool:
    return line.column == below.column and 0 < below.base - line.base < _NEAR * line.size
