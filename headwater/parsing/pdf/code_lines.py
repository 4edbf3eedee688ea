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


def mark_code(lines: Sequence[Line], rights: Mapping[int, float]) -> None:
    """Mark comments between two lines of code as code, and lines full of names that begin a paragraph as text.

    Args:
        lines: in the order of reading.
        rights: the right edge of each column.
    """
    for above, line, below in zip(lines, lines[1:], lines[2:], strict=False):
        if not line.is_mono and above.is_mono and below.is_mono:
            is_inside = line.left > min(above.left, below.left) - 1 and above.column == below.column
            line.is_mono = is_inside and _is_near(above, line) and _is_near(line, below)
    for line, below in pairwise(lines):
        if line.is_mono and not below.is_mono and _is_near(line, below):
            is_level = -_OUTDENT * line.size < below.left - line.left < 1
            is_full = rights.get(line.column, line.right) - line.right < _FULL * line.size
            line.is_mono = not (is_level and is_full)


def _is_near(line: Line, below: Line) -> bool:
    return line.column == below.column and 0 < below.base - line.base < _NEAR * line.size
